"""Following a tree."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

import shirube.engine.index.watch as watch_module
from shirube.engine.index.watch import Watcher

PATIENCE = 120.0
"""How long a test waits for something that takes milliseconds; only a failure waits this long."""


class Followed:
    """A directory, a watcher in a thread, and the looks it took."""

    def __init__(self, root: Path):
        self.root, self.stop, self.looks = root, Event(), Queue()
        self.directories = {""}
        self.watcher = Watcher(root, lambda: frozenset(self.directories), lambda: self.looks.put(None))
        self.thread = Thread(target=self.watcher.run, args=(self.stop,), daemon=True)

    def wait_for_look(self) -> None:
        self.looks.get(timeout=PATIENCE)

    def close(self) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(watch_module, "STORM_MS", 200)
    monkeypatch.setattr(watch_module, "QUIET_MS", 20)
    monkeypatch.setattr(watch_module, "IDLE_MS", 50)
    made = Followed(tmp_path)
    yield made
    made.close()


def test_it_looks_once_when_it_begins_and_again_at_every_change(followed):
    followed.thread.start()
    followed.wait_for_look()
    assert followed.watcher.mode == "events from 1 directories"
    (followed.root / "a.py").write_text("x")
    followed.wait_for_look()
    (followed.root / "a.py").rename(followed.root / "b.py")
    followed.wait_for_look()
    (followed.root / "b.py").unlink()
    followed.wait_for_look()


def test_a_storm_of_changes_is_a_few_looks(followed):
    followed.thread.start()
    followed.wait_for_look()
    for number in range(2000):
        (followed.root / f"{number}.py").write_text("x")
    followed.wait_for_look()
    (followed.root / "last.py").write_text("x")
    followed.wait_for_look()
    assert followed.looks.qsize() < 1000  # however slowly they come


def test_directories_that_are_not_part_of_the_project_cost_nothing(followed):
    (followed.root / "node_modules" / "x").mkdir(parents=True)
    (followed.root / "node_modules" / "seen.py").write_text("x")
    followed.thread.start()
    followed.wait_for_look()
    (followed.root / "node_modules" / "x" / "y.js").write_text("x")
    (followed.root / "node_modules" / "seen.py").rename(followed.root / "seen.py")  # one event, so one look
    followed.wait_for_look()
    assert followed.looks.empty()


def test_a_new_directory_is_followed_from_then_on(followed):
    followed.thread.start()
    followed.wait_for_look()
    followed.directories = {"", "sub"}
    (followed.root / "sub").mkdir()
    while followed.watcher.mode != "events from 2 directories":
        (followed.root / "poke").touch()
        followed.wait_for_look()
    (followed.root / "poke").unlink()
    while not followed.looks.empty():
        followed.wait_for_look()
    (followed.root / "sub" / "a.py").write_text("x")
    followed.wait_for_look()


def test_without_events_it_polls_and_says_why(followed, monkeypatch):
    def no_handles(paths, stop):
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr(watch_module, "_bursts", no_handles)
    monkeypatch.setattr(watch_module, "POLL_SECONDS", 0.01)
    followed.thread.start()
    for _ in range(3):
        followed.wait_for_look()
    assert followed.watcher.mode == "polling (OS file watch limit reached)"


def test_after_a_while_of_polling_events_are_tried_again(followed, monkeypatch):
    honest, failed = watch_module._bursts, []

    def once_without(paths, stop):
        if not failed:
            failed.append(True)
            raise OSError("limit")
        return honest(paths, stop)

    monkeypatch.setattr(watch_module, "_bursts", once_without)
    monkeypatch.setattr(watch_module, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(watch_module, "SAFETY_SECONDS", 0.05)
    followed.thread.start()
    while not followed.watcher.mode.startswith("events"):
        followed.wait_for_look()


ORPHAN = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "shirube", "--root", sys.argv[1], "index", "--watch"],
                         stderr=subprocess.PIPE, text=True)
next(line for line in child.stderr if "watching" in line)
"""


@pytest.mark.skipif(os.name != "posix", reason="parents of POSIX processes")
def test_a_watching_process_ends_when_its_parent_does(sample_repo):
    # The watching process inherits the standard output, which ends only when it does, too.
    command = [sys.executable, "-c", ORPHAN, str(sample_repo)]
    subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60)


def test_an_interrupt_ends_watching(sample_repo):
    command = [sys.executable, "-m", "shirube", "--root", str(sample_repo), "index", "--watch"]
    child = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs us in the background has us ignore interrupts, and a child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert any("watching" in line for line in child.stderr)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130
