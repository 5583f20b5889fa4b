"""How likely the first place of an answer is right."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.engine.search.rank import Ranked, Ranking
from shirube.engine.store.port import Candidates


class HitSigns(Struct, frozen=True):
    """Measurements of the first place, from which its confidence is computed; each is from 0 to 1."""

    coverage: float
    """The share of the question's words that its file contains; rare words count more."""
    lead: float = 0.0


def signs_of(ranking: Ranking, ranked: Sequence[Ranked], candidates: Candidates) -> HitSigns:
    return HitSigns(0.0)


def likelihood(signs: HitSigns) -> float:
    return 0.5
