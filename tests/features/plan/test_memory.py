import pytest

from shirube.features.plan.plan_store import failed_turns, goal_terms, helpful_tactics, key_of, likeness
from shirube.features.plan.record import (
    Evaluation,
    Expectation,
    Iteration,
    PlanOutcome,
    PlanResult,
    PlanStatus,
    Step,
    Tactic,
)

HIT = (PlanResult("a.py", 1, 2),)


def turn(number, tactic, confidence, score=0.8, results=HIT, error=""):
    return Iteration(
        number, Step(f"q{number}", tactic=tactic), results, Evaluation(score=score), confidence, error=error
    )


def outcome(*turns, status=PlanStatus.SUCCESS):
    return PlanOutcome("goal", Expectation(), status, "confident", turns)


def test_the_form_of_a_goal_does_not_matter():
    assert goal_terms("How does session expiry work?") == goal_terms("understand the expiry of sessions")
    assert goal_terms("認証の流れ") != goal_terms("認可の流れ")


def test_goals_that_share_most_words_are_alike():
    assert likeness(("a", "b"), ("a", "b", "c")) == pytest.approx(2 / 3)
    assert likeness((), ()) == 0.0


def test_what_made_a_successful_plan_surer_helped_and_the_most_helpful_comes_first():
    done = outcome(turn(1, Tactic.GOAL, 0.3), turn(2, Tactic.NEAR, 0.4), turn(3, Tactic.READ, 0.8))
    assert helpful_tactics(done) == {Tactic.READ: 0.4, Tactic.NEAR: 0.1}
    assert helpful_tactics(outcome(*done.iterations, status=PlanStatus.PARTIAL)) == {}


def test_questions_that_failed_or_found_far_worse_were_in_vain():
    done = outcome(
        turn(1, Tactic.GOAL, 0.3),
        turn(2, Tactic.NEAR, 0.3, score=0.2),
        turn(3, Tactic.READ, 0.3, error="no"),
        turn(4, Tactic.NAMES, 0.3, results=()),
        turn(5, Tactic.DROPPED, 0.3),
    )
    assert [one.number for one in failed_turns(done)] == [2, 3, 4]


def test_keys_tell_values_apart():
    assert key_of("a", 1) == key_of("a", 1)
    assert key_of("a", "1") != key_of("a", 1)
