"""How sure the first place is: what is measured of it, and the curve that makes a likelihood of that."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.confidence import HitSigns, likelihood, signs_of
from shirube.engine.search.rank import rank
from shirube.engine.search.shapes import Shapes, shapes
from shirube.engine.search.verbatim import Run
from shirube.types import Mode
from tests.cases import for_each
from tests.engine.search.conftest import IDENTITY, candidate, definition, evidence

CURVE = Shapes(
    at=(0.0, 0.5, 1.0),
    files={},
    places={},
    roles={},
    confidence={"coverage": (0.0, 1.0, 3.0), "lead": (0.0, 1.0, 2.0), "defined": (0.0, 0.25, 0.5)},
    bias=-2.0,
)


def seen(text: str, *items, plain: bool = False, **known: object) -> HitSigns:
    ranking = rank(evidence(text, *items, **known), IDENTITY, plain)
    return signs_of(ranking, ranking.ranked())


FIRST = candidate(1, "a.py", lexical=4.0)
NEXT = candidate(2, "a.py", 9, lexical=1.0)


def test_what_the_file_has_of_the_question_and_what_the_place_has():
    """The first word is three times as rare; each is in a place of its own."""
    known = {"rarity": (3.0, 1.0), "present": {0: (True, False), 1: (False, True)}}
    signs = seen("alpha beta", FIRST, NEXT, **known)
    assert (signs.coverage, signs.together) == (1.0, 0.75)
    assert seen("alpha beta", FIRST).coverage == seen("alpha beta", FIRST).together == 0.0


def test_the_lead_is_the_distance_to_the_second_file_as_a_share():
    second, third = candidate(2, "b.py", lexical=3.0), candidate(3, "c.py", lexical=1.0)
    assert seen("x", FIRST, second, third).lead == pytest.approx(0.25)
    assert seen("x", FIRST, candidate(2, "b.py", lexical=4.0)).lead == 0.0
    assert seen("x", FIRST).lead == 1.0


def test_the_lead_of_a_place_is_in_thirds_of_points_up_to_three():
    """The best place has 1 + 1 by words and the second 0.25 + 0.25: 1.5 points less, of 3."""
    assert seen("x", FIRST, NEXT).place_lead == pytest.approx(1.5 / 3)
    assert seen("x", FIRST).place_lead == 1.0
    assert seen("x", FIRST, FIRST._replace(key=9, start_line=9, end_line=10)).place_lead == 0.0


def test_the_run_the_cosine_and_the_path_are_those_of_the_first_place():
    known = {"runs": {0: Run(0.6, 0, ("alpha", "beta")), 1: Run(0.2, 0, ("alpha", "beta"))}, "in_path": np.array([0.4])}
    signs = seen("alpha beta", FIRST._replace(cosine=0.3), NEXT._replace(cosine=0.2), mode=Mode.HYBRID, **known)
    assert (signs.verbatim, signs.cosine, signs.path) == (0.6, 0.3, 0.4)
    far = seen("alpha beta", FIRST._replace(cosine=-0.3), in_path=np.array([7.0]))
    assert (far.verbatim, far.cosine, far.path) == (0.0, 0.0, 1.0)


def test_a_definition_and_a_quoted_phrase_are_signs_and_a_compound_is_none():
    a_class = {"a.py": (definition("BankAccount", path="a.py"),)}
    assert seen("where is BankAccount", FIRST, definitions=a_class).defined == 1.0
    assert seen("BankAccount", FIRST, definitions=a_class).defined == 1.0
    a_function = {"a.py": (definition("bankAccount", "function", path="a.py"),)}
    assert seen("where is bankAccount", FIRST, definitions=a_function).defined == 1.0
    assert seen('"bank account"', FIRST, phrases={"bank account": {"a.py": 1.0}}).defined == 1.0
    assert seen("bank-account", FIRST, phrases={"bank-account": {"a.py": 1.0}}).defined == 0.0
    assert seen("bank", FIRST).defined == 0.0


@for_each(("words", "short"), [(1, 1.0), (2, 1.0), (5, 0.5), (8, 0.0), (20, 0.0)])
def test_a_short_question_is_told_from_a_long_one(words: int, short: float):
    assert seen(" ".join(f"word{letter}" for letter in "bcdfghjklmnpqrtvwxyz"[:words]), FIRST).short == short


def test_without_boosts_the_signs_that_were_not_measured_are_nothing():
    known = {"definitions": {"a.py": (definition("bank", path="a.py"),)}, "present": {0: (True,)}}
    signs = seen("bank", FIRST, plain=True, **known)
    assert (signs.coverage, signs.defined, signs.lead) == (0.0, 0.0, 1.0)


def test_the_likelihood_is_a_logistic_curve_computed_by_hand():
    """-2 + 3 + 1 + 0.5 = 2.5, and half a coverage less is 2 points less."""
    assert likelihood(HitSigns(coverage=1.0, lead=0.5, defined=1.0), CURVE) == pytest.approx(
        1 / (1 + exp(-2.5)), abs=1e-3
    )
    assert likelihood(HitSigns(coverage=0.5, lead=0.5, defined=1.0), CURVE) == pytest.approx(
        1 / (1 + exp(-0.5)), abs=1e-3
    )
    assert likelihood(HitSigns(), CURVE) == pytest.approx(1 / (1 + exp(2.0)), abs=1e-3)


@for_each(("bias", "likely"), [(-100.0, 0.0), (100.0, 1.0)])
def test_a_wild_bias_is_no_obstacle(bias: float, likely: float):
    assert likelihood(HitSigns(), replace(CURVE, bias=bias)) == likely


@given(
    st.tuples(*(st.floats(0, 1) for _ in HitSigns.__struct_fields__)),
    st.sampled_from(HitSigns.__struct_fields__),
    st.floats(0, 1),
)
def test_more_of_any_sign_is_never_less_likely_and_a_likelihood_is_a_share(measures, name, more):
    signs = HitSigns(*measures)
    low = likelihood(signs, shapes())
    assert 0 <= low <= 1
    assert likelihood(replace(signs, **{name: min(1.0, getattr(signs, name) + more)}), shapes()) >= low


def test_a_place_with_no_sign_is_a_guess_and_one_with_all_is_sure():
    assert likelihood(HitSigns(), shapes()) < 0.1
    assert likelihood(HitSigns(*[1.0] * len(HitSigns.__struct_fields__)), shapes()) > 0.9
