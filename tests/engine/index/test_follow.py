"""A server follows its tree, so that no question looks for changes; the tests make every event and every second."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import Queue
from threading import Event, current_thread
from typing import Any

import pytest
from tests.conftest import quiet, sync

import shirube.engine.index.keeper as keeper_module
import shirube.engine.index.watch as watch_module
from shirube import open_workspace
from shirube.engine.index.sync import sync as honest_sync
from shirube.engine.index.watch import PAUSE_SECONDS, remote_kind
from shirube.engine.repo.walk import walk
from shirube.errors import UnknownFile
from shirube.messages import Speech, render
from shirube.operation import Call
from shirube.operations import run
from shirube.types import Answer
from shirube.workspace import Workspace, build_workspace

PATIENCE = 120.0
"""How long a test waits for something that takes milliseconds; only a failure waits this long."""


class Following:
    """A workspace that follows its tree; only the test makes events, and only the test's clock runs."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, **options: bool) -> None:
        self.now, self.walks = 1000.0, 0
        self._events: Queue[bool | None] = Queue()
        self._handled: Queue[None] = Queue()
        monkeypatch.setattr(watch_module, "_bursts", self._bursts)
        for module in (watch_module, keeper_module):
            monkeypatch.setattr(module, "monotonic", lambda: self.now)
        monkeypatch.setattr("shirube.features.lookup.coverage.monotonic", lambda: self.now)
        monkeypatch.setattr("shirube.engine.index.sync.walk", self._walk)
        self.workspace = build_workspace(root)
        self.keeper = self.workspace.keeper
        self.keeper.follow(**options)

    def begin(self) -> None:
        """Ask the first question, and let the watch take its first looks: before and after it knows the directories."""
        self.ask("receipt")
        self.ready()
        self.event(False)
        self.event(False)
        self.walks = 0

    def ready(self) -> None:
        """Wait until the watcher waits for an event."""
        self._handled.get(timeout=PATIENCE)

    def event(self, burst: bool = True) -> None:
        """Make an event, or a moment without one, and wait until the watcher has done what it does then."""
        self._events.put(burst)
        self.ready()

    def ask(self, query: str, operation: str = "search", name: str = "query", **more: Any) -> Any:
        """Ask as a server does."""
        self.now += 0.001
        return run(self.workspace, operation, {name: query, **more}, Call())

    def close(self) -> None:
        self._events.put(None)
        self.workspace.close()

    def _bursts(self, paths: list[Path], stop: Event) -> Iterator[bool]:
        while not stop.is_set():
            self._handled.put(None)
            burst = self._events.get()
            if burst is None:
                stop.wait(PATIENCE)
                return
            yield burst

    def _walk(self, *asked: Any) -> Any:
        self.walks += 1
        return walk(*asked)


@pytest.fixture
def following(sample_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Following]:
    with closing(Following(sample_repo, monkeypatch)) as made:
        made.begin()
        yield made


def paths(result: Any) -> set[str]:
    return {hit.path for hit in result.forest_hits}


def test_a_question_does_not_look_for_changes(following, sample_repo):
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    found = following.ask("receipt")
    assert following.walks == 0
    assert "src/shop/payment.py" in paths(found)
    assert "late.py" not in paths(found)
    assert found.degraded == ()


def test_what_an_event_told_of_is_found(following, sample_repo):
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    following.event()
    assert following.walks == 1
    assert "late.py" in paths(following.ask("late receipt"))
    assert following.walks == 1


class Stamp:
    """Of a tree that is, or is not, as it was."""

    def __init__(self, holds: bool) -> None:
        self.holds, self.checks = holds, 0

    def still_holds(self) -> bool:
        self.checks += 1
        return self.holds


def test_a_late_follower_is_not_said_when_nothing_changed(following, monkeypatch):
    stamp = Stamp(True)
    monkeypatch.setattr(following.keeper, "_synced_stamp", stamp)
    for _ in range(3):
        following.now += 9.0
        assert following.ask("receipt").degraded == ()
    assert following.ask("receipt").degraded == ()
    assert stamp.checks == 3
    monkeypatch.setattr(following.keeper, "_walk_cost", keeper_module.BACKGROUND_SECONDS + 1)
    following.now += 9.0  # in a large tree no question checks all of it
    assert following.ask("receipt").degraded[0].code == keeper_module.UNSEEN
    assert stamp.checks == 3


def test_a_question_says_when_changes_older_than_two_seconds_may_be_unseen(following, monkeypatch):
    monkeypatch.setattr(following.keeper, "_synced_stamp", Stamp(False))
    following.now += 1.9
    assert following.ask("receipt").degraded == ()
    following.now += 0.2
    (note,) = following.ask("receipt").degraded
    assert note == "index: changes of the last 3 seconds may be missing"
    assert render(note, Speech("ja")) == "索引: 直近 3 秒間の変更が回答に入っていない可能性があります"
    following.event(False)  # nothing happened
    assert following.ask("receipt").degraded == ()
    assert following.walks == 0


