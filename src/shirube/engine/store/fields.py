"""What the lexical index holds of a piece: one function, so that a rebuild equals the first build."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence

from shirube.engine.store.port import Doc
from shirube.engine.text import index_terms
from shirube.errors import BrokenIndex
from shirube.messages import Message, pack_message, unpack_message, verbatim
from shirube.types import Piece

COMPRESSION = 1
"""zlib's fastest level: three quarters of the gain for a third of the time."""


def pack_text(text: str) -> bytes:
    """Return a file's text as it is kept."""
    return zlib.compress(text.encode("utf-8"), COMPRESSION)


def unpack_text(body: bytes) -> str:
    """Return the text that ``pack_text`` packed; nothing for nothing."""
    try:
        return zlib.decompress(body).decode("utf-8") if body else ""
    except (zlib.error, UnicodeDecodeError) as error:
        raise BrokenIndex("store.text", error=str(error)) from error


def keep_note(note: Message) -> str:
    """Return a message for a column of text; words that are not ours stay as they are."""
    return json.dumps(pack_message(note), ensure_ascii=False) if note.code else str(note)


def kept_note(text: str) -> Message:
    """Return the message that ``keep_note`` wrote, or what an earlier version wrote in words."""
    try:
        return unpack_message(json.loads(text)) if text.startswith("{") else verbatim(text)
    except ValueError:
        return verbatim(text)


def cut(text: str, pieces: Sequence[Piece]) -> list[str]:
    """Return the text of each piece; offsets are bytes of the UTF-8 form."""
    if text.isascii():
        return [text[piece.start : piece.end] for piece in pieces]
    data = text.encode("utf-8")
    return [data[piece.start : piece.end].decode("utf-8") for piece in pieces]


def docs_of(path: str, contents: Iterable[Sequence[str]], pieces: Sequence[Piece]) -> Iterator[Doc]:
    """Return what the lexical index holds of each piece of a file, whose contents are cut into terms already."""
    place = " ".join(index_terms(path))
    for piece, terms in zip(pieces, contents, strict=True):
        symbols = " ".join(index_terms(piece.symbol)) if piece.symbol else ""
        yield Doc(" ".join(terms), symbols, place, piece.kind)
        place = ""


def docs_of_text(path: str, text: str, pieces: Sequence[Piece]) -> Iterator[Doc]:
    """Return the same from the text alone."""
    return docs_of(path, map(index_terms, cut(text, pieces)), pieces)
