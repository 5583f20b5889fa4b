"""Fitting a logistic curve, and seeing whether it says the truth where it was not fitted."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import exp
from typing import Any

from benchmarks.similarity.pairs import Pair

ROUNDS = 60
EDGES = (0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Where the bins end; the thresholds of the seeds are among them."""


def fit(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return slope and bias; every group counts alike, and true pairs as much as the others."""
    import numpy as np

    steps = np.array([[pair.steps, 1.0] for pair in pairs])
    true = np.array([pair.true for pair in pairs], dtype=float)
    weight = weights(pairs)
    found = np.zeros(2)
    for _ in range(ROUNDS):
        said = 1 / (1 + np.exp(-steps @ found))
        slope = steps.T @ (weight * (said - true)) + 1e-6 * found
        bend = (steps * (weight * said * (1 - said))[:, None]).T @ steps + 1e-6 * np.eye(2)
        found -= np.linalg.solve(bend, slope)
    return float(found[0]), float(found[1])


def weights(pairs: Sequence[Pair]) -> Any:
    """Return what each pair counts: half of each group's weight goes to its true pairs."""
    import numpy as np

    cells = [(pair.group, pair.true) for pair in pairs]
    counts = {cell: cells.count(cell) for cell in set(cells)}
    return np.array([1 / counts[cell] / len(counts) for cell in cells])


def held_out(pairs: Sequence[Pair]) -> list[float]:
    """Return what the curve says of each pair when it is fitted without the pair's project."""
    curves = {name: fit([pair for pair in pairs if pair.repository != name]) for name in {p.repository for p in pairs}}
    return [1 / (1 + exp(-(curves[p.repository][0] * p.steps + curves[p.repository][1]))) for p in pairs]


def reliability(pairs: Sequence[Pair], said: Iterable[float]) -> list[dict[str, float]]:
    """Return for each bin what was said, what was true, and its share."""
    import numpy as np

    values, true, weight = np.array(list(said)), np.array([pair.true for pair in pairs]), weights(pairs)
    rows = []
    for low, high in pairwise(EDGES):
        inside = (values >= low) & ((values < high) | (high == 1.0))
        if inside.any():
            share = float(weight[inside].sum())
            mean = float((weight * values)[inside].sum() / share)
            rows.append(
                {
                    "low": low,
                    "high": high,
                    "said": mean,
                    "true": float((weight * true)[inside].sum() / share),
                    "share": share,
                }
            )
    return rows
