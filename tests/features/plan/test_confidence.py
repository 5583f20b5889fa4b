from math import exp

import pytest
from hypothesis import given
from hypothesis.strategies import floats

from shirube.features.plan.evaluate import PlanSigns, likelihood, tempered
from shirube.settings import PlanConfidence


def test_the_likelihood_is_a_logistic_curve_computed_by_hand():
    weights = PlanConfidence(bias=-2.0, search=3.0, agreement=1.0, first=0.5)
    assert likelihood(PlanSigns(1.0, 0.5, 1.0), weights) == pytest.approx(1 / (1 + exp(-2.0)), abs=1e-3)
    assert likelihood(PlanSigns(0.0, 0.0, 0.0), weights) == pytest.approx(1 / (1 + exp(2.0)), abs=1e-3)


@given(*([floats(0, 1)] * 4))
def test_expectations_that_tell_nothing_make_nothing_surer(
    likely: float, otherwise: float, search: float, telling: float
):
    assert tempered(likely, otherwise, search, 1.0) == pytest.approx(likely, abs=1e-3)
    assert tempered(likely, otherwise, search, 0.0) <= search + 1e-3
    assert tempered(likely, otherwise, search, telling) <= likely + 1e-3
