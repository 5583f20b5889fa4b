import pytest

from shirube.codec import replace
from shirube.config import load_config
from shirube.errors import BadArgument, Cancelled
from shirube.features.plan.evaluate import Judge, keywords_of
from shirube.features.plan.record import (
    EvaluationMode,
    Expectation,
    InitialMode,
    PlanResult,
    PlanStatus,
    RefinementStrategy,
    Step,
    StepResults,
    Tactic,
)
from shirube.features.plan.run import fuse_turns, make_plan, run_plan
from shirube.types import Mode

CONFIG = load_config(None, {}, {}).plan


def go(small, goal="login password", expected=None, access=None, **options):
    made = small.access(**(access or {}))
    plan = make_plan(goal, expected or Expectation(confidence=2.0), made, **options)
    return run_plan(plan, made, CONFIG)


@pytest.mark.requirement("002-FLOW-02", "002-FLOW-03", "002-FLOW-04", "002-FLOW-05")
def test_a_plan_asks_judges_and_asks_again_and_every_turn_says_what_it_thought(small):
    done = go(small)
    assert len(done.iterations) > 1
    first = done.iterations[0]
    assert first.step.text == "login password"
    assert first.evaluation.score > 0
    assert first.evaluation.feedback
    assert first.refinements
    assert done.expected.keywords == ("login", "password")
    assert done.results[0].path == "app/login.py"


@pytest.mark.requirement("002-PLAN-05")
def test_it_stops_when_it_is_sure_enough(small):
    small.confidence = 1.0
    done = go(small, expected=Expectation(confidence=0.7))
    assert (done.stopped, done.status, len(done.iterations)) == ("confident", PlanStatus.SUCCESS, 1)
    assert done.confidence >= 0.7


@pytest.mark.requirement("002-IN-03")
def test_it_asks_no_more_than_it_may(small):
    assert len(go(small, max_iterations=2).iterations) == 2
    assert go(small, max_iterations=2).stopped == "iterations"


def test_it_stops_when_two_turns_change_nothing(small):
    assert go(small, max_iterations=20).stopped == "stagnation"


@pytest.mark.requirement("002-IN-02", "N002-INPUT-01")
def test_every_initial_query_is_asked_even_when_one_is_sure(small):
    small.confidence = 1.0
    done = go(small, expected=Expectation(confidence=0.1), queries=("mail smtp", "session expires"))
    assert [turn.step.text for turn in done.iterations] == ["login password", "mail smtp", "session expires"]


@pytest.mark.requirement("002-TIME-02", "002-TIME-03", "N002-TIME-01")
def test_a_deadline_keeps_every_turn_that_was_finished(small):
    small.limit = 2.0
    done = go(small)
    assert (done.stopped, done.status, len(done.iterations)) == ("deadline", PlanStatus.PARTIAL, 2)
    assert done.results


def test_a_search_that_is_cut_off_by_the_deadline_is_told_as_such(small):
    def cut(step):
        if len(small.asked) > 1:
            small.limit = 0.0
            raise Cancelled("the time is up")

    small.before = cut
    done = go(small)
    assert done.status is PlanStatus.PARTIAL
    assert [bool(turn.error) for turn in done.iterations] == [False, True]


def test_a_caller_who_gave_up_is_not_held_up(small):
    def give_up(step):
        raise Cancelled("cancelled")

    small.before = give_up
    with pytest.raises(Cancelled):
        go(small)


@pytest.mark.requirement("002-ERR-01", "N002-ERR-01")
def test_an_error_is_recorded_in_its_turn_and_planning_goes_on(small):
    def fail(step):
        if len(small.asked) == 1:
            raise BadArgument("the store is away", "wait")

    small.before = fail
    done = go(small)
    assert "the store is away" in done.iterations[0].error
    assert done.results
    assert done.errors == (done.iterations[0].error,)


@pytest.mark.requirement("002-OUT-02")
def test_when_everything_fails_the_plan_failed_and_says_why(small):
    def fail(step):
        raise BadArgument("the store is away")

    small.before = fail
    done = go(small)
    assert done.status is PlanStatus.FAILED
    assert done.errors == ("the store is away",)


@pytest.mark.requirement("002-STRAT-01")
def test_a_specific_start_asks_with_every_expected_word(small):
    expected = Expectation(keywords=("smtp",), given=True, confidence=2.0)
    done = go(small, expected=expected, strategy=RefinementStrategy(InitialMode.SPECIFIC))
    assert done.iterations[0].step.text == "login password smtp"


def test_strict_asks_by_words_and_is_content_with_nothing_less_than_all(small):
    small.confidence = 1.0
    expected = Expectation(keywords=("login", "nowhere"), given=True, confidence=0.5)
    done = go(small, expected=expected, mode=EvaluationMode.STRICT)
    assert done.iterations[0].step.mode is Mode.LEXICAL
    assert done.status is PlanStatus.PARTIAL
    assert done.evaluation.unmatched == ("nowhere",)


def test_a_plan_is_no_success_without_what_was_expected_however_sure_it_is(small):
    small.confidence = 1.0
    done = go(small, expected=Expectation(keywords=("nowhere",), given=True, confidence=0.5))
    assert done.confidence >= 0.5
    assert done.status is PlanStatus.PARTIAL
    done = go(small, expected=Expectation(patterns=("nowhere",), confidence=0.5))
    assert done.status is PlanStatus.PARTIAL


def test_names_from_the_map_are_asked_for(small):
    done = go(small, access={"terms": lambda goal: ("Session",)})
    assert done.iterations[1].step.tactic is Tactic.MAP
    assert "Session" in done.iterations[1].step.text


