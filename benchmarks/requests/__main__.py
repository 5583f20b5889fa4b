"""Measure how well the words of a request tell its four slots.

    python -m benchmarks.requests [--out benchmarks/requests] [--show SLOT]

``requests.jsonl`` holds 240 requests by four authors who saw neither the program nor each other's work; each slot is
a quotation or empty. One author for each language is the development half, the other one the test half. A suggestion is
right if both are empty or if they share at least half of their words: the F1 of words in English, of pairs of
characters in Japanese. ``--show`` lists what is wrong in the development half.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shirube.features.plan.frame import SLOTS, Intent
from shirube.features.plan.reading import read_frame

HERE = Path(__file__).parent
HALVES = ("development", "test")
LANGUAGES = ("en", "ja")
RIGHT = 0.5
SMALL = frozenset({"a", "an", "the"})
RESULTS = """\
# Requests

Is a request taken apart into its four slots as a person would do it? {count} requests; a slot is right if it is rightly
empty, or shares half of its words with the person's quotation. Made by `python -m benchmarks.requests`.

| half | language | slots right | filled slots found | given slots right | whole frames right |
|---|---|---|---|---|---|
{rows}

Slots right, by slot:

| half | language | {slots} |
|---|---|---|---|---|---|
{by_slot}

The program's reading of the development half was looked at, that of the test half was not.
"""


def read_requests() -> list[dict[str, str]]:
    """Return the requests with what a person says of their slots."""
    return [json.loads(line) for line in (HERE / "requests.jsonl").read_text("utf-8").splitlines()]


def words(text: str) -> Counter[str]:
    """Return the words of an English text, the pairs of characters of a Japanese one."""
    lower = text.lower()
    if lower.isascii():
        found = [word for word in re.findall(r"\w+", lower) if word not in SMALL]
        return Counter(found)
    bare = re.sub(r"[\s、。「」]", "", lower)
    return Counter(bare[place : place + 2] for place in range(max(1, len(bare) - 1)))


def is_right(expected: str, given: str) -> bool:
    """Tell whether a suggestion says what a person underlined."""
    if not expected or not given:
        return expected == given
    left, right = words(expected), words(given)
    shared = 2 * (left & right).total()
    return shared >= RIGHT * (left.total() + right.total())


def suggested(row: dict[str, str]) -> dict[str, str]:
    """Return what the program reads from a request, slot by slot."""
    frame = read_frame(row["request"], Intent(row["intent"]))
    return {slot: frame.value(slot) for slot in SLOTS}


def judged(rows: Iterable[dict[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield slot, what was expected, and what the program says."""
    for row in rows:
        given = suggested(row)
        yield from ((slot, row[slot], given[slot]) for slot in SLOTS)


def share(values: Iterable[bool]) -> str:
    """Return ``"0.87 (104 of 120)"``."""
    found = list(values)
    return f"{sum(found) / len(found):.2f} ({sum(found)} of {len(found)})" if found else "–"


def measures(rows: list[dict[str, str]]) -> list[str]:
    """Return the cells of a row of the first table."""
    cells = list(judged(rows))
    wholly = (all(is_right(row[slot], given) for slot, given in suggested(row).items()) for row in rows)
    return [
        share(is_right(expected, given) for _, expected, given in cells),
        share(is_right(expected, given) for _, expected, given in cells if expected),
        share(is_right(expected, given) for _, expected, given in cells if given),
        share(wholly),
    ]


def tables(rows: list[dict[str, str]]) -> tuple[list[str], list[str]]:
    """Return the rows of both tables."""
    first, second = [], []
    for half in HALVES:
        for language in (*LANGUAGES, "both"):
            part = [row for row in rows if row["half"] == half and language in (row["language"], "both")]
            first.append(f"| {half} | {language} | {' | '.join(measures(part))} |")
            cells = list(judged(part))
            by_slot = [share(is_right(e, g) for slot, e, g in cells if slot == name) for name in SLOTS]
            second.append(f"| {half} | {language} | {' | '.join(by_slot)} |")
    return first, second


def show(rows: list[dict[str, str]], wanted: str) -> None:
    """Print what is wrong in the development half."""
    for row in rows:
        if row["half"] != HALVES[0]:
            continue
        for slot, given in suggested(row).items():
            if slot == wanted and not is_right(row[slot], given):
                print(f"{row['id']} {row['intent']} {row['request']}\n    want {row[slot]!r}\n    have {given!r}")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", choices=SLOTS)
    options: Any = parser.parse_args()
    rows = read_requests()
    if options.show:
        show(rows, options.show)
        return
    first, second = tables(rows)
    text = RESULTS.format(count=len(rows), rows="\n".join(first), slots=" | ".join(SLOTS), by_slot="\n".join(second))
    print(text)
    if options.out:
        (options.out / "results.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
