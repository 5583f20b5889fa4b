from math import exp

import pytest

from shirube.plan.confidence import Signs, likelihood
from shirube.settings import PlanConfidence


def test_the_likelihood_is_a_logistic_curve_computed_by_hand():
    weights = PlanConfidence(bias=-2.0, search=3.0, agreement=1.0, first=0.5)
    assert likelihood(Signs(1.0, 0.5, 1.0), weights) == pytest.approx(1 / (1 + exp(-2.0)), abs=1e-3)
    assert likelihood(Signs(0.0, 0.0, 0.0), weights) == pytest.approx(1 / (1 + exp(2.0)), abs=1e-3)
