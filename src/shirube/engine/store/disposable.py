"""SQLite files that only save time: losing one changes no answer."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from shirube.engine.store.connection import Connection, translated
from shirube.errors import BrokenIndex, IndexBusy, NoPermission, NotWritable
from shirube.messages import NOTHING, say

T = TypeVar("T")


class DisposableFile:
    """A file of tables. One that cannot be opened holds nothing, a damaged one is replaced by an empty one."""

    def __init__(self, path: Path, busy_seconds: float, create: Sequence[str], probe: str) -> None:
        """Open the file; ``create`` is the SQL that makes its tables, ``probe`` a query that only these answer."""
        self._path, self._busy_seconds, self._create, self._probe = path, busy_seconds, create, probe
        self._connection: Connection | None = None
        self._readonly = False
        self.note = NOTHING
        """What the user should know: that a damaged file was replaced."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = self._opened()
        except (OSError, NoPermission, NotWritable):
            self._open_readonly()
        except BrokenIndex as error:
            self._replace_file(error)

    def read(self, query: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Run a query in a read transaction; ``otherwise`` is the result when the file cannot be read."""
        if self._connection is None:
            return otherwise
        try:
            with self._connection.reading() as db:
                return query(db)
        except (BrokenIndex, IndexBusy):
            return otherwise

    def write(self, work: Callable[[sqlite3.Connection], int]) -> int:
        """Run a write and return its count; 0 when the file cannot be written or turns out to be damaged."""
        if self._connection is None or self._readonly:
            return 0
        try:
            with self._connection.writing() as db:
                return work(db)
        except BrokenIndex as error:
            self._replace_file(error)
            return 0

    def _replace_file(self, error: BrokenIndex) -> None:
        self.close()
        self._connection = None
        self.note = say("store.cache_anew", error=error.message)
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = self._opened()
        except (OSError, NoPermission, NotWritable, BrokenIndex):
            return

    def _opened(self) -> Connection:
        """Open the file and create its table if missing; raises BrokenIndex when it is no file of ours."""
        connection = Connection(self._path, self._busy_seconds)
        try:
            with translated(self._path):
                has_table = connection.db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table'").fetchone()
                if has_table:
                    connection.db.execute(self._probe).fetchone()
            if not has_table:
                with connection.writing() as db:
                    for statement in self._create:
                        db.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_readonly(self) -> None:
        if not self._path.is_file():
            return
        try:
            connection = Connection(self._path, self._busy_seconds, readonly=True)
        except (OSError, NoPermission, NotWritable, BrokenIndex):
            return
        self._connection, self._readonly = connection, True

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
