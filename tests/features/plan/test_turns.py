"""Plans with the search itself: what is asked is thought of before, and every turn rests on those before it."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.config import load_config
from shirube.deadline import Deadline
from shirube.features.plan.project_access import project_access
from shirube.features.plan.record import Expectation, PlanStatus, Tactic
from shirube.features.plan.run import TOP, make_plan, run_plan

GOAL = "how do letters leave the house"
EXPECTED = Expectation(keywords=("smtp", "envelope"), given=True, confidence=1.0)
ROOMS = 14
"""So many files have the words of the goal that they fill a turn."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Project]:
    """Return a project in which the goal's own words lead past the file that has what is expected."""
    for number in range(ROOMS):
        text = f"def leave_{number}(letters, house):\n    '''Letters leave the house by door {number}.'''\n"
        (tmp_path / f"room{number}.py").write_text(text)
    (tmp_path / "post.py").write_text("def hand_over(smtp, envelope):\n    return smtp.send(envelope)\n")
    with open_workspace(tmp_path) as project:
        project.sync_index()
        yield project


def turns_of(project: Project, goal: str = GOAL, expected: Expectation = EXPECTED, **options):
    """Run a plan with the search of a project; return its outcome and how much had been asked when each turn ended."""
    access, asked, told = project_access(project.workspace, goal, Deadline(60)), [], []

    def search(step):
        asked.append(step)
        return access.search(step)

    watched = replace(access, search=search)
    plan = make_plan(goal, expected, watched, **options)
    outcome = run_plan(plan, watched, load_config(None, {}, {}).plan, lambda turn: told.append((turn, len(asked))))
    return outcome, told


@pytest.mark.requirement("002-FLOW-01")
def test_every_question_is_named_with_its_reason_before_it_is_asked(house: Project):
    outcome, told = turns_of(house, queries=("door of a room",), max_iterations=4)
    assert [turn.step.tactic for turn, _ in told][:2] == [Tactic.GOAL, Tactic.GIVEN]
    assert len(told) == 4
    for (turn, asked), (following, _) in pairwise(told):
        assert asked == turn.number  # the next question had not been asked when this was said
        assert turn.refinements[0].values == {"text": following.step.text, "why": following.step.why}
    assert outcome.iterations[-1].refinements == ()


@pytest.mark.requirement("002-FLOW-05", "N002-WIRED-01")
@pytest.mark.parametrize(("known", "lacking"), [("", "smtp envelope"), ("smtp", "envelope"), ("envelope", "smtp")])
def test_the_next_question_asks_for_just_what_the_last_judgement_missed(house: Project, known: str, lacking: str):
    for number in range(ROOMS):
        with (house.workspace.root / f"room{number}.py").open("a") as room:
            room.write(f"    # {known}\n" if known and number == 0 else "    # nothing\n")
    house.sync_index()
    outcome, _ = turns_of(house)
    first, second = outcome.iterations[:2]
    assert " ".join(first.evaluation.unmatched) == lacking
    assert (second.step.tactic, second.step.text) == (Tactic.UNMATCHED, f"{GOAL} {lacking}")
    assert second.evaluation.unmatched == ()
    assert second.evaluation.score > first.evaluation.score
    assert "post.py" in [result.path for result in outcome.results[:TOP]]


@pytest.mark.requirement("N002-WIRED-01")
def test_a_later_question_stands_where_the_earlier_ones_led(house: Project):
    for goal, led in ((GOAL, "room"), ("hand over by smtp", "post.py")):
        outcome, _ = turns_of(house, goal, Expectation(confidence=1.0), max_iterations=8)
        (near,) = [turn for turn in outcome.iterations if turn.step.tactic is Tactic.NEAR]
        before = outcome.iterations[: near.number - 1]
        assert before[0].results[0].path.startswith(led)
        assert near.step.near in {turn.results[0].path for turn in before}


@pytest.mark.requirement("N002-WIRED-01")
def test_a_plan_whose_first_turn_has_what_is_expected_asks_nothing_more(house: Project):
    (house.workspace.root / "room0.py").write_text(
        "def letters_leave_the_house(letters, house):\n"
        "    '''How letters leave the house: in an envelope, by smtp.'''\n"
        "    return smtp(envelope(letters))\n"
    )
    house.sync_index()
    outcome, _ = turns_of(house, expected=replace(EXPECTED, confidence=0.7))
    assert (outcome.status, len(outcome.iterations)) == (PlanStatus.SUCCESS, 1)


@pytest.mark.requirement("002-OUT-04")
def test_what_any_turn_has_of_the_expectations_is_among_the_ten_places_shown(house: Project):
    patterns = replace(EXPECTED, keywords=("letters",), patterns=("smtp\\.send\\(",))
    outcome, _ = turns_of(house, expected=patterns, queries=("send an envelope by smtp",), max_iterations=8)
    met = {item for turn in outcome.iterations for item in turn.evaluation.matched}
    assert "smtp\\.send\\(" in met
    assert "smtp\\.send\\(" in outcome.iterations[0].evaluation.unmatched
    assert met == set(outcome.evaluation.matched)
    assert outcome.evaluation.unmatched == ()
    assert "post.py" in [result.path for result in outcome.results[:TOP]]
