"""Fits how likely the first place is right: rising shapes of its signs through a logistic curve."""

from collections.abc import Sequence

import numpy as np

from training.ranking.cases import FirstPlace, Numbers
from training.ranking.fit import Descent, basis

SHARES = {
    "question": 1.0,
    "question ja": 0.5,
    "commit": 1.0,
    "commit ja": 0.4,
    "message": 0.6,
    "message filled": 0.4,
    "place": 0.8,
    "place ja": 0.3,
    "stranger": 0.7,
}
"""How much each kind of question counts; strangers are questions of other projects, to which nothing here is right."""
STEPS, RIDGE = 400, 1e-4


def fit_confidence(answers: Sequence[FirstPlace]) -> tuple[Numbers, float]:
    """Return the shapes of the signs, and the bias."""
    kinds = [answer.asked.kind for answer in answers]
    share = np.array([SHARES[kind] / kinds.count(kind) for kind in kinds])
    share /= share.sum()
    rows, right = basis(np.array([answer.signs for answer in answers])), np.array([answer.right for answer in answers])
    shapes, bias, descent = np.zeros(rows.shape[1]), np.zeros(1), Descent(STEPS)
    for _ in range(STEPS):
        descent.next()
        slope = share * (1 / (1 + np.exp(-(rows @ shapes + bias))) - right)
        shapes = np.maximum(descent.move("shapes", shapes, rows.T @ slope + RIDGE * shapes), 0.0)
        bias = descent.move("bias", bias, np.array([slope.sum()]))
    return shapes, float(bias[0])
