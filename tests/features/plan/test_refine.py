import pytest

from shirube.features.plan.evaluate import Judge
from shirube.features.plan.expect import goal_words, keywords_of
from shirube.features.plan.record import Evaluation, Expectation, Found, Ground, RefinementMethod, Step, Strategy
from shirube.features.plan.refine import View, next_step
from shirube.types import Mode


def view_of(small, goal="login password", keywords=(), **more):
    world = small.world(**more.pop("world", {}))
    expected = Expectation(keywords=tuple(keywords), given=bool(keywords))
    words = keywords_of(keywords or goal_words(goal), world.frequencies)
    found = small.search(Step(goal))
    evaluation = Judge(expected, words, world.match).evaluate(found)
    strategy = more.pop("strategy", Strategy())
    return View(goal, expected, words, strategy, world, found, evaluation, frozenset({Step(goal).identity}), **more)


def every(view):
    """Ask until there is nothing new."""
    steps = []
    while (step := next_step(view)) is not None:
        steps.append(step)
        view = View(
            view.goal, view.expected, view.keywords, view.strategy, view.world, view.found, view.evaluation,
            view.asked | {step.identity}, view.avoided, view.preferred,
        )  # fmt: skip
    return steps


@pytest.mark.requirement("N002-REFINE-01")
def test_what_was_expected_and_not_found_is_asked_for_first(small):
    step = next_step(view_of(small, keywords=["password", "smtp", "zebra"]))
    assert step.ground is Ground.UNMATCHED
    assert "zebra" in step.text
    assert "password" not in step.text.split()[2:]


@pytest.mark.requirement("N002-REFINE-02")
def test_no_question_is_asked_twice_and_the_end_comes(small):
    steps = every(view_of(small, keywords=["smtp", "cookie"]))
    assert len({step.identity for step in steps}) == len(steps)
    assert steps[-1] is not None


def test_another_retriever_and_the_neighbourhood_of_the_best_result_are_tried(small):
    steps = every(view_of(small))
    assert [step.ground for step in steps[:3]] == [Ground.RETRIEVER, Ground.NEAR, Ground.READ]
    assert steps[0].mode is Mode.LEXICAL
    assert steps[1].near == "app/login.py"


def test_words_that_stand_nowhere_are_dropped(small):
    steps = every(view_of(small, "login zebra"))
    (dropped,) = [step for step in steps if step.ground is Ground.DROPPED]
    assert (dropped.text, dropped.why) == ("login", "nowhere here: zebra")


def test_a_japanese_goal_is_asked_in_english_and_a_failed_english_word_in_japanese(small):
    world = {"translate": lambda text: {"ログイン": ("login",), "zebra": ("シマウマ",)}.get(text, ())}
    assert "login" in [step.text for step in every(view_of(small, "ログイン", world=world))]
    assert "シマウマ" in [step.text for step in every(view_of(small, "login zebra", world=world))]
    assert Ground.TRANSLATED not in {step.ground for step in every(view_of(small, "login", world=world))}


def test_words_of_the_results_are_added_only_where_the_goal_failed(small):
    view = view_of(small)
    assert not [step for step in every(view) if step.ground is Ground.FEEDBACK]
    failed = View(view.goal, view.expected, view.keywords, view.strategy, view.world, view.found, Evaluation(score=0.2))
    (step,) = [step for step in every(failed) if step.ground is Ground.FEEDBACK]
    assert "session" in step.why


def test_names_that_are_defined_are_asked_for(small):
    view = view_of(small, "login zebra page", world={"names": lambda words: ("LoginZebra",)})
    poor = View(view.goal, view.expected, view.keywords, view.strategy, view.world, view.found, Evaluation(score=0.2))
    assert any("LoginZebra" in step.text for step in every(poor))


@pytest.mark.requirement("002-STRAT-02")
def test_the_method_decides_what_questions_are_made_from(small):
    keywords = every(view_of(small, strategy=Strategy(method=RefinementMethod.KEYWORDS)))
    semantic = every(view_of(small, strategy=Strategy(method=RefinementMethod.SEMANTIC)))
    assert Ground.RETRIEVER not in {step.ground for step in keywords}
    assert {step.mode for step in semantic} >= {Mode.DENSE}


@pytest.mark.requirement("002-LEARN-01", "002-LEARN-02")
def test_what_helped_before_comes_first_and_what_was_in_vain_is_left_out(small):
    assert next_step(view_of(small, preferred=(Ground.NEAR,))).ground is Ground.NEAR
    lexical = Step("login password", Mode.LEXICAL)
    assert next_step(view_of(small, avoided=frozenset({lexical.identity}))).ground is Ground.NEAR


def test_a_rule_is_asked_with_its_filters(small):
    view = view_of(small, strategy=Strategy(rules=("only in docs/",)))
    assert any(step.path == "docs/" and step.ground is Ground.RULE for step in every(view))


def test_nothing_found_leaves_no_neighbourhood(small):
    view = view_of(small)
    empty = View(view.goal, view.expected, view.keywords, view.strategy, view.world, Found())
    assert Ground.NEAR not in {step.ground for step in every(empty)}
