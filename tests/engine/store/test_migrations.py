"""From an empty file to today's tables."""

import sqlite3

import pytest

from shirube.engine.store import migrations
from shirube.engine.store.migrations import STEPS, migrate
from shirube.engine.store.port import Doc
from shirube.engine.store.projection import FtsLexical
from shirube.errors import BrokenIndex, FutureIndex


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


ROW = (1, "PaymentGateway", "shop.PaymentGateway", "class", 3, 9, "class PaymentGateway:", "Talks to the bank.")


def test_an_index_of_the_first_form_is_opened_with_all_it_holds_and_finds_names_whatever_their_capitals(
    db, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", STEPS[:1])
        migrate(db)
    assert version(db) == 1
    db.execute("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ROW)
    db.execute("INSERT INTO meta VALUES ('state', 'complete')")
    migrate(db)
    assert version(db) == len(STEPS)
    assert db.execute("SELECT * FROM symbols").fetchall() == [(*ROW, "paymentgateway")]
    assert db.execute("SELECT * FROM meta").fetchall() == [("state", "complete")]
    indexes = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert "symbols_by_lower_name" in indexes
    assert "symbols_by_name" not in indexes


def test_surface_forms_in_the_second_engine_s_tables_do_not_outlive_the_first_form(db, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", STEPS[:1])
        migrate(db)
    FtsLexical(db).replace(1, "python", [Doc("handlers", "", "")])
    migrate(db)
    assert FtsLexical(db).held() == set()


def test_a_migrated_index_has_the_tables_of_a_new_one(db, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", STEPS[:1])
        migrate(db)
    migrate(db)
    new = sqlite3.connect(":memory:", isolation_level=None)
    migrate(new)
    described = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    assert db.execute(described).fetchall() == new.execute(described).fetchall()
    new.close()


def test_vectors_of_which_nobody_wrote_down_the_model_do_not_outlive_the_second_form(db, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", STEPS[:2])
        migrate(db)
    db.execute("INSERT INTO vectors VALUES (1, x'00')")
    migrate(db)
    assert db.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
