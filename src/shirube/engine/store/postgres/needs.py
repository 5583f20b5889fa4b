"""What has to be read from the server to answer look-ups, and the memory of what was read before.

Everything read this way belongs to layers, files or commits that never change, so it may be kept as long as there is
room. All needs of one look are gathered first, and read in one trip.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock, RLock
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import unpack_bytes
from shirube.engine.store.port import PastChange
from shirube.engine.store.postgres.layer import (
    ChunksPart,
    Details,
    FilesPart,
    Layer,
    LinksPart,
    Named,
    unpack,
    unpack_details,
    unpack_named,
)
from shirube.engine.store.postgres.postings import Block, no_block, unpack_block
from shirube.engine.store.postgres.server import Row, Statement
from shirube.types import Chunk, Symbol

MOST_BLOCKS, MOST_CONTENTS, MOST_NAMED = 64_000_000, 96_000_000, 16_000_000
"""Bytes of postings, of files and of definitions that one process keeps."""


class Kept:
    """What was read last, as much as there is room for; safe to share between threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._bytes = most_bytes, 0
        self._values: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def among(self, keys: Iterable[Any]) -> dict[Any, Any]:
        """Return the values of those keys that have one."""
        with self._lock:
            found = {key: known[0] for key in keys if (known := self._values.get(key)) is not None}
            for key in found:
                self._values.move_to_end(key)
        return found

    def put(self, values: Iterable[tuple[Any, Any, int]]) -> None:
        """Keep values, given with key and size; those that were not used for longest make room for them."""
        with self._lock:
            for key, value, size in values:
                self._bytes += size - self._values.pop(key, (None, 0))[1]
                self._values[key] = value, size
            while self._bytes > self._most and len(self._values) > 1:
                self._bytes -= self._values.popitem(last=False)[1][1]


class FileContent:
    """The text of a file and what its parser found in it, unpacked when it is asked for."""

    def __init__(self, body: bytes, details: bytes) -> None:
        self._body, self._details = body, details

    @cached_property
    def text(self) -> bytes:
        """The text in UTF-8."""
        return unpack_bytes(self._body)

    @cached_property
    def _parsed(self) -> Details:
        return unpack_details(self._details)

    @cached_property
    def pieces(self) -> tuple[Chunk, ...]:
        """The pieces that the file was cut into."""
        return tuple(Chunk(*piece) for piece in self._parsed[0])

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the file defines, in its order."""
        return tuple(Symbol(*symbol) for symbol in self._parsed[1])

    def piece(self, place: int) -> Chunk | None:
        """Return one of the pieces; None when there are not so many."""
        pieces = self._parsed[0]
        return Chunk(*pieces[place]) if place < len(pieces) else None

    def text_of(self, piece: Chunk) -> str:
        """Return the text of a piece."""
        return self.text[piece.start : piece.end].decode("utf-8", "replace")

    @property
    def size(self) -> int:
        """About how many bytes it takes when it is unpacked."""
        return 4 * (len(self._body) + len(self._details)) + 500


class RepositoryMemory:
    """What a process keeps of one repository."""

    def __init__(self, repo: int, model: str, dense: DenseRows) -> None:
        self.repo, self.model = repo, model
        self.guard = RLock()
        """Held while what is kept changes in several steps, and while it is looked at."""
        self.layers: WeakValueDictionary[int, Layer] = WeakValueDictionary()
        """By number, as long as somebody looks at a ref that has them."""
        self.own: list[Layer] = []
        """Those that were written here, until somebody looks."""
        self.blocks = Kept(MOST_BLOCKS)
        """(layer, key of a block) → the block; an empty one where the layer lacks the term."""
        self.named = Kept(MOST_NAMED)
        """(layer, name) → the symbols of that name."""
        self.contents = Kept(MOST_CONTENTS)
        """Number of a file → its content."""
        self.commits: dict[int, Written] = {}
        self.bodies: dict[int, str] = {}
        """Number of a commit → the body of its message."""
        self.dense, self.dense_of = dense, Seen()
        """The vectors of all files of a ref, and what it was then."""
        self.embedded: set[int] = set()
        """Files that have vectors, though not all files of their layer have; that never ends."""
        self.embedded_of = Seen()
        """What a ref was when the server was asked which these are."""
        self.keep_parts: Callable[[str, list[Row]], None] = lambda part, rows: None
        """Takes parts of layers that were read, to have them here the next time."""

    def own_layer(self, number: int, files: FilesPart, models: Iterable[str]) -> Layer:
        """Return the layer of a number; there is only one, so that everybody has what was read of it."""
        with self.guard:
            return self.layers.setdefault(number, Layer(number, files, models))


class Seen(NamedTuple):
    """What a ref was: its layers, and how often vectors alone have changed."""

    layers: tuple[int, ...] = ()
    vectors: int = -1


class Written(NamedTuple):
    """A commit as it is stored."""

    hash: bytes
    data: bytes


@dataclass(slots=True)
class LookNeeds:
    """What one look needs of a ref whose layers are known."""

    layers: tuple[int, ...]
    directory: bool = False
    links: bool = False
    terms: set[bytes] = field(default_factory=set)
    names: set[bytes] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    past: bool = False
    commit_terms: set[str] = field(default_factory=set)
    others: list["Reading"] = field(default_factory=list)
    """What is read for one look only."""


class Fetched:
    """What one look has at hand: a question must not depend on what happened to stay in memory."""

    def __init__(self) -> None:
        self.layers: dict[int, Layer] = {}
        self.blocks: dict[tuple[int, bytes], Block] = {}
        self.named: dict[tuple[int, bytes], list[Named]] = {}
        self.contents: dict[int, FileContent] = {}
        self.commit_terms: dict[str, bytes] = {}
        """Term of commits' messages → its row."""
        self.past: tuple[list[int], dict[int, dict[int, str]], dict[int, PastChange]] | None = None
        """The commits of a ref, and where their files are today; then those that are no other's."""
        self.rows: dict[int, list[Row]] = {}
        """Identity of a look-up → the rows that were read for it alone."""


