"""Fits shapes: for each signal a rising line through a few knots, for each role a factor.

The loss is that of a softmax over the files of a question: each right file against all wrong ones. Every kind of
question has its own weight, shared evenly by its repositories, so that the kind with most questions does not decide.
All steps are deterministic, so the same cases give the same table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from training.ranking.cases import AT, Case, Numbers

SHARES = {
    "question": 2.5,
    "question ja": 1.2,
    "commit": 1.5,
    "commit ja": 1.6,
    "message": 0.5,
    "message filled": 0.3,
    "place": 0.5,
    "place ja": 0.15,
}
"""How much each kind of question counts for the order of files."""
PLACE_SHARES = {"commit": 0.5, "commit ja": 0.1, "message": 1.0, "message filled": 0.6, "place": 1.0, "place ja": 0.3}
TEXT = 3.0
"""About the points that the best text gets in the fit; what a question names outright is counted beside it."""
STEPS, RATE, RIDGE = 120, 0.05, 2e-3
MOST_FILES = 60
"""Files of a question that take part: those with the highest sums of measures."""


def basis(measures: Numbers) -> Numbers:
    """Return, for each signal and span between two knots, how far the measure reaches into the span (0 to 1)."""
    low, high = np.array(AT[:-1]), np.array(AT[1:])
    reach = np.clip((measures[:, :, None] - low) / (high - low), 0, 1)
    return np.asarray(reach.reshape(len(measures), -1), dtype=np.float32)


def kind_weights(cases: Sequence[Case], shares: Mapping[str, float]) -> Numbers:
    """Return the weight of each case: its kind's share, divided evenly among repositories, then among questions."""
    groups: dict[tuple[str, str], int] = {}
    for case in cases:
        key = case.asked.kind, case.asked.repository
        groups[key] = groups.get(key, 0) + 1
    repositories: dict[str, int] = {}
    for kind, _ in groups:
        repositories[kind] = repositories.get(kind, 0) + 1
    return np.array(
        [
            shares.get(c.asked.kind, 0.0) / repositories[c.asked.kind] / groups[c.asked.kind, c.asked.repository]
            for c in cases
        ]
    )


@dataclass
class Fitted:
    """Shapes as increments between knots, and the logarithm of each role's factor."""

    shapes: Numbers
    roles: dict[str, float]

    def scores(self, case: Case) -> Numbers:
        """Return the score of each file of a case."""
        factor = np.exp([sum(self.roles.get(name, 0.0) for name in names) for names in case.roles])
        return np.asarray((basis(case.files) @ self.shapes + TEXT * case.named) * case.factors * factor)


class Descent:
    """Adam with steps that shrink towards the end."""

    def __init__(self, steps: int) -> None:
        self._steps, self._step = steps, 0
        self._mean: dict[str, Numbers] = {}
        self._square: dict[str, Numbers] = {}

    def next(self) -> None:
        """Begin the next step."""
        self._step += 1

    def move(self, name: str, values: Numbers, slope: Numbers) -> Numbers:
        """Return the values after one step down the slope."""
        done = self._step / self._steps
        rate = RATE * (1.0 if done < 0.6 else 0.3 if done < 0.85 else 0.1)
        mean = self._mean[name] = 0.9 * self._mean.get(name, np.zeros_like(values)) + 0.1 * slope
        square = self._square[name] = 0.99 * self._square.get(name, np.zeros_like(values)) + 0.01 * slope**2
        size = np.sqrt(square / (1 - 0.99**self._step)) + 1e-8
        return np.asarray(values - rate * mean / (1 - 0.9**self._step) / size)


def fit_files(cases: Sequence[Case]) -> Fitted:
    """Return the shapes and factors that put right files first."""
    kept = [_likely(case) for case in cases]
    rows = np.concatenate([basis(case.files[keep]) for case, keep in zip(cases, kept, strict=True)])
    right = np.concatenate([case.right[keep] for case, keep in zip(cases, kept, strict=True)])
    named = TEXT * np.concatenate([case.named[keep] for case, keep in zip(cases, kept, strict=True)])
    plain = np.concatenate([case.factors[keep] for case, keep in zip(cases, kept, strict=True)])
    names = sorted({name for case in cases for some in case.roles for name in some if name != "implementation"})
    flags = np.array(
        [[name in case.roles[at] for name in names] for case, keep in zip(cases, kept, strict=True) for at in keep],
        dtype=np.float32,
    )
    case_of = np.repeat(np.arange(len(cases)), [len(keep) for keep in kept])
    starts = np.flatnonzero(np.r_[True, case_of[1:] != case_of[:-1]])
    found = np.bincount(case_of, weights=right, minlength=len(cases))
    weights = np.where(found > 0, kind_weights(cases, SHARES), 0.0)
    share = np.where(right, (weights / weights.sum() / np.maximum(found, 1))[case_of], 0.0)
    segment = np.searchsorted(case_of[starts], case_of)
    shapes, roles, descent = np.full(rows.shape[1], 0.05), np.zeros(len(names)), Descent(STEPS)
    for _ in range(STEPS):
        descent.next()
        base, factor = rows @ shapes.astype(np.float32) + named, plain * np.exp(flags @ roles)
        score = base * factor
        high = np.exp(score - np.maximum.reduceat(score, starts)[segment])
        wrong = np.add.reduceat(np.where(right, 0, high), starts)[segment]
        whole = high + wrong + 1e-12
        pull = np.add.reduceat(np.where(right, share / whole, 0), starts)[segment]
        slope = np.where(right, -share * (1 - high / whole), high * pull)
        shapes = descent.move("shapes", shapes, rows.T @ (slope * factor).astype(np.float32) + RIDGE * shapes)
        roles = descent.move("roles", roles, flags.T @ (slope * score) + RIDGE * roles)
        shapes = np.maximum(shapes, 0.0)
    return Fitted(shapes, dict(zip(names, roles.tolist(), strict=True)))


def _likely(case: Case) -> Numbers:
    order = np.argsort(-case.files.sum(axis=1) * case.factors, kind="stable")[:MOST_FILES]
    return np.sort(order)


def fit_places(cases: Sequence[Case]) -> Numbers:
    """Return the shapes that put the right place of a right file first."""
    rows, hits, weights, groups = [], [], [], 0
    group_of: list[Numbers] = []
    for case, weight in zip(cases, kind_weights(cases, PLACE_SHARES), strict=True):
        for owner in np.unique(case.owners[case.hit]):
            mine = case.owners == owner
            rows.append(basis(case.places[mine]))
            hits.append(case.hit[mine])
            group_of.append(np.full(int(mine.sum()), groups))
            weights.append(weight)
            groups += 1
    table, hit, group = np.concatenate(rows), np.concatenate(hits), np.concatenate(group_of)
    share = (np.array(weights) / sum(weights))[group]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    shapes, descent = np.full(table.shape[1], 0.05), Descent(STEPS)
    for _ in range(STEPS):
        descent.next()
        score = table @ shapes.astype(np.float32)
        high = np.exp(score - np.maximum.reduceat(score, starts)[group])
        whole = np.add.reduceat(high, starts)[group]
        good = np.add.reduceat(np.where(hit, high, 0), starts)[group]
        slope = share * (high / whole - np.where(hit, high / good, 0))
        shapes = np.maximum(descent.move("shapes", shapes, table.T @ slope.astype(np.float32) + RIDGE * shapes), 0.0)
    return shapes


def fold(repository: str, folds: int) -> int:
    """Return the fold of a repository: the same for the same name in any set."""
    return crc32(repository.lower().encode()) % folds
