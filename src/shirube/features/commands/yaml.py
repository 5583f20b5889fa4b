"""As much of YAML as configuration files and front matter are written in.

Nested maps and lists, quoted and plain text, flow lists, block text, comments. Whatever goes beyond that (anchors,
tags, several documents) is refused with its line, not guessed at. Values are text, true, false or nothing.
"""

import json
import re
from typing import Any

from shirube.messages import Message, say

DEEPEST = 20
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>%@`"'\[\]{},][^:]*?)\s*:(?:\s+(.*))?$""")
_BLOCK = re.compile(r"([|>])([+-]?)\d?\s*(?:#.*)?$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?$""")
_FLOW = re.compile(
    r"""\s*(?:([\[\]{},:])|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([^\[\]{},:"'][^\[\]{},]*?(?=\s*(?:[\[\]{},]|:\s|:$|$))))"""
)
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


class NotYaml(ValueError):
    """A text that is not the YAML we read, with the line."""

    def __init__(self, line: int, why: Message) -> None:
        self.why = say("commands.yaml_line", line=line, why=why)
        super().__init__(self.why)


def split_front(text: str) -> tuple[str, str]:
    """Cut a text into its leading front matter, without the lines of dashes, and the rest."""
    front = _FRONT.match(text)
    return (front[1], text[front.end() :]) if front else ("", text.removeprefix("\ufeff"))


def read_yaml(text: str) -> Any:
    """Return the value of a text, or raise ``NotYaml``."""
    reader = _Reader(text)
    value = reader.block(-1, 0)
    if not reader.done():
        raise reader.refuse("commands.yaml_indent")
    return value


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._at = 0
        self._began = 0
        """The line on which the name or item at hand stands."""

    def refuse(self, code: str, **values: Any) -> NotYaml:
        """Return the error for the line at hand."""
        return NotYaml(min(self._at, len(self._lines)) + 1, say(code, **values))

    def refuse_value(self, code: str, **values: Any) -> NotYaml:
        """Return the error for what the name or item at hand has been given."""
        return NotYaml(self._began + 1, say(code, **values))

    def done(self) -> bool:
        """Pass over what says nothing, and tell whether the end is reached."""
        while self._at < len(self._lines):
            bare = self._lines[self._at].strip()
            if bare and not bare.startswith("#") and bare != "---":
                return False
            self._at += 1
        return True

    def block(self, outer: int, depth: int) -> Any:
        """Read the map or list that is indented deeper than ``outer``."""
        if depth > DEEPEST:
            raise self.refuse("commands.yaml_deep", most=DEEPEST)
        if self.done() or (indent := self._indent()) <= outer:
            return None
        return self._list(indent, depth) if self._is_item() else self._map(indent, depth)

    def _indent(self) -> int:
        line = self._lines[self._at]
        indent = len(line) - len(line.lstrip(" "))
        if line[indent] == "\t":
            raise self.refuse("commands.yaml_tab")
        return indent

    def _is_item(self) -> bool:
        bare = self._lines[self._at].strip()
        return bare == "-" or bare.startswith("- ")

    def _here(self, indent: int) -> bool:
        return not self.done() and self._indent() == indent

    def _map(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._here(indent) and not self._is_item():
            self._began = self._at
            pair = _KEY.match(self._lines[self._at].strip())
            if pair is None:
                raise self.refuse("commands.yaml_pair")
            key = str(_scalar(pair[1], self))
            if key in found:
                raise self.refuse("commands.yaml_twice", key=key)
            self._at += 1
            found[key] = self._value(pair[2] or "", indent, depth)
        return found

    def _list(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while self._here(indent) and self._is_item():
            self._began, line = self._at, self._lines[self._at]
            rest = line.strip()[1:].lstrip()
            if _KEY.match(rest) and not _QUOTED.match(rest):
                inner = len(line.rstrip()) - len(rest)
                self._lines[self._at] = " " * inner + rest
                found.append(self._map(inner, depth + 1))
            else:
                self._at += 1
                found.append(self._value(rest, indent, depth))
        return found

    def _value(self, rest: str, indent: int, depth: int) -> Any:
        """Read what follows a name or a dash: on the same line, or in the lines below."""
        if not rest or rest.startswith("#"):
            same = self._here(indent) and self._is_item() and not self._lines[self._at - 1].strip().startswith("-")
            return self.block(indent - 1 if same else indent, depth + 1)
        if block := _BLOCK.match(rest):
            return self._text(indent, block[1] == ">", block[2])
        if rest[0] in "[{":
            while _open_brackets(rest) and self._at < len(self._lines):
                rest += " " + self._lines[self._at].strip()
                self._at += 1
            return _flow(rest, self)
        while rest[0] not in "\"'" and not self.done() and self._indent() > indent:
            if _KEY.match(self._lines[self._at].strip()):
                raise self.refuse("commands.yaml_deeper")
            rest += " " + self._lines[self._at].strip()
            self._at += 1
        return _scalar(rest, self)

    def _text(self, indent: int, folded: bool, tail: str) -> str:
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            lines.append(line)
            self._at += 1
        cut = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
        text = (" " if folded else "\n").join(line[cut:] for line in lines).rstrip()
        return text if tail == "-" or not text else f"{text}\n"


def _scalar(text: str, reader: _Reader) -> Any:
    if quoted := _QUOTED.match(text):
        return _unquote(quoted[1], reader)
    if text[:1] in "&*!|>%@`\"'":
        raise reader.refuse_value("commands.yaml_beyond", text=repr(text[:20]))
    bare = re.split(r"\s#", text, maxsplit=1)[0].strip()
    return _WORDS.get(bare.lower(), bare) if bare.lower() in _WORDS else bare


