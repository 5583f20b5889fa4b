"""When history is read, who reads it, and what questions are told meanwhile."""

import os
import threading
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from tests.conftest import needs_git, quiet, sync
from tests.engine.history.repository import Repository, everything
from tests.stores import embedded_store, memory_store

from shirube import deadline as deadline_module
from shirube import open_workspace
from shirube.deadline import Deadline
from shirube.engine.history import reading
from shirube.engine.history.commits import GitHistory
from shirube.engine.index import history_keeper
from shirube.engine.index.history_keeper import LOCK, HistoryKeeper
from shirube.engine.store.disk import locked
from shirube.engine.store.stamps import Stamps
from shirube.errors import Cancelled
from shirube.workspace import build_workspace

PATIENCE = 120.0
"""How long a test waits for something that takes milliseconds; only a failure waits this long."""
pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path, state_dirs) -> Repository:
    made = Repository(tmp_path / "project", state_dirs.home).init()
    for number in range(4):
        made.more("a.py", f"{number}.py", message=f"commit {number}")
    return made


@pytest.fixture
def keeper(repository: Repository, tmp_path: Path):
    made = HistoryKeeper(memory_store(256), repository.history(), tmp_path)
    yield made
    made.cancel()


@pytest.fixture
def held(monkeypatch):
    """Readings that stop before their second batch, of one commit, until they are let go."""
    began, go_on, read = Event(), Event(), GitHistory.read

    def slow(git, commits):
        if began.is_set():
            assert go_on.wait(PATIENCE)
        changes = read(git, commits)
        began.set()
        return changes

    monkeypatch.setattr(GitHistory, "read", slow)
    monkeypatch.setattr(reading, "BATCHES", (1,))
    monkeypatch.setattr(history_keeper, "LOOK_SECONDS", 0.0)
    yield began, go_on
    go_on.set()


def read_all(keeper: HistoryKeeper, full: bool = False) -> None:
    keeper.complete(full, quiet, Deadline())


def test_a_short_history_is_there_for_the_first_question(keeper: HistoryKeeper, monkeypatch):
    monkeypatch.setattr(history_keeper, "LOOK_SECONDS", PATIENCE)
    keeper.look()
    assert keeper.notes() == ()
    assert len(keeper._store.commits()) == 4


def test_a_question_does_not_wait_for_a_long_one_and_says_how_far_it_is(keeper: HistoryKeeper, held):
    began, go_on = held
    keeper.look()
    assert began.wait(PATIENCE)
    job = keeper.start()
    seen: list[int] = []
    while 1 not in seen:
        job.wait(0.01, lambda what, done, total: seen.append(done), every=0.001)
    assert [str(note) for note in keeper.notes()] == ["history: 1 of 4 commits read so far; sync_index reads the rest"]
    assert len(keeper._store.commits()) == 1, "the newest ones are used meanwhile"
    go_on.set()
    read_all(keeper)
    assert keeper.notes() == ()
    assert len(keeper._store.commits()) == 4


def test_a_second_question_does_not_wait_again(keeper: HistoryKeeper, held, monkeypatch):
    keeper.look()
    monkeypatch.setattr(history_keeper, "LOOK_SECONDS", None)  # would wait for the end
    keeper.look()
    assert keeper.notes()


def test_nothing_new_starts_nothing(keeper: HistoryKeeper, repository: Repository):
    read_all(keeper)
    assert keeper.start() is None
    repository.more("a.py")
    assert keeper.start() is not None


def test_everything_is_read_again_on_request(keeper: HistoryKeeper, monkeypatch):
    read_all(keeper)
    before, seen, read = everything(keeper._store), [], GitHistory.read
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: seen.extend(commits) or read(git, commits))
    read_all(keeper)
    assert seen == []
    read_all(keeper, full=True)
    assert len(seen) == 4
    assert everything(keeper._store) == before


