import pytest

from shirube.features.plan.evaluate import WEIGHTS, Judge, keywords_of, weighted
from shirube.features.plan.record import EvaluationMode, Expectation, Metrics, PlanResult, StepResults


def judge(keywords=(), patterns=(), mode=EvaluationMode.FUZZY, min_matches=2):
    expected = Expectation(tuple(keywords), tuple(patterns), min_matches, given=True)
    words = keywords_of(keywords, lambda terms: (4, dict.fromkeys(terms, 1)))
    return Judge(expected, words, lambda pattern: lambda text: pattern in text, mode)


def found(*texts, similar=None):
    results = tuple(PlanResult(f"f{n}.py", 1, 1, similarity=similar) for n, _ in enumerate(texts))
    return StepResults(results, texts)


@pytest.mark.requirement("002-EVAL-01", "002-EVAL-02")
def test_the_six_measures_by_hand():
    seen = judge(["login", "cookie"], ["def "]).evaluate(found("def login", "login page", "nothing"))
    metrics = seen.metrics
    assert metrics.keyword_match == 0.5
    assert metrics.pattern_match == 1.0
    assert metrics.coverage == 1.0  # two of three are about it, two were wanted
    assert metrics.precision == pytest.approx(2 / 3, abs=1e-4)
    assert metrics.recall == pytest.approx(2 / 3, abs=1e-4)
    assert (seen.matched, seen.unmatched) == (("login", "def "), ("cookie",))


@pytest.mark.requirement("N002-METRIC-01", "N002-METRIC-02", "002-EVAL-05")
def test_a_measure_that_cannot_be_taken_leaves_its_weight_to_the_others():
    whole = judge(["login"]).evaluate(found("login", "login"))
    assert whole.score == 1.0  # upstream gave a pattern match of 1 for free, and never more than 0.75 without a model
    assert weighted(Metrics(1, 0, 0, 1, 1, 1), WEIGHTS, frozenset({"pattern_match", "semantic_similarity"})) == 1.0
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


@pytest.mark.requirement("N002-METRIC-03")
def test_a_keyword_has_to_stand_somewhere_not_everywhere():
    assert judge(["login", "cookie"]).evaluate(found("login", "cookie")).metrics.keyword_match == 1.0


@pytest.mark.requirement("002-MODE-03")
def test_similarity_counts_in_semantic_mode_alone():
    near = found("login", similar=0.1)
    assert judge(["login"], mode=EvaluationMode.SEMANTIC, min_matches=1).evaluate(near).score < 0.8
    assert judge(["login"], mode=EvaluationMode.FUZZY, min_matches=1).evaluate(near).score == 1.0


@pytest.mark.requirement("002-EVAL-03", "002-EVAL-04")
def test_feedback_names_what_is_missing_and_suggestions_say_what_to_do():
    seen = judge(["login", "cookie", "zebra"], min_matches=3).evaluate(found("login", "x", "y", "z"))
    assert "1 of 3 expected words" in seen.feedback
    assert "cookie, zebra" in seen.feedback
    assert any("ask for what is missing: cookie zebra" in one for one in seen.suggestions)


def test_nothing_found_is_told_as_such():
    seen = judge(["login"]).evaluate(StepResults())
    assert seen.score == 0.0
    assert seen.feedback.startswith("Nothing was found")
    assert "more widely" in " ".join(seen.suggestions)
