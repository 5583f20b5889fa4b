"""Edits JSON as text: comments, order, indentation, trailing commas and line ends stay as their owner wrote them.

The text is parsed into values that know their offsets; an edit inserts or removes a few characters between them.
The parser accepts JSON with comments and trailing commas; anything else raises ``Broken``.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from shirube.messages import Message, say

Pointer = tuple[str, ...]
MAX_DEPTH = 100
"""Settings files are not nested deeper, and Python's recursion is limited."""
_SPACE = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/[ \t]*)?")


class Broken(ValueError):
    """A text that is not in its format, or has another type of value where an edit belongs."""

    def __init__(self, why: Message) -> None:
        self.why = why
        super().__init__(why)


@dataclass(slots=True)
class Value:
    """A value with its offsets in the text; ``children`` are the members or items of a container."""

    start: int
    end: int
    kind: str
    """object, array or plain"""
    plain: Any = None
    children: list["Child"] = field(default_factory=list)

    def data(self) -> Any:
        """Return the value as a Python object; of members with the same name the last one counts."""
        if self.kind == "object":
            return {child.name: child.value.data() for child in self.children}
        if self.kind == "array":
            return [child.value.data() for child in self.children]
        return self.plain

    def get(self, name: str) -> "Value | None":
        """Return the member that counts, if there is one."""
        return next((child.value for child in reversed(self.children) if child.name == name), None)


@dataclass(slots=True)
class Child:
    """A member (with its name) or an item of a container, and the comma after it (-1: none)."""

    name: str
    start: int
    value: Value
    comma: int = -1


