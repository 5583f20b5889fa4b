"""The tables, as numbered steps from an empty file to today's form."""

import re
import sqlite3
from contextlib import closing

from shirube.errors import BrokenIndex, FutureIndex

APPLICATION_ID = 0x73687242  # "shrB": tells our file from anybody else's database
STEPS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- a new one whenever the content changes, never used again
        path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
        language TEXT NOT NULL, lines INTEGER NOT NULL, checked_ns INTEGER NOT NULL, note TEXT NOT NULL
    );
    CREATE TABLE bodies (file_id INTEGER PRIMARY KEY, text BLOB NOT NULL, imports BLOB NOT NULL);
    CREATE TABLE chunks (
        key INTEGER PRIMARY KEY,               -- file_id * 2^20 + position
        start INTEGER NOT NULL, stop INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        symbol TEXT NOT NULL, kind TEXT NOT NULL
    );
    CREATE TABLE symbols (
        file_id INTEGER NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL, kind TEXT NOT NULL,
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL
    );
    CREATE INDEX symbols_by_name ON symbols (name);
    CREATE INDEX symbols_by_file ON symbols (file_id);
    CREATE TABLE edges (
        source TEXT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, rel TEXT NOT NULL, line INTEGER NOT NULL
    );
    CREATE INDEX edges_by_source ON edges (source);
    CREATE INDEX edges_by_target ON edges (target);
    CREATE TABLE vectors (file_id INTEGER PRIMARY KEY, rows BLOB NOT NULL);
    CREATE TABLE skips (path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL);
    CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL);
    """,
    """
    DROP INDEX symbols_by_name;
    ALTER TABLE symbols ADD COLUMN lower_name TEXT NOT NULL DEFAULT '';
    UPDATE symbols SET lower_name = lower(name);
    CREATE INDEX symbols_by_lower_name ON symbols (lower_name, kind);
    DROP TABLE IF EXISTS fts;
    DROP TABLE IF EXISTS fts_files;
    """,  # the second engine's tables held surface forms; they are made again, of stems, when they are needed
    """
    CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
    DROP TABLE vectors;
    CREATE TABLE vectors (model INTEGER NOT NULL, file_id INTEGER NOT NULL, rows BLOB NOT NULL);
    CREATE UNIQUE INDEX vectors_by_model ON vectors (model, file_id);
    """,  # whose vectors they were was never written down; they are made again, of what the cache holds
)
_SHAPES = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"


def migrate(db: sqlite3.Connection) -> None:
    """Bring a database to today's form, a step a transaction, so that a killed run goes on where it stopped."""
    version, owner, tables = _described(db)
    if tables and owner != APPLICATION_ID:
        raise BrokenIndex("store.index_foreign")
    if version > len(STEPS):
        raise FutureIndex("store.newer_form", form=version, known=len(STEPS))
    if version < 0 or (tables and not version):
        raise BrokenIndex("store.odd_form", form=version)
    for number, step in enumerate(STEPS[version:], version + 1):
        _take_step(db, number, step)
    if lost := set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", "".join(STEPS))) - _described(db)[2]:
        raise BrokenIndex("store.no_table", name=min(lost))


def _described(db: sqlite3.Connection) -> tuple[int, int, set[str]]:
    """Return form, owner and tables as of one moment: another process may be making them right now."""
    db.execute("BEGIN")
    try:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master").fetchall()}
        version = db.execute("PRAGMA user_version").fetchone()[0]
        return version, db.execute("PRAGMA application_id").fetchone()[0], tables
    finally:
        if db.in_transaction:
            db.execute("COMMIT")


def misshapen(db: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tables and indexes that are not as the steps make them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        migrate(new)
        wanted = set(new.execute(_SHAPES).fetchall())
    return tuple(sorted(name for name, _ in wanted.difference(db.execute(_SHAPES).fetchall())))


def is_current(db: sqlite3.Connection) -> bool:
    """Tell whether a database has today's form already."""
    return bool(db.execute("PRAGMA user_version").fetchone()[0] == len(STEPS))


def _take_step(db: sqlite3.Connection, number: int, step: str) -> None:
    """Run one step unless another process was faster."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] < number:
            for statement in step.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("ROLLBACK")
        raise
