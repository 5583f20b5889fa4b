"""How likely the first place of an answer is right: measures of it, each with a fitted shape, through a logistic curve.

The shapes are in ``ranking.toml``; ``python -m training.ranking`` fits them on questions that are answered here and on
questions that belong to other projects.
"""

from collections.abc import Sequence
from math import exp

from msgspec import Struct

from shirube.engine.search.rank import FileScores, Ranked
from shirube.engine.search.shapes import Shapes

FEW_WORDS, MANY_WORDS = 2, 8


class HitSigns(Struct, frozen=True):
    """Measures of the first place and of the question, each from 0 to 1."""

    coverage: float = 0.0
    """The part of the question that is in the file of the first place; rare words count more."""
    together: float = 0.0
    """The part of the question that is in the first place itself."""
    lead: float = 0.0
    """How far its file is above the second."""
    place_lead: float = 0.0
    """How far the place is above the second of its file."""
    verbatim: float = 0.0
    """The part of the question that stands there in order."""
    defined: float = 0.0
    """How surely its file defines a name asked for, or has a quoted phrase."""
    cosine: float = 0.0
    """How near the place is by sense."""
    path: float = 0.0
    """How well its path matches."""
    short: float = 0.0
    """1 for a question of one or two words, 0 for one of eight or more."""


def signs_of(ranking: FileScores, ranked: Sequence[Ranked]) -> HitSigns:
    """Measure the first place of an answer."""
    evidence, first = ranking.evidence, ranked[0]
    number, places = first.number, first.numbers
    place = evidence.places[places[0]]
    points = ranking.place_points
    second = ranked[1].score if len(ranked) > 1 else 0.0
    run = evidence.runs.get(places[0])
    words = evidence.question.words
    return HitSigns(
        coverage=float(ranking.measures["coverage"][number]) if "coverage" in ranking.measures else 0.0,
        together=float(evidence.shares[places[0]]),
        lead=1 - second / first.score,
        place_lead=min(1.0, float(points[places[0]] - points[places[1]]) / 3) if len(places) > 1 else 1.0,
        verbatim=run.share if run else 0.0,
        defined=_defined(ranking, number),
        cosine=max(0.0, place.cosine or 0.0),
        path=min(1.0, float(evidence.in_path[number])),
        short=min(1.0, max(0.0, (MANY_WORDS - words) / (MANY_WORDS - FEW_WORDS))),
    )


def _defined(ranking: FileScores, number: int) -> float:
    named = float(ranking.measures["definition"][number]) if "definition" in ranking.measures else 0.0
    return max(float(any(reason.name != "place" for reason in ranking.lifts[number])), named)


def likelihood(signs: HitSigns, table: Shapes) -> float:
    """Return how likely the first place is right, from 0 to 1."""
    import numpy as np

    total = table.bias + sum(
        float(np.interp(getattr(signs, name), table.at, shape)) for name, shape in table.confidence.items()
    )
    return round(1 / (1 + exp(-total)), 3)
