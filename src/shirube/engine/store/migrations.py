"""Migrates the tables of an index to the current form, by the numbered steps of ``index.sql``."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from shirube.errors import BrokenIndex, FutureIndex

APPLICATION_ID = 0x73687242  # "shrB": distinguishes our file from other SQLite databases
STEPS = tuple(re.split(r"(?m)^-- step .*\n", Path(__file__).with_name("index.sql").read_text("utf-8"))[1:])
_SHAPES = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"


def migrate(db: sqlite3.Connection) -> None:
    """Migrate a database to the current form, one transaction per step, so that an interrupted run can be continued."""
    version, owner, tables = _described(db)
    if tables and owner != APPLICATION_ID:
        raise BrokenIndex("store.index_foreign")
    if version > len(STEPS):
        raise FutureIndex("store.newer_form", form=version, known=len(STEPS))
    if version < 0 or (tables and not version):
        raise BrokenIndex("store.odd_form", form=version)
    for number, step in enumerate(STEPS[version:], version + 1):
        _run_step(db, number, step)
    if lost := set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", "".join(STEPS))) - _described(db)[2]:
        raise BrokenIndex("store.no_table", name=min(lost))


def _described(db: sqlite3.Connection) -> tuple[int, int, set[str]]:
    """Return version, owner and tables, read in one transaction: another process may be migrating right now."""
    db.execute("BEGIN")
    try:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master").fetchall()}
        version = db.execute("PRAGMA user_version").fetchone()[0]
        return version, db.execute("PRAGMA application_id").fetchone()[0], tables
    finally:
        if db.in_transaction:
            db.execute("COMMIT")


def misshapen(db: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tables and indexes whose SQL differs from what the steps create."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        migrate(new)
        wanted = set(new.execute(_SHAPES).fetchall())
    return tuple(sorted(name for name, _ in wanted.difference(db.execute(_SHAPES).fetchall())))


def is_current(db: sqlite3.Connection) -> bool:
    """Tell whether a database has the current form."""
    return bool(db.execute("PRAGMA user_version").fetchone()[0] == len(STEPS))


def _run_step(db: sqlite3.Connection, number: int, step: str) -> None:
    """Run one step, unless another process has run it meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] < number:
            for statement in step.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # on a full disk SQLite has already rolled back
            db.execute("ROLLBACK")
        raise
