"""Worker processes that may die."""

import os
import signal
import sys
from contextlib import closing
from threading import Event

import pytest
from tests.refusals import refusal

import shirube.engine.index.pool as pool_module
from shirube.engine.index.pool import AHEAD, BATCH_FILES, Pool, Worker
from shirube.engine.index.reading import FileReading, Setup, Task
from shirube.errors import IndexFault

PATIENCE = 60.0
EVIL = """
import os, sys, time
from shirube.engine.index import reading

honest = reading.Reader.read

def read(self, task):
    if task.path == "crash.py":
        os.abort()
    if task.path == "stall.py":
        time.sleep(3600)
    return honest(self, task)

reading.Reader.read = read
from shirube.engine.index.worker import main
main()
"""


@pytest.fixture
def setup(tree):
    return Setup(str(tree.root), str(tree.state / "parsed.sqlite"), 1 << 20, "hashed")


@pytest.fixture
def evil(tree, monkeypatch):
    """Workers that crash and stall over certain names, as a broken native parser would."""
    script = tree.state / "evil.py"
    script.write_text(EVIL)
    monkeypatch.setattr(pool_module, "WORKER_COMMAND", (sys.executable, str(script)))


def test_every_task_gets_its_reading_from_several_workers(tree, setup):
    paths = [f"{number}.py" for number in range(3 * BATCH_FILES)]
    for path in paths:
        tree.put(path, f"x = '{path}'\n")
    with closing(Pool(setup, 2, 30)) as pool:
        readings = list(pool.read([Task(path) for path in paths]))
        assert sorted(reading.path for reading in readings) == sorted(paths)
        assert {reading.status for reading in readings} == {"ok"}
        assert [reading.status for reading in pool.read([Task("0.py")])] == ["ok"]
        assert list(pool.read([])) == []


def test_a_file_that_crashes_the_parser_is_quarantined_and_the_others_are_read(tree, setup, evil):
    for path in ("a.py", "crash.py", "z.py"):
        tree.put(path, "x = 1\n")
    with closing(Pool(setup, 1, 30)) as pool:
        status = {r.path: r.status for r in pool.read([Task("a.py"), Task("crash.py"), Task("z.py")])}
    assert status == {"a.py": "ok", "crash.py": "quarantined", "z.py": "ok"}


def test_a_file_that_stalls_the_parser_is_quarantined_and_the_others_are_read(tree, setup, evil, monkeypatch):
    monkeypatch.setattr(pool_module, "START_SECONDS", 5.0)
    for path in ("a.py", "stall.py"):
        tree.put(path, "x = 1\n")
    with closing(Pool(setup, 1, 0.2)) as pool:
        status = {r.path: r.status for r in pool.read([Task("a.py"), Task("stall.py")])}
    assert status == {"a.py": "ok", "stall.py": "quarantined"}


def test_a_worker_that_was_killed_from_outside_is_started_again(tree, setup):
    tree.put("a.py", "x = 1\n")
    with closing(Worker(setup, 30)) as worker:
        assert worker.ask([Task("a.py")])[0].status == "ok"
        os.kill(worker._process.pid, signal.SIGKILL)
        worker._process.wait()
        assert worker.ask([Task("a.py")])[0].status == "ok"


def test_closing_leaves_no_process_behind(tree, setup):
    tree.put("a.py", "x = 1\n")
    worker = Worker(setup, 30)
    worker.ask([Task("a.py")])
    process = worker._process
    worker.close()
    assert process.returncode is not None
    worker.close()


def test_a_consumer_that_stops_early_leaves_the_pool_usable(tree, setup):
    for number in range(3 * BATCH_FILES):
        tree.put(f"{number}.py", "x = 1\n")
    tasks = [Task(f"{number}.py") for number in range(3 * BATCH_FILES)]
    with closing(Pool(setup, 1, 30)) as pool:
        readings = pool.read(tasks)
        next(iter(readings))
        readings.close()
        assert len(list(pool.read(tasks[:3]))) == 3


def test_a_message_is_neither_too_many_files_nor_too_many_bytes():
    small = [Task(f"{number}.py", size=10) for number in range(2 * BATCH_FILES + 1)]
    assert [len(batch) for batch in pool_module._batched(small)] == [BATCH_FILES, BATCH_FILES, 1]
    large = [Task(f"{number}.h", size=pool_module.BATCH_BYTES // 2) for number in range(5)]
    assert [len(batch) for batch in pool_module._batched(large)] == [2, 2, 1]
    assert list(pool_module._batched([])) == []


def test_a_worker_that_has_read_much_is_replaced(tree, setup, monkeypatch):
    tree.put("a.py", "x = 1\n")
    monkeypatch.setattr(pool_module, "RENEW_BYTES", 100)
    with closing(Worker(setup, 30)) as worker:
        worker.ask([Task("a.py", size=60)])
        first = worker._process.pid
        worker.ask([Task("a.py", size=60)])
        assert worker._process.pid == first
        assert worker.ask([Task("a.py", size=60)])[0].status == "ok"
        assert worker._process.pid != first


def test_when_no_worker_can_start_that_is_an_error_and_no_file_is_to_blame(tree, setup, monkeypatch):
    tree.put("a.py", "x = 1\n")
    monkeypatch.setattr(pool_module, "WORKER_COMMAND", (sys.executable, "-c", "raise SystemExit(1)"))
    with closing(Pool(setup, 1, 30)) as pool, refusal(IndexFault, "index.no_worker"):
        list(pool.read([Task("a.py")]))


class Paced:
    """A worker whose first batch is done when another one has done some."""

    def __init__(self, done: list[str], gate: Event, *, slow: bool) -> None:
        self._done, self._gate, self._slow = done, gate, slow

    def ask(self, tasks):
        if self._slow and not self._gate.wait(PATIENCE):
            raise AssertionError("the other worker waited, too")
        self._done += [task.path for task in tasks]
        if len(self._done) >= 5 * BATCH_FILES:
            self._gate.set()
        return [FileReading(task.path, "gone") for task in tasks]

    def end(self) -> None:
        """Do nothing."""


def test_readings_come_in_the_order_of_the_tasks_although_one_worker_is_slow(setup):
    tasks = [Task(f"{number:04}.py") for number in range(60 * BATCH_FILES)]
    done: list[str] = []
    gate, pool = Event(), Pool(setup, 2, 10.0)
    pool._workers = [Paced(done, gate, slow=True), Paced(done, gate, slow=False)]
    assert [reading.path for reading in pool.read(tasks)] == [task.path for task in tasks]
    assert sorted(done) == [task.path for task in tasks]


def test_a_quick_worker_does_not_run_far_ahead_of_a_slow_one(setup):
    tasks = [Task(f"{number:04}.py") for number in range(60 * BATCH_FILES)]
    done: list[str] = []
    gate, pool = Event(), Pool(setup, 2, 10.0)
    pool._workers = [Paced(done, gate, slow=True), Paced(done, gate, slow=False)]
    readings = pool.read(tasks)
    assert next(readings).path == "0000.py"
    readings.close()
    assert len(done) <= (AHEAD + 4) * BATCH_FILES
