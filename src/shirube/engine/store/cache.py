"""A cache of parsed content and vectors, keyed by content digest and shared by all indexes of one user.

After a branch switch, a rename or in a second work tree, content found here need not be parsed again. Values are
opaque bytes written by the ``index`` package. Losing the file costs time but changes no answer.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from shirube.engine.store.connection import translated
from shirube.engine.store.disposable import DisposableFile
from shirube.messages import Message

DAY_NS = 86_400_000_000_000
TABLE = (
    "CREATE TABLE IF NOT EXISTS parsed (key TEXT PRIMARY KEY, data BLOB NOT NULL, day INTEGER NOT NULL) WITHOUT ROWID"
)


class ParsedCache:
    """A table of keys, bytes and the day of last use; stores nothing when its file cannot be written."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._file = DisposableFile(path, busy_seconds, [TABLE], "SELECT key, data, day FROM parsed LIMIT 1")

    @property
    def note(self) -> Message:
        """What the user should know: that a damaged file was replaced."""
        return self._file.note

    def put(self, rows: Iterable[tuple[str, bytes]], now_ns: int) -> None:
        """Store values; a key that exists keeps its value."""
        values = [(*row, now_ns // DAY_NS) for row in rows]
        self._file.write(lambda db: db.executemany("INSERT OR IGNORE INTO parsed VALUES (?, ?, ?)", values).rowcount)

    def get(self, key: str) -> bytes | None:
        """Return a value, or None; a cache that cannot be read counts as empty."""
        query = "SELECT data FROM parsed WHERE key = ?"
        row = self._file.read(lambda db: db.execute(query, (key,)).fetchone(), None)
        return bytes(row[0]) if row else None

    def used(self, keys: Iterable[str], now_ns: int) -> None:
        """Update the day of last use of these keys."""
        day = now_ns // DAY_NS
        values = [(day, key, day) for key in keys]
        query = "UPDATE parsed SET day = ? WHERE key = ? AND day < ?"
        self._file.write(lambda db: db.executemany(query, values).rowcount)

    def prune(self, max_bytes: int) -> int:
        """Delete the least recently used values until the rest fits; return how many were deleted."""
        return self._file.write(lambda db: _pruned(db, max_bytes))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _pruned(db: sqlite3.Connection, max_bytes: int) -> int:
    size = db.execute("SELECT coalesce(sum(length(data)), 0) FROM parsed").fetchone()[0]
    deleted = 0
    while size > max_bytes:
        oldest = db.execute("SELECT key, length(data) FROM parsed ORDER BY day, key LIMIT 500").fetchall()
        db.executemany("DELETE FROM parsed WHERE key = ?", [(key,) for key, _ in oldest])
        size -= sum(length for _, length in oldest)
        deleted += len(oldest)
    return deleted


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
