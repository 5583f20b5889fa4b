"""A layer: the files of one write with everything about them that is small, packed to be kept in memory.

Three parts are read apart, because not every question needs all: the catalog (files), the directory (chunks) and the
links (imports and edges). Texts, vectors and postings are rows of their own.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import MsgspecError, Struct, msgpack

from shirube.engine.store.lexical import FIELDS, keep_note, kept_note
from shirube.engine.store.port import Entry
from shirube.engine.store.postgres.postings import rounded
from shirube.errors import BrokenIndex
from shirube.types import Chunk, Edge, FileRecord, RawImport, Symbol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

LEVEL = 1
"""How hard the parts are compressed: a higher level takes long and saves little."""


class FilesPart(Struct, array_like=True):
    """The files of a layer, each fact as a column."""

    numbers: list[int]
    paths: list[str]
    digests: list[str]
    sizes: list[int]
    languages: list[str]
    lines: list[int]
    notes: dict[int, str]
    """Place of a file → what is to be said of it."""
    chunks: list[int]
    """How many chunks each file has."""
    symbols: list[int]
    """How many symbols each file defines."""
    removed: list[str]
    """Paths that older layers have, and that are gone."""


class ChunksPart(Struct, array_like=True):
    """The chunks of a layer in the order of their files, each fact as a column of numbers."""

    starts: bytes
    ends: bytes
    kinds: bytes
    """Of each chunk the place of its kind in ``names_of_kinds``."""
    names_of_kinds: list[str]
    symbols: list[str]
    """The qualified names."""
    holds: bytes
    """Of each chunk a bit for each kind of symbol that begins in it."""
    lengths: dict[str, bytes]
    """Field → how many terms each chunk has in it."""


class LinksPart(Struct, array_like=True):
    """The imports of a layer's files, and edges; each packed by itself, because few are asked for."""

    imports: list[bytes]
    edges: dict[str, bytes]
    """Source → its outgoing edges; also of files that an older layer has."""


def pack(part: Struct) -> bytes:
    """Return a part as it is stored."""
    return zlib.compress(msgpack.encode(part), LEVEL)


def unpack(data: bytes, kind: Any) -> Any:
    """Return a part that ``pack`` packed."""
    try:
        return msgpack.decode(zlib.decompress(data), type=kind)
    except (zlib.error, MsgspecError) as error:
        raise BrokenIndex("store.server_incomplete") from error


class Layer:
    """One layer, as far as it was read."""

    def __init__(self, number: int, files: FilesPart, models: Iterable[str] = ()) -> None:
        self.number, self.files = number, files
        self.models = frozenset(models)
        """The models of which every file has vectors."""
        self.links: LinksPart | None = None
        self.chunks: ChunksPart | None = None
        self._records: dict[int, FileRecord] = {}

    @cached_property
    def places(self) -> dict[str, int]:
        """Path → the place of its file in the columns."""
        return {path: place for place, path in enumerate(self.files.paths)}

    @cached_property
    def removed(self) -> frozenset[str]:
        """The paths that older layers have, and that are gone."""
        return frozenset(self.files.removed)

    @cached_property
    def by_number(self) -> dict[int, int]:
        """Number of a file → its place."""
        return {number: place for place, number in enumerate(self.files.numbers)}

    def record(self, place: int) -> FileRecord:
        """Return the record of a file."""
        if place not in self._records:
            files = self.files
            self._records[place] = FileRecord(
                files.paths[place],
                files.digests[place],
                files.sizes[place],
                files.languages[place],
                files.lines[place],
                kept_note(files.notes.get(place, "")),
            )
        return self._records[place]

    @cached_property
    def directory(self) -> "Directory":
        """The chunks, ready to be asked."""
        assert self.chunks is not None
        return Directory(self.files, self.chunks)

    @property
    def known_links(self) -> LinksPart:
        """The imports and edges, which were read."""
        assert self.links is not None
        return self.links

    @cached_property
    def indexed(self) -> frozenset[int]:
        """The numbers of the files that are indexed."""
        return frozenset(n for n, language in zip(self.files.numbers, self.files.languages, strict=True) if language)

    def imports(self, place: int) -> tuple[RawImport, ...]:
        """Return the raw imports of a file."""
        rows = msgpack.decode(self.known_links.imports[place])
        return tuple(RawImport(module, line, tuple(names)) for module, line, names in rows)

    def edges(self, source: str) -> tuple[Edge, ...] | None:
        """Return the outgoing edges of a file; None when this layer does not know them."""
        data = self.known_links.edges.get(source)
        if data is None:
            return None
        return tuple(Edge(source, target, kind, rel, line) for target, kind, rel, line in msgpack.decode(data))

    @cached_property
    def sources_of(self) -> dict[str, list[str]]:
        """Target → the files with an edge to it, as far as this layer knows."""
        sources: dict[str, list[str]] = {}
        for source, data in self.known_links.edges.items():
            for target in {edge[0] for edge in msgpack.decode(data)}:
                sources.setdefault(target, []).append(source)
        return sources


