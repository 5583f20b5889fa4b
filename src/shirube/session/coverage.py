"""How much of what a change touches has been looked at."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shirube.types import Edge

DEPTH = 2
"""Steps along imports, both ways: callers of callers still break, further ones rarely."""
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Coverage:
    """The files around a change by imports, both ways, and how many of them the session has seen."""

    files: int = 0
    explored: int = 0
    unexplored: tuple[str, ...] = ()
    """The nearest that were not looked at."""


def coverage(edges: "Iterable[Edge]", changed: Collection[str], explored: Collection[str]) -> Coverage:
    """Return how much of the neighbourhood of some files was explored; the files themselves are not counted."""
    beside: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind == "path" and edge.source != edge.target:
            beside.setdefault(edge.source, set()).add(edge.target)
            beside.setdefault(edge.target, set()).add(edge.source)
    found: dict[str, None] = dict.fromkeys(sorted(changed))
    edge_of = set(found)
    for _ in range(DEPTH):
        edge_of = {near for path in edge_of for near in beside.get(path, ())} - found.keys()
        found.update(dict.fromkeys(sorted(edge_of)))
    around = [path for path in found if path not in changed]
    unseen = [path for path in around if path not in explored]
    return Coverage(len(around), len(around) - len(unseen), tuple(unseen[:SHOWN]))
