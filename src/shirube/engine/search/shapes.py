"""The fitted table: how many points each measure of a signal is worth, and what a role multiplies them by.

``python -m training.ranking`` writes ``ranking.toml``. A shape is a line through a few knots: ``at`` are the measures,
the list beside a signal's name its points there.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, convert

from shirube.codec import packaged

if TYPE_CHECKING:
    from shirube.engine.search.evidence import Numbers


class Shapes(Struct, frozen=True):
    """The table, as ``ranking.toml`` has it."""

    at: tuple[float, ...]
    files: Mapping[str, tuple[float, ...]]
    """Signal of a file → its points at each knot."""
    places: Mapping[str, tuple[float, ...]]
    """Signal of a place → its points at each knot."""
    roles: Mapping[str, float]
    """Role → what it multiplies the factor of the boost profile by."""
    confidence: Mapping[str, tuple[float, ...]]
    """Sign of the first place → what it adds to the logarithm of the odds that the place is right."""
    further: float = 1.0
    """How many points a further place of a file loses for each point that it has less than the best place."""
    bias: float = 0.0
    """The logarithm of the odds without any sign."""

    def points(self, shape: tuple[float, ...] | None, measures: "Numbers") -> "Numbers":
        """Return the points of measures; a signal without a shape is worth its measure."""
        import numpy as np

        return measures if shape is None else np.interp(measures, self.at, shape)


@cache
def shapes() -> Shapes:
    """Return the shipped table."""
    return convert(packaged(__package__, "ranking.toml"), Shapes)
