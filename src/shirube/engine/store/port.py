"""The Store port: what is kept, and how it is asked.

A store finds; it does not rank. It returns candidates with a lexical score and a cosine, and the search room
makes one order of them, so that every backend is ranked by the same code. It is not a query language and not a
cache: what it holds describes one project as of one moment, and ``Totals.generation`` says which. It is opened for
one model; the vectors that other models made of the same files stay beside it and are never asked.

First the records, what goes in and what comes out; then ``Store``, its methods grouped by concern.
Implementations: ``EmbeddedStore`` (SQLite, tantivy, int8 vectors), ``MemoryStore`` (dictionaries). A new one has to
pass ``tests/contracts/test_store.py``, whose first lines say how to plug it in.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from shirube.messages import Message
from shirube.types import Chunk, Edge, FileRecord, RawImport, Scope, Skip, Symbol


class Doc(Struct, frozen=True):
    """What the lexical index holds of one piece: tokens joined by spaces, field by field."""

    content: str
    symbols: str
    path: str
    """Only in a file's first piece: a file is in one place, however many pieces it has."""
    kind: str


class Entry(Struct, frozen=True):
    """One file, ready to be written."""

    record: FileRecord
    body: bytes
    """The text, packed by ``lexical.pack_text``: workers pack, so that the writer need not."""
    pieces: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    vectors: bytes | None = b""
    """One int8 row of the store's model for each piece; None when they are still to be made."""
    docs: tuple[Doc, ...] = ()
    """What the lexical index is to hold, when it is known already; else the store derives it."""


class StoreChange(Struct, frozen=True):
    """What one transaction does: all of it, or nothing."""

    entries: tuple[Entry, ...] = ()
    removed: tuple[str, ...] = ()
    touched: tuple[FileRecord, ...] = ()
    """Files whose time stamps moved while their content stood still."""


class Unembedded(Struct, frozen=True):
    """A file whose vectors are still to be made."""

    number: int
    """Names this content in this place for ever; a file that changes gets another."""
    path: str
    digest: str
    language: str
    texts: tuple[str, ...]
    symbols: tuple[str, ...]
    """What each of the texts defines."""


Terms = Mapping[str, float]
"""Index terms (``text.index_terms``) and what each is worth."""


class Ask(Struct, frozen=True):
    """A question to the store."""

    fields: Mapping[str, Terms] = {}
    """What to look for in ``content``, ``symbols`` and ``path``."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """Terms that must stand together in one chunk, phrase by phrase."""
    names: tuple[str, ...] = ()
    """Names, in lower case, whose definitions are wanted, …"""
    topics: tuple[str, ...] = ()
    """… and words that may be one: of these only what a file found otherwise is about (``BIG_KINDS``)."""
    outer: str = ""
    """The scope written before a name, in lower case: definitions inside it come first when there are too many."""
    vector: bytes = b""
    """An int8 unit row; empty when the dense leg is not asked."""
    scope: Scope = Scope()
    limit: int = 100


class Candidate(NamedTuple):
    """A chunk that may answer, without its text; a tuple, because hundreds are made for a question."""

    key: int
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    lexical: float = 0.0
    cosine: float | None = None

    @property
    def chunk_id(self) -> str:
        """Name the chunk by path, qualified name and span."""
        return f"{self.path}:{self.symbol}:{self.start_line}-{self.end_line}"


def by_score(found: Candidate) -> tuple[float, float, str, int, int]:
    """Return the order of candidates: lexical score, cosine, then path and line so that ties are settled."""
    return (-found.lexical, -(found.cosine or 0.0), found.path, found.start_line, found.key)


class Definition(Struct, frozen=True):
    """Where a name is defined: the symbol, and the key of the chunk that holds its first line."""

    key: int
    path: str
    symbol: Symbol


class Candidates(Struct, frozen=True):
    """What the store found, and what it could not do."""

    items: tuple[Candidate, ...] = ()
    """The best chunks by words and by sense, and the first chunks of files whose path has the words."""
    phrases: tuple[Mapping[int, float], ...] = ()
    """For each phrase asked for, the chunks that have all its terms, with a score."""
    definitions: tuple[Definition, ...] = ()
    files: int = 0
    """How many files there are, …"""
    in_paths: Mapping[str, int] = {}
    """… and in how many paths each term stands, to tell how much it says."""
    in_symbols: Mapping[str, int] = {}
    """For terms of phrases: how many chunks have them in the name of a symbol."""
    chunks: int = 0
    """How many chunks there are, …"""
    in_content: Mapping[str, int] = {}
    """… and how many of them have each term."""
    wholes: Mapping[str, float] = {}
    """Where a vector was asked for: the cosine of each candidate's file as a whole, by its path."""
    degraded: tuple[Message, ...] = ()


