"""A reply of the server as a model reads it: its phase, its risk, and the calls that it proposes."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shirube.messages import row

PHASES = ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY")
NUMBERS = ("limit", "start_line", "end_line", "line", "skip", "depth", "max_tokens")
"""Arguments that are numbers; everything else that looks like one is text."""
GAP = re.compile(r"<[^<>\n]+>")
"""What a model has to fill in."""
_PHASE = re.compile(rf"(?:^|^session_id \S+ [A-Z]+ |\()({'|'.join(PHASES)})\b")
_SHELL = re.compile(r"`?shirube call (\w+)(?: --json '(.*)')?`?")
_CALL = re.compile(r"(\w+)((?: \w+=.*)?)")
_PLAIN = re.compile(r"[\w./:*?+-]+")
_KEY = re.compile(r"(\w+): ?")


@dataclass(frozen=True)
class Proposal:
    """A call that a reply proposes."""

    tool: str
    arguments: Mapping[str, Any]
    why: str = ""
    listed: bool = True
    """Whether it is a tool; else it is a command for a shell."""


@dataclass(frozen=True)
class Reply:
    """What a model was sent."""

    text: str
    failed: bool = False
    phase: str = ""
    next: tuple[Proposal, ...] = ()


def read_reply(text: str, failed: bool = False) -> Reply:
    """Read a reply; only the first line of a reply about a session names its phase."""
    phase = _PHASE.search(text.partition("\n")[0])
    return Reply(text, failed, phase[1] if phase else "", tuple(_proposals(text)))


def _proposals(text: str) -> Iterator[Proposal]:
    lines = text.split("\n")
    begin = next((at for at, line in enumerate(lines) if line in row("session_view.next")), len(lines))
    told = lines[begin + 1 :]
    for line, after in zip(told, [*told[1:], ""], strict=False):
        if line.startswith("  ") and not line.startswith("   "):
            why = after.strip() if after.startswith("   ") else ""
            if proposal := read_call(line.strip(), why):
                yield proposal


def read_call(text: str, why: str = "") -> Proposal | None:
    """Read a call as it is written for a model; None when it cannot be read."""
    if shell := _SHELL.fullmatch(text):
        return Proposal(shell[1], json.loads(shell[2] or "{}"), why, listed=False)
    match = _CALL.fullmatch(text)
    if match is None:
        return None
    try:
        return Proposal(match[1], _arguments(match[2]), why)
    except ValueError:
        return None


def _arguments(text: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    while text.strip():
        name, found, rest = text.strip().partition("=")
        if not found:
            raise ValueError(text)
        value, text = _value(rest)
        arguments[name] = int(value) if name in NUMBERS and str(value).isdecimal() else value
    return arguments


def _value(text: str) -> tuple[Any, str]:
    """Return the value that a text begins with, and what follows it."""
    if text.startswith("["):
        return _members(text[1:], "]")
    if text.startswith("{"):
        members, rest = _members(text[1:], "}")
        return dict(members), rest
    if text[:1] in ("'", '"'):
        quote = re.match(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", text)
        if quote is None:
            raise ValueError(text)
        return ast.literal_eval(quote[0]), text[quote.end() :]
    plain = _PLAIN.match(text)
    if plain is None:
        raise ValueError(text)
    return {"true": True, "false": False}.get(plain[0], plain[0]), text[plain.end() :]


def _members(text: str, end: str) -> tuple[list[Any], str]:
    members: list[Any] = []
    while not text.startswith(end):
        key = _KEY.match(text) if end == "}" else None
        value, text = _value(text[key.end() :] if key else text)
        members.append((key[1], value) if key else value)
        text = text.removeprefix(", ")
        if not text:
            raise ValueError(end)
    return members, text[1:]


def gaps(value: Any) -> list[str]:
    """Return what is to be filled in in the arguments of a call."""
    return GAP.findall(json.dumps(value, ensure_ascii=False))
