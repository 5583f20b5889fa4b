"""NDCG@10 over files, its mean over repositories, and how far a difference can be believed."""

import random
from collections.abc import Mapping, Sequence
from math import log2
from statistics import fmean

from benchmarks.quality.data import Labelled

K = 10
Scores = Mapping[tuple[str, int], float]
"""(repository, number of the question) → score."""


def ndcg(paths: Sequence[str], question: Labelled) -> float:
    """Score an answer: files in order, each counted once; a target anywhere in the first ten gains."""
    files = list(dict.fromkeys(paths))[:K]
    hits = {place for target in question.targets if (place := _place(files, target)) is not None}
    ideal = sum(1 / log2(place + 2) for place in range(min(K, len(question.targets))))
    return sum(1 / log2(place + 2) for place in hits) / ideal if ideal else 0.0


def _place(files: Sequence[str], target: str) -> int | None:
    return next((place for place, path in enumerate(files) if same_file(path, target)), None)


def same_file(path: str, target: str) -> bool:
    """Tell whether two paths name one file, either of which may begin higher up."""
    return path == target or path.endswith("/" + target) or target.endswith("/" + path)


def overall(scores: Scores) -> float:
    """Return the mean over repositories of each one's mean."""
    by_repository: dict[str, list[float]] = {}
    for (name, _), score in scores.items():
        by_repository.setdefault(name, []).append(score)
    return fmean(map(fmean, by_repository.values())) if by_repository else 0.0


def difference(ours: Scores, theirs: Scores, rounds: int = 2000, seed: int = 0) -> tuple[float, float, float]:
    """Return ours − theirs with its paired bootstrap interval (95 %): repositories, then questions within them."""
    gaps: dict[str, list[float]] = {}
    for key in sorted(ours.keys() & theirs.keys()):
        gaps.setdefault(key[0], []).append(ours[key] - theirs[key])
    names = sorted(gaps)
    chance = random.Random(seed)
    drawn = sorted(
        fmean(fmean(chance.choices(gaps[name], k=len(gaps[name]))) for name in chance.choices(names, k=len(names)))
        for _ in range(rounds)
    )
    return fmean(fmean(gaps[name]) for name in names), drawn[int(0.025 * rounds)], drawn[int(0.975 * rounds)]
