"""Turns one file into an entry: read it, detect the language, parse it or use the cache, split it into terms, embed.

This runs in worker processes; its only state is the open cache and the loaded model.
"""

import ctypes
import json
import sys
import zlib
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import Struct

from shirube.engine.embed.open import open_embedder
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import pack, to_int8, unpack
from shirube.engine.parse.file import PARSER_VERSION, parse_file
from shirube.engine.parse.languages import language_of
from shirube.engine.repo.read import decode as decode_text
from shirube.engine.repo.read import is_binary, read_bytes
from shirube.engine.store.cache import CacheReader
from shirube.engine.store.lexical import COMPRESSION, cut, docs_of, pack_text
from shirube.engine.store.port import Doc
from shirube.engine.text.tokens import index_terms
from shirube.errors import NotReadable
from shirube.messages import NOTHING, Message, pack_message, say, unpack_message
from shirube.types import Chunk, Parsed, RawImport, Symbol

Plain = tuple[Any, ...]


def to_plain(parsed: Parsed) -> Plain:
    """Return parsed content as nested tuples of strings and numbers, for marshal and JSON."""
    return (
        parsed.language,
        tuple((p.start, p.end, p.start_line, p.end_line, p.symbol, p.kind) for p in parsed.pieces),
        tuple((s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc) for s in parsed.symbols),
        tuple((i.module, i.line, i.names) for i in parsed.imports),
        tuple(map(pack_message, parsed.notes)),
    )


def from_plain(values: Plain) -> Parsed:
    """Return the parsed content that ``to_plain`` converted."""
    language, pieces, symbols, imports, notes = values
    return Parsed(
        language,
        tuple(Chunk(*piece) for piece in pieces),
        tuple(Symbol(*symbol) for symbol in symbols),
        tuple(RawImport(module, line, tuple(names)) for module, line, names in imports),
        tuple(map(unpack_message, notes)),
    )


def encode(plain: Plain) -> bytes:
    """Return the bytes that ``decode`` reads."""
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode("utf-8"), COMPRESSION)


def decode(data: bytes) -> Parsed | None:
    """Return what was encoded, or None when the bytes are damaged."""
    try:
        return from_plain(json.loads(zlib.decompress(data)))
    except (zlib.error, ValueError, TypeError):
        return None


class Task(Struct, frozen=True):
    """A file to read, and its digest in the index, if any."""

    path: str
    known_digest: str = ""
    size: int = 0
    """In bytes, used to share the work evenly."""


class FileReading(Struct, frozen=True):
    """The result of reading a file."""

    path: str
    status: str
    """ok, same (the content did not change), binary, quarantined, gone, or a reason of ``NotReadable``"""
    digest: str = ""
    detail: Message = NOTHING
    body: bytes = b""
    """The text, packed as the store keeps it."""
    lines: int = 0
    parsed: Plain = ()
    """As ``to_plain`` writes it."""
    reused: bool = False
    vectors: bytes | None = b""
    """None: they are computed later, see ``sync.embed_missing``."""
    docs: tuple[Doc, ...] = ()
    cache_rows: tuple[tuple[str, bytes], ...] = ()
    cache_keys: tuple[str, ...] = ()


class Setup(Struct, frozen=True):
    """What a worker needs to know."""

    root: str
    cache: str
    max_bytes: int
    model: str
    """The model a worker runs; empty when vectors are computed elsewhere."""
    parse_seconds: float = 10.0
    """Time limit for parsing one file; after it the file is cut into pieces by lines."""


class Reader:
    """Reads files of one project."""

    def __init__(self, setup: Setup) -> None:
        self._root = Path(setup.root)
        self._max_bytes = setup.max_bytes
        self._parse_seconds = setup.parse_seconds
        self._cache = CacheReader(Path(setup.cache))
        self._embedder: Embedder | None = open_embedder(setup.model) if setup.model else None

    def read(self, task: Task) -> FileReading:
        """Read a file; one that cannot be read gives a result with a status, not an error."""
        try:
            data = read_bytes(self._root, task.path, self._max_bytes)
        except NotReadable as error:
            gone = isinstance(error.__cause__, FileNotFoundError | NotADirectoryError)
            return FileReading(task.path, "gone" if gone else error.reason, detail=error.detail)
        digest = sha256(data).hexdigest()
        if digest == task.known_digest:
            return FileReading(task.path, "same", digest)
        if is_binary(data):
            return FileReading(task.path, "binary", digest)
        return self._read_text(task.path, digest, data)

    def _read_text(self, path: str, digest: str, data: bytes) -> FileReading:
        decoded = decode_text(data)
        language = language_of(path, data)
        key = content_key(digest, language)
        cached = self._cache.get(key)
        parsed = decode(cached) if cached is not None else None
        reused = parsed is not None
        if parsed is None:
            end = monotonic() + self._parse_seconds
            parsed = parse_file(decoded.text.encode("utf-8"), language, lambda: monotonic() > end)
        plain = to_plain(parsed)
        texts = cut(decoded.text, parsed.pieces)
        terms = [index_terms(text) for text in texts]
        keys, new = [key], [] if reused else [(key, encode(plain))]
        vectors = None
        if self._embedder is not None:
            keys.append(rows_key(key, self._embedder.name))
            rows = self._cache.get(keys[-1])
            if rows is None:
                symbols = [piece.symbol for piece in parsed.pieces]
                rows = pack(self._embedder.contents(texts, terms, symbols)) if texts else b""
                new.append((keys[-1], rows))
            vectors = placed(self._embedder, rows, path)
        is_utf8 = decoded.encoding.startswith("utf-8")
        return FileReading(
            path,
            "ok",
            digest,
            decoded.note or (NOTHING if is_utf8 else say("index.read_as", encoding=decoded.encoding)),
            pack_text(decoded.text),
            decoded.text.count("\n") + (bool(decoded.text) and not decoded.text.endswith("\n")),
            plain,
            reused,
            vectors,
            tuple(docs_of(path, terms, parsed.pieces)),
            tuple(new),
            tuple(keys),
        )


def content_key(digest: str, language: str) -> str:
    """Return the cache key of parsed content."""
    return f"{digest}:{language}:{PARSER_VERSION}"


def key_on_disk(root: Path, path: str, max_bytes: int) -> str:
    """Return the cache key of what a file says now; empty when it cannot be read."""
    try:
        data = read_bytes(root, path, max_bytes)
    except NotReadable:
        return ""
    return content_key(sha256(data).hexdigest(), language_of(path, data))


def rows_key(key: str, model: str) -> str:
    """Return the cache key of the rows a model computed for a content."""
    return f"{key}:{model}"


def placed(embedder: Embedder, rows: bytes, path: str) -> bytes:
    """Return cached rows as int8 vectors of the file at a path; the path is part of what a vector encodes."""
    return to_int8(embedder.place(unpack(rows, embedder.dimensions), path)).tobytes() if rows else b""


def give_back() -> bool:
    """Return free memory to the operating system; tell whether that is possible (glibc only)."""
    if sys.platform != "linux":
        return False
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return False
    return True
