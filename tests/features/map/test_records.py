import pytest

from shirube.features.map.records import (
    Analysis,
    Decision,
    Outcome,
    Result,
    WrittenFile,
    decision_from,
    outcome_from,
    to_body,
)
from tests.cases import for_each

OUTCOME = Outcome(
    session_id="s",
    outcome=Result.FAILURE,
    timestamp="2026-01-01",
    phase_at_outcome="READY",
    intent="MODIFY",
    risk_level="HIGH",
    semantic_used=True,
    analysis=Analysis("no test", "READY", ("A",), ("a.py",), "said so"),
    files=(WrittenFile("a.py", "1", "2"),),
    operations=("search",),
    confidence=0.8,
    record_id="outcome_s_1",
)
DECISION = Decision(
    "s", "q", "t", "MODIFY", ("EXPLORATION",), ("observed_issue",), "HIGH", ("search",), True, "empty", "d1"
)


@pytest.mark.requirement("003-OUTCOME-01", "003-DECISION-01")
def test_a_record_is_written_and_read_again():
    assert outcome_from(to_body(OUTCOME)) == OUTCOME
    assert decision_from(to_body(DECISION)) == DECISION
    assert to_body(OUTCOME)["devrag_used"] is True


def test_a_record_of_an_earlier_program_is_read():
    found = outcome_from({"session_id": "s", "outcome": "SUCCESS", "devrag_used": True, "analysis": "text", "files": 3})
    assert found is not None
    assert (found.outcome, found.semantic_used, found.analysis) == (Result.SUCCESS, True, Analysis())


@for_each("body", [{}, {"outcome": "great"}, {"outcome": 5}])
def test_what_tells_of_no_outcome_is_none(body: dict[str, object]):
    assert outcome_from(body) is None
