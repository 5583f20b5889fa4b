"""The same goal asked again and again while history grows: the same answer, or a better one with its reason."""

import pytest

from shirube import Project
from shirube.codec import pack
from shirube.features.plan.plan_store import LATEST, TEMPLATES, Template, goal_terms, key_of
from shirube.features.plan.plans import rank
from shirube.features.plan.record import PlanStatus
from tests.cases import for_each
from tests.conftest import sync

RUNS = 200
GOALS = ("how is a failed payment retried", "where is a payment charged", "返金の処理", "format a price in the cart")
UNMET = {"keywords": ["ATTEMPTS", "zebra"], "confidence": 0.99}


def shape(report):
    """What a reader of an answer sees of it."""
    turns = [(turn.query, turn.why, turn.evaluationScore, turn.confidence) for turn in report.iterations]
    return report.status, turns, report.finalResults


@pytest.mark.requirement("002-SAME-01")
def test_two_hundred_fresh_runs_with_growing_history_are_alike(own: Project):
    first = {goal: shape(own.query_plan(goal, fresh=True, save="none")) for goal in GOALS}
    for number in range(RUNS):
        goal = GOALS[number % len(GOALS)]
        own.query_plan(f"{goal} {number}", save="none", max_iterations=1)  # what may be learned from grows
        assert shape(own.query_plan(goal, fresh=True, save="none")) == first[goal]


@pytest.mark.requirement("002-SAME-01", "002-AGAIN-01")
def test_two_hundred_runs_get_only_better_and_say_why(own: Project):
    best = {}
    for number in range(RUNS):
        goal = GOALS[number % len(GOALS)]
        report = own.query_plan(goal, expected_results=UNMET, save="none", max_iterations=2)
        before = best.setdefault(goal, report)
        assert rank(report) >= rank(before)
        if report.finalResults != before.finalResults:
            assert report.memory.code in ("plan.went_on", "plan.learned")
        best[goal] = report
    assert len({report.planId for report in best.values()}) == len(GOALS)
    assert all(report.metadata.totalIterations > 2 for report in best.values())


@pytest.mark.requirement("002-AGAIN-01")
def test_a_partial_plan_goes_on_behind_the_turns_that_it_has_made(own: Project):
    first = own.query_plan(GOALS[0], expected_results=UNMET, max_iterations=2)
    again = own.query_plan(GOALS[0], expected_results=UNMET, max_iterations=2)
    assert (first.status, first.planId) == (PlanStatus.PARTIAL, again.planId)
    assert [turn.query for turn in again.iterations][:2] == [turn.query for turn in first.iterations]
    assert [turn.cached for turn in again.iterations] == [True, True, False, False]
    assert again.memory.code in ("plan.went_on", "plan.no_surer")
    assert own.show_plan(first.planId, limit=50).iterations == again.iterations


def test_a_plan_with_nothing_left_to_ask_is_answered_from_memory(own: Project):
    report = own.query_plan(GOALS[3], expected_results=UNMET, max_iterations=20)
    while report.stopped != "nothing new to ask":
        report = own.query_plan(GOALS[3], expected_results=UNMET, max_iterations=20)
    again = own.query_plan(GOALS[3], expected_results=UNMET, max_iterations=20)
    assert again.metadata.cacheHits == again.metadata.totalIterations
    assert again.finalResults == report.finalResults


def test_after_an_edit_a_partial_plan_sees_the_edit(own: Project):
    own.query_plan(GOALS[0], expected_results=UNMET, max_iterations=2)
    (own.workspace.root / "src/shop/again.py").write_text("def failed_payment_retried():\n    zebra = ATTEMPTS = 3\n")
    sync(own.workspace)
    report = own.query_plan(GOALS[0], expected_results=UNMET, max_iterations=2)
    assert "src/shop/again.py" in [result.path for result in report.finalResults.data]


@pytest.mark.requirement("002-LEARN-01", "002-LEARN-04")
@for_each(("tactic", "helps"), [("near", True), ("names", False)])
def test_a_rule_counts_only_where_it_makes_surer_and_then_names_its_run_and_gain(own: Project, tactic, helps):
    asked = {"expected_results": UNMET, "max_iterations": 3}
    plain = own.query_plan(GOALS[0], **asked, fresh=True)
    forget(own)
    taught = Template("retried payments", goal_terms(GOALS[0]), (tactic,), planId="0f" * 16, gain=0.21)
    own.workspace.journal.put(TEMPLATES, key_of("taught"), pack(taught))
    report = own.query_plan(GOALS[0], **asked)
    if helps:
        assert rank(report) > rank(plain)
        assert "retried payments: near (+0.21 in plan 0f0f0f0f)" in report.memory
        assert f"{plain.finalResults.confidence:.2f} → {report.finalResults.confidence:.2f}" in report.memory
    else:
        assert (report.memory, report.finalResults) == ("", plain.finalResults)
    assert own.list_presets().templates == (f"retried payments: {tactic} (+0.21 in plan 0f0f0f0f)",)


def forget(own: Project) -> None:
    """Forget which plan was the latest, as if it had not been asked."""
    for key in own.workspace.journal.keys(LATEST):
        own.workspace.journal.remove(LATEST, key)