Reading = tuple[Statement, Callable[[list[Row]], None]]
"""A query, and who takes its rows."""


def readings_for(repo: int, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> list[Reading]:
    """Return what has to be read: what is neither at hand nor in memory."""
    others, needs.others = needs.others, []
    return [
        *_for_layers(repo, needs, memory, fetched),
        *_for_blocks(repo, needs, memory, fetched),
        *_for_names(repo, needs, memory, fetched),
        *_for_contents(repo, needs, memory, fetched),
        *_for_commit_terms(repo, needs, fetched),
        *others,
    ]


def _for_layers(repo: int, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> Iterable[Reading]:
    """Read the catalogs of new layers, and of all layers the other parts that are needed."""
    for number in needs.layers:
        if number not in fetched.layers and (known := memory.layers.get(number)) is not None:
            fetched.layers[number] = known
    parts = {"files": [number for number in needs.layers if number not in fetched.layers]}
    for part, is_needed in (("chunks", needs.directory), ("links", needs.links)):
        lacking = (number for number in needs.layers if getattr(fetched.layers.get(number), part, None) is None)
        parts[part] = list(lacking) if is_needed else []

    for part, numbers in parts.items():
        if numbers:
            more = ", models" if part == "files" else ""
            sql = f"SELECT layer, {part}{more} FROM shirube.layers WHERE repo = %s AND layer = ANY(%s::int[])"
            yield Statement(sql, (repo, numbers)), partial(_take_part, memory, fetched, part)


def _take_part(memory: RepositoryMemory, fetched: Fetched, part: str, rows: list[Row]) -> None:
    take_part(memory, fetched, part, rows)
    memory.keep_parts(part, rows)


def take_part(memory: RepositoryMemory, fetched: Fetched, part: str, rows: Iterable[Row]) -> None:
    """Lay a part of layers at hand."""
    for number, data, *models in rows:
        if part == "files":
            fetched.layers[number] = memory.own_layer(number, unpack(data, FilesPart), *models)
        elif part == "chunks":
            fetched.layers[number].chunks = unpack(data, ChunksPart)
        else:
            fetched.layers[number].links = unpack(data, LinksPart)


def _for_blocks(repo: int, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> Iterable[Reading]:
    missing = _missing(needs.layers, needs.terms, memory.blocks, fetched.blocks)
    if not missing:
        return

    def take(rows: list[Row]) -> None:
        found = {(layer, bytes(term)): unpack_block(data) for layer, term, data in rows}
        blocks = {key: found.get(key) or no_block() for key in missing}
        fetched.blocks.update(blocks)
        memory.blocks.put((key, block, 8 * len(block.places) + 200) for key, block in blocks.items())

    layers, terms = _both(missing)
    sql = (
        "SELECT layer, term, rows FROM shirube.postings"
        " WHERE repo = %s AND layer = ANY(%s::int[]) AND term = ANY(%s::bytea[])"
    )
    yield Statement(sql, (repo, layers, terms)), take


def _for_names(repo: int, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> Iterable[Reading]:
    missing = _missing(needs.layers, needs.names, memory.named, fetched.named)
    if not missing:
        return

    def take(rows: list[Row]) -> None:
        found = dict.fromkeys(missing, b"") | {(layer, bytes(name)): data for layer, name, data in rows}
        named = {key: unpack_named(data) if data else [] for key, data in found.items()}
        fetched.named.update(named)
        memory.named.put((key, symbols, 4 * len(found[key]) + 200) for key, symbols in named.items())

    layers, names = _both(missing)
    sql = (
        "SELECT layer, name, rows FROM shirube.names"
        " WHERE repo = %s AND layer = ANY(%s::int[]) AND name = ANY(%s::bytea[])"
    )
    yield Statement(sql, (repo, layers, names)), take


def _missing(
    layers: Sequence[int], keys: Iterable[bytes], kept: Kept, at_hand: dict[tuple[int, bytes], Any]
) -> list[tuple[int, bytes]]:
    """Return which (layer, key) have to be read, and lay the others at hand."""
    wanted = [pair for key in keys for layer in layers if (pair := (layer, key)) not in at_hand]
    at_hand.update(kept.among(wanted))
    return [pair for pair in wanted if pair not in at_hand]


def _both(pairs: Iterable[tuple[int, bytes]]) -> tuple[list[int], list[bytes]]:
    layers, keys = zip(*pairs, strict=True)
    return sorted(set(layers)), sorted(set(keys))


def _for_contents(repo: int, needs: LookNeeds, memory: RepositoryMemory, fetched: Fetched) -> Iterable[Reading]:
    fetched.contents.update(memory.contents.among(needs.numbers - fetched.contents.keys()))
    missing = needs.numbers - fetched.contents.keys()
    if not missing:
        return

    def take(rows: list[Row]) -> None:
        contents = {number: FileContent(bytes(body), bytes(details)) for number, body, details in rows}
        fetched.contents.update(contents)
        memory.contents.put((number, content, content.size) for number, content in contents.items())

    sql = "SELECT file, body, details FROM shirube.files WHERE repo = %s AND file = ANY(%s::bigint[])"
    yield Statement(sql, (repo, sorted(missing))), take


def _for_commit_terms(repo: int, needs: LookNeeds, fetched: Fetched) -> Iterable[Reading]:
    missing = {term.encode("utf-8", "replace"): term for term in needs.commit_terms - fetched.commit_terms.keys()}
    if not missing:
        return

    def take(rows: list[Row]) -> None:
        fetched.commit_terms.update(dict.fromkeys(missing.values(), b""))
        fetched.commit_terms.update({missing[bytes(term)]: bytes(data) for term, data in rows})

    sql = "SELECT term, rows FROM shirube.commit_terms WHERE repo = %s AND term = ANY(%s::bytea[])"
    yield Statement(sql, (repo, sorted(missing))), take
