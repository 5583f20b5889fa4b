"""Opens SQLite the same way everywhere: WAL mode, explicit transactions, SQLite's errors translated into ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from shirube.errors import BrokenIndex, Cancelled, IndexBusy, NoPermission, NotWritable


class Connection:
    """A connection shared by threads; a lock allows one transaction at a time."""

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
        """Open a read transaction: all reads in it see one consistent state."""
        with self._lock, translated(self.path):
            if self.db.in_transaction:  # of this thread
                yield self.db
                return
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                if self.db.in_transaction:
                    self.db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a write transaction: everything in it is written, or nothing."""
        with self._lock, translated(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # on a full disk SQLite has already rolled back
                    self.db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self.db.close()


def _readonly_address(path: Path) -> str:
    """Return the URI that opens a file read-only; without a write-ahead log nobody is changing it (``immutable``)."""
    wal = path.with_name(path.name + "-wal")
    unchanging = not wal.exists() or not wal.stat().st_size
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, which name the next step for the user."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _our_error(error, path) from error


_DAMAGED_MESSAGES = ("decode to UTF-8", "columns but")
"""Parts of messages by Python's sqlite3, without an error name, for tables that lack the form their version claims."""

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_SCHEMA", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH")
"""SQLite's error names for a damaged or foreign file, and for our statements failing on tables of another form."""


def _our_error(error: sqlite3.DatabaseError, path: Path) -> Exception:
    name = getattr(error, "sqlite_errorname", "") or ""
    if "closed database" in str(error):
        return Cancelled("store.closed")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return IndexBusy("store.busy")
    if name.startswith(_DAMAGED) or any(sign in str(error) for sign in _DAMAGED_MESSAGES):
        return BrokenIndex("store.damaged", name=path.name, error=str(error))
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return NoPermission("store.no_access", path=str(path), error=str(error))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return NotWritable("store.not_written", path=str(path), error=str(error))
    return error