class Mentions(Struct, frozen=True):
    """Files that may hold a name, and what could not be looked at."""

    languages: Mapping[str, str] = {}
    """The language of each file, by path and in the order of paths."""
    degraded: tuple[Message, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(self.languages)


class Totals(Struct, frozen=True):
    """What the index holds."""

    files: int = 0
    chunks: int = 0
    symbols: int = 0
    edges: int = 0
    source_bytes: int = 0
    disk_bytes: int = 0
    generation: int = 0
    waiting: int = 0
    """Files written but not yet in the lexical index."""
    lexical: str = ""
    languages: Mapping[str, int] = {}


class Store(Protocol):
    """Keeps the index of one project."""

    # writing: what is written is seen by the look-ups at once, by ``candidates`` and ``mentions`` after ``publish``

    def write(self, change: StoreChange) -> None:
        """Apply a change in one transaction."""

    def publish(self) -> None:
        """Make everything written so far visible to ``candidates``."""

    def write_edges(self, edges: Mapping[str, Iterable[Edge]]) -> None:
        """Replace the outgoing edges of the given files."""

    def write_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of what is not indexed."""

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Keep the vectors of files by number; a file that is gone by now is passed over."""

    # finding

    def candidates(self, ask: Ask) -> Candidates:
        """Return the chunks that match, best first per leg."""

    def mentions(self, name: str, scope: Scope) -> Mentions:
        """Return the files whose text may contain a name; every file that has it as a word is among them."""

    def names(self, part: str, limit: int) -> tuple[str, ...]:
        """Return names of symbols that have this part, whatever the case; those that begin with it first."""

    # files: what is known of each

    def files(self, paths: Sequence[str] | None = None) -> dict[str, FileRecord]:
        """Return the given files by their paths, or all; one that is known but not indexed has no language."""

    def text(self, path: str) -> str:
        """Return a whole file as it was indexed; nothing for one that is not."""

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the text of each chunk."""

    def pieces(self, path: str) -> tuple[Chunk, ...]:
        """Return how a file was cut."""

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """Return what a file defines, in its order."""

    def symbols_in(self, paths: Collection[str]) -> dict[str, tuple[Symbol, ...]]:
        """Return what each of these files defines, in its order; nothing for one that defines nothing."""

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""

    def counts(self, scope: Scope) -> dict[str, int]:
        """Return how many indexed files of each language a scope's path and languages hold."""

    def remarks(self) -> tuple[tuple[str, Message], ...]:
        """Return the files that were indexed less than well, with the reason, by path."""

    def skips(self, *reasons: str) -> tuple[Skip, ...]:
        """Return what is not indexed, and why; for these reasons only, or for any."""

    # edges between files and to packages, in the order of source, line and target

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of files, or all."""

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges that lead to files or packages: who uses them; none to those with more than ``most``."""

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the edges between files that begin or end at one of these: both ways, for all of them, at once."""

    def imported(self, paths: Sequence[str]) -> set[str]:
        """Return which of these files anything leads to; cheaper than the edges themselves."""

    # vectors of this store's model

    def vectors(self, path: str) -> bytes:
        """Return the int8 rows of a file's pieces."""

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""

    def coverage(self) -> tuple[int, int]:
        """Return how many files have vectors of this store's model, and of how many; cheap enough for a question."""

    # the index as a whole

    def note(self, key: str, value: str) -> None:
        """Keep a small fact about the index."""

    def noted(self, key: str) -> str:
        """Return such a fact, or the empty string."""

    def size(self) -> int:
        """Return how many chunks there are; cheap enough for every question."""

    def totals(self) -> Totals:
        """Return what the index holds."""

    def check(self) -> tuple[Message, ...]:
        """Return what is wrong with the index; nothing when it is sound."""

    def reset(self) -> None:
        """Forget everything and begin anew, for an index that is damaged."""

    def compact(self) -> None:
        """Rebuild the projections, so that rankings equal those of a fresh index."""

    def close(self) -> None:
        """Let go of files and locks."""
