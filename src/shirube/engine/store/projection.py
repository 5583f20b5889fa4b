"""The lexical index of the embedded store: tantivy, filled from the outbox, and the fallbacks when it fails.

Everything here derives from SQLite, so it can be deleted at any time and is rebuilt. The process that gets the lock
copies the files in the outbox into tantivy. Files still in the outbox are scanned, so that answers are complete.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Any

from shirube.deadline import current
from shirube.engine.store import catalog
from shirube.engine.store.connection import Connection
from shirube.engine.store.disk import locked
from shirube.engine.store.lexical import FIELDS, Lexical, MemoryLexical, Scored, Where, docs_of_text, file_of, key_of
from shirube.engine.store.port import Doc, Entry, Terms
from shirube.engine.store.tantivy import BrokenProjection, TantivyLexical, remove_projection
from shirube.errors import NoPermission, NotWritable, ShirubeError, told
from shirube.messages import NOTHING, Message, say, verbatim

_TOKEN = re.compile(r"[\w-]+")
"""The form of our tokens; FTS5 would split any other text again, and then match too much."""


class FtsLexical:
    """An FTS5 table in the index's database, filled with our tokens, because FTS5 cannot split Japanese."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        columns = ", ".join(FIELDS)
        db.execute("CREATE TABLE IF NOT EXISTS fts_files (file_id INTEGER PRIMARY KEY, language TEXT)")
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5({columns},"
            " tokenize = \"unicode61 remove_diacritics 0 tokenchars '-_'\", detail = column)"
        )

    def held(self) -> set[int]:
        """Return the numbers of the files it holds."""
        return {row[0] for row in self._db.execute("SELECT file_id FROM fts_files")}

    def replace(self, file_id: int, language: str, docs: Sequence[Doc]) -> None:
        """Replace a file's documents; an empty sequence removes the file."""
        low, high = key_of(file_id, 0), key_of(file_id + 1, 0)
        self._db.execute("DELETE FROM fts WHERE rowid >= ? AND rowid < ?", (low, high))
        self._db.execute("DELETE FROM fts_files WHERE file_id = ?", (file_id,))
        if not docs:
            return
        rows = [(low + place, doc.content, doc.symbols, doc.path) for place, doc in enumerate(docs)]
        self._db.executemany("INSERT INTO fts (rowid, content, symbols, path) VALUES (?, ?, ?, ?)", rows)
        self._db.execute("INSERT INTO fts_files VALUES (?, ?)", (file_id, language))

    def commit(self) -> None:
        """Do nothing: the caller's transaction makes changes visible."""

    def search(self, fields: Mapping[str, Terms], where: Where, limit: int) -> Scored:
        """Return the documents that contain any of the terms, best first; one query for each field and weight."""
        total: dict[int, float] = {}
        for field, terms in fields.items():
            for weight in sorted(set(terms.values()), reverse=True):
                alike = [f'"{term}"' for term in terms if terms[term] == weight and _TOKEN.fullmatch(term)]
                if alike and weight > 0:
                    for key, score in self._matching(f"{field} : ({' OR '.join(alike)})"):
                        total[key] = total.get(key, 0.0) + weight * score
        return self._best(total.items(), where, limit)

    def together(self, terms: Sequence[str], where: Where, limit: int) -> Scored:
        """Return documents whose content contains all of the terms, best first."""
        if not terms or not all(map(_TOKEN.fullmatch, terms)):
            return []
        every = " AND ".join(f'"{term}"' for term in terms)
        return self._best(self._matching(f"content : ({every})"), where, limit)

    def frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """Return how many documents contain each term in a field."""
        return {term: len(self._matching(f'{field} : "{term}"')) if _TOKEN.fullmatch(term) else 0 for term in terms}

    def _matching(self, match: str) -> Scored:
        """Return matches with positive scores: FTS5's are negative, and near 0 for a word in half of all documents."""
        rows = self._db.execute("SELECT rowid, bm25(fts) FROM fts WHERE fts MATCH ?", (match,))
        return [(key, -score) for key, score in rows]

    def _best(self, scored: Iterable[tuple[int, float]], where: Where, limit: int) -> Scored:
        ordered = sorted(scored, key=lambda item: (-item[1], item[0]))
        return list(islice((item for item in ordered if self._wanted(item[0], where)), limit))

    def _wanted(self, key: int, where: Where) -> bool:
        if not where.languages:
            return True
        row = self._db.execute("SELECT language FROM fts_files WHERE file_id = ?", (file_of(key),)).fetchone()
        return where.allows(row[0])


