import pytest

from shirube.codec import replace
from shirube.features.map.insights import analyse, failure_points, rates, suggestions
from shirube.features.map.records import Analysis, Decision, Outcome, Result, last_words

GOOD = Outcome("a", Result.SUCCESS, operations=("search",), risk_level="LOW")
BAD = Outcome("b", Result.FAILURE, operations=("search", "grep"), risk_level="HIGH", phase_at_outcome="READY")


@pytest.mark.requirement("003-INSIGHT-01")
def test_the_decision_and_the_outcomes_of_a_session_are_joined():
    found = analyse(
        Decision("b", tools_planned=("search",)), [replace(BAD, analysis=Analysis(failure_point="tests")), GOOD]
    )
    assert (found.had_decision, found.had_outcome, found.final_outcome) == (True, True, Result.SUCCESS)
    assert (found.tools_planned, found.failure_point) == (("search",), "tests")
    empty = analyse(None, [])
    assert (empty.had_decision, empty.had_outcome, empty.final_outcome, empty.failure_point) == (False, False, None, "")


def test_the_last_word_on_a_session_counts():
    assert list(last_words([GOOD, BAD, replace(GOOD, outcome=Result.PARTIAL)]).values()) == [
        BAD,
        replace(GOOD, outcome=Result.PARTIAL),
    ]


@pytest.mark.requirement("003-INSIGHT-02")
def test_failures_are_counted_by_what_took_part():
    table = rates([GOOD, BAD, BAD], lambda one: one.operations)
    assert (table["search"].total, table["search"].failures, table["search"].failure_rate) == (3, 2, 0.667)
    assert table["grep"].failure_rate == 1.0
    assert failure_points([GOOD, BAD, replace(BAD, phase_at_outcome="")]) == {"READY": 1, "not said": 1}


def test_patterns_are_told_from_five_sessions_on():
    assert "from 5 on" in suggestions([BAD] * 3, 0)[0]
    said = suggestions([GOOD, GOOD, GOOD, BAD, BAD, BAD], 2)
    assert any("grep" in line for line in said)
    assert any("HIGH" in line for line in said)
    assert any("2 sessions were told as a success" in line for line in said)
    assert "nothing of what was written is left" in suggestions([GOOD], 1)[0]
    assert suggestions([GOOD] * 6, 0) == ("nothing stands out",)
