"""Files of ours that are no longer ours: half-written, foreign or of a form that never was."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from shirube.doors.cli.doctor import examine
from tests.conftest import StateDirs
from tests.doors.conftest import Runner

Spoil = Callable[[Path], object]


def statements(*lines: str) -> Spoil:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            for line in lines:
                db.execute(line)
            db.commit()

    return spoil


def foreign(*lines: str) -> Spoil:
    def spoil(path: Path) -> None:
        path.unlink()
        statements(*lines)(path)

    return spoil


def cut(size: int) -> Spoil:
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def every_table_dropped(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    statements(*(f"DROP TABLE {name}" for name in names if not name.startswith("sqlite_")))(path)


ANY: dict[str, Spoil] = {
    "text": lambda path: path.write_text("this is no database\n" * 500),
    "a few letters": lambda path: path.write_text("hi"),
    "zeros": lambda path: path.write_bytes(b"\0" * 8192),
    "a header": cut(100),
    "a page": cut(4096),
    "half": lambda path: cut(path.stat().st_size // 2)(path),
    "another program's": foreign("CREATE TABLE theirs (x)", "INSERT INTO theirs VALUES (1)"),
    "another program's with our names": foreign(
        *(f"CREATE TABLE {name} (x)" for name in ("files", "meta", "documents", "events", "parsed"))
    ),
    "a directory": folder,
    "no tables": every_table_dropped,
    "version 0": statements("PRAGMA user_version = 0"),
    "a version below 0": statements("PRAGMA user_version = -5"),
    "not marked as ours": statements("PRAGMA application_id = 0"),
    "empty": lambda path: path.write_bytes(b""),
}
INDEX = ANY | {
    "version 1": statements("PRAGMA user_version = 1"),
    "no meta": statements("DROP TABLE meta"),
    "no symbols": statements("DROP TABLE symbols"),
    "other columns": statements("DROP TABLE symbols", "CREATE TABLE symbols (x)"),
}
JOURNAL = ANY | {"no events": statements("DROP TABLE events")}
CACHE = ANY | {"other columns": statements("DROP TABLE parsed", "CREATE TABLE parsed (key)")}
HARMLESS = {
    "journal": ("empty", "version 0", "a version below 0"),
    "cache": (
        *("empty", "version 0", "a version below 0", "not marked as ours"),
        *("no tables", "another program's", "a directory"),
    ),
}
"""What loses nothing that was recorded, or time at most: it need not be told."""


def spoil(path: Path, how: Spoil) -> None:
    """Leave one file, without a journal beside it, and spoil it."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    how(path)


def sound(root: Path) -> bool:
    return not [one for one in examine(root) if one.state == "bad" or one.what == "project"]


@pytest.fixture
def indexed(fresh_cli: Runner) -> Runner:
    assert fresh_cli("search", "retry payment").code == 0
    return fresh_cli


@pytest.mark.parametrize("kind", INDEX)
def test_an_index_that_is_none_is_told_and_made_anew_by_a_question(indexed: Runner, state_dirs: StateDirs, kind: str):
    (path,) = (state_dirs.cache / "indexes").rglob("index.sqlite")
    spoil(path, INDEX[kind])
    asked = indexed("search", "retry payment")
    assert asked.code == 0
    assert "retry.py" in asked.out
    assert kind == "empty" or "anew" in asked.out + asked.err  # an empty file is what a first index begins with
    assert "anew" not in indexed("search", "retry payment").out
    assert sound(Path.cwd())


@pytest.mark.parametrize("kind", INDEX)
def test_an_index_that_is_none_is_repaired(indexed: Runner, state_dirs: StateDirs, kind: str):
    (path,) = (state_dirs.cache / "indexes").rglob("index.sqlite")
    spoil(path, INDEX[kind])
    told = indexed("doctor", "--repair")
    assert (told.code, told.err) == (0, "")
    assert "anew" in told.out
    assert "complete, up to date, sound" in told.out
    assert indexed("search", "retry payment").code == 0
    assert sound(Path.cwd())


