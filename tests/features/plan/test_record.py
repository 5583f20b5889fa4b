from shirube.features.plan.record import Step, Tactic
from shirube.types import Mode


def test_the_reason_for_a_step_does_not_make_it_another_question():
    assert Step("a", tactic=Tactic.GOAL, why="x").identity == Step("a", tactic=Tactic.FEEDBACK, why="y").identity
    assert Step("a").identity != Step("a", Mode.LEXICAL).identity
    assert Step("a").identity != Step("a", near="b.py").identity
