"""Edits TOML as text: appends a table at the end, and removes a table with the lines that belong to it.

The standard library parses every result, which must equal the expected data. So syntax that this editor does not
know (an inline table) is refused instead of damaged.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from shirube.doors.agents.jsonc import Broken, Pointer, append_block
from shirube.messages import say, verbatim

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.S)
_HEADER = re.compile(r"^[ \t]*\[(?!\[)([^\]\n]*)\][ \t]*(?:#.*)?\r?$|^[ \t]*\[\[([^\]\n]*)\]\]", re.M)


def parse(text: str) -> dict[str, Any]:
    """Return the data of a TOML text."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Broken(verbatim(str(error))) from None


def find(text: str, pointer: Pointer) -> Any:
    """Return the value at ``pointer``, or None."""
    place: Any = parse(text)
    for depth, name in enumerate(pointer):
        if not isinstance(place, dict):
            raise Broken(say("install.no_table", place=".".join(pointer[:depth])))
        place = place.get(name)
        if place is None:
            return None
    return place


def put_table(text: str, pointer: Pointer, table: Mapping[str, Any]) -> str:
    """Return the text with a table at ``pointer``: an existing one is removed, the new one appended at the end."""
    if find(text, pointer) is not None:
        text = take_table(text, pointer)
    lines = [f"[{'.'.join(map(_key, pointer))}]", *(f"{_key(name)} = {_value(v)}" for name, v in table.items())]
    return _checked(append_block(text, "\n".join(lines)), (_with(parse(text), pointer, dict(table)),))


def take_table(text: str, pointer: Pointer) -> str:
    """Return the text without the table at ``pointer``, its tables below it, and the empty line before it."""
    data = parse(text)
    wanted = (_without(data, pointer, prune=True), _without(data, pointer, prune=False))
    shorter = text
    for (start, names), (until, _) in reversed(list(pairwise([*_headers(text), (len(text), ())]))):
        if names[: len(pointer)] == pointer:
            shorter = shorter[: _opened(text, start)] + shorter[start + _body(text[start:until]) :]
    return _checked(shorter, wanted)


def _body(block: str) -> int:
    """Return the length of a table's lines; comments and empty lines at the end belong to what follows."""
    lines = block.splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return sum(map(len, lines))


def _opened(text: str, start: int) -> int:
    """Return the offset moved up over one empty line, if there is one before it."""
    for gap in ("\r\n", "\n"):
        if text[:start].endswith(gap) and text[: start - len(gap)].endswith("\n"):
            return start - len(gap)
    return start


def _headers(text: str) -> Iterator[tuple[int, Pointer]]:
    """Yield the headers of tables, but no text inside a string or a list that looks like one."""
    # Every character of a string or comment is replaced, so that no bracket is left and offsets stay the same.
    blank = _TOKEN.sub(lambda token: re.sub(r"[^\n]", "x" if token[0][0] != "#" else " ", token[0]), text)
    for header in _HEADER.finditer(blank):
        line = text[header.start() : header.end()]
        names = _names(line)
        above = _HEADER.sub("", blank[: header.start()])
        if names is not None and above.count("[") <= above.count("]"):  # else it is an item of a list begun further up
            yield header.start(), names


def _names(header: str) -> Pointer | None:
    """Return the name in a header as the parser reads it."""
    try:
        place: Any = tomllib.loads(header.strip())
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while isinstance(place, dict) and place:
        (name,) = place
        names.append(name)
        place = place[name]
    return tuple(names)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    """Return a value as TOML; JSON's strings, numbers, lists and truth are TOML's too."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _checked(text: str, wanted: tuple[dict[str, Any], ...]) -> str:
    try:
        same = parse(text) in wanted
    except Broken:
        same = False
    if not same:
        raise Broken(say("install.toml_form"))
    return text


def _with(data: dict[str, Any], pointer: Pointer, value: Any) -> dict[str, Any]:
    name, *rest = pointer
    inner = _with(data.get(name, {}), tuple(rest), value) if rest else value
    return {**data, name: inner}


def _without(data: dict[str, Any], pointer: Pointer, prune: bool) -> dict[str, Any]:
    """Return the data without the value at ``pointer``; ``prune`` also drops tables that become empty."""
    name, *rest = pointer
    others = {key: value for key, value in data.items() if key != name}
    if name not in data or not rest:
        return others
    inner = _without(data[name], tuple(rest), prune)
    return others if prune and not inner else {**data, name: inner}
