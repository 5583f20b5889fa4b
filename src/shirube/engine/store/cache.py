"""A cache of parsed content and vectors, keyed by content digest and shared by all indexes of one user.

After a branch switch, a rename or in a second work tree, content found here need not be parsed again. Values are
opaque bytes written by the ``index`` package. Losing the file costs time but changes no answer.
"""

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

from shirube.engine.store.connection import Connection, translated
from shirube.errors import BrokenIndex, IndexBusy, NoPermission, NotWritable
from shirube.messages import NOTHING, say

DAY_NS = 86_400_000_000_000
TABLE = (
    "CREATE TABLE IF NOT EXISTS parsed (key TEXT PRIMARY KEY, data BLOB NOT NULL, day INTEGER NOT NULL) WITHOUT ROWID"
)


class ParsedCache:
    """A table of keys, bytes and the day of last use; stores nothing when its file cannot be written."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._connection: Connection | None = None
        self.note = NOTHING
        """What the user should know: that a damaged file was replaced."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = _opened(path, busy_seconds)
        except (OSError, NoPermission, NotWritable):
            return
        except BrokenIndex as error:
            self._replace_file(error)

    def put(self, rows: Iterable[tuple[str, bytes]], now_ns: int) -> None:
        """Store values; a key that exists keeps its value."""
        values = [(*row, now_ns // DAY_NS) for row in rows]
        self._write(lambda db: db.executemany("INSERT OR IGNORE INTO parsed VALUES (?, ?, ?)", values).rowcount)

    def get(self, key: str) -> bytes | None:
        """Return a value, or None; a cache that cannot be read counts as empty."""
        if self._connection is None:
            return None
        try:
            with self._connection.reading() as db:
                row = db.execute("SELECT data FROM parsed WHERE key = ?", (key,)).fetchone()
        except (BrokenIndex, IndexBusy):
            return None
        return bytes(row[0]) if row else None

    def used(self, keys: Iterable[str], now_ns: int) -> None:
        """Update the day of last use of these keys."""
        day = now_ns // DAY_NS
        values = [(day, key, day) for key in keys]
        self._write(lambda db: db.executemany("UPDATE parsed SET day = ? WHERE key = ? AND day < ?", values).rowcount)

    def prune(self, max_bytes: int) -> int:
        """Delete the least recently used values until the rest fits; return how many were deleted."""
        return self._write(lambda db: _pruned(db, max_bytes))

    def _write(self, work: Callable[[sqlite3.Connection], int]) -> int:
        """Run a write and return its count; a file that turns out to be damaged is replaced, and the count is 0."""
        if self._connection is None:
            return 0
        try:
            with self._connection.writing() as db:
                return work(db)
        except BrokenIndex as error:
            self._replace_file(error)
            return 0

    def _replace_file(self, error: BrokenIndex) -> None:
        """Replace a damaged file by an empty one; deleting it is safe, because the cache only saves time."""
        self.close()
        self._connection = None
        self.note = say("store.cache_anew", error=error.message)
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = _opened(self._path, self._busy_seconds)
        except (OSError, NoPermission, NotWritable, BrokenIndex):
            return

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()


def _pruned(db: sqlite3.Connection, max_bytes: int) -> int:
    size = db.execute("SELECT coalesce(sum(length(data)), 0) FROM parsed").fetchone()[0]
    deleted = 0
    while size > max_bytes:
        oldest = db.execute("SELECT key, length(data) FROM parsed ORDER BY day, key LIMIT 500").fetchall()
        db.executemany("DELETE FROM parsed WHERE key = ?", [(key,) for key, _ in oldest])
        size -= sum(length for _, length in oldest)
        deleted += len(oldest)
    return deleted


def _opened(path: Path, busy_seconds: float) -> Connection:
    """Open the cache and create its table if missing; raises BrokenIndex when the file is no cache of ours."""
    connection = Connection(path, busy_seconds)
    try:
        with translated(path):
            has_table = connection.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'parsed'").fetchone()
            if has_table:
                connection.db.execute("SELECT key, data, day FROM parsed LIMIT 1").fetchone()
        if not has_table:
            with connection.writing() as db:
                db.execute(TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


class CacheReader:
    """Read-only access for workers; a missing or damaged cache counts as empty."""

    def __init__(self, path: Path) -> None:
        self._db: sqlite3.Connection | None = None
        try:
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        except sqlite3.Error:
            self._db = None

    def get(self, key: str) -> bytes | None:
        """Return a value, or None."""
        if self._db is None:
            return None
        try:
            row = self._db.execute("SELECT data FROM parsed WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return bytes(row[0]) if row else None

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            with translated(Path()):
                self._db.close()
