"""How likely the first hit is a right one: a number that means what it says, measured on labelled questions.

Ranking scores only compare files within one answer. What tells a good answer from the best of a bad lot is how much
of the question stands in the first file (rare words count more), how clearly it leads, and whether it defines the
name that was asked for. The three are weighed by a logistic curve whose weights are in ``defaults.toml``;
``benchmarks/quality`` fits them and draws how well they hold.
"""

from collections.abc import Iterable, Sequence
from math import exp

from msgspec import Struct

from shirube.engine.search.question import Question
from shirube.engine.search.rank import Ranked
from shirube.engine.store import Candidates
from shirube.engine.text import index_terms
from shirube.engine.text.bm25 import idf
from shirube.settings import ConfidenceWeights


class Signs(Struct, frozen=True):
    """What the first hit shows."""

    coverage: float
    """The share of the question that stands in it, rare words counting more."""
    lead: float
    """How far its score is above the second's, as a share of its own."""
    defined: float
    """1 when it defines the name that was asked for."""


def signs(question: Question, ranked: Sequence[Ranked], texts: Iterable[str], found: Candidates) -> Signs:
    """Look at the first hit; ``texts`` are its chunks."""
    first = ranked[0]
    there = set(index_terms(f"{first.path} {' '.join(chunk.symbol for chunk in first.chunks)}"))
    for text in texts:
        there.update(index_terms(text))
    whole = part = 0.0
    for concept in question.concepts:
        rarity = idf(max(1, found.chunks), min(found.chunks, max(found.in_content.get(term, 0) for term in concept)))
        whole += rarity
        part += rarity * any(term in there for term in concept)
    second = ranked[1].score if len(ranked) > 1 else 0.0
    named = any(reason.name.startswith(("definition:", "phrase:")) and reason.points > 0 for reason in first.why)
    return Signs(part / whole if whole else 0.0, 1 - second / first.score, float(named))


def likelihood(seen: Signs, weights: ConfidenceWeights) -> float:
    """Return from 0 to 1 how likely the first hit is right."""
    total = weights.bias + weights.coverage * seen.coverage + weights.lead * seen.lead + weights.defined * seen.defined
    most = 1.0 if seen.coverage > 0 else weights.unworded
    return round(min(most, 1 / (1 + exp(-total))), 3)
