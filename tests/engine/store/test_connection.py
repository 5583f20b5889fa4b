"""Opening SQLite, and telling its troubles in our words."""

import sqlite3
from pathlib import Path

import pytest

from shirube.engine.store.connection import Connection, translated
from shirube.errors import BrokenIndex, IndexBusy


@pytest.fixture
def opened(tmp_path: Path):
    connection = Connection(tmp_path / "x.sqlite", 0.05)
    with connection.writing() as db:
        db.execute("CREATE TABLE t (x)")
    yield connection
    connection.close()


def test_a_write_that_fails_leaves_nothing_behind(opened):
    def fail():
        with opened.writing() as db:
            db.execute("INSERT INTO t VALUES (1)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with opened.reading() as db:
        assert db.execute("SELECT count(*) FROM t").fetchone() == (0,)


@pytest.mark.requirement("N001-STORE-03")
def test_a_reader_is_not_blocked_by_a_writer(opened, tmp_path):
    other = Connection(tmp_path / "x.sqlite", 0.05)
    with opened.writing() as db:
        db.execute("INSERT INTO t VALUES (1)")
        with other.reading() as reading:
            assert reading.execute("SELECT count(*) FROM t").fetchone() == (0,)
    other.close()


def test_a_second_writer_that_waits_too_long_is_told_so(opened, tmp_path):
    other = Connection(tmp_path / "x.sqlite", 0.05)

    def write_twice():
        with opened.writing(), other.writing():
            pass

    with pytest.raises(IndexBusy) as caught:
        write_twice()
    assert caught.value.hint
    other.close()


def test_a_file_that_is_no_database_is_a_broken_index(tmp_path):
    (tmp_path / "x.sqlite").write_bytes(b"this is not a database, " * 100)
    with pytest.raises(BrokenIndex) as caught:
        Connection(tmp_path / "x.sqlite", 0.05)
    assert "--repair" in caught.value.hint


def test_errors_of_our_own_making_pass_unchanged(tmp_path):
    with pytest.raises(sqlite3.OperationalError), translated(tmp_path):
        raise sqlite3.OperationalError('near "SELEC": syntax error')
