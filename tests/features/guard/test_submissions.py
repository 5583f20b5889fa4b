import json

import pytest

from shirube import Project
from shirube.errors import BadArgument, OutsideRoot, PhaseBlocked
from shirube.features.guard.state import Phase
from shirube.operations import NAMES

REQUEST = "決済の再試行が三回で止まらない。checkout を直して"
FRAME = {
    "target_feature": {"value": "決済の再試行", "quote": "決済の再試行"},
    "observed_issue": {"value": "三回で止まらない", "quote": "三回で止まらない"},
}
CLAIMS = {"entry_points": ["checkout"], "existing_patterns": ["calls are wrapped by `with_retries`"]}


@pytest.fixture
def shop(seed_shop: Project) -> Project:
    """Return the project where the counts of seed 003 hold."""
    return seed_shop


@pytest.fixture
def handle(shop: Project) -> str:
    return shop.start_session("MODIFY", REQUEST).session_id


@pytest.fixture
def looked(shop: Project, handle: str) -> str:
    shop.set_query_frame(handle, **FRAME)
    shop.search("決済 再試行 checkout", session_id=handle)
    for tool in ("find_definitions", "find_references"):
        if tool in NAMES:
            shop.call(tool, symbol="with_retries", session_id=handle)
    return handle


def test_a_frame_is_taken_and_the_open_slots_are_guided(shop: Project, handle: str):
    result = shop.set_query_frame(handle, **FRAME)
    assert (result.accepted, result.risk) == (True, "LOW")
    assert result.missing_slots == ("trigger_condition", "desired_action")
    assert set(result.guidance) == set(result.missing_slots)


def test_a_doubtful_slot_is_named_with_the_reason(shop: Project, handle: str):
    result = shop.set_query_frame(handle, observed_issue={"value": "crash", "quote": "it crashes"})
    assert result.accepted
    assert result.errors[0].startswith("observed_issue: the quote 'it crashes' is not in the request")
    assert shop.get_session_status(handle).slots["observed_issue"].certainty == "hypothesis"
    with pytest.raises(BadArgument, match="missing argument 'value'"):
        shop.set_query_frame(handle, observed_issue={"quote": "x"})


@pytest.mark.requirement("N003-JSON-01")
def test_slots_and_lists_may_come_as_json_strings_and_hypotheses_as_plain_ones(shop: Project, looked: str):
    slot = json.dumps(FRAME["target_feature"])
    assert shop.call("set_query_frame", session_id=looked, target_feature=slot).accepted
    shop.submit_understanding(looked)
    done = shop.call(
        "submit_semantic",
        session_id=looked,
        hypotheses='["with_retries never stops"]',
        devrag_reason="no_definition_found",
    )
    assert (done.accepted, done.hypotheses[0].text) == (True, "with_retries never stops")


def test_enough_leads_to_ready_and_the_file_may_be_written(shop: Project, looked: str):
    result = shop.submit_understanding(looked, **CLAIMS)
    assert (result.phase, result.evaluated_confidence) == (Phase.READY, "high")
    assert "checkout" in result.mapped_symbols
    assert shop.check_write_target(looked, "src/shop/retry.py").allowed


@pytest.mark.requirement("N003-NAMES-01")
def test_the_other_name_does_the_same(shop: Project, looked: str):
    assert shop.call("submit_exploration", session_id=looked, **CLAIMS).phase is Phase.READY


@pytest.mark.requirement("003-FLOW-01")
def test_too_little_goes_the_long_way(shop: Project, looked: str):
    result = shop.submit_understanding(looked)
    assert result.phase is Phase.SEMANTIC
    assert {lack.key for lack in result.missing_requirements} == {"entry_points", "existing_patterns"}
    shop.search_forest("retry for ever", session_id=looked)
    supposed = [{"text": "with_retries in src/shop/retry.py counts wrongly", "confidence": "HIGH"}]
    waiting = shop.submit_semantic(looked, hypotheses=supposed, semantic_reason=result.semantic_reasons[0])
    assert (waiting.phase, waiting.hypotheses[0].confidence) == (Phase.VERIFICATION, "high")
    with pytest.raises(PhaseBlocked):
        shop.search_forest("retry for ever", session_id=looked)
    shop.search_text(["ATTEMPTS"], session_id=looked)
    evidence = {
        "tool": "search_text",
        "target": "ATTEMPTS",
        "result": "range(ATTEMPTS)",
        "files": ["src/shop/retry.py"],
    }
    decided = [{"hypothesis": "h1", "status": "confirmed", "evidence": evidence}]
    assert shop.submit_verification(looked, decided).phase is Phase.READY


def test_a_false_claim_is_refused_and_kept_on_record(shop: Project, looked: str):
    result = shop.submit_understanding(looked, symbols_identified=["WarpDrive"], **CLAIMS)
    assert (result.accepted, result.phase) == (False, Phase.EXPLORATION)
    assert result.next
    assert "WarpDrive" in shop.get_session_status(looked).refusals[-1].reason


def test_paths_are_taken_as_people_write_them_and_never_from_outside(shop: Project, looked: str):
    files = ["./src/shop/retry.py:10", "src/shop/../shop/payment.py"]
    assert shop.submit_understanding(looked, files_analyzed=files, **CLAIMS).phase is Phase.READY
    other = shop.start_session("MODIFY", REQUEST).session_id
    with pytest.raises(OutsideRoot):
        shop.submit_understanding(other, files_analyzed=["../../etc/passwd"])


def test_a_submission_out_of_turn_is_refused_with_the_way_on(shop: Project, handle: str):
    with pytest.raises(PhaseBlocked, match="submit_verification is not allowed in EXPLORATION") as refused:
        shop.submit_verification(handle, [])
    assert "submit_understanding" in refused.value.hint


def test_another_sessions_calls_are_no_evidence(shop: Project, looked: str):
    other = shop.start_session("MODIFY", REQUEST).session_id
    shop.set_query_frame(other, **FRAME)
    result = shop.submit_understanding(other, files_analyzed=["src/shop/retry.py"])
    assert result.errors == ("file 'src/shop/retry.py': no call of this session returned it",)
