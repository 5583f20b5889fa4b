"""The types that every package shares.

They are frozen and contain tuples. Paths are POSIX strings relative to the project root. Lines count from 1, and a
span includes both its ends. Nothing here reads a file, a clock or the environment.
"""

from collections.abc import Callable
from enum import StrEnum

import msgspec
from msgspec import Struct

from shirube.messages import NOTHING, Message

Progress = Callable[[Message, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


class Status(StrEnum):
    """Whether an answer worked before, or is a guess to be checked; spelt as in the seeds."""

    PREVIOUS_SUCCESS = "PREVIOUS_SUCCESS"
    HYPOTHESIS = "HYPOTHESIS"


class Collection(StrEnum):
    """Where an answer comes from: the code itself, or an agreement about it."""

    FOREST = "forest"
    MAP = "map"


class Answer(StrEnum):
    """How complete a list is; "unknown" must never look like "none"."""

    FOUND = "found"
    PARTIAL = "partial"
    NONE = "none"
    UNKNOWN = "unknown"


class Mode(StrEnum):
    """Which kinds of search take part."""

    AUTO = "auto"
    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


KINDS = (
    *("function", "method", "constructor", "class", "interface", "struct", "enum", "trait", "impl", "protocol"),
    *("object", "record", "module", "namespace", "constant", "variable", "field", "property", "type", "macro"),
    *("section", "rule", "at_rule", "table", "view", "key", "component", "directive", "element", "test"),
    "head",
)
"""Every kind of symbol or chunk; "module" is also the kind of text between symbols, "head" of imports and licences."""


BIG_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "protocol", "object", "record", "type", "module", "namespace"}
)
"""Kinds that a file is usually named after; not "impl", because it repeats the name of a type."""


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
        """The qualified name of the enclosing symbol, or the empty string."""
        return self.qualified[: -len(self.name)].removesuffix(".") if self.qualified != self.name else ""


class RawImport(Struct, frozen=True):
    """An import as written, before it is resolved to a file."""

    module: str
    """As the language writes it, without quotes: ``..a.b``, ``./x``, ``<stdio.h>``, ``crate::a``."""
    line: int
    names: tuple[str, ...] = ()
    """The names imported from the module, as the module has them; empty when the whole module is imported."""


class Chunk(Struct, frozen=True):
    """A span of one file that is indexed as a unit; offsets are bytes of the UTF-8 text."""

    start: int
    end: int
    start_line: int
    end_line: int
    symbol: str = ""
    """Qualified name of the symbol it belongs to; empty for text between symbols."""
    kind: str = "module"


class Parsed(Struct, frozen=True):
    """The result of parsing one file's content; it depends only on the bytes and the language."""

    language: str
    pieces: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    notes: tuple[Message, ...] = ()
    """Problems that did not stop the parser ("syntax errors", "split by lines: parser gave up")."""


# --- what is on disk ---------------------------------------------------------------------------------------


class Stat(Struct, frozen=True):
    """A file's metadata, read without opening it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Found(Struct, frozen=True):
    """A file the walk offers for indexing."""

    path: str
    stat: Stat


class Skip(Struct, frozen=True):
    """A path that is not indexed, and why: every omission is reported."""

    path: str
    reason: str
    """too_large, binary, secret, special, link, outside_link, unreadable, quarantined, odd_name, built_in"""
    detail: Message = NOTHING


class Listing(Struct, frozen=True):
    """The result of one walk over the tree."""

    files: tuple[Found, ...]
    skipped: tuple[Skip, ...] = ()
    folders: tuple[str, ...] = ()
    """The directories that were walked, including empty ones; the root is the empty string."""
    rules: tuple[str, ...] | None = ()
    """Files that decide what is listed (such as .gitignore), existing or not; None when there may be others."""


# --- what is in the index ----------------------------------------------------------------------------------


class FileRecord(Struct, frozen=True, gc=False):
    """A file as the index knows it: facts about its content, the same on every machine.

    There are thousands, none in a cycle, so the collector leaves them alone.
    """

    path: str
    digest: str
    """SHA-256 of the bytes, in hex."""
    size: int
    """In bytes."""
    language: str
    lines: int
    note: Message = NOTHING
    """Problems in parsing; for a file that is known but not indexed, the reason."""


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
    commits: int = 0
    """How many commits of the history were read."""
    seconds: float = 0.0
    look_seconds: float = 0.0
    """How long it took to find what changed; the next sync costs as much when nothing did."""
    renewed: Message = NOTHING
    """Why the lexical index was rebuilt."""

    @property
    def anything(self) -> bool:
        """Tell whether the index differs from before."""
        return bool(self.added or self.changed or self.removed)


# --- asking and answering ----------------------------------------------------------------------------------


class Scope(Struct, frozen=True):
    """The part of the project that a question is about."""

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
    """The profile of weights to use; empty for the configured one."""
    boost_profile: str = ""
    additive: bool = False
    """Whether the boost profile's additive boosts count too, as in seed 001's ``context_bundle``."""
    files: bool = False
    """Whether the hits are files: the best place of each, and no further ones."""
    by_turns: bool = False
    """Whether good files get several places before poor ones get any: for a reader who is shown code."""


class Reason(msgspec.Struct, frozen=True):
    """A named part of a score; a msgspec struct for speed, because one question creates about a thousand."""

    name: str
    points: float
    detail: str = ""


class Place(Struct, frozen=True):
    """A span of lines in a file, and the symbol there."""

    start_line: int
    end_line: int
    symbol: str = ""


class Hit(Struct, frozen=True):
    """One answer; ``score`` orders the hits, thresholds compare ``similarity`` (0 to 1, calibrated)."""

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
    preview_line: int = 0
    """The line of the preview's first line; 0 when it is ``start_line``."""
    match_line: int = 0
    """The line that matches best; 0 when the place is so short that it was not looked for."""


class MapHit(Hit, frozen=True):
    """An answer from the map: the code an agreement refers to, and the agreement."""

    nl_term: str = ""
    state: str = ""
    """How the code has changed since the agreement: fresh, changed, moved, gone, unbound."""
    fresh: bool = False
    """Whether the agreement still holds; if not, it is a hypothesis."""
    alone: bool = False
    """Whether it may answer by itself: it holds, and is about the very term that was asked for."""
    files: tuple[str, ...] = ()
    """The files of its evidence."""
    agreement_file: str = ""


class Freshness(Struct, frozen=True):
    """How well the answer describes the tree as it is now."""

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
