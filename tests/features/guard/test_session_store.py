from concurrent.futures import ThreadPoolExecutor

import pytest

from shirube.codec import replace
from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict, UnknownSession
from shirube.features.guard.session_store import (
    change_session,
    is_expired,
    last_event,
    load_session,
    open_session,
    record_event,
    refuse,
)
from shirube.features.guard.state import Recorded, Session, Verdict
from shirube.features.guard.steps import begin, revert
from shirube.features.guard.stored_session import read_stored
from shirube.features.plan.frame import Intent
from shirube.workspace import Workspace
from tests.refusals import refusal

OK = Verdict(True, "ok")


@pytest.fixture
def kept(workspace: Workspace) -> Session:
    session = begin("s_1", Intent.MODIFY, "fix it", "")
    open_session(workspace, session)
    return session


def test_a_session_is_kept_with_what_happens_in_it(workspace: Workspace, kept: Session):
    record_event(workspace, "s_1", Recorded("search", seen=("a.py",)))
    refuse(workspace, kept, "submit_semantic", "not yet")
    state = load_session(workspace, "s_1")
    assert state.calls[0].seen == ("a.py",)
    assert state.calls[0].number == last_event(workspace, "s_1") - 1
    assert state.refusals[0].reason == "not yet"


def test_a_handle_is_used_once(workspace: Workspace, kept: Session):
    with pytest.raises(Conflict):
        open_session(workspace, kept)


def test_what_was_recorded_before_a_reset_is_set_aside_and_not_destroyed(workspace: Workspace, kept: Session):
    record_event(workspace, "s_1", Recorded("search"))
    change_session(workspace, "s_1", lambda state: revert(state, False, last_event(workspace, "s_1")))
    record_event(workspace, "s_1", Recorded("query"))
    assert [call.operation for call in load_session(workspace, "s_1").calls] == ["query"]
    assert len(workspace.journal.events(stream_of("s_1"))) == 2


def test_a_step_that_changes_nothing_writes_nothing(workspace: Workspace, kept: Session):
    change_session(workspace, "s_1", lambda state: (state, OK))
    assert workspace.journal.get(SESSION, "s_1").revision == 1


def test_steps_taken_at_the_same_time_are_all_kept(workspace: Workspace, kept: Session):
    def add(name: str) -> None:
        change_session(workspace, "s_1", lambda state: (replace(state, added=(*state.added, name)), OK))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, map(str, range(8))))
    assert sorted(load_session(workspace, "s_1").added) == sorted(map(str, range(8)))


def test_one_that_never_gets_a_turn_says_so(workspace: Workspace, kept: Session):
    def busy(state: Session) -> tuple[Session, Verdict]:
        document = workspace.journal.get(SESSION, "s_1")
        workspace.journal.put(SESSION, "s_1", document.body)
        return replace(state, added=("x",)), OK

    with refusal(Conflict, "session.changing"):
        change_session(workspace, "s_1", busy)


def test_a_process_that_dies_in_a_step_leaves_the_state_before_it(workspace: Workspace, kept: Session, monkeypatch):
    def die(*_: object, **__: object) -> int:
        raise SystemExit

    monkeypatch.setattr(workspace.journal, "put", die)
    with pytest.raises(SystemExit):
        change_session(workspace, "s_1", lambda state: (replace(state, added=("x",)), OK))
    assert load_session(workspace, "s_1") == kept


def test_a_handle_nobody_gave_is_refused_with_the_next_call(workspace: Workspace):
    with pytest.raises(UnknownSession, match="no session 's_none'") as refused:
        load_session(workspace, "s_none")
    assert "start_session" in refused.value.hint


def test_a_session_nobody_used_for_long_has_expired_unless_it_was_taken_part_in(workspace: Workspace, kept: Session):
    clock = workspace._clock_ns()
    week = int(workspace.config.session.expire_hours * 3_600_000_000_000)
    workspace._clock_ns = lambda: clock + week + 2_000_000_000
    assert is_expired(workspace, read_stored(workspace.journal, workspace.journal.get(SESSION, "s_1")))
    with pytest.raises(UnknownSession, match="has not been used for 168 hours"):
        load_session(workspace, "s_1")
    workspace.journal._clock_ns = lambda: clock + week
    record_event(workspace, "s_1", Recorded("search"))
    assert load_session(workspace, "s_1").calls
