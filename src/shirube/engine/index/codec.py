"""Parsed content as plain values for the pipe and as bytes for the cache; JSON, so that nothing read is executed."""

import json
import zlib
from typing import Any

from shirube.messages import pack_message, unpack_message
from shirube.types import Parsed, Piece, RawImport, Symbol

COMPRESSION = 1
"""zlib's fastest level: three quarters of the gain for a third of the time."""

Plain = tuple[Any, ...]


def to_plain(parsed: Parsed) -> Plain:
    """Return nested tuples of strings and numbers."""
    return (
        parsed.language,
        tuple((p.start, p.end, p.start_line, p.end_line, p.symbol, p.kind) for p in parsed.pieces),
        tuple((s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc) for s in parsed.symbols),
        tuple((i.module, i.line, i.names) for i in parsed.imports),
        tuple(map(pack_message, parsed.notes)),
    )


def from_plain(values: Plain) -> Parsed:
    """Return what ``to_plain`` took apart."""
    language, pieces, symbols, imports, notes = values
    return Parsed(
        language,
        tuple(Piece(*piece) for piece in pieces),
        tuple(Symbol(*symbol) for symbol in symbols),
        tuple(RawImport(module, line, tuple(names)) for module, line, names in imports),
        tuple(map(unpack_message, notes)),
    )


def encode(plain: Plain) -> bytes:
    """Return the bytes that ``decode`` reads."""
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode("utf-8"), COMPRESSION)


def decode(data: bytes) -> Parsed | None:
    """Return what was encoded, or None when the bytes are not of our making."""
    try:
        return from_plain(json.loads(zlib.decompress(data)))
    except (zlib.error, ValueError, TypeError):
        return None
