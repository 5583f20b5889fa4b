"""The embedded store: SQLite holds all data; the lexical index and the matrix of vectors are derived from it.

Each change also adds rows to an outbox table, in the same transaction. ``projection`` then copies those files into the
lexical index. When a process dies in between, the next one finds the outbox and goes on.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from shirube.engine.store import bodies, catalog, lookups, projection
from shirube.engine.store import changes as past
from shirube.engine.store.connection import Connection, translated
from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import Scored, Where, all_together, file_of
from shirube.engine.store.migrations import is_current, migrate, misshapen
from shirube.engine.store.port import (
    Ask,
    Candidates,
    IndexState,
    Known,
    Lookup,
    Mentions,
    PastChange,
    StoreChange,
    Terms,
    Totals,
    Unembedded,
    by_score,
)
from shirube.engine.store.projection import Projection, Search
from shirube.engine.store.scope import PathFilter, ScopeFilter
from shirube.engine.text.tokens import index_terms
from shirube.errors import BrokenIndex, NoPermission, NotWritable
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.types import Edge, RawImport, Scope

DATABASE = "index.sqlite"
ASIDE = "broken"
PHRASE_POOL = 400
"""How many chunks with all words of a phrase are fetched; many are needed to find those with the words side by side."""
WIDEN = 4
"""How many times more results to fetch when a filter on paths leaves too few."""


Allowed = Callable[[int], bool]
"""Tells by its key whether a chunk is in the part of the project asked about."""


class EmbeddedStore:
    """The index of one project in one directory of the user's cache."""

    remote = False

    def __init__(
        self,
        directory: Path,
        dimensions: int,
        busy_seconds: float = 10.0,
        *,
        model: str = "",
        readonly: bool = False,
    ) -> None:
        self._directory = directory
        self._dimensions, self._model = dimensions, model
        self._busy_seconds = busy_seconds
        self._readonly = readonly
        self._guard = RLock()
        self._retired: list[Connection] = []
        self._open()

    def _open(self) -> None:
        path = self._directory / DATABASE
        if path.is_dir():
            raise BrokenIndex("store.is_directory", name=path.name)
        if not self._readonly:
            make_private(self._directory)
        self._write = Connection(path, self._busy_seconds, readonly=self._readonly)
        if not self._readonly:
            with translated(path):
                migrate(self._write.db)
        self._read = Connection(path, self._busy_seconds, readonly=self._readonly)
        self._inode = path.stat().st_ino
        self._dense = DenseRows(self._dimensions, self._model)
        self._dense_at = "none"
        self._bodies, self._descriptions = bodies.Bodies(), catalog.Descriptions()
        self._past = past.ChangeReader()
        self._counted = ("none", (0, 0, (0, 0)))
        self._paths: dict[int, str] = {}
        writer = None if self._readonly else self._write
        self._lexical = Projection(self._directory, self._read, writer, self._busy_seconds)

    def reset(self) -> None:
        """Move a damaged index aside and start with an empty one."""
        with self._guard:
            self.close()
            put_aside(self._directory)
            self._open()

    def _follow(self) -> None:
        """Reopen the index when another process has replaced the file that we have open."""
        if self._readonly or self._current():
            return
        with self._guard:
            if not self._current():  # check again: another thread may have reopened it meanwhile
                for connection in self._retired:
                    connection.close()
                self._retired = [self._read, self._write]  # close them next time: a thread may still be reading
                self._open()

    def _current(self) -> bool:
        try:
            return self._read.path.stat().st_ino == self._inode
        except OSError:
            return False

    # --- writing ---------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Nothing has to be prepared."""
        return False

    def write(self, change: StoreChange, *, publish: bool = False) -> None:
        """Apply a change in one transaction; ``publish`` copies all that is written into the lexical index."""
        if change != StoreChange():
            with self._write.writing() as db:
                moved = catalog.apply(db, change, self._model)
            self._lexical.expect(moved)
        if publish:
            self._lexical.publish()

    def embed(self, rows: Mapping[int, bytes]) -> None:
        """Store the vectors of files, by file number."""
        with self._write.writing() as db:
            catalog.embed(db, self._model, rows)

    def write_changes(self, changes: Iterable[PastChange], removed: Collection[str] = ()) -> None:
        """Add commits and remove others; of a commit that is known only the files are replaced."""
        with self._write.writing() as db:
            past.write_changes(db, changes, removed)

    # --- reading ---------------------------------------------------------------------------------------

    def look(self, *asked: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        """Return what is found for each look-up: questions to the lexical index first, the rest in one transaction."""
        self._follow()
        found: dict[int, Any] = {}
        for place, one in enumerate(asked):
            if isinstance(one, Ask):
                found[place] = self._candidates(one)
            elif isinstance(one, lookups.WhereKnown):
                found[place] = self._known(one)
            elif isinstance(one, lookups.NameMentions):
                found[place] = self._mentions(one.name, one.scope)
        if len(found) < len(asked):
            with self._guard, self._read.reading() as db:
                for place, one in enumerate(asked):
                    if place not in found:
                        found[place] = _ANSWERS[type(one)](self, db, one)
        return [found[place] for place in range(len(asked))]

    def _mentions(self, name: str, scope: Scope) -> Mentions:
        """Return the files whose text may contain a name."""
        degraded: list[Message] = []
        numbers: Collection[int] | None = None
        if terms := tuple(dict.fromkeys(index_terms(name))):
            where = Where(scope.languages)
            (chunks,) = self._lexical.search([lambda engine: all_together(engine, terms, where)], degraded)
            numbers = {file_of(key) for key, _ in chunks}
        matches = PathFilter(scope.path or "**")
        with self._read.reading() as db:
            files = catalog.paths_of(db, numbers, scope.languages)
        return Mentions(dict(sorted((path, language) for path, language in files if matches(path))), tuple(degraded))

    def _texts(self, db: sqlite3.Connection, keys: Sequence[int]) -> dict[int, str]:
        """Return the text of each chunk."""
        self._follow_generation(db)
        return bodies.texts(db, keys, self._bodies, self._descriptions.spans)

    def lacks(self, *, now: bool = False) -> Message:
        """Return nothing: what cannot be asked is an error."""
        return NOTHING

    def unembedded(self, after: int, limit: int) -> tuple[Unembedded, ...]:
        """Return the next files, by number, that have no vectors of this store's model."""
        with self._read.reading() as db:
            return catalog.unembedded(db, self._model, after, limit)

    def _state(self, db: sqlite3.Connection) -> IndexState:
        self._follow_generation(db)
        chunks, files, (embedded, indexed) = self._counted[1]
        notes = catalog.notes(db)
        return IndexState(notes.get("generation", ""), files, indexed, embedded, chunks, notes)

    def _follow_generation(self, db: sqlite3.Connection) -> None:
        """Count again, and forget the descriptions of chunks, if the index has changed."""
        generation = catalog.noted(db, "generation")
        if self._counted[0] != generation:
            counts = catalog.count(db, "chunks"), catalog.count(db, "files"), catalog.coverage(db, self._model)
            self._counted, self._descriptions = (generation, counts), catalog.Descriptions()

    def totals(self) -> Totals:
        """Return the counts and sizes of the index."""
        with self._read.reading() as db:
            rows = db.execute("SELECT language, count(*), sum(size) FROM files WHERE language != '' GROUP BY 1")
            languages, size = {}, 0
            for language, count, total in rows:
                languages[language], size = count, size + total
            chunks, symbols, edges = (catalog.count(db, table) for table in ("chunks", "symbols", "edges"))
            waiting, generation = catalog.count(db, "outbox"), int(catalog.noted(db, "generation") or 0)
        engine, (_, dead) = self._lexical.engine_name(), self._lexical.counts()
        places = (Path(folder, name) for folder, _, names in os.walk(self._directory) for name in names)
        on_disk = sum(place.stat().st_size for place in places if place.exists())
        files = sum(languages.values())
        return Totals(files, chunks, symbols, edges, size, on_disk, generation, waiting, engine, languages, dead=dead)

    # --- asking ----------------------------------------------------------------------------------------

    def _candidates(self, ask: Ask) -> Candidates:
        """Return the matching chunks, found by words (lexical leg) and by vector (dense leg)."""
        degraded: list[Message] = []
        allowed = self._allowed(ask.scope)
        words, places, *phrases = self._ask_lexical(ask, allowed, degraded)
        scores = dict(words)
        with self._guard, self._read.reading() as db:
            self._follow_generation(db)
            chunks, files, _ = self._counted[1]
            cosines = dict(self._ask_dense(db, ask, allowed)) if ask.vector else {}
            definitions, topics = catalog.definitions(db, ask), catalog.topics(db, ask)
            others = {key for scored in (places, *phrases) for key, _ in scored}
            others |= {definition.key for definition in definitions}.union(catalog.chunks_at(db, ask.lines))
            wanted = dict.fromkeys(others, 0.0) | scores
            items = self._descriptions.of(db, wanted, cosines)
            if missing := ask.others.keys() - {item.path for item in items}:
                rest = catalog.chunks_at(db, {path: ask.others[path] for path in missing})
                items += self._descriptions.of(db, dict.fromkeys(rest, 0.0), {})
            if ask.scope != Scope():
                in_scope = ScopeFilter(ask.scope)
                items = [item for item in items if in_scope(item.path, item.language) and _passes(item.key, allowed)]
            paths = {file_of(item.key): item.path for item in items}
            wholes = self._dense.wholes(ask.vector, paths) if ask.vector else {}
        items.sort(key=by_score)
        keys = {item.key for item in items}
        terms = {
            "path": ask.fields.get("path", ()),
            "content": ask.fields.get("content", ()),
        }
        frequencies = self._lexical.frequencies(terms)
        return Candidates(
            tuple(items),
            tuple({key: score for key, score in phrase if key in keys} for phrase in phrases),
            (
                *[definition for definition in definitions if definition.key in keys][: ask.limit],
                *[definition for definition in topics if file_of(definition.key) in paths],
            ),
            files,
            frequencies["path"],
            chunks,
            frequencies["content"],
            wholes,
            tuple(degraded),
        )

    def _known(self, asked: lookups.WhereKnown) -> Known:
        """Return where terms occur, and which of the names, in lower case, are defined."""
        behind: list[Message] = []
        self._lexical.search([], behind)  # brings the lexical index up to date, if it can
        counts = self._lexical.frequencies(dict.fromkeys(("path", "symbols", "content"), asked.terms))
        with self._guard, self._read.reading() as db:
            self._follow_generation(db)
            files, defined = self._counted[1][1], catalog.defined(db, asked.names)
        return Known(files, counts["path"], counts["symbols"], counts["content"], defined)

    def _ask_lexical(self, ask: Ask, allowed: Allowed | None, degraded: list[Message]) -> list[Scored]:
        """Return scored chunk keys: one list by words, one by path, then one for each phrase."""
        where = Where(ask.scope.languages)
        words = {field: ask.fields[field] for field in ("content", "symbols") if ask.fields.get(field)}
        path = {"path": ask.fields["path"]} if ask.fields.get("path") else {}

        def any_of(fields: Mapping[str, Terms], limit: int) -> Search:
            return lambda engine: self._filtered(partial(engine.search, fields, where), allowed, limit)

        def together(terms: tuple[str, ...]) -> Search:
            return lambda engine: self._filtered(partial(engine.together, terms, where), allowed, PHRASE_POOL)

        searches = [any_of(words, ask.limit), any_of(path, max(1, ask.limit // 4)), *map(together, ask.phrases)]
        if not words and not path and not ask.phrases:
            return [[] for _ in searches]
        return self._lexical.search(searches, degraded)

    def _ask_dense(self, db: sqlite3.Connection, ask: Ask, allowed: Allowed | None) -> Scored:
        self._update_dense(db)
        if ask.scope.languages:  # the vectors do not know them
            allowed = _of_languages(db, ask.scope.languages, allowed)
        return self._filtered(partial(self._dense.nearest, ask.vector), allowed, ask.limit)

    def _filtered(self, search: Callable[[int], Scored], allowed: Allowed | None, limit: int) -> Scored:
        """Search with a growing limit until enough results pass the filter; of equal ones the first paths are kept."""
        fetch = limit if allowed is None else limit * WIDEN
        while True:
            results = search(fetch)
            passed = results if allowed is None else [item for item in results if allowed(item[0])]
            if len(passed) >= limit or len(results) < fetch:
                break
            fetch *= WIDEN
        if len(passed) <= limit:
            return passed
        edge = passed[limit - 1][1]
        tied = [key for key, score in passed if score == edge]
        if missing := {file_of(key) for key in tied} - self._paths.keys():  # no number ever gets another path
            with self._read.reading() as db:
                every = "SELECT id, path FROM files WHERE id IN (?)"
                self._paths.update(catalog.among(db, every, sorted(missing)))
        tied.sort(key=lambda key: (self._paths.get(file_of(key), catalog.LAST), key))
        return [*(item for item in passed if item[1] > edge), *((key, edge) for key in tied)][:limit]

    def _update_dense(self, db: sqlite3.Connection) -> None:
        if self._dense_at != self._counted[0]:
            self._dense.update(db)
            self._dense_at = self._counted[0]

    def _allowed(self, scope: Scope) -> Allowed | None:
        """Return a test whether a chunk is in scope by path and kinds, or None without either."""
        if not scope.path and not scope.kinds:
            return None
        matches = PathFilter(scope.path or "**")
        with self._read.reading() as db:
            under = {number for number, path in db.execute("SELECT id, path FROM files") if matches(path)}
            if scope.kinds:
                return catalog.keys_of_kinds(db, under, scope.kinds).__contains__
        return lambda key: file_of(key) in under

    def warm(self) -> None:
        """Update what earlier questions loaded, so that the next one need not."""
        with self._guard, self._read.reading() as db:
            if self._dense_at != "none":
                self._follow_generation(db)
                self._update_dense(db)
                self._dense.stack()

    # --- upkeep ----------------------------------------------------------------------------------------

    def check(self) -> tuple[Message, ...]:
        """Return the problems found in the index; empty when it is sound."""
        with self._read.reading() as db:
            problems = [verbatim(row[0]) for row in db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            orphans = db.execute("SELECT count(*) FROM bodies WHERE file_id NOT IN (SELECT id FROM files)")
            if lost := orphans.fetchone()[0]:
                problems.append(say("store.bodies", count=lost))
            problems += [say("store.misshapen", name=name) for name in misshapen(db)]
        return tuple(filter(None, (*problems, self._lexical.trouble())))

    def compact(self, most_dead: float = 0.0) -> Message:
        """Rebuild the lexical index where it needs it, so that rankings equal those of a fresh index."""
        return self._lexical.renew(most_dead)

    def close(self) -> None:
        """Close the files and release the locks."""
        for connection in (self._read, self._write, *self._retired):
            connection.close()


class _EmbeddedLinks:
    """The edges, each question of its own a query: a local database is asked as fast as memory."""

    def __init__(self, store: EmbeddedStore) -> None:
        self._store = store

    def edges(self, *paths: str) -> tuple[Edge, ...]:
        """Return the outgoing edges of the given files, or of all."""
        with self._store._read.reading() as db:
            return catalog.edges(db, *paths)

    def targets(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return the files that each of these files leads to."""
        with self._store._read.reading() as db:
            return catalog.targets(db, paths)

    def edges_to(self, *targets: str, most: int = 0) -> tuple[Edge, ...]:
        """Return the edges into files or packages; skips targets with more than ``most`` edges."""
        with self._store._read.reading() as db:
            return catalog.edges_to(db, *targets, most=most)

    def edges_around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the file-to-file edges that begin or end at any of these files."""
        with self._store._read.reading() as db:
            return catalog.edges_around(db, paths)

    def imported(self, paths: Collection[str]) -> set[str]:
        """Return which of these files are the target of an edge."""
        with self._store._read.reading() as db:
            return catalog.imported(db, paths)

    def imports(self, paths: Collection[str] | None = None) -> dict[str, tuple[RawImport, ...]]:
        """Return the raw imports of the given files, or of all."""
        with self._store._read.reading() as db:
            return catalog.imports(db, paths)


_ANSWERS: dict[type, Callable[[EmbeddedStore, sqlite3.Connection, Any], Any]] = {
    lookups.StateNow: lambda store, db, asked: store._state(db),
    lookups.EveryFile: lambda store, db, asked: catalog.files(db),
    lookups.EveryLink: lambda store, db, asked: _EmbeddedLinks(store),
    lookups.Skipped: lambda store, db, asked: catalog.skips(db, *asked.reasons),
    lookups.Remarks: lambda store, db, asked: catalog.remarks(db),
    lookups.LanguageCounts: lambda store, db, asked: catalog.counts(db, asked.scope),
    lookups.FileRecords: lambda store, db, asked: catalog.files(db, asked.keys),
    lookups.FileTexts: lambda store, db, asked: catalog.texts(db, asked.keys),
    lookups.FilePieces: lambda store, db, asked: catalog.pieces(db, asked.keys),
    lookups.FileSymbols: lambda store, db, asked: catalog.symbols(db, asked.keys),
    lookups.ParsedContents: lambda store, db, asked: {},
    lookups.SymbolSample: lambda store, db, asked: catalog.sample(db, asked.files),
    lookups.FileVectors: lambda store, db, asked: catalog.vectors(db, store._model, asked.keys),
    lookups.ChunkTexts: lambda store, db, asked: store._texts(db, asked.keys),
    lookups.ChunkSymbols: lambda store, db, asked: catalog.symbols_of(db, asked.keys),
    lookups.NamesWith: lambda store, db, asked: catalog.names(db, asked.part, asked.limit),
    lookups.EveryCommit: lambda store, db, asked: past.commits(db),
    lookups.PastChanges: lambda store, db, asked: past.past_changes(db, asked.paths, asked.since),
    lookups.ChangesNamed: lambda store, db, asked: past.changes_named(db, asked.commits),
    lookups.SimilarChanges: lambda store, db, asked: store._past.similar(db, asked.terms, asked.limit),
    lookups.ChangedTogether: lambda store, db, asked: past.changed_together(db, asked.paths, asked.least),
    lookups.Busy: lambda store, db, asked: store._past.busy(db, asked.keys),
}


def _of_languages(db: sqlite3.Connection, languages: Collection[str], allowed: Allowed | None) -> Allowed:
    """Return a test whether a chunk is of one of these languages, and allowed."""
    files = {number for number, language in db.execute("SELECT id, language FROM files") if language in languages}
    return lambda key: file_of(key) in files and _passes(key, allowed)


def _passes(key: int, allowed: Allowed | None) -> bool:
    return allowed is None or allowed(key)


def open_embedded(
    directory: Path, dimensions: int, busy_seconds: float, model: str = ""
) -> tuple[EmbeddedStore, Message]:
    """Open the store and return it with a note on what is wrong with it; an empty note means nothing is.

    A damaged index is moved aside and replaced by an empty one. One that cannot be written is opened read-only.
    """
    try:
        return EmbeddedStore(directory, dimensions, busy_seconds, model=model), NOTHING
    except BrokenIndex as error:
        put_aside(directory)
        note = say("store.put_aside", error=error.message, place=str(directory / ASIDE))
        return EmbeddedStore(directory, dimensions, busy_seconds, model=model), note
    except (NoPermission, NotWritable) as error:
        if not _is_readable_index(directory / DATABASE, busy_seconds):
            raise
        store = EmbeddedStore(directory, dimensions, busy_seconds, model=model, readonly=True)
        return store, say("store.as_it_is", error=error.message)


def _is_readable_index(path: Path, busy_seconds: float) -> bool:
    """Tell whether a database that cannot be written is at least an index of today's form that can be read."""
    if not path.is_file():
        return False
    connection = Connection(path, busy_seconds, readonly=True)
    try:
        return is_current(connection.db)
    finally:
        connection.close()


def put_aside(directory: Path) -> None:
    """Move a damaged index into a subdirectory, replacing an earlier one there; lock files stay in place."""
    aside = directory / ASIDE
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(mode=0o700)
    for path in [*directory.glob(f"{DATABASE}*"), directory / projection.DIRECTORY]:
        if path.exists():
            path.rename(aside / path.name)


def make_private(directory: Path) -> None:
    """Create a directory and its missing parents, all readable by the owner only.

    A file at that path is no index of ours, so it is renamed.
    """
    try:
        if directory.is_file():
            directory.replace(directory.with_name(f"{directory.name}.{ASIDE}"))
        for place in (*reversed(directory.parents), directory):
            if not place.is_dir():
                place.mkdir(exist_ok=True, mode=0o700)  # ``parents=True`` would ignore the mode for parents
    except OSError as error:
        raise NoPermission("store.not_made", path=str(directory), error=str(error.strerror)) from error
