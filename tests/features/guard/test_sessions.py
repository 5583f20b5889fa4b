import pytest

from shirube import Project
from shirube.errors import BadArgument, OutsideRoot, PhaseBlocked, UnknownSession
from shirube.features.guard.sessions import callable_steps, latest_session
from shirube.features.guard.state import NextCall, Phase
from shirube.features.map.records import decisions
from shirube.operation import Call
from shirube.operations import run
from tests.cases import for_each
from tests.refusals import refusal

REQUEST = "checkout が再試行をやめない。fix the retry of checkout"


@pytest.fixture
def handle(shop: Project) -> str:
    return shop.start_session("modify", REQUEST).session_id


@pytest.mark.requirement("003-FLOW-01", "003-FRAMES-03", "N003-IDS-01")
def test_a_session_begins_with_a_handle_a_prompt_and_the_next_calls(shop: Project):
    one, two = (shop.start_session(intent, REQUEST) for intent in ("MODIFY", "question"))
    assert one.session_id != two.session_id
    assert (one.phase, two.phase) == (Phase.EXPLORATION, Phase.READY)
    assert REQUEST in one.query_frame["extraction_prompt"]
    assert "quote" in one.query_frame["extraction_prompt"]
    assert [step.operation for step in one.next] == ["snippets_get", "submit_understanding"]
    assert "search_forest" not in one.allowed_operations


@pytest.mark.requirement("003-FLOW-01")
def test_by_the_seeds_a_session_begins_with_its_frame_and_a_search(seed_shop: Project):
    begun = seed_shop.start_session("MODIFY", REQUEST)
    assert [step.operation for step in begun.next][:2] == ["set_query_frame", "search"]
    assert begun.likely == ()


@for_each(("intent", "query"), [("DANCE", "x"), ("MODIFY", " "), ("MODIFY", "x" * 5000), ("", "x")])
def test_a_session_is_not_begun_without_an_intent_and_a_request(shop: Project, intent: str, query: str):
    with pytest.raises(BadArgument):
        shop.start_session(intent, query)


@pytest.mark.requirement("N003-MANY-01")
def test_several_sessions_go_on_side_by_side(shop: Project):
    one, two = (shop.start_session("MODIFY", REQUEST).session_id for _ in range(2))
    shop.search("retry", session_id=one)
    counts = [shop.get_session_status(handle).total_calls for handle in (one, two)]
    assert counts == [2, 1]  # the first of each is the server's own look


def test_the_status_tells_what_is_known_and_next(shop: Project, handle: str):
    shop.search("retry checkout", session_id=handle)
    status = shop.get_session_status(handle, detailed=True)
    assert (status.phase, status.may_write) == (Phase.EXPLORATION, False)
    assert "src/shop/retry.py" in status.explored_files
    assert {row.key for row in status.requirements} == {"files_analyzed"}
    assert (status.missing_requirements, status.missing_slots) == ((), ())
    assert [step.operation for step in status.next] == ["submit_understanding"]
    assert "submit_understanding" in status.allowed_operations


def test_by_the_seeds_the_status_tells_what_is_missing(seed_shop: Project):
    shop, handle = seed_shop, seed_shop.start_session("modify", REQUEST).session_id
    shop.set_query_frame(handle, target_feature={"value": "retry", "quote": "retry"})
    shop.search("retry checkout", session_id=handle)
    status = shop.get_session_status(handle, detailed=True)
    assert (status.phase, status.risk, status.may_write) == (Phase.EXPLORATION, "HIGH", False)
    assert "src/shop/retry.py" in status.explored_files
    assert status.slots["target_feature"].value == "retry"
    assert {row.key for row in status.requirements} >= {"symbols_identified", "files_analyzed", "entry_points"}
    assert "entry_points" in {row.key for row in status.missing_requirements}
    assert len(status.calls) == status.total_calls == 1
    assert status.next
    assert "observed_issue" in status.missing_slots


def test_without_a_handle_the_latest_session_is_meant(shop: Project, handle: str):
    assert shop.get_session_status().session_id == handle == latest_session(shop.workspace)


def test_sessions_are_listed_the_latest_first(shop: Project, handle: str):
    listed = shop.list_sessions(limit=1)
    assert (listed.sessions[0].session_id, listed.sessions[0].expired) == (handle, False)
    assert shop.list_sessions(limit=1000).truncated is False


def test_where_there_is_no_session_it_is_said_how_to_begin_one(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo) as project:
        assert project.list_sessions().sessions == ()
        with refusal(UnknownSession, "session.none_yet"):
            project.get_session_status()


def test_going_back_with_and_without_results(shop: Project, handle: str):
    shop.search("retry", session_id=handle)
    assert shop.revert_to_exploration(handle).phase is Phase.EXPLORATION
    assert shop.get_session_status(handle).explored_files
    shop.revert_to_exploration(handle, keep_results=False)
    status = shop.get_session_status(handle)
    assert (status.explored_files, status.total_calls, status.tools_used) == ((), 0, ())


def test_files_are_added_in_ready_when_a_call_returned_them(shop: Project, handle: str):
    refused = shop.add_explored_files(handle, ["web/cart.ts"])
    assert not refused.accepted
    assert shop.get_session_status(handle).refusals[-1].operation == "add_explored_files"
    with pytest.raises(OutsideRoot):
        shop.add_explored_files(handle, ["../x"])


def test_a_call_that_cannot_be_made_here_is_not_proposed():
    steps = (NextCall("search", {"query": "x"}), NextCall("dance"), NextCall("search", {"query": "x"}))
    assert callable_steps(steps, Call(operations=("search",))) == (steps[0],)


def test_setting_the_frame_records_what_was_decided(shop: Project):
    started = shop.start_session("MODIFY", "refund is charged twice")
    shop.set_query_frame(started.session_id, target_feature={"value": "refund", "quote": "refund"})
    (decision,) = decisions(shop.workspace.journal, started.session_id)
    assert decision.query == "refund is charged twice"
    assert decision.tools_planned


def test_where_no_proposed_call_is_listed_a_shell_can_make_it(handle: str):
    steps = (NextCall("revert_to_exploration", {"session_id": handle}, "go back"),)
    (step,) = callable_steps(steps, Call(operations=("search",)))
    assert "shirube call revert_to_exploration" in step.why


def test_a_refusal_names_only_what_the_door_lists(shop: Project, handle: str):
    narrow = Call(operations=("search", "submit_understanding"))
    with pytest.raises(PhaseBlocked) as caught:
        run(shop.workspace, "search_forest", {"query": "retry", "session_id": handle}, narrow)
    assert set(caught.value.allowed) <= set(narrow.operations)
    assert caught.value.hint == "next: submit_understanding"  # in EXPLORATION there is no way back to it
