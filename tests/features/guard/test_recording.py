import pytest

from shirube import Project
from shirube.errors import BadArgument, PhaseBlocked, UnknownName, UnknownSession
from shirube.features.guard.recording import given
from shirube.features.guard.session_store import load_session
from shirube.features.lookup.operations import SearchRequest
from shirube.operations import OPERATIONS
from tests.cases import for_each


@pytest.fixture
def handle(shop: Project) -> str:
    return shop.start_session("MODIFY", "retry of checkout").session_id


@pytest.mark.requirement("003-SESS-03")
def test_a_call_is_recorded_with_what_it_showed(shop: Project, handle: str):
    shop.search("with_retries", session_id=handle)
    shop.search_text(["cartTotal"], path="web", session_id=handle)
    own, first, second = load_session(shop.workspace, handle).calls
    assert (own.operation, own.seen) == ("start_session", ())  # what the server looked up itself is not explored
    assert "src/shop/retry.py" in own.listed
    assert first.operation == "search"
    assert "src/shop/retry.py" in first.seen
    assert "with_retries" in first.symbols
    assert (second.asked, second.seen, second.answer) == ("cartTotal\nweb", ("web/cart.ts",), "found")


def test_a_call_that_fails_is_recorded_as_failed(shop: Project, handle: str):
    with pytest.raises(BadArgument):
        shop.search_text(["(?<"], regex=True, session_id=handle)
    _, call = load_session(shop.workspace, handle).calls
    assert (call.ok, call.tells, call.seen) == (False, False, ())


def test_an_absence_is_recorded_as_what_it_is(shop: Project, handle: str):
    shop.search_text(["zyzzyva"], session_id=handle)
    _, call = load_session(shop.workspace, handle).calls
    assert (call.answer, call.hits, call.tells) == ("none", 0, True)


def test_a_call_without_a_session_is_recorded_nowhere(shop: Project, handle: str):
    shop.search("retry")
    assert [call.operation for call in load_session(shop.workspace, handle).calls] == ["start_session"]


@pytest.mark.requirement("N003-BLOCK-01")
def test_what_the_phase_does_not_allow_is_refused_with_what_it_does(shop: Project, handle: str):
    with pytest.raises(PhaseBlocked) as refused:
        shop.search_forest("retry", session_id=handle)
    told = refused.value.as_dict()
    assert (told["code"], told["current_phase"]) == ("phase_blocked", "EXPLORATION")
    assert "search" in told["allowed_operations"]
    assert "search_forest" not in told["allowed_operations"]
    assert "submit_understanding" in told["hint"]
    state = load_session(shop.workspace, handle)
    assert (len(state.calls), state.refusals[0].operation) == (1, "search_forest")


def test_a_handle_nobody_gave_is_refused_before_the_operation_runs(shop: Project):
    with pytest.raises(UnknownSession):
        shop.search("retry", session_id="s_nobody")


@for_each("spelling", ["session_id", "sessionId", "session-id"])
def test_the_handle_is_taken_by_everything_that_can_take_part(shop: Project, spelling: str):
    for name in ("search", "files_search", "index_status", "semantic_rerank"):
        arguments = {"query": "x"} if "search" in name else {}
        arguments |= {"text": "x", "candidates": [{"path": "README.md"}]} if name == "semantic_rerank" else {}
        with pytest.raises(UnknownSession):
            shop.call(name, **arguments, **{spelling: "s_nobody"})


def test_what_cannot_take_part_takes_no_handle(shop: Project):
    # The session of an agreement says where it was learned, which may be on another machine.
    apart = {"start_session", "list_sessions", "add_agreement"}
    assert {operation.name for operation in OPERATIONS if not operation.joins} == apart
    with pytest.raises(UnknownName, match="argument 'session_id'"):
        shop.call("list_sessions", session_id="s_1")


def test_only_what_was_given_is_recorded():
    assert given(SearchRequest("retry", path="src")) == {"query": "retry", "path": "src"}
