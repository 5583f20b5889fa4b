"""Opening SQLite the same way everywhere: WAL, own transactions, foreign errors translated at this boundary."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from shirube.errors import BrokenIndex, Cancelled, IndexBusy, NoPermission, NotWritable


class Connection:
    """A connection that threads share, one transaction at a time."""

    def __init__(self, path: Path, busy_seconds: float, *, readonly: bool = False) -> None:
        self.path = path
        self._lock = RLock()
        with translated(path):
            self.db = sqlite3.connect(
                _readonly_address(path) if readonly else path,
                timeout=busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
                uri=readonly,
            )
            try:
                self._prepare(readonly)
            except sqlite3.Error:
                self.db.close()
                raise

    def _prepare(self, readonly: bool) -> None:
        if readonly:
            self.db.execute("SELECT count(*) FROM sqlite_master")
            return
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read a consistent state."""
        with self._lock, translated(self.path):
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                if self.db.in_transaction:
                    self.db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write all of it or nothing."""
        with self._lock, translated(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # a full disk has ended it already
                    self.db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self.db.close()


def _readonly_address(path: Path) -> str:
    """Return how to open a file that cannot be written; without a journal it cannot change under us either."""
    journal = path.with_name(path.name + "-wal")
    frozen = not journal.exists() or not journal.stat().st_size
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if frozen else ''}"


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, with the next step."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _ours(error, path) from error


_NOT_OURS = ("decode to UTF-8", "columns but")
"""What Python says of tables that are not as they should be, although their number says so; SQLite has names for it."""

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_SCHEMA", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH")
"""What SQLite calls a file that is none of ours, and our own statements on tables that are not as we made them."""


def _ours(error: sqlite3.DatabaseError, path: Path) -> Exception:
    name = getattr(error, "sqlite_errorname", "") or ""
    if "closed database" in str(error):
        return Cancelled("store.closed")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return IndexBusy("store.busy")
    if name.startswith(_DAMAGED) or any(sign in str(error) for sign in _NOT_OURS):
        return BrokenIndex("store.damaged", name=path.name, error=str(error))
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return NoPermission("store.no_access", path=str(path), error=str(error))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return NotWritable("store.not_written", path=str(path), error=str(error))
    return error
