"""What the confidence of an answer means: fitted on labelled questions, and drawn against what came true.

Every question is asked where it belongs and, once in four, in a repository where nothing answers it.
"""

from dataclasses import dataclass
from typing import Any

from benchmarks.quality.data import Labelled, Repository
from benchmarks.quality.metric import same_file
from benchmarks.quality.ours import Ours

STRANGERS = 4
"""One question in so many is asked where it does not belong."""
BINS = 10
RIDGE = 1.0


@dataclass(frozen=True, slots=True)
class Case:
    """What the first hit showed, whether it was right, and how sure we were."""

    signs: tuple[float, float, float]
    right: bool
    confidence: float
    stranger: bool


def cases(ours: Ours, repositories: list[Repository], mode: str = "auto") -> list[Case]:
    """Ask every question at home, and some of them elsewhere."""
    found = []
    for place, home in enumerate(repositories):
        away = repositories[(place + 1) % len(repositories)]
        for one in home.questions:
            found.append(_case(ours, one, mode, stranger=False))
            if one.number % STRANGERS == 0:
                lost = Labelled(away.name, one.number, one.text, one.category, ())
                found.append(_case(ours, lost, mode, stranger=True))
    return found


def _case(ours: Ours, question: Labelled, mode: str, stranger: bool) -> Case:
    answer = ours.found(question, mode=mode)
    if answer.signs is None:
        return Case((0.0, 0.0, 0.0), False, 0.0, stranger)
    right = any(same_file(answer.hits[0].path, target) for target in question.targets)
    seen = answer.signs
    return Case((seen.coverage, seen.lead, seen.defined), right, answer.confidence, stranger)


def fit(known: list[Case], rounds: int = 50) -> dict[str, float]:
    """Return the weights of the logistic curve, by Newton's method with a little ridge."""
    import numpy as np

    rows = np.array([(1.0, *case.signs) for case in known])
    right = np.array([case.right for case in known], dtype=float)
    weights = np.zeros(rows.shape[1])
    for _ in range(rounds):
        sure = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (right - sure) - RIDGE * weights
        bend = (rows * (sure * (1 - sure))[:, None]).T @ rows + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return dict(zip(("bias", "coverage", "lead", "defined"), (round(float(w), 2) for w in weights), strict=True))


def bins(known: list[Case]) -> list[dict[str, float]]:
    """Return, for each tenth of confidence, how many answers there were and how many were right."""
    table = []
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        inside = [case for case in known if low <= case.confidence < high or (high == 1 and case.confidence == 1)]
        if inside:
            said = sum(case.confidence for case in inside) / len(inside)
            true = sum(case.right for case in inside) / len(inside)
            table.append({"said": round(said, 3), "true": round(true, 3), "answers": len(inside)})
    return table


def summary(known: list[Case], threshold: float) -> dict[str, Any]:
    """Return the mean gap between said and true, and what "found" and "partial" came to."""
    table = bins(known)
    gap = sum(abs(row["said"] - row["true"]) * row["answers"] for row in table) / max(1, len(known))
    found = [case for case in known if case.confidence >= threshold]
    partial = [case for case in known if case.confidence < threshold]
    strangers = [case for case in known if case.stranger]
    return {
        "answers": len(known),
        "mean gap": round(gap, 3),
        "right when found": round(sum(case.right for case in found) / max(1, len(found)), 3),
        "right when partial": round(sum(case.right for case in partial) / max(1, len(partial)), 3),
        "share found": round(len(found) / max(1, len(known)), 3),
        "found where nothing is": round(
            sum(case.confidence >= threshold for case in strangers) / max(1, len(strangers)), 3
        ),
        "bins": table,
    }
