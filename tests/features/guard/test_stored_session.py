"""Whose session counts, and how far it has come."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube.codec import replace
from shirube.engine.store.disk import SESSION, stream_of
from shirube.engine.store.journal import Journal
from shirube.features.guard.state import WRITERS as SESSION_WRITERS
from shirube.features.guard.state import Phase, Recorded, Session, WriteCheck, pack_event, pack_session
from shirube.features.guard.stored_session import (
    NS_PER_HOUR,
    READY,
    WRITERS,
    WRITTEN,
    StoredSession,
    bind_session,
    find_client_session,
)
from shirube.features.plan.frame import Intent


class Clock:
    now = 0

    def __call__(self) -> int:
        self.now += 1
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(tmp_path: Path, clock: Clock) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite", 5.0, clock)
    yield made
    made.close()


def keep(journal: Journal, handle: str, client: str = "", **more: object) -> Session:
    session = replace(Session(handle, Intent.MODIFY, "fix", phase=Phase.READY, client=client), **more)
    journal.put(SESSION, handle, pack_session(session))
    return session


def find(journal: Journal, client: str, clock: Clock) -> StoredSession | None:
    return find_client_session(journal, (client,), clock.now, 1.0)


def test_the_words_are_those_of_the_session_room():
    assert READY == Phase.READY
    assert set(WRITERS) == set(SESSION_WRITERS)


def handle_of(journal: Journal, clock: Clock, *owners: str) -> str:
    found = find_client_session(journal, owners, clock.now, 1.0)
    return found.handle if found else ""


def test_a_client_has_its_own_sessions_and_no_others(journal: Journal, clock: Clock):
    keep(journal, "s_1", "a")
    keep(journal, "s_2", "b")
    keep(journal, "s_3", "a")
    keep(journal, "s_4")
    assert [handle_of(journal, clock, client) for client in ("a", "b", "unknown", "")] == ["s_3", "s_2", "", ""]


def test_the_conversation_that_started_a_session_has_it_whatever_the_server_was_told(journal: Journal, clock: Clock):
    """After /clear the hooks know a conversation by a new name, and the server still by the old one."""
    keep(journal, "s_1", "old", phase=Phase.EXPLORATION)
    assert bind_session(journal, "s_1", "new")
    assert [handle_of(journal, clock, client) for client in ("new", "old")] == ["s_1", ""]
    assert bind_session(journal, "s_1", "new")
    assert not bind_session(journal, "s_1", "third")
    assert handle_of(journal, clock, "third") == ""


def test_a_session_that_may_write_or_is_unknown_is_not_bound(journal: Journal, clock: Clock):
    keep(journal, "s_1")
    assert not bind_session(journal, "s_1", "a")
    assert not bind_session(journal, "s_2", "a")
    keep(journal, "s_3", phase=Phase.EXPLORATION)
    assert not bind_session(journal, "s_3", "")


def test_a_helper_has_the_session_it_started_else_that_of_its_conversation(journal: Journal, clock: Clock):
    keep(journal, "s_1", "a", phase=Phase.EXPLORATION)
    assert handle_of(journal, clock, "a/h", "a") == "s_1"
    keep(journal, "s_2", "a", phase=Phase.EXPLORATION)
    assert bind_session(journal, "s_2", "a/h")
    assert (handle_of(journal, clock, "a/h", "a"), handle_of(journal, clock, "a")) == ("s_2", "s_1")


def test_a_session_nobody_used_for_long_does_not_count(journal: Journal, clock: Clock):
    keep(journal, "s_1", "a")
    clock.now += NS_PER_HOUR
    journal.append(stream_of("s_1"), {"kind": "other"})
    assert find(journal, "a", clock) is not None
    clock.now += NS_PER_HOUR + 1
    assert find(journal, "a", clock) is None


def test_only_ready_sessions_that_are_meant_to_write_may(journal: Journal, clock: Clock):
    for number, (phase, intent, may) in enumerate(
        [
            (Phase.READY, Intent.MODIFY, True),
            (Phase.READY, Intent.IMPLEMENT, True),
            (Phase.READY, Intent.QUESTION, False),
            (Phase.VERIFICATION, Intent.MODIFY, False),
        ]
    ):
        keep(journal, f"s_{number}", f"c{number}", phase=phase, intent=intent)
        found = find(journal, f"c{number}", clock)
        assert found is not None
        assert found.may_write is may


def test_what_the_gate_let_be_written_since_the_last_reset_counts(journal: Journal, clock: Clock):
    def check(path: str, allowed: bool) -> int:
        return journal.append(stream_of("s_1"), {**pack_event(WriteCheck(path, allowed)), WRITTEN: True})

    last = check("old.py", True)
    check("a.py", True)
    check("b.py", False)
    journal.append(stream_of("s_1"), pack_event(WriteCheck("asked.py", True)))
    keep(journal, "s_1", "c", since=last)
    found = find(journal, "c", clock)
    assert found is not None
    assert found.allowed == {"a.py"}


def test_the_session_comes_back_whole(journal: Journal, clock: Clock):
    keep(journal, "s_1", "c")
    journal.append(stream_of("s_1"), pack_event(Recorded("search", seen=("a.py",))))
    found = find(journal, "c", clock)
    assert found is not None
    assert found.session.explored == {"a.py"}
    assert found.session.client == "c"
