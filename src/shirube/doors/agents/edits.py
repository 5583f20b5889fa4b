"""Finds, inserts and removes a piece, by the format of its file."""

import json
import re
from typing import Any

from shirube.doors.agents import jsonc, toml
from shirube.doors.agents.jsonc import Broken
from shirube.doors.agents.pieces import MARK, Piece
from shirube.doors.agents.table import COMMAND, SERVER
from shirube.messages import say

BEGIN, END = "<!-- shirube:begin -->", "<!-- shirube:end -->"
_BLOCK = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
_LINES = re.compile(
    r"(?:(?<=\n)\r?\n)?[ \t]*" + re.escape(BEGIN) + ".*?" + re.escape(END) + r"[ \t]*(?:\r?\n|\Z)", re.S
)


def put_block(text: str, body: str) -> str:
    """Return the text with the block: in its old place, or after an empty line at the end."""
    _check(text)
    block = f"{BEGIN}\n{body.strip()}\n{END}"
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block.replace("\n", jsonc.line_end(text)), text, count=1)
    return jsonc.append_block(text, block)


def has_block(text: str) -> bool:
    """Tell whether the block is there."""
    _check(text)
    return bool(_BLOCK.search(text))


def take_block(text: str) -> str:
    """Return the text without the block and the empty line before it."""
    _check(text)
    return _LINES.sub("", text)


def _check(text: str) -> None:
    if text.count(BEGIN) != text.count(END) or len(_BLOCK.findall(text)) != text.count(BEGIN):
        raise Broken(say("install.no_pair", begin=BEGIN, end=END))
    if text.count(BEGIN) > 1:
        raise Broken(say("install.many_blocks", count=text.count(BEGIN), begin=BEGIN, end=END))


ABSENT, SAME, OTHER = "absent", "same", "other"


def look(text: str, piece: Piece) -> tuple[str, Any]:
    """Return whether a piece is absent, the same or another, and the current value at its place."""
    value = current(text, piece)
    if value is None:
        return ABSENT, None
    wanted = [piece.value] if piece.form == "item" else piece.value
    return (SAME, value) if value == wanted else (OTHER, value)


def current(text: str, piece: Piece) -> Any:
    """Return the current value at the place of a piece, or None."""
    if piece.form == "json":
        place = jsonc.find(text, piece.pointer)
        return None if place is None else place.data()
    if piece.form == "item":
        return [value for _, value in _ours(text, piece)] or None
    if piece.form == "toml":
        return toml.find(text, piece.pointer)
    if piece.form == "block":
        if not has_block(text):
            return None
        return piece.value if put_block(text, piece.value) == text else text  # as we would write it now, or not
    return text or None


def put(text: str, piece: Piece) -> str:
    """Return the text with a piece."""
    if piece.form == "json":
        return jsonc.put_member(text, piece.pointer, piece.value)
    if piece.form == "item":
        numbers = [number for number, _ in _ours(text, piece)]
        return jsonc.put_item(jsonc.take_items(text, piece.pointer, numbers), piece.pointer, piece.value)
    if piece.form == "toml":
        return toml.put_table(text, piece.pointer, piece.value)
    return put_block(text, piece.value) if piece.form == "block" else piece.value


def take(text: str, piece: Piece, made: int) -> str:
    """Return the text without a piece; ``made`` containers around it go too when they are empty."""
    if piece.form == "json":
        return jsonc.take_member(text, piece.pointer, made)
    if piece.form == "item":
        return jsonc.take_items(text, piece.pointer, [number for number, _ in _ours(text, piece)], made)
    if piece.form == "toml":
        return toml.take_table(text, piece.pointer)
    return take_block(text) if piece.form == "block" else ""


def missing(text: str, piece: Piece) -> int:
    """Return how many containers have to be created for a piece."""
    if piece.form not in ("json", "item"):
        return 0
    around = piece.pointer if piece.form == "item" else piece.pointer[:-1]
    return sum(jsonc.find(text, around[: depth + 1]) is None for depth in range(len(around)))


def is_ours(piece: Piece, found: Any) -> bool:
    """Tell whether the value at a piece's place looks like ours, when there is no receipt for it."""
    if piece.filler:
        return False
    if piece.kind == "mcp":
        command = found.get("command", "") if isinstance(found, dict) else ""
        program = command[0] if isinstance(command, list) and command else command
        return str(program).replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe") in (SERVER, COMMAND)
    if piece.form == "file":
        return bool(found == piece.value)
    return True


def is_empty(text: str, piece: Piece) -> bool:
    """Tell whether a file holds nothing more than white space or an empty object."""
    rest = text.strip("\ufeff \t\r\n")
    return not rest or (piece.form in ("json", "item") and rest == "{}")


def _ours(text: str, piece: Piece) -> list[tuple[int, Any]]:
    """Return the items of a list that call our gate."""
    place = jsonc.find(text, piece.pointer)
    if place is None:
        return []
    if place.kind != "array":
        raise jsonc.Broken(say("install.no_list", place=".".join(piece.pointer)))
    items = [(number, child.value.data()) for number, child in enumerate(place.children)]
    return [
        (number, value) for number, value in items if any(SERVER in text and MARK in text for text in _texts(value))
    ]


def _texts(value: Any) -> list[str]:
    """Return every string of a value."""
    if isinstance(value, dict | list):
        return [text for inner in (value.values() if isinstance(value, dict) else value) for text in _texts(inner)]
    return [value] if isinstance(value, str) else []


def snippet(piece: Piece) -> str:
    """Return a piece as text, headed by the file it belongs in."""
    if piece.form in ("json", "item"):
        value = [piece.value] if piece.form == "item" else piece.value
        body = json.dumps(jsonc.wrapped(piece.pointer, value), indent=2, ensure_ascii=False)
    else:
        body = put("", piece)
    return f"# {piece.path}\n{body.rstrip()}\n"
