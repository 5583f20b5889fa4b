"""How likely the first result of a plan is a right one; a number that means what it says.

The search has its own opinion of its first hit. A plan knows more: whether other ways of asking led to the same
file, and how much of what was expected stands in it. The three are weighed by a logistic curve, one for expectations
that somebody gave and one for those read from the goal; ``benchmarks/plans`` fits them and draws how well they hold.
Expectations that nearly everything meets tell nothing: the less they tell, the more the second curve counts.
"""

from math import exp

from msgspec import Struct

from shirube.settings import PlanConfidence


class Signs(Struct, frozen=True):
    """What the first of all results shows."""

    search: float
    """How sure the search was, at best, of an answer that began with this file."""
    agreement: float
    """The share of the turns that began with this file."""
    first: float
    """The share of the expected words that stand in it, rare ones counting more."""


def likelihood(signs: Signs, weights: PlanConfidence) -> float:
    """Return from 0 to 1 how likely the first result is right."""
    total = (
        weights.bias + weights.search * signs.search + weights.agreement * signs.agreement + weights.first * signs.first
    )
    return round(1 / (1 + exp(-total)), 3)


def tempered(likely: float, otherwise: float, search: float, telling: float) -> float:
    """Return what expectations make likely as far as they tell anything, and else no more than could be said without.

    ``otherwise`` is what is likely by the words of the goal alone, ``search`` what the search itself believes.
    """
    return round(telling * likely + (1 - telling) * min(likely, otherwise, search), 3)
