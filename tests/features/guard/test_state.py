import pytest

from shirube.features.guard.state import Phase, Recorded, Refusal, Session, WriteCheck, with_events
from shirube.features.plan.frame import Intent
from tests.features.guard.sample import LOOKED, called, session


@pytest.mark.requirement("003-SESS-01", "003-SESS-02", "003-SESS-03")
def test_a_session_holds_the_request_its_phase_and_every_call():
    state = session(Intent.MODIFY, *LOOKED)
    assert (state.id, state.intent, state.phase) == ("s_1", Intent.MODIFY, Phase.EXPLORATION)
    assert state.tools == ("find_definitions", "find_references", "search")
    assert state.created_at.endswith("Z")
    assert state.symbols[:3] == ("AuthService", "AuthService.login", "LoginController")


@pytest.mark.requirement("N003-TOOLS-02")
def test_symbol_counts_as_definitions_and_references():
    state = session(Intent.MODIFY, called("symbol", "login", "AuthService.login"))
    assert state.tools == ("symbol", "find_definitions", "find_references")
    assert session(Intent.MODIFY, called("symbol", "login", "AuthService.login", ok=False)).tools == ()


@pytest.mark.requirement("003-PHASE-01", "003-PHASE-02", "003-PHASE-03", "003-PHASE-04")
def test_there_are_the_four_phases_of_the_seed():
    assert [phase.value for phase in Phase] == ["EXPLORATION", "SEMANTIC", "VERIFICATION", "READY"]


@pytest.mark.requirement("N003-EMPTY-01")
def test_a_call_that_failed_or_found_nothing_is_no_exploration():
    failed = called("find_definitions", "x", "AuthService", ok=False)
    empty = Recorded("find_references", asked="x", answer="unknown")
    state = session(Intent.MODIFY, failed, empty)
    assert state.explored == frozenset()
    assert state.symbols == ()
    assert state.tools == ("find_references",)
    assert not empty.tells


@pytest.mark.requirement("N003-ABSENT-01")
def test_a_proven_absence_tells_something():
    assert Recorded("find_definitions", asked="x", answer="none").tells


def test_what_was_only_named_or_guessed_was_returned_and_not_explored():
    state = session(Intent.MODIFY, Recorded("search", listed=("a.py",), guessed=("b.py",), seen=("c.py",)))
    assert state.explored == {"c.py"}
    assert state.returned == {"a.py", "b.py", "c.py"}


def test_events_find_their_place():
    events = (Recorded("search"), WriteCheck("a.py", True), Refusal("x", Phase.READY, "no"), Recorded("query"))
    state = with_events(Session("s", Intent.MODIFY, "x"), events)
    assert [call.operation for call in state.calls] == ["search", "query"]
    assert (state.checks, state.refusals) == ((events[1],), (events[2],))
    assert with_events(state, [Recorded("z")]).calls[-1].operation == "z"
    assert state.about == "x"