def test_a_look_that_takes_longer_is_said_and_not_waited_for(following, sample_repo, monkeypatch):
    began, go_on = Event(), Event()

    def slow(*given, **named):
        began.set()
        assert go_on.wait(PATIENCE)
        return honest_sync(*given, **named)

    monkeypatch.setattr(keeper_module, "sync", slow)
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    following._events.put(True)
    assert began.wait(PATIENCE)
    following.now += 5.0
    (note,) = following.ask("receipt").degraded
    assert note.code == keeper_module.UNSEEN
    go_on.set()
    following.ready()
    assert "late.py" in paths(following.ask("late receipt"))


def test_a_returned_file_that_changed_is_looked_at_again(following, sample_repo):
    payment = sample_repo / "src/shop/payment.py"
    payment.write_text(payment.read_text().replace("trying again", "giving up"))
    found = following.ask("charge the card")
    assert any("giving up" in hit.preview for hit in found.forest_hits)
    assert found.freshness.stale_files == ()
    assert following.walks == 1


@pytest.mark.parametrize("unseen", [0.0, 60.0])
@pytest.mark.parametrize(
    ("operation", "name", "value"),
    [
        ("search", "query", "zebrafish"),
        ("search_text", "patterns", ["zebrafish"]),
        ("find_definitions", "symbol", "zebrafish"),
        ("find_references", "symbol", "zebrafish"),
    ],
)
def test_absence_is_proved_by_a_look(following, sample_repo, operation, name, value, unseen):
    following.now += unseen
    absent = following.ask(value, operation, name)
    assert absent.answer == Answer.NONE
    assert absent.degraded == ()
    looks = following.keeper.looked_from
    assert looks == following.now
    (sample_repo / "late.py").write_text("def zebrafish(): ...\n\n\nzebrafish()\n")
    following.now += unseen
    assert following.ask(value, operation, name).answer == Answer.FOUND


def test_the_dependencies_of_a_file_are_looked_for_before_there_are_none(following, sample_repo):
    assert following.ask("web/price.ts", "deps_closure", "path", direction="outbound").answer == Answer.NONE
    assert following.keeper.looked_from == following.now


def test_a_file_that_is_new_is_no_unknown_file(following, sample_repo):
    (sample_repo / "late.py").write_text("def zebrafish(): ...\n")
    assert [item.name for item in following.ask("late.py", "get_symbols", "path").symbols] == ["zebrafish"]
    with pytest.raises(UnknownFile):
        following.ask("never.py", "deps_closure", "path")


def test_an_absence_that_cannot_be_proved_is_unknown(following, monkeypatch):
    def broken(*given, **named):
        raise OSError("no space left")

    monkeypatch.setattr(keeper_module, "sync", broken)
    monkeypatch.setattr(keeper_module, "WALK_SECONDS", -1.0)
    for operation, name, value in (("search", "query", "zebrafish"), ("find_references", "symbol", "zebrafish")):
        absent = following.ask(value, operation, name)
        assert absent.answer == Answer.UNKNOWN
        assert any(note.code == "index.not_current" for note in absent.degraded)


def test_a_new_process_looks_first(sample_repo, monkeypatch):
    with closing(build_workspace(sample_repo)) as earlier:
        sync(earlier)
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    with closing(Following(sample_repo, monkeypatch)) as made:
        assert "late.py" in paths(made.ask("late receipt"))
        assert made.walks == 1


def test_it_pauses_when_nobody_asks_and_the_next_question_looks_first(following, sample_repo):
    following.now += PAUSE_SECONDS + 1
    following._events.put(False)
    wait_until_paused(following.workspace)
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    found = following.ask("late receipt")
    assert "late.py" in paths(found)
    assert found.degraded == ()
    following.ready()
    following.event(False)
    (sample_repo / "later.py").write_text("def later_receipt(): ...\n")
    assert "later.py" not in paths(following.ask("receipt"))


def test_it_never_pauses_when_it_was_asked_to_watch(sample_repo, monkeypatch):
    with closing(Following(sample_repo, monkeypatch, always=True)) as made:
        made.begin()
        made.now += 100 * PAUSE_SECONDS
        made.event(False)
        made.event(False)
        assert made.keeper.watching.startswith("events from")
        with closing(build_workspace(sample_repo)) as other:
            assert other.keeper.watching == "by another process"


