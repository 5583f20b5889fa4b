"""What is true of one work tree on one machine only: the stats of its files when they were last read, small facts.

The index knows what files say; a stamp tells without opening a file that it still says that. Both name the digest of
the content, so a stamp that does not belong to what the index holds proves nothing.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shirube.engine.store.catalog import among
from shirube.engine.store.disposable import DisposableFile
from shirube.types import Stat

STAMPS = "stamps.sqlite"
COMPARED = "compared_ns"
_COLUMNS = "path, digest, size, mtime_ns, ctime_ns, inode, checked_ns"
_CREATE = (
    f"CREATE TABLE IF NOT EXISTS stamps ({_COLUMNS}, PRIMARY KEY (path)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
_WRITE = f"INSERT OR REPLACE INTO stamps ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Stamp(NamedTuple):
    """A file's content and stat at one moment; a tuple, because a sync compares those of all files."""

    digest: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    checked_ns: int
    """When the bytes were read; a file modified just before that may have changed without a new time stamp."""

    @classmethod
    def of(cls, digest: str, stat: Stat, checked_ns: int) -> "Stamp":
        """Return the stamp of a file that was just read."""
        return cls(digest, stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, checked_ns)

    @property
    def stat(self) -> Stat:
        """The stat that the file had."""
        return Stat(self.size, self.mtime_ns, self.ctime_ns, self.inode)


class Stamps:
    """The stamps of one work tree. A file without one has to be read to know what it says."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._file = DisposableFile(path, busy_seconds, _CREATE, f"SELECT {_COLUMNS} FROM stamps LIMIT 1")

    def every(self) -> dict[str, Stamp]:
        """Return all stamps by path."""
        return self._file.read(lambda db: _stamps(db.execute(f"SELECT {_COLUMNS} FROM stamps")), {})

    def of(self, paths: Collection[str]) -> dict[str, Stamp]:
        """Return the stamps of these files."""
        query = f"SELECT {_COLUMNS} FROM stamps WHERE path IN (?)"
        return self._file.read(lambda db: _stamps(among(db, query, list(paths))), {})

    def update(self, stamps: Mapping[str, Stamp], removed: Collection[str] = ()) -> None:
        """Store stamps, and forget those of removed files."""
        if not stamps and not removed:
            return
        rows = [(path, *stamp) for path, stamp in stamps.items()]

        def write(db: sqlite3.Connection) -> int:
            db.executemany("DELETE FROM stamps WHERE path = ?", [(path,) for path in removed])
            return db.executemany(_WRITE, rows).rowcount

        self._file.write(write)

    def noted(self, key: str) -> str:
        """Return a small fact about this work tree, or the empty string."""
        query = "SELECT value FROM notes WHERE key = ?"
        row = self._file.read(lambda db: db.execute(query, (key,)).fetchone(), None)
        return str(row[0]) if row else ""

    def note(self, key: str, value: str) -> None:
        """Store a small fact about this work tree."""
        self._file.write(lambda db: db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, value)).rowcount)

    @property
    def compared_ns(self) -> int:
        """When the index was last compared with the work tree, and brought up to date; 0 for never."""
        noted = self.noted(COMPARED)
        return int(noted) if noted.isdecimal() else 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _stamps(rows: Iterable[tuple[Any, ...]]) -> dict[str, Stamp]:
    make = Stamp._make
    return {row[0]: make(row[1:]) for row in rows}
