"""The Lexical port, used inside the store only: takes terms, returns chunk keys with BM25 scores.

Three engines implement it: tantivy, SQLite's FTS5, and dictionaries in memory. The first one that works answers. All
hold the same documents, so a fallback changes scores a little but never what can be found.
"""

import json
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from shirube.engine.store.port import Doc, Terms
from shirube.engine.text.bm25 import Bm25
from shirube.engine.text.tokens import index_terms
from shirube.errors import BrokenIndex
from shirube.messages import NOTHING, Message, pack_message, unpack_message, verbatim
from shirube.types import Chunk

FIELDS = ("content", "symbols", "path")
KEY_SHIFT = 20
"""A chunk's key is its file's number times 2^20 plus its position: a file of 1 MiB cannot have more pieces."""

Scored = list[tuple[int, float]]
Key = TypeVar("Key")
T = TypeVar("T")


def key_of(file_id: int, position: int) -> int:
    """Return the key of a chunk: ``key_of(3, 1)`` → 3 * 2^20 + 1."""
    return (file_id << KEY_SHIFT) + position


def file_of(key: int) -> int:
    """Return the number of the file a chunk belongs to."""
    return key >> KEY_SHIFT


class Lexical(Protocol):
    """An inverted index over documents that belong to files."""

    def replace(self, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        """Replace a file's documents; an empty sequence removes the file."""

    def commit(self) -> None:
        """Make the replaced documents visible to searches."""

    def search(self, fields: Mapping[str, Terms], where: "Where", limit: int) -> Scored:
        """Return the documents that contain any of the terms, best first."""

    def together(self, terms: Sequence[str], where: "Where", limit: int) -> Scored:
        """Return documents whose content contains all of the terms, best first."""

    def frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """Return how many documents contain each term in a field."""


def all_together(engine: Lexical, terms: Sequence[str], where: "Where") -> Scored:
    """Return every document that contains all of the terms, without a limit."""
    limit = min(engine.frequencies("content", terms).values())  # no more documents can have all of them
    return engine.together(terms, where, limit) if limit else []


class Where:
    """The part of a scope that an engine can filter by itself: languages."""

    def __init__(self, languages: Iterable[str] = ()) -> None:
        self.languages = frozenset(languages)

    def allows(self, language: str) -> bool:
        """Tell whether a document of this language passes the filter."""
        return not self.languages or language in self.languages


class MemoryLexical:
    """BM25 in dictionaries: the index of the memory store, and the last fallback of the embedded one."""

    def __init__(self) -> None:
        self._indexes: dict[str, Bm25[int]] = {field: Bm25() for field in FIELDS}
        self._files: dict[int, tuple[str, int]] = {}
        """File number → its language, and how many documents it has."""

    def held(self) -> set[int]:
        """Return the numbers of the files it holds."""
        return set(self._files)

    def replace(self, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        """Replace a file's documents; an empty sequence removes the file."""
        _, count = self._files.pop(file_id, ("", 0))
        for position in range(count):
            for index in self._indexes.values():
                index.remove(key_of(file_id, position))
        for position, doc in enumerate(docs):
            for field, index in self._indexes.items():
                index.add(key_of(file_id, position), getattr(doc, field).split())
        if docs:
            self._files[file_id] = (language, len(docs))

    def commit(self) -> None:
        """Do nothing: changes are visible immediately."""

    def search(self, fields: Mapping[str, Terms], where: Where, limit: int) -> Scored:
        """Return the documents that contain any of the terms, best first."""
        total: dict[int, float] = {}
        for field, terms in fields.items():
            for key, score in self._indexes[field].scores(terms).items():
                total[key] = total.get(key, 0.0) + score
        return self._best(total, where, limit)

    def together(self, terms: Sequence[str], where: Where, limit: int) -> Scored:
        """Return documents whose content contains all of the terms, best first."""
        index = self._indexes["content"]
        scores = index.scores(dict.fromkeys(terms, 1.0))
        return self._best({key: scores[key] for key in index.having(terms)}, where, limit)

    def frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """Return how many documents contain each term in a field."""
        return {term: len(self._indexes[field].having([term])) for term in terms}

    def _best(self, scores: Mapping[int, float], where: Where, limit: int) -> Scored:
        wanted = [item for item in scores.items() if item[1] > 0 and where.allows(self._files[file_of(item[0])][0])]
        return sorted(wanted, key=lambda item: (-item[1], item[0]))[:limit]


COMPRESSION = 1
"""zlib's fastest level: three quarters of the gain for a third of the time."""


def pack_text(text: str) -> bytes:
    """Return a file's text compressed, as the store keeps it."""
    return zlib.compress(text.encode("utf-8"), COMPRESSION)


def unpack_text(body: bytes) -> str:
    """Return the text that ``pack_text`` packed; empty bytes give an empty text."""
    try:
        return unpack_bytes(body).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenIndex("store.text", error=str(error)) from error


def unpack_bytes(body: bytes) -> bytes:
    """Return the text that ``pack_text`` packed, in UTF-8."""
    try:
        return zlib.decompress(body) if body else b""
    except zlib.error as error:
        raise BrokenIndex("store.text", error=str(error)) from error


def keep_note(note: Message) -> str:
    """Return a message as text for a column: JSON, or the plain words of a message without a code."""
    return json.dumps(pack_message(note), ensure_ascii=False) if note.code else str(note)


def kept_note(text: str) -> Message:
    """Return the message that ``keep_note`` wrote; plain words, as earlier versions wrote them, stay as they are."""
    if not text:
        return NOTHING  # most files have none, and all are read at once
    try:
        return unpack_message(json.loads(text)) if text.startswith("{") else verbatim(text)
    except ValueError:
        return verbatim(text)


def wanted_chunks(chunks: Iterable[tuple[Key, int, int, str]], wanted: Collection[int] | Collection[str]) -> list[Key]:
    """Return the chunks (key, first line, last line, symbol) that hold a wanted line or symbol, else the first one."""
    lines = [one for one in wanted if isinstance(one, int)]
    names = {one for one in wanted if isinstance(one, str)}
    chunks = list(chunks)
    holding = [
        key
        for key, start, end, symbol in chunks
        if symbol.rpartition(".")[2] in names or any(start <= line <= end for line in lines)
    ]
    return holding or [key for key, *_ in chunks[:1]]


def place_of(starts: Sequence[int], line: int) -> int:
    """Return which piece of a file holds what begins on a line: of those that begin last before it, the first."""
    return bisect_left(starts, starts[max(0, bisect_right(starts, line) - 1)])


def places_of_kinds(
    pieces: Sequence[tuple[int, str]], symbols: Iterable[tuple[int, str]], kinds: Collection[str]
) -> set[int]:
    """Return which pieces (first line, kind) are of one of these kinds, or hold the beginning of a symbol that is."""
    starts = [start for start, _ in pieces]
    held = {place_of(starts, line) for line, kind in symbols if kind in kinds} if pieces else set()
    return held.union(place for place, (_, kind) in enumerate(pieces) if kind in kinds)


def spread_evenly(values: Sequence[T], most: int) -> Sequence[T]:
    """Return at most so many of the values, spread evenly."""
    return values[:: max(1, len(values) // most)][:most]


def cut(text: str, pieces: Sequence[Chunk]) -> list[str]:
    """Return the text of each piece; the offsets of pieces count UTF-8 bytes."""
    if text.isascii():
        return [text[piece.start : piece.end] for piece in pieces]
    data = text.encode("utf-8")
    return [data[piece.start : piece.end].decode("utf-8") for piece in pieces]


def docs_of(path: str, contents: Iterable[Sequence[str]], pieces: Sequence[Chunk]) -> Iterator[Doc]:
    """Yield the lexical document of each piece of a file; ``contents`` are the index terms of each piece."""
    place = " ".join(index_terms(path))
    for piece, terms in zip(pieces, contents, strict=True):
        symbols = " ".join(index_terms(piece.symbol)) if piece.symbol else ""
        yield Doc(" ".join(terms), symbols, place)
        place = ""  # only the first piece has the path, see ``Doc.path``


def docs_of_text(path: str, text: str, pieces: Sequence[Chunk]) -> Iterator[Doc]:
    """Yield the same documents as ``docs_of``, from the text of the file."""
    return docs_of(path, map(index_terms, cut(text, pieces)), pieces)
