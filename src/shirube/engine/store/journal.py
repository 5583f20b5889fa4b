"""The journal stores what sessions, plans and outcomes record: documents by kind and key, and streams of events.

Each work tree has one SQLite file, shared by every process that serves it. Unlike the index it cannot be rebuilt,
so a damaged file is moved aside, never deleted.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from shirube.engine.store.connection import Connection, translated
from shirube.errors import BrokenIndex, Conflict, NoPermission, NotWritable, StateFault, told
from shirube.messages import NOTHING, say

FORM = 1
"""Version of the tables; a file with a higher one was written by a newer shirube."""
APPLICATION_ID = 0x7368724A  # "shrJ"
SIDE_FILES = ("", "-wal", "-shm")


class Document(NamedTuple):
    """A value stored under a key; ``revision`` grows with every change."""

    key: str
    body: dict[str, Any]
    revision: int
    at_ns: int


class Event(NamedTuple):
    """Something that happened; ``seq`` increases across all streams."""

    seq: int
    body: dict[str, Any]
    at_ns: int


class Journal:
    """Documents and events of one work tree; safe to share between threads and processes."""

    def __init__(self, path: Path, busy_seconds: float, clock_ns: Callable[[], int], *, check: bool = True) -> None:
        """Open or create the file; ``check`` verifies all of it first, which takes time in proportion to its size."""
        self._path, self._clock_ns = path, clock_ns
        self.note = NOTHING
        """What the user should know: that a damaged file was moved aside."""
        with _as_state_fault(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                self._connection = _opened(path, busy_seconds, check)
            except BrokenIndex as error:
                aside = _put_aside(path, clock_ns())
                self.note = say("store.journal_aside", error=error.message, place=aside.name)
                self._connection = _opened(path, busy_seconds, check)

    def put(self, kind: str, key: str, body: Mapping[str, Any], expect: int | None = None) -> int:
        """Store a document and return its new revision; raises Conflict unless it was at ``expect`` (0: new)."""
        text = json.dumps(body, ensure_ascii=False)
        with _as_state_fault(self._path), self._connection.writing() as db:
            row = db.execute("SELECT revision FROM documents WHERE kind = ? AND key = ?", (kind, key)).fetchone()
            revision = row[0] if row else 0
            if expect is not None and revision != expect:
                raise Conflict("store.changed", kind=kind, name=key)
            db.execute(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
                "SET body = excluded.body, revision = excluded.revision, at_ns = excluded.at_ns",
                (kind, key, text, revision + 1, self._clock_ns()),
            )
        return int(revision) + 1

    def get(self, kind: str, key: str) -> Document | None:
        """Return a document, or None."""
        rows = self._select("WHERE kind = ? AND key = ?", kind, key)
        return rows[0] if rows else None

    def documents(self, kind: str, limit: int = -1) -> tuple[Document, ...]:
        """Return the documents of a kind, most recently changed first."""
        return self._select("WHERE kind = ? ORDER BY at_ns DESC, key LIMIT ?", kind, limit)

    def keys(self, kind: str) -> tuple[str, ...]:
        """Return the keys of the documents of a kind, most recently changed first."""
        query = "SELECT key FROM documents WHERE kind = ? ORDER BY at_ns DESC, key"
        with _as_state_fault(self._path), self._connection.reading() as db:
            return tuple(key for (key,) in db.execute(query, (kind,)).fetchall())

    def remove(self, kind: str, key: str) -> bool:
        """Delete a document; tell whether it existed."""
        with _as_state_fault(self._path), self._connection.writing() as db:
            return db.execute("DELETE FROM documents WHERE kind = ? AND key = ?", (kind, key)).rowcount > 0

    def append(self, stream: str, body: Mapping[str, Any]) -> int:
        """Record an event and return its number."""
        text = json.dumps(body, ensure_ascii=False)
        with _as_state_fault(self._path), self._connection.writing() as db:
            row = (stream, text, self._clock_ns())
            return int(db.execute("INSERT INTO events (stream, body, at_ns) VALUES (?, ?, ?)", row).lastrowid or 0)

    def events(self, stream: str, after: int = 0, limit: int = -1) -> tuple[Event, ...]:
        """Return the events of a stream after a number, in the order in which they happened."""
        query = "SELECT seq, body, at_ns FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?"
        with _as_state_fault(self._path), self._connection.reading() as db:
            rows = db.execute(query, (stream, after, limit)).fetchall()
        return tuple(Event(seq, json.loads(body), at_ns) for seq, body, at_ns in rows)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _select(self, where: str, *values: str | int) -> tuple[Document, ...]:
        with _as_state_fault(self._path), self._connection.reading() as db:
            rows = db.execute(f"SELECT key, body, revision, at_ns FROM documents {where}", values).fetchall()
        return tuple(Document(key, json.loads(body), revision, at_ns) for key, body, revision, at_ns in rows)


def _opened(path: Path, busy_seconds: float, check: bool) -> Connection:
    if path.is_dir():
        raise BrokenIndex("store.is_directory", name=path.name)
    connection = Connection(path, busy_seconds)
    try:
        with connection.writing() as db:
            form, owner = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id"))
            if form > FORM:
                raise StateFault("store.newer", path=str(path))
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master").fetchall()}
            if tables and owner != APPLICATION_ID:
                raise BrokenIndex("store.foreign", name=path.name)
            if tables and not tables >= {"documents", "events"}:
                raise BrokenIndex("store.lacks_table", name=path.name)
            if not tables:
                for statement in Path(__file__).with_name("journal.sql").read_text("utf-8").split(";")[:-1]:
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORM}")
        with translated(path):
            if check and (state := connection.db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise BrokenIndex("store.journal_damaged", name=path.name, error=state)
    except BaseException:
        connection.close()
        raise
    path.chmod(0o600)
    return connection


def _put_aside(path: Path, now_ns: int) -> Path:
    aside = path.with_name(f"{path.name}.damaged-{now_ns}")
    for suffix in SIDE_FILES:
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(aside.with_name(aside.name + suffix))
    return aside


@contextmanager
def _as_state_fault(path: Path) -> Iterator[None]:
    """Turn index errors into StateFault: their advice (rebuild the index) does not help with a journal."""
    try:
        yield
    except (BrokenIndex, NoPermission, NotWritable, OSError) as error:
        if isinstance(error, BrokenIndex):
            raise StateFault(error.message, say("store.state_dir")) from error
        raise StateFault("store.journal_used", path=str(path), error=told(error)) from error
