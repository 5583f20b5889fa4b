"""Parsed content as bytes for the cache, and back; JSON, so that nothing read from disk is executed."""

import json
import zlib

from shirube.types import Parsed, Piece, RawImport, Symbol

COMPRESSION = 1


def encode(parsed: Parsed) -> bytes:
    """Return the bytes that ``decode`` reads."""
    plain = [
        parsed.language,
        [[p.start, p.end, p.start_line, p.end_line, p.symbol, p.kind] for p in parsed.pieces],
        [[s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc] for s in parsed.symbols],
        [[i.module, i.line, i.names] for i in parsed.imports],
        parsed.notes,
    ]
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode("utf-8"), COMPRESSION)


def decode(data: bytes) -> Parsed | None:
    """Return what ``encode`` wrote, or None when the bytes are not of its making."""
    try:
        language, pieces, symbols, imports, notes = json.loads(zlib.decompress(data))
        return Parsed(
            language,
            tuple(Piece(*piece) for piece in pieces),
            tuple(Symbol(*symbol) for symbol in symbols),
            tuple(RawImport(module, line, tuple(names)) for module, line, names in imports),
            tuple(notes),
        )
    except (zlib.error, ValueError, TypeError):
        return None
