"""The memory store: does the same as the embedded store, in dictionaries."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from shirube.codec import replace
from shirube.engine.store import lookups
from shirube.engine.store.changes import (
    best_score,
    busy_share,
    by_path,
    message_terms,
    often_changed,
    recency_of,
    term_weights,
)
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import (
    KEY_SHIFT,
    MemoryLexical,
    Scored,
    Where,
    cut,
    docs_of_text,
    file_of,
    key_of,
    place_of,
    places_of_kinds,
    spread_evenly,
    unpack_text,
    wanted_chunks,
)
from shirube.engine.store.lookups import Keyed
from shirube.engine.store.port import (
    Ask,
    Candidate,
    Candidates,
    Definition,
    Entry,
    IndexState,
    Known,
    Lookup,
    Mentions,
    PastChange,
    SimilarChange,
    StoreChange,
    Terms,
    Totals,
    Unembedded,
    by_score,
    newest_first,
)
from shirube.engine.store.scope import PathFilter, ScopeFilter
from shirube.engine.text.tokens import index_terms
from shirube.messages import NOTHING, Message
from shirube.types import BIG_KINDS, Edge, FileRecord, RawImport, Scope, Skip, Symbol


class MemoryStore:
    """Keeps everything in the process; nothing survives it."""

    remote = False

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lexical = MemoryLexical()
        self._dense = DenseRows(dimensions)
        self._numbers: dict[str, int] = {}
        """Path → file number."""
        self._entries: dict[int, Entry] = {}
        """File number → everything written about the file."""
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._skips: tuple[Skip, ...] = ()
        self._changes: dict[str, PastChange] = {}
        """Commit → what it changed."""
        self._notes: dict[str, str] = {}
        self._last = 0
        self._generation = 0

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up."""
        return [_ANSWERS[type(one)](self, one) for one in asked]

    def begin(self) -> bool:
        """Nothing has to be prepared."""
        return False

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change; it is visible at once."""
        for path in change.removed:
            self._forget(path)
            self._edges.pop(path, None)
        for entry in change.entries:
            self._forget(entry.record.path)
            self._keep(entry)
        self._generation += bool(change.entries or change.removed)
        self._edges.update({path: tuple(outgoing) for path, outgoing in change.edges.items()})
        if change.skips is not None:
            self._skips = tuple(sorted(change.skips, key=lambda skip: (skip.path, skip.reason)))
        self._notes.update(change.notes)

    def _files(self, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Return the records of the given files, or of all files, by path."""
        return {entry.record.path: entry.record for entry in self._some(paths)}

    def warm(self) -> None:
        """Do nothing: everything is in memory."""

    def _candidates(self, ask: Ask) -> Candidates:
        """Return the matching chunks, found by words (lexical leg) and by vector (dense leg)."""
        everything = (self._last + 1) << KEY_SHIFT
        words = {field: terms for field, terms in ask.fields.items() if field != "path"}
        path = {"path": ask.fields.get("path", {})}
        scores = dict(self._within(self._lexical.search(words, Where(), everything), ask))
        places = self._within(self._lexical.search(path, Where(), everything), ask)[: max(1, ask.limit // 4)]
        phrases = [self._within(self._lexical.together(terms, Where(), everything), ask) for terms in ask.phrases]
        cosines = dict(self._within(self._dense.nearest(ask.vector, everything), ask)) if ask.vector else {}
        definitions = self._definitions(ask)
        others = [key for scored in (places, *phrases) for key, _ in scored]
        keys = dict.fromkeys([*scores, *cosines, *others, *(definition.key for definition in definitions)])
        keys |= dict.fromkeys(self._chunks_at(ask.lines, ask.scope))
        found = {self._describe(key).path for key in keys}
        rest = {path: names for path, names in ask.others.items() if path not in found}
        keys |= dict.fromkeys(self._chunks_at(rest, ask.scope))
        items = [self._describe(key)._replace(lexical=scores.get(key, 0.0), cosine=cosines.get(key)) for key in keys]
        return Candidates(
            tuple(sorted(items, key=by_score)),
            tuple(map(dict, phrases)),
            definitions + self._topics(ask, {item.path for item in items}),
            len(self._entries),
            self._lexical.frequencies("path", path["path"]),
            self._size(),
            self._lexical.frequencies("content", ask.fields.get("content", ())),
            self._dense.wholes(ask.vector, {file_of(item.key): item.path for item in items}) if ask.vector else {},
        )

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; of a commit that is known only the files are replaced."""
        for commit in removed:
            self._changes.pop(commit, None)
        for change in changes:
            known = self._changes.get(change.commit, change)
            self._changes[change.commit] = replace(known, files=tuple(sorted(change.files, key=by_path)))

    def _commits(self) -> dict[str, int]:
        """Return all known commits with their times."""
        return {commit: change.seconds for commit, change in self._changes.items()}

    def _past_changes(self, paths: Collection[str] | None, since: int) -> tuple[PastChange, ...]:
        """Return the known commits, or those that changed any of these files, from a time on, newest first."""
        found = (
            change
            for change in self._changes.values()
            if change.seconds >= since and (paths is None or any(file.path in paths for file in change.files))
        )
        return tuple(sorted(found, key=newest_first))

    def _changes_named(self, commits: Collection[str]) -> tuple[PastChange, ...]:
        """Return these commits, newest first."""
        known = (self._changes[commit] for commit in {*commits} if commit in self._changes)
        return tuple(sorted(known, key=newest_first))

    def _busy(self, paths: Collection[str]) -> dict[str, float]:
        """Return how much these files changed lately, from 0 to 1 (the file that changed most)."""
        totals: dict[str, float] = {}
        for change in self._changes.values():
            for path in {file.path for file in change.files}:
                totals[path] = totals.get(path, 0.0) + recency_of(change)
        now = max((change.seconds for change in self._changes.values()), default=0)
        most = max(totals.values(), default=0.0)
        return {path: busy_share(totals[path], most, now) for path in paths if path in totals}

    def _changed_together(self, paths: Collection[str], least: int) -> tuple[tuple[PastChange, ...], dict[str, int]]:
        changes = tuple(replace(change, body="") for change in self._past_changes(paths, 0))
        return changes, self._change_counts(often_changed(changes, least))

    def _change_counts(self, paths: Collection[str]) -> dict[str, int]:
        """Return how many commits that tell something changed each of these files."""
        telling = (change for change in self._changes.values() if change.weight > 0)
        touched = (path for change in telling for path in {file.path for file in change.files})
        return dict(Counter(path for path in touched if path in paths))

    def _similar_changes(self, terms: Terms, limit: int) -> tuple[SimilarChange, ...]:
        """Return the commits that tell something whose messages have these terms, best first."""
        worths = {commit: message_terms(change) for commit, change in self._changes.items()}
        having = Counter(term for worth in worths.values() for term in worth)
        weights, possible = term_weights(terms, len(worths), having), best_score(terms, len(worths), having)
        found = [
            SimilarChange(
                replace(self._changes[commit], body=""),
                sum(worth[term] * weight for term, weight in weights.items() if term in worth) / possible,
            )
            for commit, worth in worths.items()
            if not worth.keys().isdisjoint(weights)
        ]
        return tuple(sorted(found, key=lambda one: (-one.share, *newest_first(one.change)))[:limit])

    def _known(self, terms: Collection[str], names: Collection[str]) -> Known:
        """Return where terms occur, and which of the names, in lower case, are defined."""
        path, symbols, content = (self._lexical.frequencies(field, terms) for field in ("path", "symbols", "content"))
        defined = frozenset(symbol.name.lower() for entry in self._entries.values() for symbol in entry.symbols)
        return Known(len(self._entries), path, symbols, content, defined.intersection(names))

    def _definitions(self, ask: Ask) -> tuple[Definition, ...]:
        definitions = []
        for path, number in sorted(self._numbers.items()):
            entry = self._entries[number]
            for symbol in entry.symbols if entry.pieces else ():
                if symbol.name.lower() in ask.names:
                    key = key_of(number, place_of([piece.start_line for piece in entry.pieces], symbol.start_line))
                    if self._in_scope(key, ask.scope):
                        definitions.append(Definition(key, path, symbol))
        if ask.outer:
            definitions.sort(key=lambda definition: f"{ask.outer}." not in definition.symbol.qualified.lower())
        return tuple(definitions[: ask.limit])

    def _chunks_at(
        self, places: Mapping[str, Collection[int]] | Mapping[str, Collection[str]], scope: Scope
    ) -> Iterator[int]:
        for path, lines in places.items():
            number = self._numbers.get(path, -1)
            pieces = self._entries[number].pieces if number >= 0 else ()
            chunks = ((at, piece.start_line, piece.end_line, piece.symbol) for at, piece in enumerate(pieces))
            for at in wanted_chunks(chunks, lines):
                if self._in_scope(key_of(number, at), scope):
                    yield key_of(number, at)

    def _topics(self, ask: Ask, paths: set[str]) -> tuple[Definition, ...]:
        return tuple(
            Definition(key_of(self._numbers[path], 0), path, symbol)
            for path in sorted(paths)
            for symbol in self._symbols(path)
            if symbol.name.lower() in ask.topics and symbol.kind in BIG_KINDS
        )

    def _mentions(self, name: str, scope: Scope) -> Mentions:
        """Return the files whose text may contain a name."""
        numbers = set(self._entries)
        if terms := tuple(dict.fromkeys(index_terms(name))):
            everything = (self._last + 1) << KEY_SHIFT
            numbers = {file_of(key) for key, _ in self._lexical.together(terms, Where(scope.languages), everything)}
        records = self._indexed(scope, numbers)
        return Mentions(dict(sorted((record.path, record.language) for record in records)))

    def _names(self, part: str, limit: int) -> tuple[str, ...]:
        """Return symbol names that contain ``part``, ignoring case; names that begin with it come first."""
        wanted = part.lower()
        known = {symbol.name for entry in self._entries.values() for symbol in entry.symbols}
        matching = [name for name in known if wanted in name.lower()]
        return tuple(sorted(matching, key=lambda name: (not name.lower().startswith(wanted), len(name), name))[:limit])

    def _texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the text of each chunk."""
        texts = {}
        for key in keys:
            entry = self._entries[file_of(key)]
            texts[key] = cut(unpack_text(entry.body), entry.pieces)[key - key_of(file_of(key), 0)]
        return texts

    def _symbols_of(self, keys: Sequence[int]) -> dict[int, tuple[Symbol, ...]]:
        """Return by chunk the symbols of its file that have its symbol's name."""
        chunks = [self._describe(key) for key in keys]
        found = {c.key: tuple(s for s in self._symbols(c.path) if s.qualified == c.symbol) for c in chunks}
        return {key: named for key, named in found.items() if named}

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""
        return {entry.record.path: entry.imports for entry in self._some(paths)}

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of the given files, or of all."""
        edges = [edge for path in dict.fromkeys(paths or self._edges) for edge in self._edges.get(path, ())]
        return tuple(sorted(edges, key=lambda e: (e.source, e.line, e.target, e.kind, e.rel)))

    def targets(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return the files that each of these files leads to."""
        found: dict[str, set[str]] = {}
        for edge in self.edges(*paths) if paths else ():
            if edge.kind == "path":
                found.setdefault(edge.source, set()).add(edge.target)
        return found

    def imported(self, paths: Sequence[str]) -> set[str]:
        """Return which of these files are the target of an edge."""
        return {edge.target for edge in self.edges()} & set(paths)

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges into files or packages (their users); skips targets with more than ``most`` edges."""
        edges = [edge for edge in self.edges() if edge.target in targets]
        counts = Counter(edge.target for edge in edges)
        return tuple(edge for edge in edges if not most or counts[edge.target] <= most)

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the file-to-file edges that begin or end at any of these files."""
        wanted = set(paths)
        return tuple(e for e in self.edges() if e.kind == "path" and (e.source in wanted or e.target in wanted))

    def lacks(self, *, now: bool = False) -> Message:
        """Return nothing: what cannot be asked is an error."""
        return NOTHING

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors yet."""
        wanted = [number for number, entry in self._entries.items() if number > after and _lacks_vectors(entry)]
        return tuple(_unembedded(number, self._entries[number]) for number in sorted(wanted)[:limit])

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number."""
        for number, data in rows.items():
            if (entry := self._entries.get(number)) is not None and _lacks_vectors(entry):
                self._entries[number] = replace(entry, vectors=data)
                self._dense.put(number, data)
        self._generation += 1

    def _counts(self, scope: Scope) -> dict[str, int]:
        """Count the indexed files of each language within a scope's path and languages."""
        return dict(Counter(record.language for record in self._indexed(scope, self._entries)))

    def _remarks(self) -> tuple[tuple[str, Message], ...]:
        """Return the files that were indexed only in part, with the reason, ordered by path."""
        records = self._indexed(Scope(), self._entries)
        return tuple(sorted((record.path, record.note) for record in records if record.note))

    def _state(self) -> IndexState:
        indexed = [entry for entry in self._entries.values() if entry.record.language]
        embedded = sum(entry.vectors is not None for entry in indexed)
        return IndexState(
            str(self._generation), len(self._entries), len(indexed), embedded, self._size(), dict(self._notes)
        )

    def _size(self) -> int:
        return sum(len(entry.pieces) for entry in self._entries.values())

    def _sample(self, most: int) -> dict[str, tuple[Symbol, ...]]:
        paths = spread_evenly(sorted(record.path for record in self._indexed(Scope(), self._entries)), most)
        return {path: found for path in paths if (found := self._symbols(path))}

    def _symbols(self, path: str) -> tuple[Symbol, ...]:
        return next((entry.symbols for entry in self._some([path])), ())

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        entries = self._entries.values()
        indexed = list(self._indexed(Scope(), self._entries))
        return Totals(
            files=len(indexed),
            chunks=self._size(),
            symbols=sum(len(entry.symbols) for entry in entries),
            edges=sum(map(len, self._edges.values())),
            source_bytes=sum(record.size for record in indexed),
            generation=self._generation,
            lexical="memory",
            languages=Counter(record.language for record in indexed),
        )

    def check(self) -> tuple[Message, ...]:
        """Return nothing: dictionaries have no problems to find."""
        return ()

    def reset(self) -> None:
        """Forget everything."""
        self.__init__(self._dimensions)  # type: ignore[misc]

    def compact(self, most_dead: float = 0.0) -> Message:
        """Do nothing: there is no lexical index to rebuild."""
        return NOTHING

    def close(self) -> None:
        """Do nothing: no file or lock is open."""

    def _forget(self, path: str) -> None:
        if (number := self._numbers.pop(path, None)) is not None:
            del self._entries[number]
            self._lexical.replace(number, "", ())
            self._dense.put(number, b"")

    def _keep(self, entry: Entry) -> None:
        self._last += 1
        self._numbers[entry.record.path], self._entries[self._last] = self._last, entry
        docs = entry.docs or tuple(docs_of_text(entry.record.path, unpack_text(entry.body), entry.pieces))
        self._lexical.replace(self._last, entry.record.language, docs)
        self._dense.put(self._last, entry.vectors or b"")

    def _some(self, paths: Collection[str] | None) -> Iterator[Entry]:
        """Yield the entries of those of the given files that exist, or all entries."""
        for path in self._numbers if paths is None else paths:
            if path in self._numbers:
                yield self._entries[self._numbers[path]]

    def _indexed(self, scope: Scope, numbers: Iterable[int]) -> Iterator[FileRecord]:
        """Yield the records of those of these files that are indexed and within a scope's path and languages."""
        matches = PathFilter(scope.path or "**")
        for record in (self._entries[number].record for number in numbers):
            if record.language and matches(record.path) and (not scope.languages or record.language in scope.languages):
                yield record

    def _within(self, scored: Scored, ask: Ask) -> Scored:
        return list(islice((item for item in scored if self._in_scope(item[0], ask.scope)), ask.limit))

    def _in_scope(self, key: int, scope: Scope) -> bool:
        entry = self._entries[file_of(key)]
        if not ScopeFilter(scope)(entry.record.path, entry.record.language):
            return False
        if not scope.kinds:
            return True
        pieces = [(piece.start_line, piece.kind) for piece in entry.pieces]
        symbols = ((symbol.start_line, symbol.kind) for symbol in entry.symbols)
        return key - key_of(file_of(key), 0) in places_of_kinds(pieces, symbols, scope.kinds)

    def _describe(self, key: int) -> Candidate:
        record, pieces = self._entries[file_of(key)].record, self._entries[file_of(key)].pieces
        piece = pieces[key - key_of(file_of(key), 0)]
        return Candidate(key, record.path, piece.start_line, piece.end_line, piece.symbol, piece.kind, record.language)


def _each(
    value: Callable[[Entry], Any],
) -> Callable[[MemoryStore, Keyed[str, Any]], dict[str, Any]]:
    """Return an answer that takes something from the entry of each file, unless it is empty."""
    return lambda store, asked: {
        entry.record.path: found for entry in store._some(asked.keys) if (found := value(entry))
    }


_ANSWERS: dict[type, Callable[[MemoryStore, Any], Any]] = {
    lookups.StateNow: lambda store, asked: store._state(),
    lookups.EveryFile: lambda store, asked: store._files(),
    lookups.EveryLink: lambda store, asked: store,
    lookups.Skipped: lambda store, asked: tuple(
        skip for skip in store._skips if not asked.reasons or skip.reason in asked.reasons
    ),
    lookups.Remarks: lambda store, asked: store._remarks(),
    lookups.LanguageCounts: lambda store, asked: store._counts(asked.scope),
    lookups.FileRecords: lambda store, asked: store._files(asked.keys),
    lookups.FileTexts: _each(lambda entry: unpack_text(entry.body)),
    lookups.FilePieces: _each(lambda entry: entry.pieces),
    lookups.FileSymbols: _each(lambda entry: entry.symbols),
    lookups.ParsedContents: lambda store, asked: {},
    lookups.SymbolSample: lambda store, asked: store._sample(asked.files),
    lookups.FileVectors: _each(lambda entry: entry.vectors),
    lookups.ChunkTexts: lambda store, asked: store._texts(asked.keys),
    lookups.ChunkSymbols: lambda store, asked: store._symbols_of(asked.keys),
    Ask: lambda store, asked: store._candidates(asked),
    lookups.WhereKnown: lambda store, asked: store._known(asked.terms, asked.names),
    lookups.NameMentions: lambda store, asked: store._mentions(asked.name, asked.scope),
    lookups.NamesWith: lambda store, asked: store._names(asked.part, asked.limit),
    lookups.EveryCommit: lambda store, asked: store._commits(),
    lookups.PastChanges: lambda store, asked: store._past_changes(asked.paths, asked.since),
    lookups.ChangesNamed: lambda store, asked: store._changes_named(asked.commits),
    lookups.SimilarChanges: lambda store, asked: store._similar_changes(asked.terms, asked.limit),
    lookups.ChangedTogether: lambda store, asked: store._changed_together(asked.paths, asked.least),
    lookups.Busy: lambda store, asked: store._busy(asked.keys),
}


def _lacks_vectors(entry: Entry) -> bool:
    return entry.vectors is None and bool(entry.record.language)


def _unembedded(number: int, entry: Entry) -> Unembedded:
    record, texts = entry.record, cut(unpack_text(entry.body), entry.pieces)
    symbols = tuple(piece.symbol for piece in entry.pieces)
    return Unembedded(number, record.path, record.digest, record.language, tuple(texts), symbols)