DIRECTORY = "tantivy-3"
"""Change the number whenever documents are built differently: an old index would silently give wrong answers."""
LOCK = "projection.lock"
DRAFT, DRAFT_LOCK = "draft", "draft.lock"
"""Where the index is built anew, and the lock of who does it."""
AFTER_QUESTION, STEP_ASIDE, WORTH_SAYING = 0.5, 0.02, 1000
"""For how many seconds after a question it rests after each file, for how long; dead chunks that are worth a word."""
MOST_SCANNED = 500
"""How many files one question scans while the lexical index is behind; takes about half a second."""

Search = Callable[[Lexical], Scored]


class Projection:
    """The lexical index over the chunks of one database."""

    def __init__(self, directory: Path, read: Connection, write: Connection | None, busy_seconds: float) -> None:
        self._place, self._lock = directory / DIRECTORY, directory / LOCK
        self._draft, self._draft_lock = directory / DRAFT, directory / DRAFT_LOCK
        self._read, self._write = read, write
        self._busy_seconds = busy_seconds
        self._guard = RLock()
        self._tantivy: TantivyLexical | None = None
        self._ready_docs: dict[int, tuple[str, tuple[Doc, ...]]] = {}
        """File number → language and documents built by workers; used only if the outbox still lists the file."""
        self._fallback: Any = None
        self._asked = float("-inf")
        """When somebody last waited for this index."""

    def expect(self, moved: dict[int, Entry | None]) -> None:
        """Remember the documents that workers have built for files now in the outbox."""
        with self._guard:
            for number, entry in moved.items():
                if entry is not None and entry.docs:
                    self._ready_docs[number] = (entry.record.language, entry.docs)

    def publish(self) -> None:
        """Copy the files in the outbox into tantivy; gives up when another process holds the lock for too long."""
        self._drain(self._busy_seconds)

    def search(self, searches: Sequence[Search], degraded: list[Message]) -> list[Scored]:
        """Run the searches on the best engine that works; each call tries tantivy again."""
        self._asked = monotonic()
        with self._guard:
            engine, trouble = self._usable()
            if engine is None:
                degraded.append(say("store.no_tantivy", why=trouble))
                fallback = self._caught_up_fallback()
                return [search(fallback) for search in searches]
            waiting = self._scan_waiting(degraded)
            results = self._ask(searches)
            if waiting is None:
                return results
            return [scored + search(waiting) for scored, search in zip(results, searches, strict=True)]

    def frequencies(self, fields: Mapping[str, Collection[str]]) -> dict[str, dict[str, int]]:
        """Count the documents with each term of a field; call it right after ``search``, to get the same engine."""
        counted: dict[str, dict[str, int]] = {field: {} for field in fields}

        def count(engine: Lexical) -> Scored:
            counted.update({field: engine.frequencies(field, terms) for field, terms in fields.items()})
            return []

        if any(fields.values()):
            with self._guard:
                self._ask([count])
        return counted

    def engine_name(self) -> str:
        """Return the name of the engine that answers."""
        with self._guard:
            return "tantivy" if self._usable()[0] is not None else "fallback"

    def counts(self) -> tuple[int, int]:
        """Return how many documents are in tantivy, and how many dead ones its statistics still count."""
        with self._guard:
            engine = self._usable()[0]
            return engine.counts() if engine is not None else (0, 0)

    def trouble(self) -> Message:
        """Return what is wrong with the lexical index; NOTHING when it is sound, or somebody is writing."""
        with self._guard:
            engine, trouble = self._usable()
        return say("store.tantivy", why=trouble) if engine is None else self._difference()

    def _difference(self) -> Message:
        """Return whether tantivy holds another number of chunks than the catalog, after all is published."""
        if self._drain(0.0):
            return NOTHING
        with self._read.reading() as db:
            generation, chunks = catalog.noted(db, "generation"), catalog.count(db, "chunks")
        living, _ = self.counts()
        with self._read.reading() as db:
            is_still_so = not catalog.count(db, "outbox") and catalog.noted(db, "generation") == generation
        return say("store.counts", count=living, total=chunks) if is_still_so and living != chunks else NOTHING

    # --- building it anew ----------------------------------------------------------------------------------

    def renew(self, most_dead: float) -> Message:
        """Build the index anew if it lacks something or has more dead documents than this share of the living; say so.

        The dead still count in tantivy's statistics. Another process that does it is left alone, with 0.0 waited for.
        """
        with locked(self._draft_lock, 0.0 if most_dead else self._busy_seconds) as mine:
            if not mine or self._write is None or self.engine_name() != "tantivy":
                return NOTHING
            why, (living, dead) = self._difference(), self.counts()
            if not why and dead <= most_dead * living:
                return NOTHING
            try:
                self._build_anew(self._write)
            except (BrokenProjection, NotWritable, ValueError, OSError) as error:  # the old one goes on answering
                return say("store.not_rebuilt", error=str(error))
        why = why or (say("store.dead", count=dead, total=living) if dead >= WORTH_SAYING else NOTHING)
        return say("store.rebuilt", why=why) if why else NOTHING

    def _build_anew(self, write: Connection) -> None:
        """Fill a new index from the catalog, and let it take the place of the old one."""
        remove_projection(self._draft)  # of one that was killed
        draft, held = TantivyLexical(self._draft), set[int]()
        try:
            self._fill(draft, held, gently=True)
            draft.commit(wait=True)
            while not self._exchange(draft, held):
                current().check()
                sleep(STEP_ASIDE)
        finally:
            draft.abandon()
            remove_projection(self._draft)
        with write.writing() as db:
            db.execute("DROP TABLE IF EXISTS fts")
            db.execute("DROP TABLE IF EXISTS fts_files")

    def _exchange(self, draft: TantivyLexical, held: set[int]) -> bool:
        """Under the lock, catch up with what changed meanwhile; return False when another process has the lock."""
        with self._guard, locked(self._lock) as mine:
            if mine:
                last = self._fill(draft, held)
                draft.commit(wait=True)
                draft.take_place_of(self._place)
                self._tantivy = self._fallback = None
                self._delivered(last)
            return mine

    def _fill(self, engine: Lexical, held: set[int], *, gently: bool = False) -> int:
        """Bring an engine that holds these files up to the catalog; return the last entry of the outbox it then has."""
        with self._read.reading() as db:
            numbers, waiting = catalog.file_ids(db), catalog.waiting(db)
        for number in held - numbers:
            engine.replace(number, "", ())
        for number in sorted(numbers - held):
            engine.replace(number, *self._docs(number))
            if gently:  # questions wait for the interpreter while this thread has it
                current().check()
                if monotonic() - self._asked < AFTER_QUESTION:
                    sleep(STEP_ASIDE)
        held.clear()
        held |= numbers
        return waiting[-1][0] if waiting else 0

    # --- tantivy -------------------------------------------------------------------------------------------

    def _usable(self) -> tuple[TantivyLexical | None, Message]:
        if self._tantivy is None:
            try:
                self._tantivy = self._open()
            except (ImportError, ValueError, OSError, NotWritable, NoPermission) as error:
                return None, told(error) if isinstance(error, ShirubeError) else verbatim(str(error)[:200])
        return self._tantivy, NOTHING

    def _open(self) -> TantivyLexical:
        fresh = not (self._place / "meta.json").exists()
        try:
            engine = TantivyLexical(self._place)
        except ValueError:
            remove_projection(self._place)  # damaged, or of another schema: it can be rebuilt
            fresh, engine = True, TantivyLexical(self._place)
        if fresh:
            self._put_all_in_outbox()
            for older in self._place.parent.glob("tantivy*"):
                if older != self._place:
                    remove_projection(older)
        return engine

    def _rebuild_tantivy(self) -> None:
        try:
            remove_projection(self._place)
            self._tantivy = self._open()
            self._feed(self._tantivy)
        except (BrokenProjection, ValueError, OSError) as error:
            self._tantivy = None
            raise NotWritable("store.not_again", path=str(self._place), error=str(error)) from error

    def _ask(self, searches: Sequence[Search]) -> list[Scored]:
        """Run the searches on tantivy; on an error reopen it once: another process may have replaced the index."""
        engine: Lexical | None = self._usable()[0]
        try:
            chosen = engine if engine is not None else self._caught_up_fallback()
            return [search(chosen) for search in searches]
        except (ValueError, OSError):
            self._tantivy = None
            engine = self._usable()[0] or self._caught_up_fallback()
            return [search(engine) for search in searches]

    def _put_all_in_outbox(self) -> None:
        if self._write is None:
            raise NoPermission("store.missing")
        with self._write.writing() as db:
            db.execute("DELETE FROM outbox")
            db.execute("INSERT INTO outbox (file_id) SELECT id FROM files ORDER BY path")

    # --- the outbox ----------------------------------------------------------------------------------------

    def _drain(self, wait_seconds: float) -> int:
        """Copy the files in the outbox into tantivy, under the lock; return how many are still waiting."""
        with self._guard:
            with self._read.reading() as db:
                waiting = catalog.count(db, "outbox")
            engine = self._usable()[0] if waiting else None
            if engine is None or self._write is None:
                return waiting
            with locked(self._lock, wait_seconds) as mine:
                if not mine:
                    return waiting
                try:
                    self._feed(engine)
                except BrokenProjection:
                    self._rebuild_tantivy()
        return 0

    def _feed(self, engine: TantivyLexical) -> None:
        with self._read.reading() as db:
            rows = catalog.waiting(db)
            # A file whose documents we have may be deleted by now, or copied by another process: ask the catalog.
            existing = catalog.existing(db, {number for _, number in rows})
        if not rows:
            return
        try:
            for number in dict.fromkeys(number for _, number in rows):
                ready = self._ready_docs.pop(number, None)
                language, docs = (ready or self._docs(number)) if number in existing else ("", ())
                engine.replace(number, language, docs)
            engine.commit()
        except BaseException:
            self._tantivy = None
            engine.abandon()
            raise
        self._delivered(rows[-1][0])

    def _delivered(self, last: int) -> None:
        """Take out of the outbox what tantivy has now, up to this entry."""
        assert self._write is not None
        with self._write.writing() as db:
            db.execute("DELETE FROM outbox WHERE seq <= ?", (last,))
            still = {number for _, number in catalog.waiting(db)}
        self._ready_docs = {number: ready for number, ready in self._ready_docs.items() if number in still}

    def _scan_waiting(self, degraded: list[Message]) -> Lexical | None:
        """Return an index in memory of the last ``MOST_SCANNED`` files that tantivy lacks, or None when it has all."""
        try:
            left, why = self._drain(0.0), say("store.at_it")
        except (NotWritable, NoPermission) as error:
            left, why = 1, error.message
        if not left:
            return None
        with self._read.reading() as db:
            numbers = list(dict.fromkeys(number for _, number in catalog.waiting(db)))
        degraded.append(say("store.scanned", count=len(numbers), why=why))
        scan = MemoryLexical()
        for number in numbers[-MOST_SCANNED:]:
            scan.replace(number, *self._docs(number))
        return scan

    def _docs(self, number: int) -> tuple[str, tuple[Doc, ...]]:
        with self._read.reading() as db:
            body = catalog.body(db, number)
        if body is None:
            return "", ()
        path, language, text, pieces = body
        return language, tuple(docs_of_text(path, text, pieces))

    # --- when tantivy cannot be used -----------------------------------------------------------------------

    def _caught_up_fallback(self) -> Lexical:
        """Return the fallback (FTS5, or dictionaries where FTS5 is missing), updated to what the catalog holds."""
        if self._fallback is None:
            self._fallback = self._open_fallback()
        is_fts = isinstance(self._fallback, FtsLexical)
        with self._write.writing() if is_fts and self._write is not None else nullcontext():
            self._fill(self._fallback, self._fallback.held())
        return self._fallback  # type: ignore[no-any-return]

    def _open_fallback(self) -> Any:
        if self._write is None:
            return MemoryLexical()
        try:
            with self._write.writing() as db:
                return FtsLexical(db)
        except NotWritable:
            return MemoryLexical()
        except Exception as error:
            if "fts5" not in str(error).lower():
                raise
            return MemoryLexical()