@pytest.mark.requirement("N002-FUSE-01")
def test_the_results_of_all_turns_are_fused_by_rank_and_ties_go_to_the_earlier_turn():
    a, b, c = (PlanResult(name, 1, 2) for name in ("a", "b", "c"))
    fused = fuse_turns([StepResults((a, b), ("1", "2")), StepResults((b, a), ("2", "1")), StepResults((c,), ("3",))])
    assert [result.path for result in fused.results] == ["a", "b", "c"]
    assert fused.texts == ("1", "2", "3")
    twice = fuse_turns([StepResults((a, b), ("1", "2")), StepResults((b, c), ("2", "3"))])
    assert [result.path for result in twice.results] == ["b", "a", "c"]


def test_further_places_of_a_file_come_after_the_files():
    here, there = PlanResult("a", 1, 2), PlanResult("a", 9, 12)
    fused = fuse_turns([StepResults((here,), ("1",)), StepResults((there, PlanResult("b", 1, 2)), ("9", "b"))])
    assert [(result.path, result.start_line) for result in fused.results] == [("a", 1), ("b", 1), ("a", 9)]


def test_a_place_that_holds_more_of_what_is_expected_takes_the_seat_of_its_file():
    here, there = PlanResult("a", 1, 2), PlanResult("a", 9, 12)
    lists = [StepResults((here,), ("plain",)), StepResults((there,), ("expected",))]
    fused = fuse_turns(lists, judge_of("expected"))
    assert [(result.start_line, text) for result, text in zip(fused.results, fused.texts, strict=True)] == [
        (9, "expected"),
        (1, "plain"),
    ]


def judge_of(*keywords, patterns=()):
    """Return a judge that was told to expect these."""
    expected = Expectation(keywords=keywords, patterns=patterns, given=True)
    words = keywords_of(keywords, lambda terms: (0, {}))
    return Judge(expected, words, lambda pattern: lambda text: pattern in text)


@pytest.mark.requirement("002-OUT-04")
def test_only_as_many_places_move_up_as_the_first_ten_lack():
    names = "abcdefghijklmn"
    texts = {**dict.fromkeys(names, "plain"), "j": "cookie", "m": "smtp", "n": "smtp expect("}
    turn = StepResults(tuple(PlanResult(name, 1, 2) for name in names), tuple(texts[name] for name in names))
    empty = StepResults()

    def order(*keywords, patterns=()):
        fused = fuse_turns([turn, empty], judge_of(*keywords, patterns=patterns))
        assert [texts[place.path] for place in fused.results] == list(fused.texts)
        return "".join(place.path for place in fused.results)

    assert order("cookie") == "abcdefghijklmn"
    assert order("smtp") == "abcdefghimjkln"
    assert order("cookie", "smtp") == "abcdefghjmikln"
    assert order("cookie", "smtp", patterns=("expect(",)) == "abcdefgjmnhikl"
    assert order("nowhere") == "abcdefghijklmn"


@pytest.mark.requirement("N002-OUT-02")
def test_the_improvement_is_the_gain_of_the_best_turn_over_the_first(small):
    expected = Expectation(keywords=("smtp", "deliver"), given=True, confidence=2.0)
    done = go(small, "login password", expected=expected)
    scores = [turn.evaluation.score for turn in done.iterations]
    best = max([*scores, done.evaluation.score])
    assert best > scores[0]
    assert done.improvement == pytest.approx((best - scores[0]) / max(scores[0], 0.01), abs=1e-3)


def test_another_refinement_can_be_run_through_the_same_loop(small):
    access = small.access()
    plan = make_plan("login", Expectation(confidence=2.0), access)
    steps = iter([Step("mail"), None])
    done = run_plan(plan, access, CONFIG, refine=lambda view: next(steps, None))
    assert [turn.step.text for turn in done.iterations][:1] == ["login"]


@pytest.mark.requirement("002-PLAN-06")
def test_a_plan_that_has_all_that_was_expected_succeeds_however_unsure_it_is(small):
    expected = Expectation(keywords=("smtp",), given=True, min_matches=1, confidence=0.97)
    done = go(small, "smtp", expected=expected, mode=EvaluationMode.FUZZY)
    assert (done.status, done.stopped) == (PlanStatus.SUCCESS, "met")
    assert done.confidence < 0.97 <= done.evaluation.score
    assert done.evaluation.least >= 0.98
    lacking = go(small, "smtp", expected=replace(expected, min_matches=5), mode=EvaluationMode.FUZZY)
    assert (lacking.status, lacking.evaluation.least) == (PlanStatus.PARTIAL, 0.2)


@pytest.mark.requirement("N002-REFINE-02")
def test_no_turn_only_reorders_the_words_of_another(small):
    done = go(small, queries=("password login", "the login of a password", "mail smtp"))
    assert [turn.step.text for turn in done.iterations][:2] == ["login password", "mail smtp"]
    meanings = [turn.step.meaning for turn in done.iterations]
    assert len(set(meanings)) == len(meanings)


@pytest.mark.requirement("002-STRAT-04")
def test_rules_take_part_from_the_second_turn_on(small):
    rules = ("only in docs/", "also search for cookies", "in app/")
    strategy = RefinementStrategy(rules=rules)
    paired = go(small, queries=("mail smtp", "session expires"), strategy=strategy, max_iterations=4)
    also = [turn.step.also for turn in paired.iterations]
    assert [(one.text, one.path) if one else None for one in also] == [
        None,
        ("mail smtp", "docs/"),
        ("session expires cookies", ""),
        None,
    ]
    assert (paired.iterations[3].step.tactic, paired.iterations[3].step.path) == (Tactic.RULE, "app/")
    alone = go(small, strategy=strategy, max_iterations=4)
    assert [turn.step.tactic for turn in alone.iterations][1:] == [Tactic.RULE] * 3
