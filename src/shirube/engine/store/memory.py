"""The memory store: the embedded store's twin, in dictionaries."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from shirube.codec import replace
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.fields import cut, docs_of_text, unpack_text
from shirube.engine.store.lexical import KEY_SHIFT, MemoryLexical, Scored, Where, file_of, key_of
from shirube.engine.store.port import (
    Ask,
    Candidate,
    Candidates,
    Change,
    Definition,
    Entry,
    Mentions,
    Totals,
    Unembedded,
    by_score,
)
from shirube.engine.store.scope import PathFilter, ScopeFilter
from shirube.engine.text import index_terms
from shirube.messages import Message
from shirube.types import BIG_KINDS, Edge, FileRecord, Piece, RawImport, Scope, Skip, Symbol


class MemoryStore:
    """Keeps everything in the process; nothing survives it."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lexical = MemoryLexical()
        self._dense = DenseRows(dimensions)
        self._entries: dict[str, tuple[int, Entry]] = {}
        self._by_id: dict[int, Entry] = {}
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._skips: tuple[Skip, ...] = ()
        self._notes: dict[str, str] = {}
        self._last = 0
        self._generation = 0

    def files(self, paths: Sequence[str] | None = None) -> dict[str, FileRecord]:
        """Return the given files by their paths, or all."""
        wanted = self._entries if paths is None else [path for path in paths if path in self._entries]
        return {path: self._entries[path][1].record for path in wanted}

    def write(self, change: Change) -> None:
        """Apply a change."""
        for path in change.removed:
            self._forget(path)
            self._edges.pop(path, None)
        for entry in change.entries:
            self._forget(entry.record.path)
            self._keep(entry)
        for record in change.touched:
            number, entry = self._entries[record.path]
            self._by_id[number] = replace(entry, record=record)
            self._entries[record.path] = number, self._by_id[number]
        self._generation += bool(change.entries or change.removed)

    def publish(self) -> None:
        """Everything is visible at once."""

    def candidates(self, ask: Ask) -> Candidates:
        """Return the chunks that match, best first per leg."""
        everything = (self._last + 1) << KEY_SHIFT
        words = {field: terms for field, terms in ask.fields.items() if field != "path"}
        path = {"path": ask.fields.get("path", {})}
        scores = dict(self._within(self._lexical.search(words, Where(), everything), ask))
        places = self._within(self._lexical.search(path, Where(), everything), ask)[: max(1, ask.limit // 4)]
        phrases = [self._within(self._lexical.together(terms, Where(), everything), ask) for terms in ask.phrases]
        cosines = dict(self._within(self._dense.nearest(ask.vector, everything), ask)) if ask.vector else {}
        definitions = self._definitions(ask)
        others = [*places, *(one for found in phrases for one in found)]
        keys = dict.fromkeys([*scores, *cosines, *(key for key, _ in others), *(found.key for found in definitions)])
        items = [self._describe(key)._replace(lexical=scores.get(key, 0.0), cosine=cosines.get(key)) for key in keys]
        return Candidates(
            tuple(sorted(items, key=by_score)),
            tuple(map(dict, phrases)),
            definitions + self._topics(ask, {item.path for item in items}),
            len(self._by_id),
            {term: self._lexical.frequency("path", term) for term in path["path"]},
            {term: self._lexical.frequency("symbols", term) for phrase in ask.phrases for term in phrase},
            self.size(),
            {term: self._lexical.frequency("content", term) for term in ask.fields.get("content", ())},
            self._dense.wholes(ask.vector, items) if ask.vector else {},
        )

    def _definitions(self, ask: Ask) -> tuple[Definition, ...]:
        meant = ScopeFilter(ask.scope)
        found = []
        for path, (number, entry) in sorted(self._entries.items()):
            for symbol in entry.symbols if entry.pieces else ():
                if symbol.name.lower() in ask.names:
                    starts = [place for place, p in enumerate(entry.pieces) if p.start_line <= symbol.start_line]
                    place = max(starts, key=lambda at: (entry.pieces[at].start_line, -at), default=0)
                    if meant(path, entry.record.language, entry.pieces[place].kind):
                        found.append(Definition(key_of(number, place), path, symbol))
        if ask.outer:
            found.sort(key=lambda one: f"{ask.outer}." not in one.symbol.qualified.lower())
        return tuple(found[: ask.limit])

    def _topics(self, ask: Ask, paths: set[str]) -> tuple[Definition, ...]:
        return tuple(
            Definition(key_of(self._entries[path][0], 0), path, symbol)
            for path in sorted(paths)
            for symbol in self._entries[path][1].symbols
            if symbol.name.lower() in ask.topics and symbol.kind in BIG_KINDS
        )

    def mentions(self, name: str, scope: Scope) -> Mentions:
        """Return the files in whose text a name may stand."""
        meant = PathFilter(scope.path or "**")
        everything = (self._last + 1) << KEY_SHIFT
        if terms := tuple(dict.fromkeys(index_terms(name))):
            numbers = {file_of(key) for key, _ in self._lexical.together(terms, Where(scope.languages), everything)}
        else:
            numbers = set(self._by_id)
        records = (self._by_id[number].record for number in numbers)
        where = Where(scope.languages)
        kept = (one for one in records if one.language and where.allows(one.language, "") and meant(one.path))
        return Mentions(dict(sorted((one.path, one.language) for one in kept)))

    def names(self, part: str, limit: int) -> tuple[str, ...]:
        """Return names of symbols that have this part, whatever the case; those that begin with it first."""
        wanted = part.lower()
        known = {symbol.name for entry in self._by_id.values() for symbol in entry.symbols}
        found = [name for name in known if wanted in name.lower()]
        return tuple(sorted(found, key=lambda name: (not name.lower().startswith(wanted), len(name), name))[:limit])

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the text of each chunk."""
        found = {}
        for key in keys:
            entry = self._by_id[file_of(key)]
            found[key] = cut(unpack_text(entry.body), entry.pieces)[key - key_of(file_of(key), 0)]
        return found

    def text(self, path: str) -> str:
        """Return a whole file as it was indexed; nothing for one that is not."""
        return unpack_text(self._entries[path][1].body) if path in self._entries else ""

    def pieces(self, path: str) -> tuple[Piece, ...]:
        """Return how a file was cut."""
        return self._entries[path][1].pieces if path in self._entries else ()

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """Return what a file defines, in its order."""
        return self._entries[path][1].symbols if path in self._entries else ()

    def symbols_in(self, paths: Collection[str]) -> dict[str, tuple[Symbol, ...]]:
        """Return what each of these files defines, in its order."""
        return {path: found for path in paths if (found := self.symbols(path))}

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""
        wanted = self._entries if paths is None else [path for path in paths if path in self._entries]
        return {path: self._entries[path][1].imports for path in wanted}

    def write_edges(self, edges: Mapping[str, Iterable[Edge]]) -> None:
        """Replace the outgoing edges of the given files."""
        self._edges.update({path: tuple(found) for path, found in edges.items()})

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of files, or all."""
        found = [edge for path in dict.fromkeys(paths or self._edges) for edge in self._edges.get(path, ())]
        return tuple(sorted(found, key=lambda e: (e.source, e.line, e.target, e.kind, e.rel)))

    def imported(self, paths: Sequence[str]) -> set[str]:
        """Return which of these files anything leads to."""
        return {edge.target for edge in self.edges()} & set(paths)

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges that lead to files or packages: who uses them; none to those with more than ``most``."""
        edges = [edge for edge in self.edges() if edge.target in targets]
        counts = Counter(edge.target for edge in edges)
        return tuple(edge for edge in edges if not most or counts[edge.target] <= most)

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the edges between files that begin or end at one of these."""
        wanted = set(paths)
        return tuple(e for e in self.edges() if e.kind == "path" and (e.source in wanted or e.target in wanted))

    def vectors(self, path: str) -> bytes:
        """Return the int8 rows of a file's pieces."""
        return (self._entries[path][1].vectors or b"") if path in self._entries else b""

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors yet."""
        wanted = [number for number, entry in self._by_id.items() if number > after and _lacks(entry)]
        return tuple(_unembedded(number, self._by_id[number]) for number in sorted(wanted)[:limit])

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Keep the vectors of files by number."""
        for number, data in rows.items():
            if (entry := self._by_id.get(number)) is not None and _lacks(entry):
                made = replace(entry, vectors=data)
                self._by_id[number], self._entries[entry.record.path] = made, (number, made)
                self._dense.put(number, data)
        self._generation += 1

    def coverage(self) -> tuple[int, int]:
        """Return how many files have vectors, and of how many."""
        indexed = [entry for entry in self._by_id.values() if entry.record.language]
        return sum(entry.vectors is not None for entry in indexed), len(indexed)

    def write_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of what is not indexed."""
        self._skips = tuple(sorted(skips, key=lambda skip: (skip.path, skip.reason)))

    def counts(self, scope: Scope) -> dict[str, int]:
        """Return how many indexed files of each language a scope's path and languages hold."""
        meant, where = PathFilter(scope.path or "**"), Where(scope.languages)
        records = (entry.record for entry in self._by_id.values())
        kept = (one for one in records if one.language and where.allows(one.language, "") and meant(one.path))
        return dict(Counter(one.language for one in kept))

    def skips(self, *reasons: str) -> tuple[Skip, ...]:
        """Return what is not indexed, and why; for these reasons only, or for any."""
        return tuple(skip for skip in self._skips if not reasons or skip.reason in reasons)

    def remarks(self) -> tuple[tuple[str, Message], ...]:
        """Return the files that were indexed less than well, with the reason, by path."""
        records = [entry.record for entry in self._by_id.values()]
        return tuple(sorted((one.path, one.note) for one in records if one.note and one.language))

    def note(self, key: str, value: str) -> None:
        """Keep a small fact about the index."""
        self._notes[key] = value

    def noted(self, key: str) -> str:
        """Return such a fact, or the empty string."""
        return self._notes.get(key, "")

    def size(self) -> int:
        """Return how many chunks there are."""
        return sum(len(entry.pieces) for entry in self._by_id.values())

    def totals(self) -> Totals:
        """Return what the index holds."""
        entries = self._by_id.values()
        indexed = [entry.record for entry in entries if entry.record.language]
        return Totals(
            files=len(indexed),
            chunks=self.size(),
            symbols=sum(len(entry.symbols) for entry in entries),
            edges=sum(map(len, self._edges.values())),
            source_bytes=sum(record.stat.size for record in indexed),
            generation=self._generation,
            lexical="memory",
            languages=Counter(record.language for record in indexed),
        )

    def check(self) -> tuple[Message, ...]:
        """Nothing can be wrong with dictionaries."""
        return ()

    def reset(self) -> None:
        """Forget everything."""
        self.__init__(self._dimensions)  # type: ignore[misc]

    def compact(self) -> None:
        """Nothing to rebuild."""

    def close(self) -> None:
        """Nothing to let go of."""

    def _forget(self, path: str) -> None:
        if path in self._entries:
            number, _ = self._entries.pop(path)
            del self._by_id[number]
            self._lexical.replace(number, "", ())
            self._dense.put(number, b"")

    def _keep(self, entry: Entry) -> None:
        self._last += 1
        self._entries[entry.record.path] = self._last, entry
        self._by_id[self._last] = entry
        docs = entry.docs or tuple(docs_of_text(entry.record.path, unpack_text(entry.body), entry.pieces))
        self._lexical.replace(self._last, entry.record.language, docs)
        self._dense.put(self._last, entry.vectors or b"")

    def _within(self, scored: Scored, ask: Ask) -> Scored:
        meant = ScopeFilter(ask.scope)
        described = ((item, self._describe(item[0])) for item in scored)
        kept = (item for item, found in described if meant(found.path, found.language, found.kind))
        return list(islice(kept, ask.limit))

    def _describe(self, key: int) -> Candidate:
        entry = self._by_id[file_of(key)]
        piece = entry.pieces[key - key_of(file_of(key), 0)]
        return Candidate(
            key,
            entry.record.path,
            piece.start_line,
            piece.end_line,
            piece.symbol,
            piece.kind,
            entry.record.language,
        )


def _lacks(entry: Entry) -> bool:
    return entry.vectors is None and bool(entry.record.language)


def _unembedded(number: int, entry: Entry) -> Unembedded:
    record, texts = entry.record, cut(unpack_text(entry.body), entry.pieces)
    symbols = tuple(piece.symbol for piece in entry.pieces)
    return Unembedded(number, record.path, record.digest, record.language, tuple(texts), symbols)
