"""The port of a store: the records it takes and returns, and the methods it has.

A store finds but does not rank. It returns candidates with a lexical score and a cosine, and the ``search`` package
orders them, so that every backend is ranked by the same code. A store describes one project at one moment;
``IndexState.generation`` identifies that moment. It is opened for one embedding model: vectors of other models may be
stored as well, but are not used.

The port is made for a network: what is to be known is a value (``lookups``), takes many keys, and ``look`` answers many
of them at one moment, in one round trip. The rest of the program asks through ``Store``, which asks nothing twice.

The records come first, then ``Links`` and ``Backend``, with its implementations: ``EmbeddedStore`` (SQLite, tantivy,
int8 vectors), ``PostgresStore`` (a server that machines share), ``OverlayStore`` (what differs from such a server),
``MemoryStore`` (dictionaries). A new one has to pass ``tests/contracts/test_store.py``; the top of that file explains
how to add it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from shirube.messages import NOTHING, Message
from shirube.types import Chunk, Edge, FileRecord, RawImport, Scope, Skip, Symbol

T = TypeVar("T")


class Lookup(Struct, Generic[T], frozen=True):
    """Something to be known of the store, and what is found; see ``lookups``."""


class Doc(Struct, frozen=True):
    """The lexical document of one piece of a file: in each field, index terms joined by spaces."""

    content: str
    symbols: str
    path: str
    """Only in a file's first piece, so that a file counts once however many pieces it has."""


class Entry(Struct, frozen=True):
    """One file, ready to be written."""

    record: FileRecord
    body: bytes
    """The text, packed by ``lexical.pack_text``; the workers do this to save the writer's time."""
    pieces: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    vectors: bytes | None = b""
    """One int8 row of the store's model for each piece; None when they are computed later."""
    docs: tuple[Doc, ...] = ()
    """The lexical documents, when they are known already; otherwise the store derives them from the text."""


class StoreChange(Struct, frozen=True):
    """A change to the store, applied in one transaction."""

    entries: tuple[Entry, ...] = ()
    removed: tuple[str, ...] = ()
    edges: Mapping[str, Collection[Edge]] = {}
    """Path → its outgoing edges, which replace those it had."""
    skips: tuple[Skip, ...] | None = None
    """What is not indexed, replacing the list there was; None leaves it."""
    notes: Mapping[str, str] = {}
    """Small facts about the index, by name."""
    parsed: tuple[tuple[str, bytes], ...] = ()
    """What was parsed, by the digest of the content, for a store that machines share (``ParsedContents``)."""


class Unembedded(Struct, frozen=True):
    """A file that has no vectors of the store's model yet."""

    number: int
    """Identifies this content at this path; a file that changes gets a new number, and none is reused."""
    path: str
    digest: str
    language: str
    texts: tuple[str, ...]
    symbols: tuple[str, ...]
    """The symbol each of the texts defines, or the empty string."""


Terms = Mapping[str, float]
"""Index terms (``text.index_terms``) and the weight of each."""


class Ask(Lookup["Candidates"], frozen=True):
    """A question to the store."""

    fields: Mapping[str, Terms] = {}
    """Terms to look for in each field: ``content``, ``symbols`` and ``path``."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """For each phrase, the terms that must all be in one chunk."""
    names: tuple[str, ...] = ()
    """Names, in lower case, whose definitions are wanted."""
    topics: tuple[str, ...] = ()
    """Words, in lower case, that may be names: only big definitions (``BIG_KINDS``) in files found otherwise count."""
    outer: str = ""
    """The scope written before a name, in lower case: definitions inside it come first when ``limit`` cuts."""
    vector: bytes = b""
    """The question's vector as an int8 unit row; empty to search by words only."""
    lines: Mapping[str, Collection[int]] = {}
    """Path → lines whose chunks are wanted too; the file's first chunk when no chunk has one of them."""
    others: Mapping[str, Collection[str]] = {}
    """Path → names of symbols whose chunks are wanted of a file that is not found otherwise; else its first chunk."""
    scope: Scope = Scope()
    limit: int = 100


class Candidate(NamedTuple):
    """A chunk that may answer, without its text; a tuple, because it is cheap and a question creates hundreds."""

    key: int
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    lexical: float = 0.0
    cosine: float | None = None


def by_score(candidate: Candidate) -> tuple[float, float, str, int, int]:
    """Return the sort key of candidates: lexical score, cosine, then path and line to break ties."""
    return (-candidate.lexical, -(candidate.cosine or 0.0), candidate.path, candidate.start_line, candidate.key)


class Definition(Struct, frozen=True):
    """Where a name is defined: the symbol, and the key of the chunk that holds its first line."""

    key: int
    path: str
    symbol: Symbol


class Candidates(Struct, frozen=True):
    """What the store found, with the statistics that ranking needs, and what it could not do."""

    items: tuple[Candidate, ...] = ()
    """The best chunks by words and by vector, and the first chunks of files whose path contains the words."""
    phrases: tuple[Mapping[int, float], ...] = ()
    """For each phrase asked for: key → score of the chunks that contain all its terms."""
    definitions: tuple[Definition, ...] = ()
    files: int = 0
    """How many files there are."""
    in_paths: Mapping[str, int] = {}
    """Term → how many paths contain it, to weigh rare terms more."""
    chunks: int = 0
    """How many chunks there are."""
    in_content: Mapping[str, int] = {}
    """Term → how many chunks contain it."""
    wholes: Mapping[str, float] = {}
    """When a vector was given: path → the cosine of the candidate's file as a whole."""
    degraded: tuple[Message, ...] = ()


