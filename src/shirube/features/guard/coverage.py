"""How much of what a change touches has been looked at."""

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from shirube.types import Edge

DEPTH = 2
"""Steps along imports, both ways: callers of callers still break, further ones rarely."""
SHOWN = 10


class Coverage(Struct, frozen=True):
    """The files around a change by imports, both ways, and how many of them the session has seen."""

    files: int = 0
    explored: int = 0
    unexplored: tuple[str, ...] = ()
    """The nearest that were not looked at."""


def coverage(
    around: "Callable[[Collection[str]], Iterable[Edge]]", changed: Collection[str], explored: Collection[str]
) -> Coverage:
    """Return how much of the neighbourhood of some files was explored; the files themselves are not counted.

    ``around`` is asked once for each step, for all files of the step.
    """
    found: dict[str, None] = dict.fromkeys(sorted(changed))
    ring = set(found)
    for _ in range(DEPTH):
        ends = {end for edge in around(ring) for end in (edge.source, edge.target)} if ring else set()
        ring = ends - found.keys()
        found.update(dict.fromkeys(sorted(ring)))
    near = [path for path in found if path not in changed]
    unseen = [path for path in near if path not in explored]
    return Coverage(len(near), len(near) - len(unseen), tuple(unseen[:SHOWN]))
