"""From an empty file to today's tables."""

import sqlite3

import pytest

from shirube.errors import BrokenIndex, FutureIndex
from shirube.store import migrations
from shirube.store.migrations import STEPS, migrate


@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def version(db) -> int:
    return db.execute("PRAGMA user_version").fetchone()[0]


def test_an_empty_file_becomes_an_index_and_a_second_run_changes_nothing(db):
    migrate(db)
    tables = db.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    migrate(db)
    assert version(db) == len(STEPS)
    assert db.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall() == tables


def test_an_index_of_a_newer_form_is_refused_with_a_way_out(db):
    migrate(db)
    db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    with pytest.raises(FutureIndex) as caught:
        migrate(db)
    assert "update" in caught.value.hint


def test_a_database_of_another_program_is_not_touched(db):
    db.execute("CREATE TABLE theirs (x)")
    with pytest.raises(BrokenIndex):
        migrate(db)
    assert version(db) == 0


def test_a_step_that_fails_is_undone_and_the_next_run_goes_on(db, monkeypatch):
    migrate(db)
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, "CREATE TABLE extra (x);\nCREATE BROKEN"))
    with pytest.raises(sqlite3.OperationalError):
        migrate(db)
    assert version(db) == len(STEPS)
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, "CREATE TABLE extra (x)"))
    migrate(db)
    assert version(db) == len(STEPS) + 1
    assert db.execute("SELECT count(*) FROM extra").fetchone() == (0,)


def test_a_database_that_another_process_is_making_right_now_is_not_taken_for_a_stranger_s(tmp_path):
    one, two = (sqlite3.connect(tmp_path / "x", isolation_level=None) for _ in range(2))
    for db in (one, two):
        db.execute("PRAGMA journal_mode = WAL")

    class Meanwhile:
        """Reads through the one connection; before each look the other may have migrated."""

        in_transaction = property(lambda self: one.in_transaction)

        def execute(self, statement):
            answer = one.execute(statement)
            if "application_id" not in statement and statement != "BEGIN":
                migrate(two)
            return answer

    migrate(Meanwhile())
    assert version(one) == len(STEPS)
    one.close()
    two.close()