def test_a_problem_is_told_once_and_tried_again_by_a_sync_only(keeper: HistoryKeeper, repository: Repository):
    branch = repository.root / ".git" / "refs" / "heads" / "main"
    good = branch.read_text()
    branch.write_text("nonsense\n")
    read_all(keeper)
    (note,) = keeper.notes()
    assert note.startswith("history is left out: git cannot read this repository: fatal")
    assert keeper.start() is None
    assert keeper.notes() == ()
    assert keeper.problems() == (note,)
    branch.write_text(good)
    read_all(keeper)
    assert keeper.problems() == ()
    assert len(keeper._store.commits()) == 4


def test_what_git_refused_to_another_process_is_tried_once(keeper: HistoryKeeper, repository: Repository, tmp_path):
    """No file of the repository tells when its owner or a setting of the user has been mended."""
    settings = Path(repository.env["HOME"]) / ".gitconfig"
    settings.write_text("[diff]\nalgorithm = none\n")
    read_all(keeper)
    (note,) = keeper.notes()
    assert "diff.algorithm" in note
    refused = HistoryKeeper(keeper._store, repository.history(), tmp_path)
    refused.start().wait(None)
    assert refused.start() is None
    assert refused.notes() == (note,)
    settings.unlink()
    mended = HistoryKeeper(keeper._store, repository.history(), tmp_path)
    mended.start().wait(None)
    assert mended.notes() == ()
    assert len(keeper._store.commits()) == 4


def test_a_problem_that_comes_later_is_told_too(keeper: HistoryKeeper, repository: Repository):
    read_all(keeper)
    assert keeper.notes() == ()
    (repository.root / ".git" / "refs" / "heads" / "main").write_text("nonsense\n")
    read_all(keeper)
    assert len(keeper.notes()) == 1


def test_without_git_it_is_told_once(repository: Repository, tmp_path: Path):
    repository.env["PATH"] = "/nowhere"
    keeper = HistoryKeeper(memory_store(256), repository.history(), tmp_path)
    keeper.start().wait(None)
    assert [str(note) for note in keeper.notes()] == [
        "history is left out: git was not found (install git or put it on PATH)"
    ]
    assert keeper.start() is None
    assert keeper.notes() == ()


def test_a_call_that_asks_again_is_told_again(repository: Repository, tmp_path: Path):
    """An index that was just built makes a search begin anew, and the first answer is thrown away."""
    repository.env["PATH"] = "/nowhere"
    keeper = HistoryKeeper(memory_store(256), repository.history(), tmp_path)
    keeper.start().wait(None)
    with Deadline().governing():
        assert [len(keeper.notes()) for _ in range(2)] == [1, 1]
    with Deadline().governing():
        assert keeper.notes() == ()


def test_an_error_of_ours_does_not_begin_anew_with_every_question(keeper: HistoryKeeper, repository, monkeypatch):
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: 1 / 0)
    keeper.start().wait(None)
    assert len(keeper.notes()) == 1
    assert keeper.start() is None
    repository.more("a.py")
    assert keeper.start() is not None


def test_one_switch_forgets_what_was_read(repository: Repository):
    with closing(build_workspace(repository.root)) as workspace:
        sync(workspace)
        assert len(workspace.store.past_changes()) == 4
    with closing(build_workspace(repository.root, {"history.read": False})) as workspace:
        sync(workspace)
        assert (workspace.store.past_changes(), workspace.keeper.history.notes()) == ((), ())
    with closing(build_workspace(repository.root, {"history.commits": 2})) as workspace:
        sync(workspace)
        assert len(workspace.store.past_changes()) == 2


def test_while_another_process_reads_questions_go_on(keeper: HistoryKeeper, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(history_keeper, "LOOK_SECONDS", 0.0)
    with locked(tmp_path / LOCK) as mine:
        assert mine
        keeper.look()
        assert [str(note) for note in keeper.notes()] == ["history: git's commits are still being read"]
        assert keeper._store.commits() == {}
    read_all(keeper)
    assert len(keeper._store.commits()) == 4


def test_two_at_once_read_it_once(repository: Repository, tmp_path: Path, monkeypatch):
    seen, read = [], GitHistory.read
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: seen.extend(commits) or read(git, commits))
    stores = [embedded_store(tmp_path / "index", 256) for _ in range(2)]
    keepers = [HistoryKeeper(store, repository.history(), tmp_path) for store in stores]
    jobs = [keeper.start() for keeper in keepers]
    assert all(job is None or job.wait(PATIENCE) for job in jobs)
    assert len(seen) == 4
    assert everything(stores[0]) == everything(stores[1])
    for store in stores:
        store.close()


