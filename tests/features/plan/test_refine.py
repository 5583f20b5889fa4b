import pytest

from shirube.codec import replace
from shirube.features.plan.evaluate import Judge, goal_words, keywords_of
from shirube.features.plan.record import (
    Evaluation,
    Expectation,
    RefinementMethod,
    RefinementStrategy,
    Step,
    StepResults,
    Tactic,
)
from shirube.features.plan.refine import Progress, next_step
from shirube.types import Mode


def progress_of(small, goal="login password", keywords=(), **more):
    access = small.access(**more.pop("access", {}))
    expected = Expectation(keywords=tuple(keywords), given=bool(keywords))
    words = keywords_of(keywords or goal_words(goal), access.frequencies)
    found = small.search(Step(goal))
    evaluation = Judge(expected, words, access.match).evaluate(found)
    strategy = more.pop("strategy", RefinementStrategy())
    return Progress(goal, expected, words, strategy, access, found, evaluation, frozenset({Step(goal).meaning}), **more)


def every(progress):
    """Ask until there is nothing new."""
    steps = []
    while (step := next_step(progress)) is not None:
        steps.append(step)
        progress = replace(progress, asked=progress.asked | {step.meaning})
    return steps


@pytest.mark.requirement("N002-REFINE-01")
def test_what_was_expected_and_not_found_is_asked_for_first(small):
    step = next_step(progress_of(small, keywords=["password", "smtp", "zebra"]))
    assert step.tactic is Tactic.UNMATCHED
    assert "zebra" in step.text
    assert "password" not in step.text.split()[2:]


@pytest.mark.requirement("N002-REFINE-02")
def test_no_question_is_asked_twice_and_the_end_comes(small):
    steps = every(progress_of(small, keywords=["smtp", "cookie"]))
    assert len({step.meaning for step in steps}) == len(steps)
    assert steps[-1] is not None


def test_another_retriever_and_the_neighbourhood_of_the_best_result_are_tried(small):
    steps = every(progress_of(small))
    assert [step.tactic for step in steps[:3]] == [Tactic.RETRIEVER, Tactic.NEAR, Tactic.READ]
    assert steps[0].mode is Mode.LEXICAL
    assert steps[1].near == "app/login.py"


def test_words_that_stand_nowhere_are_dropped(small):
    steps = every(progress_of(small, "login zebra"))
    (dropped,) = [step for step in steps if step.tactic is Tactic.DROPPED]
    assert (dropped.text, dropped.why) == ("login", "nowhere here: zebra")
    assert Tactic.DROPPED not in {step.tactic for step in every(progress_of(small, "login cookies"))}
    assert Tactic.DROPPED not in {step.tactic for step in every(progress_of(small, "zebra giraffe"))}


def test_a_japanese_goal_is_asked_in_english_and_a_failed_english_word_in_japanese(small):
    access = {"translate": lambda text: {"ログイン": ("login",), "zebra": ("シマウマ",)}.get(text, ())}
    assert "login" in [step.text for step in every(progress_of(small, "ログイン", access=access))]
    assert "シマウマ" in [step.text for step in every(progress_of(small, "login zebra", access=access))]
    assert Tactic.TRANSLATED not in {step.tactic for step in every(progress_of(small, "login", access=access))}


def test_words_of_the_results_are_added_only_where_the_goal_failed(small):
    progress = progress_of(small)
    assert not [step for step in every(progress) if step.tactic is Tactic.FEEDBACK]
    failed = Progress(
        progress.goal,
        progress.expected,
        progress.keywords,
        progress.strategy,
        progress.access,
        progress.found,
        Evaluation(score=0.2),
    )
    (step,) = [step for step in every(failed) if step.tactic is Tactic.FEEDBACK]
    assert "session" in step.why


def test_names_that_are_defined_are_asked_for(small):
    progress = progress_of(small, "login zebra page", access={"names": lambda words: ("LoginZebra",)})
    poor = Progress(
        progress.goal,
        progress.expected,
        progress.keywords,
        progress.strategy,
        progress.access,
        progress.found,
        Evaluation(score=0.2),
    )
    assert any("LoginZebra" in step.text for step in every(poor))


@pytest.mark.requirement("002-STRAT-02")
def test_the_method_decides_what_questions_are_made_from(small):
    keywords = every(progress_of(small, strategy=RefinementStrategy(method=RefinementMethod.KEYWORDS)))
    semantic = every(progress_of(small, strategy=RefinementStrategy(method=RefinementMethod.SEMANTIC)))
    assert Tactic.RETRIEVER not in {step.tactic for step in keywords}
    assert {step.mode for step in semantic} >= {Mode.DENSE}


@pytest.mark.requirement("002-LEARN-01", "002-LEARN-02")
def test_what_helped_before_comes_first_and_what_was_in_vain_is_left_out(small):
    assert next_step(progress_of(small, preferred=(Tactic.NEAR,))).tactic is Tactic.NEAR
    lexical = Step("login password", Mode.LEXICAL)
    assert next_step(progress_of(small, avoided=frozenset({lexical.identity}))).tactic is Tactic.NEAR


def test_a_rule_is_asked_with_its_filters(small):
    progress = progress_of(small, strategy=RefinementStrategy(rules=("only in docs/",)))
    assert any(step.path == "docs/" and step.tactic is Tactic.RULE for step in every(progress))


def test_nothing_found_leaves_no_neighbourhood(small):
    progress = progress_of(small)
    empty = Progress(
        progress.goal, progress.expected, progress.keywords, progress.strategy, progress.access, StepResults()
    )
    assert Tactic.NEAR not in {step.tactic for step in every(empty)}