@pytest.mark.parametrize("kind", ["half", "version 0", "no meta", "other columns"])
def test_a_look_at_an_index_that_is_none_tells_and_does_not_crash(indexed: Runner, state_dirs: StateDirs, kind: str):
    (path,) = (state_dirs.cache / "indexes").rglob("index.sqlite")
    spoil(path, INDEX[kind])
    told = indexed("doctor")
    assert told.err == ""
    assert "anew" in told.out or "doctor --repair" in told.out


@pytest.mark.parametrize(
    ("kind", "command"),
    [*((kind, ("plans",)) for kind in JOURNAL), ("text", ("doctor",)), ("no events", ("doctor", "--repair"))],
    ids=str,
)
def test_a_journal_that_is_none_is_told_and_put_aside(
    indexed: Runner, state_dirs: StateDirs, kind: str, command: tuple[str, ...]
):
    assert indexed("plan", "retry payment").code == 0
    (path,) = state_dirs.state.rglob("journal.sqlite")
    spoil(path, JOURNAL[kind])
    told = indexed(*command)
    assert told.code in (0, 1)
    if kind not in HARMLESS["journal"]:
        assert "it was put aside as journal.sqlite.damaged-" in told.out + told.err
        assert list(path.parent.glob("journal.sqlite.damaged-*"))
    assert indexed("plan", "retry payment").code == 0
    assert indexed("plans").code == 0
    assert sound(Path.cwd())


@pytest.mark.parametrize(
    ("kind", "command"),
    [*((kind, ("search", "retry payment")) for kind in CACHE), ("other columns", ("doctor", "--repair"))],
    ids=str,
)
def test_a_cache_that_is_none_is_begun_anew(
    indexed: Runner, state_dirs: StateDirs, kind: str, command: tuple[str, ...]
):
    spoil(state_dirs.cache / "parsed.sqlite", CACHE[kind])
    Path("new.py").write_text("def brand_new_function(): ...\n")
    told = indexed(*command)
    assert told.code == 0
    assert kind in HARMLESS["cache"] or "parsed.sqlite is damaged" in told.out + told.err
    assert "new.py" in indexed("search", "brand_new_function").out
    assert indexed("index").code == 0
    assert sound(Path.cwd())


def test_a_cache_that_is_spoilt_while_it_is_open_does_not_hold_the_index_up(
    indexed: Runner, state_dirs: StateDirs, sample_repo: Path
):
    from shirube import open_workspace

    with open_workspace(sample_repo) as project:
        statements("DROP TABLE parsed", "CREATE TABLE parsed (x)")(state_dirs.cache / "parsed.sqlite")
        (sample_repo / "new.py").write_text("def brand_new_function(): ...\n")
        assert project.sync_index().added == ("new.py",)
        assert project.search("brand_new_function").forest_hits[0].path == "new.py"


def test_what_a_newer_version_wrote_is_left_alone_and_told(indexed: Runner, state_dirs: StateDirs):
    assert indexed("plan", "retry payment").code == 0
    (index,) = (state_dirs.cache / "indexes").rglob("index.sqlite")
    (journal,) = state_dirs.state.rglob("journal.sqlite")
    spoil(journal, statements("PRAGMA user_version = 999"))
    repaired = indexed("doctor", "--repair")
    assert (repaired.code, repaired.err) == (1, "")
    assert "was written by a newer shirube" in repaired.out
    spoil(index, statements("PRAGMA user_version = 999"))
    assert "update shirube" in indexed("doctor").out
    assert "update shirube" in indexed("search", "retry payment").err


def test_a_file_in_the_place_of_the_index_is_put_aside(cli: Runner, state_dirs):
    assert cli("index").code == 0
    (index,) = (state_dirs.cache / "indexes").iterdir()
    shutil.rmtree(index)
    index.write_text("no index")
    assert cli("search", "retry").code == 0