def test_a_look_that_failed_is_left_to_the_next_question(following, sample_repo, monkeypatch):
    def broken(*given, **named):
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(keeper_module, "sync", broken)
        (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
        following._events.put(True)
        wait_until_paused(following.workspace)
        (note,) = following.ask("receipt").degraded
        assert note.code == "index.not_current"
    following.now += 100.0
    assert "late.py" in paths(following.ask("late receipt"))


def test_whatever_goes_wrong_in_a_look_is_left_to_the_next_question(following, monkeypatch):
    def broken(now):
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(following.keeper, "_is_unchanged", broken)
        following._events.put(True)
        wait_until_paused(following.workspace)
    following.now += 100.0
    assert following.ask("receipt").degraded == ()


def test_a_cancelled_sync_is_not_begun_again_until_somebody_asks(following, sample_repo, monkeypatch):
    began, syncs = Event(), []

    def endless(sources, *, full, progress, deadline):
        syncs.append(full)
        began.set()
        while True:
            deadline.check()

    monkeypatch.setattr(keeper_module, "sync", endless)
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    following._events.put(True)
    assert began.wait(PATIENCE)
    run(following.workspace, "sync_index", {"cancel": True})
    wait_until_paused(following.workspace)
    assert len(syncs) == 1


def test_closing_ends_its_threads_even_in_the_middle_of_a_look(following, sample_repo, monkeypatch):
    began, threads = Event(), [following.keeper._follower._thread]

    def endless(sources, *, full, progress, deadline):
        threads.append(current_thread())
        began.set()
        while True:
            deadline.check()

    monkeypatch.setattr(keeper_module, "sync", endless)
    (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
    following._events.put(True)
    assert began.wait(PATIENCE)
    assert [thread.is_alive() for thread in threads] == [True, True]
    following.close()
    assert [thread.is_alive() for thread in threads] == [False, False]


def test_a_library_follows_nothing_and_looks_as_before(sample_repo):
    before = set(threading.enumerate())
    with open_workspace(sample_repo) as project:
        project.search("receipt")
        assert "shirube-follow" not in [thread.name for thread in set(threading.enumerate()) - before]
        (sample_repo / "late.py").write_text("def zebrafish(): ...\n")
        assert project.search("zebrafish").answer == Answer.FOUND


def test_the_question_after_a_pause_waits_for_a_second_at_most(following):
    keeper = following.keeper
    assert keeper._patience(now=False) == keeper_module.RESUME_SECONDS
    assert keeper._patience(now=True) == following.workspace.config.index.first_answer_seconds


def test_a_look_begins_anew_while_one_is_under_way_that_may_have_missed_a_change(following, sample_repo, monkeypatch):
    began, go_on, syncs = Event(), Event(), []

    def slow(*given, **named):
        report = honest_sync(*given, **named)
        syncs.append(report)
        began.set()
        assert go_on.wait(PATIENCE)
        return report

    monkeypatch.setattr(keeper_module, "sync", slow)
    job = following.keeper.start()
    assert began.wait(PATIENCE)
    (sample_repo / "late.py").write_text("late = 1\n")
    threading.Timer(0.0, go_on.set).start()
    assert following.keeper.refresh(quiet, patient=True, now=True) == ()
    assert following.keeper.job is not job
    assert "late.py" in following.workspace.store.files()


def test_a_store_is_warmed_only_if_a_question_has_loaded_something(sample_repo):
    with closing(build_workspace(sample_repo, {"embed.model": "static"})) as made:
        sync(made)
        made.store.warm()
        assert made.store.backend._dense_at == "none"
        run(made, "search", {"query": "receipt", "mode": "hybrid"}, Call(patient=True))
        (sample_repo / "late.py").write_text("def late_receipt(): ...\n")
        sync(made)
        before = made.store.backend._dense_at
        made.store.warm()
        assert made.store.backend._dense_at > before
        assert not made.store.backend._dense._new


MOUNTS = """\
22 1 0:20 / / rw,relatime - ext4 /dev/vda rw
30 22 0:30 / /home rw shared:1 - nfs4 server:/home rw
31 30 0:31 / /home/me/fast rw - xfs /dev/vdb rw
32 22 0:32 / /mnt/shared rw - fuse.sshfs host:/ rw
"""


@pytest.mark.parametrize(
    ("root", "kind"),
    [("/srv/x", ""), ("/home/me/x", "nfs4"), ("/home/me/fast/x", ""), ("/mnt/shared", "fuse.sshfs"), ("/homely", "")],
)
def test_a_tree_that_other_machines_may_change_is_polled(tmp_path, root, kind):
    (tmp_path / "mounts").write_text(MOUNTS)
    assert remote_kind(Path(root), tmp_path / "mounts") == kind
    assert remote_kind(Path(root), tmp_path / "missing") == ""


def wait_until_paused(workspace: Workspace) -> None:
    """Wait until the following has paused."""
    pause, follower = Event(), workspace.keeper._follower
    for _ in range(int(PATIENCE / 0.01)):
        if not follower._wake.is_set():
            return
        pause.wait(0.01)
    raise AssertionError("it goes on")
