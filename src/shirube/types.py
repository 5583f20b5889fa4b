"""The words everybody uses.

Frozen, slotted values with tuples inside; paths are POSIX strings relative to the project root; lines count
from 1 and both ends belong to the span. Nothing here reads a file, a clock or the environment.
"""

from enum import StrEnum

import msgspec
from msgspec import Struct

from shirube.messages import NOTHING, Message


class Status(StrEnum):
    """Whether an answer is what worked before, or a guess to be checked; spelt as the seeds spell it."""

    PREVIOUS_SUCCESS = "PREVIOUS_SUCCESS"
    HYPOTHESIS = "HYPOTHESIS"


class Collection(StrEnum):
    """Where an answer comes from: the code itself, or what was agreed about it."""

    FOREST = "forest"
    MAP = "map"


class Answer(StrEnum):
    """What an empty or full list means: unknown must never look like none."""

    FOUND = "found"
    PARTIAL = "partial"
    NONE = "none"
    UNKNOWN = "unknown"


class Mode(StrEnum):
    """Which legs of the search take part."""

    AUTO = "auto"
    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


KINDS = (
    *("function", "method", "constructor", "class", "interface", "struct", "enum", "trait", "impl", "protocol"),
    *("object", "record", "module", "namespace", "constant", "variable", "field", "property", "type", "macro"),
    *("section", "rule", "at_rule", "table", "view", "key", "component", "directive", "element", "test"),
)
"""Every kind of symbol or piece there is; "module" is also what stands between symbols."""


BIG_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "protocol", "object", "record", "type", "module", "namespace"}
)
"""Kinds whose name is what a file is about; "impl" is not among them, because it repeats the name of a type."""


# --- what is in a file -------------------------------------------------------------------------------------


class Symbol(Struct, frozen=True):
    """A named thing a file defines."""

    name: str
    qualified: str
    """The name with its scopes, joined by dots: ``Session.start``."""
    kind: str
    """One of ``KINDS``."""
    start_line: int
    end_line: int
    signature: str = ""
    doc: str = ""

    @property
    def scope(self) -> str:
        """The qualified name of what encloses it, or the empty string."""
        return self.qualified[: -len(self.name)].removesuffix(".") if self.qualified != self.name else ""


class RawImport(Struct, frozen=True):
    """An import as written, before anybody looked for the file behind it."""

    module: str
    """As the language writes it, without quotes: ``..a.b``, ``./x``, ``<stdio.h>``, ``crate::a``."""
    line: int
    names: tuple[str, ...] = ()
    """What is taken out of the module, as named there; empty when the whole module is meant."""


class Chunk(Struct, frozen=True):
    """A span of one file that is indexed as a unit; offsets are bytes of the UTF-8 text."""

    start: int
    end: int
    start_line: int
    end_line: int
    symbol: str = ""
    """Qualified name of the symbol it belongs to, empty for what stands between symbols."""
    kind: str = "module"


class Parsed(Struct, frozen=True):
    """What parsing one content yields; it depends on the bytes and the language alone."""

    language: str
    pieces: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    notes: tuple[Message, ...] = ()
    """What went less than well ("syntax errors", "split by lines: parser gave up")."""


# --- what is on disk ---------------------------------------------------------------------------------------


class Stat(Struct, frozen=True):
    """What the file system says of a file without opening it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Found(Struct, frozen=True):
    """A file the walk offers for indexing."""

    path: str
    stat: Stat


class Skip(Struct, frozen=True):
    """A path that is not indexed, and why: nothing is left out in silence."""

    path: str
    reason: str
    """too_large, binary, secret, special, link, outside_link, unreadable, quarantined, odd_name, built_in"""
    detail: Message = NOTHING


class Listing(Struct, frozen=True):
    """One look at the tree."""

    files: tuple[Found, ...]
    skipped: tuple[Skip, ...] = ()
    folders: tuple[str, ...] = ()
    """The directories that were looked into, empty ones too; the root is the empty string."""
    rules: tuple[str, ...] | None = ()
    """Files that had a say in what is listed, there or not; None when there may be others."""


# --- what is in the index ----------------------------------------------------------------------------------


class FileRecord(Struct, frozen=True):
    """A file as the index knows it."""

    path: str
    digest: str
    """SHA-256 of the bytes, in hex."""
    stat: Stat
    language: str
    lines: int
    checked_ns: int = 0
    """When the bytes were read, to tell a safe time stamp from a racy one."""
    note: Message = NOTHING
    """What went less than well; of a file that is known and not indexed, the reason alone."""


class Edge(Struct, frozen=True):
    """A dependency of one file on another file or on a package."""

    source: str
    target: str
    """A path when ``kind`` is "path", else the package's name."""
    kind: str
    rel: str = "import"
    line: int = 0


class SyncReport(Struct, frozen=True):
    """What a sync did: the change set."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    files: int = 0
    parsed: int = 0
    reused: int = 0
    skipped: int = 0
    seconds: float = 0.0
    look_seconds: float = 0.0
    """How long it took to find out what changed: what the next look will cost when nothing did."""

    @property
    def anything(self) -> bool:
        """Tell whether the index differs from before."""
        return bool(self.added or self.changed or self.removed)


# --- asking and answering ----------------------------------------------------------------------------------


class Scope(Struct, frozen=True):
    """What part of the project a question is about."""

    path: str = ""
    """A glob over paths (``src/**``, ``*.py``) or a directory; empty means everywhere."""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Only files whose front matter has all of these tags, in lower case."""


class Query(Struct, frozen=True):
    """A question, ready to be asked."""

    text: str
    limit: int = 10
    offset: int = 0
    mode: Mode = Mode.AUTO
    scope: Scope = Scope()
    profile: str = ""
    """What the question is for; empty: as configured."""
    boost_profile: str = ""


class Reason(msgspec.Struct, frozen=True):
    """A named share of a score; a struct, because a thousand are made for a question."""

    name: str
    points: float
    detail: str = ""


class Place(Struct, frozen=True):
    """A span of lines in a file, and the symbol there."""

    start_line: int
    end_line: int
    symbol: str = ""


class Hit(Struct, frozen=True):
    """One answer; ``score`` orders, ``similarity`` (0 to 1, calibrated) is what thresholds look at."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    score: float
    similarity: float | None
    why: tuple[Reason, ...]
    preview: str
    also: tuple[Place, ...] = ()
    """Further places in the same file that match."""


class MapHit(Hit, frozen=True):
    """An answer from the map: the code an agreement leads to, and what was agreed."""

    nl_term: str = ""
    state: str = ""
    """What became of the code since: fresh, changed, moved, gone, unbound."""
    fresh: bool = False
    """Whether it is still a fact; else a hypothesis."""
    files: tuple[str, ...] = ()
    """The files of its evidence."""
    agreement_file: str = ""


class Freshness(Struct, frozen=True):
    """How far the answer can be trusted to describe the tree as it is now."""

    indexed_at: str = ""
    checked_at: str = ""
    stale_files: tuple[str, ...] = ()


class Judgement(Struct, frozen=True):
    """Results compared with what was expected: the six measures of seed 002, each from 0 to 1, and one score."""

    score: float
    keywordMatch: float  # noqa: N815
    patternMatch: float  # noqa: N815
    semanticSimilarity: float  # noqa: N815
    coverage: float
    precision: float
    recall: float
    feedback: Message = NOTHING
    suggestions: tuple[Message, ...] = ()
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