class Directory:
    """The chunks of a layer as arrays."""

    def __init__(self, files: FilesPart, chunks: ChunksPart) -> None:
        import numpy as np

        counts = np.array(files.chunks, dtype=np.int64)
        self.firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        """Of each file the place of its first chunk, and behind the last file how many there are."""
        self.owners = np.repeat(np.arange(len(counts)), counts)
        """Of each chunk the place of its file."""
        within = np.arange(len(self.owners)) - self.firsts[self.owners]
        self.keys: Numbers = (np.array(files.numbers, dtype=np.int64)[self.owners] << 20) + within
        self.starts = np.frombuffer(chunks.starts, dtype="<u4")
        self.ends = np.frombuffer(chunks.ends, dtype="<u4")
        self.kinds = np.frombuffer(chunks.kinds, dtype="<u1")
        self.names_of_kinds = chunks.names_of_kinds
        self.holds = np.frombuffer(chunks.holds, dtype="<u8")
        self.symbols = chunks.symbols
        self.lengths = {field: np.frombuffer(data, dtype="<u4") for field, data in chunks.lengths.items()}
        self._rounded: dict[str, Any] = {}

    def rounded(self, field: str) -> Any:
        """Return of each chunk the step to which its length in a field is rounded."""
        if field not in self._rounded:
            self._rounded[field] = rounded(self.lengths[field])
        return self._rounded[field]

    def of_kinds(self, kinds: Sequence[str]) -> Any:
        """Tell of each chunk whether it is of one of these kinds, or holds the beginning of a symbol that is."""
        import numpy as np

        wanted = [place for place, name in enumerate(self.names_of_kinds) if name in kinds]
        bits = np.uint64(sum(1 << place for place in wanted))
        return np.isin(self.kinds, wanted) | ((self.holds & bits) != 0)

    def of_file(self, place: int) -> range:
        """Return the places of a file's chunks."""
        return range(int(self.firsts[place]), int(self.firsts[place + 1]))


def files_part(entries: Sequence[Entry], numbers: Sequence[int], removed: Iterable[str]) -> FilesPart:
    """Return the catalog of files that are written."""
    records = [entry.record for entry in entries]
    return FilesPart(
        list(numbers),
        [record.path for record in records],
        [record.digest for record in records],
        [record.size for record in records],
        [record.language for record in records],
        [record.lines for record in records],
        {place: keep_note(record.note) for place, record in enumerate(records) if record.note},
        [len(entry.pieces) for entry in entries],
        [len(entry.symbols) for entry in entries],
        list(removed),
    )


def chunks_part(
    pieces: Iterable[Chunk], holds: Iterable[Iterable[str]], lengths: Mapping[str, Sequence[int]]
) -> ChunksPart:
    """Return the directory of chunks; ``holds`` are the kinds of the symbols that begin in each."""
    import numpy as np

    pieces = list(pieces)
    names: dict[str, int] = {}
    kinds = [names.setdefault(piece.kind, len(names)) for piece in pieces]
    held = [sum(1 << names.setdefault(kind, len(names)) for kind in set(some)) for some in holds]
    return ChunksPart(
        np.array([piece.start_line for piece in pieces], dtype="<u4").tobytes(),
        np.array([piece.end_line for piece in pieces], dtype="<u4").tobytes(),
        np.array(kinds, dtype="<u1").tobytes(),
        list(names),
        [piece.symbol for piece in pieces],
        np.array(held, dtype="<u8").tobytes(),
        {field: np.array(lengths[field], dtype="<u4").tobytes() for field in FIELDS},
    )


def pack_imports(imports: Iterable[RawImport]) -> bytes:
    """Return the imports of one file, packed."""
    return msgpack.encode([(raw.module, raw.line, raw.names) for raw in imports])


def pack_edges(edges: Iterable[Edge]) -> bytes:
    """Return the outgoing edges of one file, packed."""
    return msgpack.encode([(edge.target, edge.kind, edge.rel, edge.line) for edge in edges])


Named = tuple[int, int, str, str, str, int, int, str, str]
"""A symbol under its name: number of the file, place in it, then the fields of ``Symbol``."""


def pack_named(rows: Sequence[Named]) -> bytes:
    """Return the symbols of one name, packed."""
    return msgpack.encode(rows)


def unpack_named(data: bytes) -> list[Named]:
    """Return the symbols that ``pack_named`` packed."""
    found: list[Named] = msgpack.decode(data, type=list[Named])
    return found


def pack_details(pieces: Sequence[Chunk], symbols: Sequence[Symbol]) -> bytes:
    """Return what is read of a file together with its text."""
    return zlib.compress(
        msgpack.encode(
            (
                [(p.start, p.end, p.start_line, p.end_line, p.symbol, p.kind) for p in pieces],
                [(s.name, s.qualified, s.kind, s.start_line, s.end_line, s.signature, s.doc) for s in symbols],
            )
        ),
        LEVEL,
    )


Details = tuple[list[tuple[int, int, int, int, str, str]], list[tuple[str, str, str, int, int, str, str]]]
"""The fields of a file's pieces and symbols; tuples, which the collector need not look through again and again."""


def unpack_details(data: bytes) -> Details:
    """Return what ``pack_details`` packed."""
    found: Details = unpack(data, Details) if data else ([], [])
    return found