@lru_cache(maxsize=2)
def parse(text: str) -> Value:
    """Return the value of a text; cached, because an edit parses the same text several times, and it may be large."""
    reader = _Reader(text)
    value = reader.value(reader.skip(1 if text.startswith("\ufeff") else 0), 0)
    rest = reader.skip(value.end)
    if rest != len(text):
        raise reader.broken(rest, "install.json_follows")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def broken(self, at: int, code: str, **values: Any) -> Broken:
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        return Broken(say("install.json_at", line=line, column=column, why=say(code, **values)))

    def skip(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def value(self, at: int, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise self.broken(at, "install.json_deep", most=MAX_DEPTH)
        mark = self.text[at : at + 1]
        if mark in ("{", "["):
            return self.container(at, depth)
        if mark == '"':
            text, end = self.string(at)
            return Value(at, end, "plain", text)
        if plain := _PLAIN.match(self.text, at):
            return Value(at, plain.end(), "plain", json.loads(plain[0]))
        raise self.broken(at, "install.json_value" if mark else "install.json_ends", mark=repr(mark))

    def string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if not match:
            raise self.broken(at, "install.json_string")
        try:
            return json.loads(match[0], strict=False), match.end()
        except ValueError:
            raise self.broken(at, "install.json_escape") from None

    def container(self, at: int, depth: int) -> Value:
        is_object = self.text[at] == "{"
        close = "}" if is_object else "]"
        whole = Value(at, at + 1, "object" if is_object else "array")
        offset = self.skip(at + 1)
        while self.text[offset : offset + 1] != close:
            if whole.children and whole.children[-1].comma < 0:
                raise self.broken(offset, "install.json_comma", close=close)
            child = self.child(offset, is_object, depth)
            whole.children.append(child)
            offset = self.skip(child.value.end)
            if self.text[offset : offset + 1] == ",":
                child.comma = offset
                offset = self.skip(offset + 1)
        whole.end = offset + 1
        return whole

    def child(self, at: int, is_object: bool, depth: int) -> Child:
        if not is_object:
            return Child("", at, self.value(at, depth + 1))
        name, end = self.string(at)
        colon = self.skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self.broken(colon, "install.json_colon")
        return Child(name, at, self.value(self.skip(colon + 1), depth + 1))


# --- putting in --------------------------------------------------------------------------------------------


def put_member(text: str, pointer: Pointer, value: Any) -> str:
    """Return the text with a value at ``pointer``; create missing containers, replace an existing value."""
    if not text.strip("\ufeff \t\r\n"):
        text += "{}\n"
    place = parse(text)
    for depth, name in enumerate(pointer):
        if place.kind != "object":
            raise Broken(say("install.no_object", place=_spelt(pointer[:depth])))
        inner = place.get(name)
        if inner is None:
            return _add(text, place, name, wrapped(pointer[depth + 1 :], value))
        place = inner
    on_one_line = "\n" not in text[place.start : place.end]
    written = _inline(text, value) if on_one_line else _written(text, value, _indent_of(text, place.start))
    return _splice(text, place.start, place.end, written)


def put_item(text: str, pointer: Pointer, value: Any) -> str:
    """Return the text with one more item at the end of the list at ``pointer``."""
    place = find(text, pointer)
    if place is None:
        return put_member(text, pointer, [value])
    if place.kind != "array":
        raise Broken(say("install.no_list", place=_spelt(pointer)))
    return _add(text, place, None, value)


def find(text: str, pointer: Pointer) -> Value | None:
    """Return the value at ``pointer``, or None; raise if something on the way is not an object."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    place: Value | None = parse(text)
    for depth, name in enumerate(pointer):
        if place is None:
            return None
        if place.kind != "object":
            raise Broken(say("install.no_object", place=_spelt(pointer[:depth])))
        place = place.get(name)
    return place


def _add(text: str, whole: Value, name: str | None, value: Any) -> str:
    """Add a child at the end of a container, in the style of its neighbours."""
    last = whole.children[-1] if whole.children else None
    if last:
        multiline = "\n" in text[whole.start : whole.end]
    else:  # an empty container may span lines, but not in a file that is all one line
        alone = not (text[: whole.start].strip("\ufeff \t\r\n") or text[whole.end :].strip())
        multiline = alone or "\n" in text.strip()
    label = "" if name is None else json.dumps(name, ensure_ascii=False) + (": " if multiline or ": " in text else ":")
    if not multiline:
        written = label + _inline(text, value)
        lead = "" if last is None else _separators(text)[0]
        return _splice(text, last.value.end if last else whole.start + 1, None, lead + written)
    end, outer = line_end(text), _indent_of(text, whole.start)
    indent = _indent_of(text, last.start) if last and _begins_line(text, last.start) else outer + _unit(text)
    line = end + indent + label + _written(text, value, indent)
    if last is None:
        inside = text[whole.start + 1 : whole.end - 1].rstrip()  # a comment in an empty container stays
        return _splice(text, whole.start + 1, whole.end - 1, inside + line + end + outer)
    if last.comma >= 0:
        return _splice(text, _after_comment(text, last.comma + 1), None, line + ",")
    place = _after_comment(text, last.value.end)
    tail = "" if _begins_line(text, whole.end - 1) else end + outer
    return _splice(_splice(text, place, None, line + tail), last.value.end, None, ",")


def _inline(text: str, value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=_separators(text))


def _written(text: str, value: Any, indent: str) -> str:
    return _dumped(value, _unit(text), "\n" + indent).replace("\n", line_end(text))


def _dumped(value: Any, unit: str, lead: str) -> str:
    """Return a value as JSON over several lines; a list of plain values stays on one line."""
    if isinstance(value, dict) and value:
        inner = [f"{_dumped(name, unit, lead)}: {_dumped(item, unit, lead + unit)}" for name, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        inner = [_dumped(item, unit, lead + unit) for item in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + ",".join(lead + unit + line for line in inner) + lead + closing


def wrapped(pointer: Pointer, value: Any) -> Any:
    """Return a value wrapped in one object per name of a pointer."""
    for name in reversed(pointer):
        value = {name: value}
    return value


# --- taking out --------------------------------------------------------------------------------------------


def take_member(text: str, pointer: Pointer, made: int = 0) -> str:
    """Return the text without the member at ``pointer``, and without the containers that become empty.

    ``made`` is the most containers to remove, from the innermost outwards: those that we created.
    """
    whole = find(text, pointer[:-1])
    if whole is None or whole.kind != "object" or whole.get(pointer[-1]) is None:
        return text
    number = max(n for n, child in enumerate(whole.children) if child.name == pointer[-1])
    text = _remove(text, whole, number)
    if made and len(pointer) > 1 and len(whole.children) == 1:
        return take_member(text, pointer[:-1], made - 1)
    return text


def take_items(text: str, pointer: Pointer, numbers: Sequence[int], made: int = 0) -> str:
    """Return the text without these items of a list, and without containers that become empty, as ``take_member``."""
    whole = find(text, pointer)
    if whole is None or whole.kind != "array":
        return text
    for number in sorted(numbers, reverse=True):
        text = _remove(text, whole, number)
        whole = find(text, pointer)
        if whole is None:
            break
    if made and whole is not None and not whole.children:
        return take_member(text, pointer, made - 1)
    return text


def _remove(text: str, whole: Value, number: int) -> str:
    """Remove a child with its comma and its line; if it was the last, the one before loses its comma too."""
    child = whole.children[number]
    start, end = child.start, child.value.end if child.comma < 0 else child.comma + 1
    before = text[:start].rstrip(" \t")
    if before.endswith("\n"):
        start = len(before.removesuffix("\n").removesuffix("\r"))
    elif child.comma < 0:
        start = len(before)
    else:
        end = len(text) - len(text[end:].lstrip(" \t"))
    shorter = _splice(text, start, end, "")
    if number and child.comma < 0:
        left = whole.children[number - 1]
        shorter = _splice(shorter, left.comma, left.comma + 1, "")
    close = whole.end - (len(text) - len(shorter)) - 1
    is_empty = not shorter[whole.start + 1 : close].strip()
    return _splice(shorter, whole.start + 1, close, "") if is_empty else shorter


# --- style of a text ---------------------------------------------------------------------------------------


def _splice(text: str, start: int, end: int | None, new: str) -> str:
    return text[:start] + new + text[start if end is None else end :]


def _spelt(pointer: Sequence[str]) -> str:
    return ".".join(pointer) or say("install.whole")


def line_end(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"


def append_block(text: str, block: str) -> str:
    """Return the text with some lines appended, after an empty line unless the text is empty."""
    end = line_end(text)
    gap = "" if not text.strip("\ufeff \t\r\n") else end if text.endswith("\n") else end * 2
    return text + gap + block.replace("\n", end) + end


def _unit(text: str) -> str:
    """Return one step of indentation: what the first indented line begins with."""
    indent = re.search(r"\n([ \t]+)\S", text)
    if not indent:
        return "  "
    return "\t" if indent[1].startswith("\t") else indent[1]


def _indent_of(text: str, at: int) -> str:
    found = re.match(r"\ufeff?([ \t]*)", text[text.rfind("\n", 0, at) + 1 : at])
    return found[1] if found else ""


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip("\ufeff \t")


def _after_comment(text: str, at: int) -> int:
    """Return the offset after a comment that follows on the same line, or the given offset."""
    found = _REST_OF_LINE.match(text, at)
    return found.end() if found and found[0].strip() else at


def _separators(text: str) -> tuple[str, str]:
    return (", ", ": ") if re.search(r'":\s', text) else (",", ":")
