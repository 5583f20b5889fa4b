"""What the confidence of an answer means: what was said, held against what was true, for each kind of question."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean
from typing import Any

from benchmarks.quality.answers import Answer
from benchmarks.quality.sets import GROUPS, Sets, elsewhere

BINS = 10
STRANGERS = 4
"""One question in so many is also asked where it does not belong."""
FIGURES = ("right", "ece", "auroc", "found", "right when found", "found when right")
Case = tuple[float, bool]
"""What was said, and whether the first place was right."""


def reliability(sets: Sets, answers: dict[str, list[Answer]]) -> dict[str, Any]:
    """Return the figures of each group, of all together, and what is said of questions that belong elsewhere."""
    threshold = sets.of_questions.config().confidence.found
    known = {name: [(one.confidence, one.first_place) for one in some] for name, some in answers.items()}
    known["commits, by file"] = [(one.confidence, one.first_file) for one in answers["commits"]]
    strange = {name: sets.ask(elsewhere(sets.group(name), STRANGERS)) for name in GROUPS}
    lost = {name: [(one.confidence, False) for one in some] for name, some in strange.items()}
    nowhere = [case for some in lost.values() for case in some]
    every = [case for name in GROUPS for case in known[name]]
    kinds = {name: summary(some, threshold) for name, some in known.items() if some}
    parts = [kinds[name] for name in GROUPS if name in kinds]
    return {
        "found from": threshold,
        "kinds": kinds,
        "mean of the kinds": {key: mean(part[key] for part in parts) for key in FIGURES},
        "all": summary(every, threshold),
        "all, and elsewhere": summary(every + nowhere, threshold),
        "strangers": {name: found_share(some, threshold) for name, some in {**lost, "all": nowhere}.items()},
    }


def summary(known: Sequence[Case], threshold: float) -> dict[str, Any]:
    """Return how far said and true are apart, whether sure answers are right ones, and what "found" comes to."""
    table = bins(known)
    found = [right for said, right in known if said >= threshold]
    right_ones = [said for said, right in known if right]
    return {
        "answers": len(known),
        "right": sum(right for _, right in known) / max(1, len(known)),
        "ece": sum(abs(row["said"] - row["true"]) * row["answers"] for row in table) / max(1, len(known)),
        "auroc": auroc(known),
        "found": len(found) / max(1, len(known)),
        "right when found": sum(found) / max(1, len(found)),
        "found when right": sum(said >= threshold for said in right_ones) / max(1, len(right_ones)),
        "bins": table,
    }


def found_share(known: Sequence[Case], threshold: float) -> dict[str, float]:
    """Return in how many of the answers "found" is said."""
    return {"answers": len(known), "found": sum(said >= threshold for said, _ in known) / max(1, len(known))}


def bins(known: Sequence[Case]) -> list[dict[str, float]]:
    """Return what was said and what was true in ten bins of equally many answers, from the least sure to the surest."""
    ordered = sorted(known, key=lambda case: case[0])
    edges = [round(number * len(ordered) / BINS) for number in range(BINS + 1)]
    table = []
    for low, high in pairwise(edges):
        if inside := ordered[low:high]:
            said = sum(confidence for confidence, _ in inside) / len(inside)
            true = sum(right for _, right in inside) / len(inside)
            table.append({"said": round(said, 3), "true": round(true, 3), "answers": len(inside)})
    return table


def auroc(known: Sequence[Case]) -> float:
    """Return how likely a right answer was said to be surer than a wrong one; equal ones count half."""
    import numpy as np

    right = np.sort([said for said, is_right in known if is_right])
    wrong = np.array([said for said, is_right in known if not is_right])
    if not len(right) or not len(wrong):
        return 0.5
    above = len(right) - np.searchsorted(right, wrong, side="right")
    equal = np.searchsorted(right, wrong, side="right") - np.searchsorted(right, wrong, side="left")
    return float((above + equal / 2).sum() / len(right) / len(wrong))
