"""Reads ``building.toml``: the rows of programs that build or test, and the names, words and places they share."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class BuildRow(NamedTuple):
    """One row of the list."""

    below: tuple[frozenset[str], ...]
    """The words after the program: each is one of several."""
    tail: str
    refused: tuple[str, ...]
    needed: tuple[str, ...]
    names: frozenset[str]
    writes: frozenset[str]
    """Options with a place to write to."""
    chosen: frozenset[str]
    """Options with the name of a task."""
    only: tuple[str, ...]
    """If there are any: no other options may stand."""


NOTHING = BuildRow((), "", (), (), frozenset(), frozenset(), frozenset(), ())


class BuildList(NamedTuple):
    """The whole list, by program."""

    rows: dict[str, list[BuildRow]]
    wrappers: dict[str, list[BuildRow]]
    valued: dict[str, frozenset[str]]
    """By program, the options that take the next word."""
    known: dict[str, frozenset[str]]
    """By program, the options whose value is harmless, whatever their name says."""
    good: frozenset[str]
    bad: frozenset[str]
    excused: frozenset[str]
    suffixes: tuple[str, ...]
    refused: tuple[str, ...]
    into: tuple[str, ...]
    anywhere: frozenset[str]
    values: frozenset[str]
    switches: frozenset[str]
    words: frozenset[str]
    """Programs whose options have one dash and several letters."""
    settings: frozenset[str]
    given: frozenset[str]
    remote: frozenset[str]


@cache
def load() -> BuildList:
    """Return the whole list."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("building.toml").read_text("utf-8"))
    names, always, given = data.pop("names"), data.pop("always"), data.pop("given")
    rows: dict[str, list[BuildRow]] = {}
    wrappers: dict[str, list[BuildRow]] = {}
    valued: dict[str, frozenset[str]] = {}
    known: dict[str, frozenset[str]] = {}
    for ecosystem, part in data.items():
        for text in part["rows"]:
            programs, row, takes, harmless = _row(text)
            for program in programs:
                (wrappers if ecosystem == "wrappers" else rows).setdefault(program, []).append(row)
                valued[program] = valued.get(program, frozenset()) | takes
                known[program] = known.get(program, frozenset()) | harmless
    return BuildList(
        rows,
        wrappers,
        valued,
        known,
        frozenset(names["good"].split()),
        frozenset(names["bad"].split()),
        frozenset(names["excused"].split()),
        tuple(names["suffixes"].split()),
        tuple(always["refuse"].split()),
        tuple(f"{folder}/" for folder in always["outputs_into"].split()),
        frozenset(always["outputs_anywhere"].split()),
        frozenset(always["values"].split()),
        frozenset(always["switches"].split()),
        frozenset(always["words"].split()),
        frozenset(always["settings"].split()),
        frozenset(given["programs"].split()),
        frozenset(always["remote"].split()),
    )


def _row(text: str) -> tuple[list[str], BuildRow, frozenset[str], frozenset[str]]:
    """Return the programs of a row, the row, the options that take a value, and those whose value is harmless."""
    first, *words = text.split()
    tails = ("@", "@*", "@+", "%", "&", "&*", "^", ".", "/", "//")
    marks = {mark: [word[1:] for word in words if word[0] == mark and word not in tails] for mark in "!+=~:>?@"}
    plain = [word for word in words if word[0] not in marks or word in tails]
    tail = plain.pop() if plain and plain[-1] in tails else ""
    below = tuple(frozenset(word.split("|")) for word in plain)
    groups = {mark: tuple(one for group in marks[mark] for one in group.split("|")) for mark in marks}
    takes = frozenset((*groups["="], *groups[">"], *groups["@"]))
    row = BuildRow(
        below,
        tail,
        groups["!"],
        groups["+"],
        frozenset(groups["~"]),
        frozenset(groups[">"]),
        frozenset(groups["@"]),
        groups["?"],
    )
    return first.split("|"), row, takes, frozenset(groups[":"])
