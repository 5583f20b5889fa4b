"""Whose session counts, and how far it has come."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube.codec import replace
from shirube.engine.store.disk import SESSION, stream_of
from shirube.engine.store.journal import Journal
from shirube.features.guard.state import WRITERS as SESSION_WRITERS
from shirube.features.guard.state import Phase, Recorded, Session, WriteCheck, pack_event, pack_session
from shirube.features.guard.stored_session import NS_PER_HOUR, READY, WRITERS, StoredSession, find_client_session
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
    return find_client_session(journal, client, clock.now, 1.0)


def test_the_words_are_those_of_the_session_room():
    assert READY == Phase.READY
    assert set(WRITERS) == set(SESSION_WRITERS)


def test_a_clients_own_session_comes_before_a_later_one_of_somebody_else(journal: Journal, clock: Clock):
    assert find(journal, "a", clock) is None
    keep(journal, "s_1", "a")
    keep(journal, "s_2", "b")
    for client, handle in (("a", "s_1"), ("b", "s_2"), ("unknown", "s_2"), ("", "s_2")):
        found = find(journal, client, clock)
        assert found is not None
        assert found.handle == handle


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


def test_what_was_allowed_since_the_last_reset_counts(journal: Journal, clock: Clock):
    def check(path: str, allowed: bool) -> int:
        return journal.append(stream_of("s_1"), pack_event(WriteCheck(path, allowed)))

    last = check("old.py", True)
    check("a.py", True)
    check("b.py", False)
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
