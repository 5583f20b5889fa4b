"""What can be known of a store, each as a value: the keys that are asked about, and the type of what is found.

A keyed look-up finds a mapping that omits keys without anything, so its parts can be remembered one by one.
"""

from typing import Generic, TypeVar

from shirube.engine.store.port import IndexState, Known, Links, Lookup, Mentions, PastChange, SimilarChange, Terms
from shirube.messages import Message
from shirube.types import Chunk, FileRecord, Scope, Skip, Symbol

K = TypeVar("K")
V = TypeVar("V")


class Keyed(Lookup[dict[K, V]], Generic[K, V], frozen=True):
    """A look-up that finds something for each key by itself."""

    keys: tuple[K, ...]


# --- the index as a whole ----------------------------------------------------------------------------------


class Catalogued(Lookup[V], Generic[V], frozen=True):
    """What can be told from the catalog: files, their languages and edges, not their content.

    A backend over a network keeps the catalog in memory, and every other look brings it up to date.
    """


class StateNow(Catalogued[IndexState], frozen=True):
    """Generation, counts and notes."""


class EveryFile(Catalogued[dict[str, FileRecord]], frozen=True):
    """The records of all files by path; a file that is not indexed has no language."""


class EveryLink(Catalogued[Links], frozen=True):
    """The edges between files, to be walked."""


class Skipped(Lookup[tuple[Skip, ...]], frozen=True):
    """What is not indexed and why, ordered by path: for the given reasons only, or for any reason."""

    reasons: tuple[str, ...] = ()


class Remarks(Catalogued[tuple[tuple[str, Message], ...]], frozen=True):
    """The files that were indexed only in part, with the reason, ordered by path."""


class LanguageCounts(Catalogued[dict[str, int]], frozen=True):
    """How many indexed files of each language are within a scope's path and languages."""

    scope: Scope = Scope()


# --- files and chunks --------------------------------------------------------------------------------------


class FileRecords(Keyed[str, FileRecord], Catalogued[dict[str, FileRecord]], frozen=True):
    """The records of files by path."""


class OfContent(Keyed[K, V], Generic[K, V], frozen=True):
    """What is read from the content of files, which a backend may have read before it is asked."""


class FileTexts(OfContent[str, str], frozen=True):
    """The whole texts of files as they were indexed, by path."""


class FilePieces(OfContent[str, tuple[Chunk, ...]], frozen=True):
    """The pieces that files were cut into, by path."""


class FileSymbols(OfContent[str, tuple[Symbol, ...]], frozen=True):
    """The symbols that files define, by path and in file order."""


class FileVectors(Keyed[str, bytes], frozen=True):
    """The vectors of files' pieces, by path: one int8 row of the store's model for each piece."""


class ParsedContents(Keyed[str, bytes], frozen=True):
    """What the parsed cache of a server that machines share has under these keys."""


class SymbolSample(Lookup[dict[str, tuple[Symbol, ...]]], frozen=True):
    """The symbols of so many files, spread evenly over the indexed files in the order of their paths."""

    files: int


class ChunkTexts(OfContent[int, str], frozen=True):
    """The texts of chunks by key."""


class ChunkSymbols(OfContent[int, tuple[Symbol, ...]], frozen=True):
    """By chunk the symbols of its file that have its symbol's name."""


# --- words and names; ``Ask`` finds candidates -------------------------------------------------------------


class WhereKnown(Lookup[Known], frozen=True):
    """Where terms occur, and which names, in lower case, are defined; much cheaper than asking."""

    terms: tuple[str, ...]
    names: tuple[str, ...] = ()


class NameMentions(Lookup[Mentions], frozen=True):
    """The files whose text may contain a name; includes every file that contains it as a word."""

    name: str
    scope: Scope = Scope()


class NamesWith(Lookup[tuple[str, ...]], frozen=True):
    """Symbol names that contain a part, ignoring case; names that begin with it come first."""

    part: str
    limit: int


# --- past changes ------------------------------------------------------------------------------------------


class EveryCommit(Lookup[dict[str, int]], frozen=True):
    """All known commits with their times."""


class PastChanges(Lookup[tuple[PastChange, ...]], frozen=True):
    """The known commits, or those that changed any of these files, from a time on, newest first."""

    paths: tuple[str, ...] | None = None
    since: int = 0


class ChangesNamed(Lookup[tuple[PastChange, ...]], frozen=True):
    """These commits, newest first, without those that are not known."""

    commits: tuple[str, ...]


class SimilarChanges(Lookup[tuple[SimilarChange, ...]], frozen=True):
    """The commits that tell something (``weight``) whose messages have these terms, best first."""

    terms: Terms
    limit: int


class ChangedTogether(Lookup[tuple[tuple[PastChange, ...], dict[str, int]]], frozen=True):
    """The commits that changed any of these files, newest first and without bodies; and how often files changed.

    Counted are the files that these commits changed at least ``least`` times, in all commits that tell something.
    """

    paths: tuple[str, ...]
    least: int


class Busy(Keyed[str, float], frozen=True):
    """How much these files changed lately, from 0 to 1 (the file that changed most)."""
