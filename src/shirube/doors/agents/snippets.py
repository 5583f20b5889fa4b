"""What to add by hand, for those who would rather do it themselves."""

import json
from typing import Any

from shirube.doors.agents import fences, toml
from shirube.doors.agents.pieces import Piece


def snippet(piece: Piece) -> str:
    """Return a piece as text, headed by the file it belongs in."""
    return f"# {piece.path}\n{_body(piece).rstrip()}\n"


def _body(piece: Piece) -> str:
    if piece.form == "toml":
        return toml.put_table("", piece.pointer, piece.value)
    if piece.form == "block":
        return fences.put_block("", piece.value)
    if piece.form == "file":
        return str(piece.value)
    value: Any = [piece.value] if piece.form == "item" else piece.value
    for name in reversed(piece.pointer):
        value = {name: value}
    return json.dumps(value, indent=2, ensure_ascii=False)