def _unquote(text: str, reader: _Reader) -> str:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    try:
        return str(json.loads(text))
    except ValueError:
        raise reader.refuse_value("commands.yaml_escape") from None


def _open_brackets(text: str) -> bool:
    bare = re.sub(r"""\"(?:[^"\\]|\\.)*"|'[^']*'""", "", text)
    return sum(map(bare.count, "[{")) > sum(map(bare.count, "]}"))


def _flow(text: str, reader: _Reader) -> Any:
    """Read ``[a, "b"]`` and ``{a: b}``."""
    marks: list[tuple[str, Any]] = []
    place = 0
    while place < len(text) and (mark := _FLOW.match(text, place)) and mark.end() > place:
        word = mark[2] or mark[3]
        marks.append((mark[1] or "", None) if word is None else ("", _scalar(word, reader)))
        place = mark.end()
    if text[place:].strip() and not text[place:].strip().startswith("#"):
        raise reader.refuse_value("commands.yaml_brackets")
    value, rest = _flow_value(marks, 0, reader, 0)
    if rest != len(marks):
        raise reader.refuse_value("commands.yaml_brackets")
    return value


def _flow_value(marks: list[tuple[str, Any]], at: int, reader: _Reader, depth: int) -> tuple[Any, int]:
    if at >= len(marks) or depth > DEEPEST or marks[at][0] in ("]", "}", ",", ":"):
        raise reader.refuse_value("commands.yaml_brackets")
    mark, word = marks[at]
    if not mark:
        return word, at + 1
    close, items, pairs = {"[": "]", "{": "}"}[mark], [], {}
    at += 1
    while at < len(marks) and marks[at][0] != close:
        value, at = _flow_value(marks, at, reader, depth + 1)
        if close == "}":
            if at >= len(marks) or marks[at][0] != ":":
                raise reader.refuse_value("commands.yaml_pair_braces")
            pairs[str(value)], at = _flow_value(marks, at + 1, reader, depth + 1)
        else:
            items.append(value)
        if at < len(marks) and marks[at][0] == ",":
            at += 1
    if at >= len(marks):
        raise reader.refuse_value("commands.yaml_open")
    return (items if close == "]" else pairs), at + 1