class Known(Struct, frozen=True):
    """Where terms and names occur in the whole project."""

    files: int = 0
    """How many files there are."""
    in_paths: Mapping[str, int] = {}
    """Term → how many paths contain it."""
    in_symbols: Mapping[str, int] = {}
    """Term → how many chunks have it in a symbol's name."""
    in_content: Mapping[str, int] = {}
    """Term → how many chunks contain it."""
    defined: frozenset[str] = frozenset()
    """The names that are defined."""


class Mentions(Struct, frozen=True):
    """Files that may contain a name, and what could not be searched."""

    languages: Mapping[str, str] = {}
    """Path → language, ordered by path."""
    degraded: tuple[Message, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths, in order."""
        return tuple(self.languages)


# A question builds hundreds of these two, none in a cycle: without ``gc`` the collector leaves them alone.
class TouchedFile(Struct, frozen=True, gc=False):
    """A file that a commit changed."""

    path: str
    """Its path today: renames since then are followed."""
    symbols: tuple[str, ...] = ()
    """The names of the symbols that the commit touched in it, without their scope, as far as the diff shows them."""
    then: str = ""
    """Its path after the commit, where that differs from today's."""
    before: str = ""
    """Its path before the commit, where the commit renamed it."""


class PastChange(Struct, frozen=True, gc=False):
    """A commit of the past."""

    commit: str
    seconds: int
    author: str
    subject: str
    body: str = ""
    files: tuple[TouchedFile, ...] = ()
    weight: float = 1.0
    """How much it tells of its files, from 0 (a mass change) to 1."""

    @property
    def short(self) -> str:
        """The beginning of its hash, as git shows it in a project of usual size."""
        return self.commit[:7]


def newest_first(change: PastChange) -> tuple[int, str]:
    """Return the sort key of commits: the newest first, those of one second by their hash."""
    return -change.seconds, change.commit


class SimilarChange(Struct, frozen=True):
    """A commit, without the body of its message, that has words of a question in it."""

    change: PastChange
    share: float
    """How much of the question its message has: its BM25 score beside that of one that says just what is asked."""


class IndexState(Struct, frozen=True):
    """What there is at one moment; cheap enough for every question."""

    generation: str = ""
    """Changes whenever files or vectors do."""
    files: int = 0
    """How many files are known."""
    indexed: int = 0
    """How many of them are indexed."""
    embedded: int = 0
    """How many of those have vectors of this store's model."""
    chunks: int = 0
    notes: Mapping[str, str] = {}
    writer: str = ""
    """Who else is writing right now; empty when nobody is."""
    content: str = ""
    """On a server that machines share: changes whenever files do, by whomever."""


class Totals(Struct, frozen=True):
    """Counts and sizes of the index."""

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
    place: Message = NOTHING
    """Where the index is, unless it is a file on this machine."""
    dead: int = 0
    """Chunks that are gone, but still count in the statistics of the lexical index."""


class Links(Protocol):
    """The edges between files and to packages, each list in the order of source, line and target.

    A graph is walked step by step, so a store over a network keeps the edges in memory.
    """

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of the given files, or of all."""

    def targets(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return the files that each of these files leads to; cheaper than reading the edges."""

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges into files or packages (their users); skips targets with more than ``most`` edges."""

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the file-to-file edges that begin or end at any of these files."""

    def imported(self, paths: Collection[str]) -> set[str]:
        """Return which of these files are the target of an edge; cheaper than reading the edges."""

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""


class Backend(Protocol):
    """Keeps the index of one project."""

    remote: bool
    """Whether a look is a trip over a network, and what is likely needed later had better come along."""

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up (see ``lookups``), all at one moment and in one round trip.

        What is ``likely`` to be asked next about the content of files is brought along by a backend that is a network
        away, so that it need not be asked for it again.
        """

    def begin(self) -> bool:
        """Prepare for a sync, and tell whether what is there has changed by that."""

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction.

        With ``publish``, everything written so far becomes visible to all. Until then candidates and mentions do not
        see it, nor perhaps other processes; the writer itself sees everything else at once.
        """

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number; skips files that no longer exist."""

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; a commit that is known keeps its message, and gets the files given here."""

    def lacks(self, *, now: bool = False) -> Message:
        """Return what of the index cannot be asked, as it was last seen, or as it is ``now``; nothing if all can."""

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""

    def check(self) -> tuple[Message, ...]:
        """Return the problems found in the index; empty when it is sound."""

    def reset(self) -> None:
        """Start again with an empty index, because this one is damaged."""

    def compact(self, most_dead: float = 0.0) -> Message:
        """Rebuild a lexical index that lacks a chunk or has more dead ones than this share of the living; say so."""

    def close(self) -> None:
        """Close the files and connections, and release the locks."""
