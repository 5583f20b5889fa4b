from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.engine.search.question import read_question
from shirube.engine.search.rank import HitSigns, Ranked, Role, likelihood, signs_of
from shirube.engine.store.port import Candidates
from shirube.engine.text.bm25 import idf
from shirube.settings import ConfidenceWeights
from shirube.types import Reason
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, candidate

WEIGHTS = ConfidenceWeights(bias=-2.0, coverage=3.0, lead=1.0, defined=0.5, unworded=0.3, found=0.5, sure=0.7)
FOUND = Candidates(chunks=100, in_content={"alpha": 1, "beta": 50})


def hit(score: float, path: str = "a.py", why: str = "text:words", symbol: str = "") -> Ranked:
    return Ranked(path, score, (Reason(why, score),), Role.IMPLEMENTATION, (candidate(1, path, symbol=symbol),))


def seen(text: str, *ranked: Ranked, texts: tuple[str, ...] = (), found: Candidates = FOUND) -> HitSigns:
    return signs_of(read_question(text, DEFAULTS), ranked, texts, found)


def test_coverage_is_the_share_of_the_question_that_is_there_and_rare_words_count_more():
    rare, common = idf(100, 1), idf(100, 50)
    assert seen("alpha beta", hit(1.0), texts=("alpha",)).coverage == pytest.approx(rare / (rare + common))
    assert seen("alpha beta", hit(1.0), texts=("beta",)).coverage == pytest.approx(common / (rare + common))
    assert seen("alpha beta", hit(1.0), texts=("alpha", "some beta")).coverage == 1.0
    assert seen("alpha beta", hit(1.0), texts=("gamma",)).coverage == 0.0


def test_what_stands_in_the_path_or_the_symbol_is_there_too():
    assert seen("alpha", hit(1.0, "src/alpha.py")).coverage == 1.0
    assert seen("alpha", hit(1.0, symbol="getAlpha")).coverage == 1.0


def test_any_form_of_a_word_covers_it():
    assert seen("configuration", hit(1.0, "cfg.py")).coverage == 1.0
    assert seen("認証", hit(1.0), texts=("authenticate",)).coverage == 1.0


def test_the_lead_is_the_distance_to_the_second_as_a_share():
    assert seen("x", hit(4.0), hit(3.0), hit(1.0)).lead == pytest.approx(0.25)
    assert seen("x", hit(4.0), hit(4.0)).lead == 0.0
    assert seen("x", hit(4.0)).lead == 1.0


@for_each(
    ("reason", "defined"),
    [("definition:Bank", 1.0), ("phrase:page-agent", 1.0), ("text:words", 0.0), ("path-phrase:page-agent", 0.0)],
)
def test_a_definition_or_a_phrase_is_a_sign(reason: str, defined: float):
    assert seen("x", hit(1.0, why=reason)).defined == defined


def test_a_question_without_a_word_is_not_covered():
    assert seen("!!!", hit(1.0), texts=("alpha",)).coverage == 0.0


def test_the_likelihood_is_a_logistic_curve_computed_by_hand():
    """-2 + 3 × 1 + 1 × 0.5 + 0.5 × 1 = 2."""
    assert likelihood(HitSigns(1.0, 0.5, 1.0), WEIGHTS) == pytest.approx(1 / (1 + exp(-2.0)), abs=1e-3)


share = st.floats(0, 1)


@given(share, share, share, st.floats(0, 0.5))
def test_more_of_any_sign_is_never_less_likely_and_a_likelihood_is_a_share(coverage, lead, defined, more):
    weights = DEFAULTS.confidence
    low = likelihood(HitSigns(coverage, lead, defined), weights)
    assert 0 <= low <= 1
    for higher in (
        HitSigns(coverage + more, lead, defined),
        HitSigns(coverage, lead + more, defined),
        HitSigns(coverage, lead, defined + more),
    ):
        assert likelihood(higher, weights) >= low


def test_a_wild_bias_is_no_obstacle():
    wild = ConfidenceWeights(bias=-100.0, coverage=1.0, lead=1.0, defined=1.0, unworded=0.3, found=0.5, sure=0.7)
    assert likelihood(HitSigns(0.0, 0.0, 0.0), wild) == 0.0


def test_what_has_no_word_of_the_question_is_a_guess_however_far_it_leads():
    sure = ConfidenceWeights(bias=9.0, coverage=0.0, lead=0.0, defined=0.0, unworded=0.3, found=0.5, sure=0.7)
    assert likelihood(HitSigns(0.0, 1.0, 0.0), sure) == 0.3
    assert likelihood(HitSigns(0.1, 1.0, 0.0), sure) == 1.0
