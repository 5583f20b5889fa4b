"""The file with what differs from the base, and what was read of the base: SQLite, one for each work tree.

What differs is in layers like those of the server, with numbers below zero, so that both are asked as one. Nothing of
it is sent anywhere. What was read of the base never changes, and saves reading it again in the next process.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, msgpack

from shirube.engine.store.connection import Connection
from shirube.engine.store.port import PastChange
from shirube.errors import BrokenIndex

T = TypeVar("T")
FORM = 1
"""Increment this when the tables change; a file of another form is begun anew."""
FIRST_FILE = 1 << 40
"""Files that differ have numbers from this on, which no server reaches."""
_TABLES = (
    "CREATE TABLE facts (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE layers (layer INTEGER PRIMARY KEY, files BLOB, chunks BLOB, links BLOB, models BLOB)",
    "CREATE TABLE postings (layer INTEGER, term BLOB, rows BLOB, PRIMARY KEY (layer, term)) WITHOUT ROWID",
    "CREATE TABLE names (layer INTEGER, name BLOB, rows BLOB, PRIMARY KEY (layer, name)) WITHOUT ROWID",
    "CREATE TABLE files (file INTEGER PRIMARY KEY, body BLOB, details BLOB)",
    "CREATE TABLE vectors (model TEXT, file INTEGER, rows BLOB, PRIMARY KEY (model, file)) WITHOUT ROWID",
    "CREATE TABLE own_commits (hash TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID",
    "CREATE TABLE base_commits (number INTEGER PRIMARY KEY, hash BLOB, data BLOB)",
)


class PinnedRef(Struct, frozen=True, array_like=True):
    """The ref of a server that this work tree is compared with, as it was when it was chosen."""

    repo: int
    ref: str
    layers: tuple[int, ...]
    """Their numbers, the oldest first."""
    commit: str = ""
    """What it was made of, as far as that was noted."""
    where: tuple[str, str, str] = ("", "", "")
    """The server as people may see it, the name of the repository, and by which rules the ref was made."""


class OverlayFacts(NamedTuple):
    """What is true of the whole file at one moment."""

    base: PinnedRef | None
    own: tuple[int, ...]
    """The layers with what differs, the oldest first."""
    revision: int
    """Grows with every change of files or of the base."""
    vectors: int
    """Grows with every change of vectors alone."""
    history: int
    """Grows with every change of past changes."""
    notes: Mapping[str, str]


class LocalFile:
    """Reads and writes the file; safe to share between threads and processes."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._connection = _opened(path, busy_seconds)

    # --- facts -----------------------------------------------------------------------------------------------

    def facts(self) -> OverlayFacts:
        """Return what is true now."""
        with self._connection.reading() as db:
            return _facts(db)

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a change in one transaction."""
        with self._connection.writing() as db:
            return work(db)

    def blob(self, key: str) -> bytes:
        """Return a large fact, or nothing."""
        with self._connection.reading() as db:
            row = db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return bytes(row[0]) if row else b""

    # --- layers and what is in them ----------------------------------------------------------------------------

    def parts(self, column: str, layers: Iterable[int]) -> list[tuple[int, bytes, list[str]]]:
        """Return (layer, part, models) of those layers whose part is here."""
        sql = f"SELECT layer, {column}, models FROM layers WHERE layer = ? AND {column} IS NOT NULL"
        return [(number, data, msgpack.decode(models)) for number, data, models in self._each(sql, layers)]

    def keep_parts(self, column: str, rows: Iterable[Sequence[Any]]) -> None:
        """Keep a part of layers of the base; what is here stays."""
        sql = (
            f"INSERT INTO layers (layer, {column}, models) VALUES (?, ?, ?)"
            f" ON CONFLICT (layer) DO UPDATE SET {column} = excluded.{column}"
            f"{', models = excluded.models' if column == 'files' else ''}"
        )
        values = [(number, data, msgpack.encode([*models[0]] if models else [])) for number, data, *models in rows]
        self.change(lambda db: db.executemany(sql, values))

    def rows(self, table: str, column: str, layers: Iterable[int], keys: Collection[bytes]) -> dict[Any, bytes]:
        """Return (layer, key) → the row of ``postings`` or ``names``."""
        sql = f"SELECT layer, {column}, rows FROM {table} WHERE layer = ? AND {column} = ?"
        with self._connection.reading() as db:
            found = (db.execute(sql, (layer, key)).fetchone() for layer in layers for key in keys)
            return {(row[0], bytes(row[1])): row[2] for row in found if row is not None}

    def all_rows(self, table: str, column: str, layers: Sequence[int]) -> list[tuple[int, bytes, bytes]]:
        """Return (layer, key, row) of whole layers."""
        return self._each(f"SELECT layer, {column}, rows FROM {table} WHERE layer = ? ORDER BY {column}", layers)

    def names_with(self, part: bytes, layers: Sequence[int], limit: int) -> list[bytes]:
        """Return the rows of names with a part: those that begin with it first, then the shorter ones."""
        sql = (
            "SELECT rows FROM names WHERE layer = ? AND instr(name, ?) > 0"
            " ORDER BY instr(name, ?) > 1, length(name), name LIMIT ?"
        )
        with self._connection.reading() as db:
            return [row[0] for layer in layers for row in db.execute(sql, (layer, part, part, limit))]

    def contents(self, numbers: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        """Return (file, body, details)."""
        return self._each("SELECT file, body, details FROM files WHERE file = ?", numbers)

    def vectors(self, model: str, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return the vectors of those files of which they are here."""
        sql = "SELECT file, rows FROM vectors WHERE model = ? AND file = ?"
        with self._connection.reading() as db:
            return [row for number in numbers for row in db.execute(sql, (model, number))]

    def keep_vectors(self, model: str, rows: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors."""
        values = [(model, number, data) for number, data in rows]
        sql = "INSERT OR IGNORE INTO vectors (model, file, rows) VALUES (?, ?, ?)"
        self.change(lambda db: db.executemany(sql, values))

    # --- past changes ------------------------------------------------------------------------------------------

    def own_commits(self) -> list[PastChange]:
        """Return the commits that the base lacks."""
        with self._connection.reading() as db:
            rows = db.execute("SELECT data FROM own_commits ORDER BY hash").fetchall()
        return [msgpack.decode(data, type=PastChange) for (data,) in rows]

    def base_commits(self) -> list[tuple[int, bytes, bytes]]:
        """Return (number, hash, data) of the base's commits that were read."""
        with self._connection.reading() as db:
            return db.execute("SELECT number, hash, data FROM base_commits").fetchall()

    def keep_commits(self, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        """Keep commits of the base."""
        sql = "INSERT OR REPLACE INTO base_commits VALUES (?, ?, ?)"
        values = [(number, bytes(digest), bytes(data)) for number, digest, data in rows]
        self.change(lambda db: db.executemany(sql, values))

    def size(self) -> int:
        """Return how many bytes the file has."""
        with self._connection.reading() as db:
            pages, bytes_each = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages) * int(bytes_each)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _each(self, sql: str, keys: Iterable[int]) -> list[Any]:
        with self._connection.reading() as db:
            return [row for key in keys for row in db.execute(sql, (key,))]


def _facts(db: sqlite3.Connection) -> OverlayFacts:
    sql = "SELECT key, value FROM facts WHERE key IN ('base', 'notes', 'revision', 'vectors', 'history')"
    rows = dict(db.execute(sql))
    base = msgpack.decode(rows["base"], type=PinnedRef) if "base" in rows else None
    own = tuple(row[0] for row in db.execute("SELECT layer FROM layers WHERE layer < 0 ORDER BY layer DESC"))
    revision, vectors, history = (int(rows.get(key, 0)) for key in ("revision", "vectors", "history"))
    return OverlayFacts(base, own, revision, vectors, history, msgpack.decode(rows["notes"]) if "notes" in rows else {})


def set_fact(db: sqlite3.Connection, key: str, value: Any) -> None:
    """Store a fact."""
    db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))


def count_up(db: sqlite3.Connection, key: str, by: int = 1) -> int:
    """Let a number grow; return it."""
    row = db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
    number = (int(row[0]) if row else 0) + by
    set_fact(db, key, number)
    return number


def _opened(path: Path, busy_seconds: float) -> Connection:
    """Open the file; one that is damaged or of another form is begun anew, since all of it can be made again."""
    try:
        connection = Connection(path, busy_seconds)
        if _prepared(connection):
            return connection
        connection.close()
    except BrokenIndex:
        pass
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    connection = Connection(path, busy_seconds)
    _prepared(connection)
    return connection


def _prepared(connection: Connection) -> bool:
    """Make the tables of a new file; tell whether it has the form of today."""
    with connection.writing() as db:
        form = db.execute("PRAGMA user_version").fetchone()[0]
        if not form:
            for statement in _TABLES:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {FORM}")
        return form in (0, FORM)