def test_cancelling_keeps_what_was_read(keeper: HistoryKeeper, held):
    _, go_on = held
    caller = Deadline()

    def progress(what, done, total):
        if done:
            caller.cancel()
            go_on.set()

    with pytest.raises(Cancelled):
        keeper.complete(False, progress, caller)
    assert keeper._running() is None
    assert 0 < len(keeper._store.commits()) <= 4
    assert keeper.problems() == ()
    read_all(keeper)
    assert len(keeper._store.commits()) == 4


def test_when_the_time_of_a_caller_is_up_the_reading_goes_on(keeper: HistoryKeeper, held):
    keeper.complete(False, quiet, Deadline(0.0))
    assert keeper._running() is not None


def test_an_index_that_cannot_be_written_is_used_as_it_is(repository: Repository, tmp_path: Path):
    place = tmp_path / "index"
    with closing(embedded_store(place, 256)) as store:
        read_all(HistoryKeeper(store, repository.history(), tmp_path))
        before = everything(store)
    repository.more("a.py", message="not read")
    with closing(embedded_store(place, 256, readonly=True)) as store:
        keeper = HistoryKeeper(store, repository.history(), tmp_path)
        for _ in range(2):
            keeper.look()
            assert keeper.notes() == ()
        assert keeper.start() is None
        assert everything(store) == before


STUCK = """#!/bin/sh
case "$*" in *--raw*) echo $$ > '{mark}.new' && mv '{mark}.new' '{mark}' && exec sleep 1000;; esac
exec '{git}' "$@"
"""


def test_closing_while_git_reads_leaves_no_process_and_no_traceback(repository, tmp_path: Path, monkeypatch, capfd):
    programs, mark = tmp_path / "programs", tmp_path / "pid"
    programs.mkdir()
    real = next(place for folder in os.environ["PATH"].split(":") if (place := Path(folder) / "git").exists())
    (programs / "git").write_text(STUCK.format(mark=mark, git=real))
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(threading, "excepthook", lambda args: pytest.fail(str(args)))
    workspace = build_workspace(repository.root)
    workspace.keeper.start().wait(None)
    workspace.keeper.history.start()
    late, pause = Deadline(PATIENCE), Event()
    while not mark.exists():
        assert not late.passed
        pause.wait(0.01)
    workspace.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    assert "Traceback" not in capfd.readouterr().err
    monkeypatch.undo()


def test_the_deadline_of_a_job_is_that_of_its_git(keeper: HistoryKeeper, monkeypatch):
    """So that cancelling the job kills the program it waits for."""
    seen = []
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: seen.append(deadline_module.current()) or [])
    job = keeper.start()
    job.wait(None)
    assert seen == [job.deadline]


def test_an_answer_says_that_history_is_still_being_read(repository: Repository, held):
    began, go_on = held
    with open_workspace(repository.root) as project:
        project.workspace.keeper.start().wait(None)
        answer = project.search("line")
        assert began.wait(PATIENCE)
        assert answer.forest_hits
        assert any(note.startswith("history: ") for note in answer.degraded)
        go_on.set()
        project.sync_index()
        answer = project.search("line")
        assert not any(note.startswith("history: ") for note in answer.degraded)


def test_an_index_that_begins_anew_is_given_its_history_again(repository, tmp_path: Path):
    """What was noted on this machine is about the index that was there then."""
    local = Stamps(tmp_path / "stamps.sqlite", 1.0)
    for begun in ("1", "2"):
        store = memory_store(256)
        store.note("begun_ns", begun)
        keeper = HistoryKeeper(store, repository.history(), tmp_path, local)
        read_all(keeper)
        assert store.commits()
        again = HistoryKeeper(store, repository.history(), tmp_path, local)
        assert again.start() is None
    local.close()
