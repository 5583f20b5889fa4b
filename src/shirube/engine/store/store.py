"""What the rest of the program reads of a store: each thing once a request, and many things at once.

A request is what runs under one current deadline. Whatever it has read it is told again without asking the store, so
code may look things up where it needs them; where a loop would look up one after the other, it says before what it will
need (``expect``). Outside of a request nothing is remembered.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from shirube.codec import replace
from shirube.deadline import Deadline, current
from shirube.engine.store import lookups
from shirube.engine.store.lookups import Keyed, OfContent
from shirube.engine.store.port import (
    Ask,
    Backend,
    Candidates,
    IndexState,
    Known,
    Links,
    Lookup,
    Mentions,
    PastChange,
    SimilarChange,
    StoreChange,
    Terms,
    Totals,
    Unembedded,
)
from shirube.messages import Message
from shirube.types import Chunk, Edge, FileRecord, RawImport, Scope, Skip, Symbol

V = TypeVar("V")
MOST_CHARACTERS = 64_000_000
"""How much text is remembered for one request; one about a common name may read half of a project."""


class _Memory:
    """What one request has read."""

    def __init__(self) -> None:
        self.keyed: dict[type, dict[Any, Any]] = {}
        """Kind of look-up → key → what was found; ``_ABSENT`` where there is nothing."""
        self.whole: dict[type, list[tuple[Lookup[Any], Any]]] = {}
        """Kind of look-up → those that were asked, with what was found."""
        self.characters = 0
        self.intended: list[Callable[[], Iterable[Lookup[Any]]]] = []

    def missing(self, wanted: Iterable[Lookup[Any]]) -> list[Lookup[Any]]:
        """Return what is not remembered of some look-ups, each kind of keyed ones as one."""
        keys: dict[type[Keyed[Any, Any]], dict[Any, None]] = {}
        whole: list[Lookup[Any]] = []
        for asked in wanted:
            if isinstance(asked, Keyed):
                known = self.keyed.get(type(asked), {})
                keys.setdefault(type(asked), {}).update((key, None) for key in asked.keys if key not in known)
            elif asked not in whole and not any(asked == other for other, _ in self.whole.get(type(asked), ())):
                whole.append(asked)
        return [*(kind(tuple(new)) for kind, new in keys.items() if new), *whole]

    def keep(self, asked: Lookup[Any], found: Any) -> None:
        """Remember what was found."""
        if not isinstance(asked, Keyed):
            self.whole.setdefault(type(asked), []).append((asked, found))
            return
        known = self.keyed.setdefault(type(asked), {})
        if isinstance(asked, lookups.FileTexts | lookups.ChunkTexts):
            self.characters += sum(map(len, found.values()))
            if self.characters > MOST_CHARACTERS:
                self.characters = 0
                for kind in (lookups.FileTexts, lookups.ChunkTexts):
                    self.keyed.pop(kind, None)
                known = self.keyed.setdefault(type(asked), {})
        known.update(dict.fromkeys(asked.keys, _ABSENT))
        known.update(found)

    def found(self, asked: Lookup[Any]) -> Any:
        """Return what is remembered of a look-up that is known whole."""
        if isinstance(asked, Keyed):
            known = self.keyed.get(type(asked), {})
            return {key: value for key in asked.keys if (value := known.get(key, _ABSENT)) is not _ABSENT}
        return next(found for other, found in self.whole[type(asked)] if asked == other)


_ABSENT = object()


def _without_titles(found: Candidates) -> Candidates:
    """Leave out tests that are named after what they test (``describe("pay")``), unless nothing else has the name."""
    defined = {known.symbol.name for known in found.definitions if known.symbol.kind != "test"}
    told = (known for known in found.definitions if known.symbol.kind != "test" or known.symbol.name not in defined)
    return replace(found, definitions=tuple(told))


class Store:
    """Reads and writes the index of one project."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.epoch = 0
        """Grows whenever the index has changed, or may have; a request that saw it grow may have to ask again."""
        self._memories: WeakKeyDictionary[Deadline, _Memory] = WeakKeyDictionary()

    def look(self, *needed: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up; over a network what is ``likely`` to be needed comes along."""
        memory = self._memories.setdefault(current(), _Memory())
        if missing := memory.missing(needed):
            if self.backend.remote:
                self._travel(memory, needed, likely)
            else:
                self._ask(memory, missing)
        return [memory.found(asked) for asked in needed]

    def expect(self, *likely: Lookup[Any]) -> None:
        """Read what will be looked up one by one; a store that is no trip away is asked then."""
        if self.backend.remote:
            self._travel(self._memories.setdefault(current(), _Memory()), (), likely)

    def _travel(self, memory: _Memory, needed: Sequence[Lookup[Any]], likely: Sequence[Lookup[Any]]) -> None:
        """Ask a backend that is a network away, also for what is likely to follow, and for the state."""
        intended, memory.intended = memory.intended, []
        more = [*likely, *(one for listed in intended for one in listed())]
        now = (one for one in more if not isinstance(one, OfContent))
        contents = memory.missing(one for one in more if isinstance(one, OfContent))
        self._ask(memory, memory.missing((*needed, lookups.StateNow(), *now)), contents)

    def _ask(self, memory: _Memory, missing: Sequence[Lookup[Any]], likely: Sequence[Lookup[Any]] = ()) -> None:
        if missing or likely:
            for asked, found in zip(missing, self.backend.look(*missing, likely=likely), strict=True):
                memory.keep(asked, _without_titles(found) if isinstance(asked, Ask) else found)

    def intend(self, likely: Callable[[], Iterable[Lookup[Any]]]) -> None:
        """Let look-ups that are likely to follow come along with the next trip over a network, whatever that is for."""
        if self.backend.remote:
            self._memories.setdefault(current(), _Memory()).intended.append(likely)

    def forget(self) -> None:
        """Ask anew from now on: the index has changed, or may have."""
        self.epoch += 1
        self._memories.clear()

    def _one(self, asked: Lookup[V]) -> V:
        found: V = self.look(asked)[0]
        return found

    # --- the index as a whole ------------------------------------------------------------------------------

    def state(self) -> IndexState:
        """Return generation, counts and notes as they were when the request first looked."""
        return self._one(lookups.StateNow())

    def noted(self, key: str) -> str:
        """Return the fact noted under a key, or the empty string."""
        return self.state().notes.get(key, "")

    def size(self) -> int:
        """Return how many chunks there are."""
        return self.state().chunks

    def coverage(self) -> tuple[int, int]:
        """Return two counts: files with vectors of this store's model, and all indexed files."""
        state = self.state()
        return state.embedded, state.indexed

    def skips(self, *reasons: str) -> tuple[Skip, ...]:
        """Return what is not indexed and why: for the given reasons only, or for any reason."""
        return self._one(lookups.Skipped(reasons))

    def remarks(self) -> tuple[tuple[str, Message], ...]:
        """Return the files that were indexed only in part, with the reason, ordered by path."""
        return self._one(lookups.Remarks())

    def counts(self, scope: Scope) -> dict[str, int]:
        """Count the indexed files of each language within a scope's path and languages."""
        return self._one(lookups.LanguageCounts(scope))

    # --- files and chunks ----------------------------------------------------------------------------------

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileRecord]:
        """Return the records of the given files, or of all, by path; a file that is not indexed has no language."""
        return self._one(lookups.EveryFile() if paths is None else lookups.FileRecords(tuple(paths)))

    def text(self, path: str) -> str:
        """Return the whole text of a file as it was indexed; empty when it is not indexed."""
        return self._one(lookups.FileTexts((path,))).get(path, "")

    def texts(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the text of each chunk."""
        return self._one(lookups.ChunkTexts(tuple(keys)))

    def pieces(self, path: str) -> tuple[Chunk, ...]:
        """Return the pieces a file was cut into."""
        return self._one(lookups.FilePieces((path,))).get(path, ())

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """Return the symbols a file defines, in file order."""
        return self._one(lookups.FileSymbols((path,))).get(path, ())

    def symbols_in(self, paths: Iterable[str]) -> dict[str, tuple[Symbol, ...]]:
        """Return the symbols each of these files defines, in file order; omits files that define none."""
        return self._one(lookups.FileSymbols(tuple(paths)))

    def sample(self, files: int) -> dict[str, tuple[Symbol, ...]]:
        """Return the symbols of so many files, spread evenly over the project."""
        return self._one(lookups.SymbolSample(files))

    def symbols_of(self, keys: Iterable[int]) -> dict[int, tuple[Symbol, ...]]:
        """Return by chunk the symbols of its file that have its symbol's name; omits chunks without any."""
        return self._one(lookups.ChunkSymbols(tuple(keys)))

    def vectors(self, path: str) -> bytes:
        """Return the vectors of a file's pieces: one int8 row for each."""
        return self._one(lookups.FileVectors((path,))).get(path, b"")

    # --- words and names -----------------------------------------------------------------------------------

    def candidates(self, ask: Ask) -> Candidates:
        """Return the matching chunks, found by words (lexical leg) and by vector (dense leg)."""
        return self._one(ask)

    def known(self, terms: Iterable[str], names: Iterable[str]) -> Known:
        """Return where terms occur, and which of the names, in lower case, are defined; much cheaper than asking."""
        return self._one(lookups.WhereKnown(tuple(terms), tuple(names)))

    def mentions(self, name: str, scope: Scope) -> Mentions:
        """Return the files whose text may contain a name; includes every file that contains it as a word."""
        return self._one(lookups.NameMentions(name, scope))

    def names(self, part: str, limit: int) -> tuple[str, ...]:
        """Return symbol names that contain ``part``, ignoring case; names that begin with it come first."""
        return self._one(lookups.NamesWith(part, limit))

    # --- edges ---------------------------------------------------------------------------------------------

    @property
    def links(self) -> Links:
        """The edges between files, to be walked."""
        return self._one(lookups.EveryLink())

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of the given files, or of all."""
        return self.links.edges(*paths)

    def targets(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return the files that each of these files leads to; cheaper than reading the edges."""
        return self.links.targets(paths)

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges into files or packages (their users); skips targets with more than ``most`` edges."""
        return self.links.edges_to(*targets, most=most)

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the file-to-file edges that begin or end at any of these files."""
        return self.links.edges_around(paths)

    def imported(self, paths: Collection[str]) -> set[str]:
        """Return which of these files are the target of an edge; cheaper than reading the edges."""
        return self.links.imported(paths)

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""
        return self.links.imports(paths)

    # --- past changes --------------------------------------------------------------------------------------

    def commits(self) -> dict[str, int]:
        """Return all known commits with their times."""
        return self._one(lookups.EveryCommit())

    def past_changes(self, paths: Iterable[str] | None = None, since: int = 0) -> tuple[PastChange, ...]:
        """Return the known commits, or those that changed any of these files, from a time on, newest first."""
        return self._one(lookups.PastChanges(None if paths is None else tuple(paths), since))

    def changes_named(self, commits: Iterable[str]) -> tuple[PastChange, ...]:
        """Return these commits, newest first; omits those that are not known."""
        return self._one(lookups.ChangesNamed(tuple(commits)))

    def similar_changes(self, terms: Terms, limit: int) -> tuple[SimilarChange, ...]:
        """Return the commits that tell something (``weight``) whose messages have these terms, best first."""
        return self._one(lookups.SimilarChanges(terms, limit))

    def busy(self, paths: Iterable[str]) -> dict[str, float]:
        """Return how much these files changed lately, from 0 to 1 (the file that changed most)."""
        return self._one(lookups.Busy(tuple(paths)))

    def changed_together(self, paths: Iterable[str], least: int) -> tuple[tuple[PastChange, ...], dict[str, int]]:
        """Return the commits that changed any of these files, and how often the files that they often changed did."""
        return self._one(lookups.ChangedTogether(tuple(paths), least))

    # --- writing: what was read is asked anew --------------------------------------------------------------

    def begin(self) -> None:
        """Prepare for a sync."""
        if self.backend.begin():
            self.forget()

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction, and with ``publish`` make everything written visible to all."""
        self.backend.write(change, publish=publish)
        self.forget()

    def note(self, key: str, value: str) -> None:
        """Store a small fact about the index under a key."""
        self.write(StoreChange(notes={key: value}))

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number; skips files that no longer exist."""
        self.backend.embed(rows)
        self.forget()

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; a commit that is known keeps its message, and gets the files given here."""
        changes = list(changes)
        if changes or removed:
            self.backend.write_changes(changes, removed)
            self.forget()

    def reset(self) -> None:
        """Start again with an empty index, because this one is damaged."""
        self.backend.reset()
        self.forget()

    # --- passed on -----------------------------------------------------------------------------------------

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""
        return self.backend.unembedded(after, limit)

    def lacks(self, *, now: bool = False) -> Message:
        """Return what of the index cannot be asked, as it was last seen, or as it is ``now``; nothing if all can."""
        return self.backend.lacks(now=now)

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""
        self.backend.warm()

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        return self.backend.totals()

    def check(self) -> tuple[Message, ...]:
        """Return the problems found in the index; empty when it is sound."""
        return self.backend.check()

    def compact(self, most_dead: float = 0.0) -> Message:
        """Rebuild the lexical index where it needs it (see ``Backend.compact``); return why that was needed."""
        why = self.backend.compact(most_dead)
        self.forget()
        return why

    def close(self) -> None:
        """Close the store."""
        self.backend.close()
