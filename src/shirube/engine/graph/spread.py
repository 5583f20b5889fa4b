"""What speaks for a file also speaks, a little, for what it uses and for who uses it.

Each seed shares its weight among its neighbours, both ways, and they pass on a part of it: one step, two steps, then no
more. A hub is a neighbour of everything, so a share shrinks with the root of how many there are, and the users of
what hundreds use are left alone.
"""

from collections.abc import Mapping
from math import sqrt

from msgspec import Struct

from shirube.engine.graph.closure import FILE, Direction
from shirube.engine.store import Store
from shirube.types import Edge

MOST_FRONT = 24
"""How many files are passed through at a step; the weightiest go on."""
MOST_USERS = 200
"""What more files use than this says nothing of any of them."""


class Reach(Struct, frozen=True):
    """How much of the seeds' weight came to a file, and the way most of it came."""

    share: float
    source: str
    direction: Direction
    depth: int
    line: int
    """Where the import stands, in ``source`` when it is outbound, else in the file itself."""


def spread(store: Store, seeds: Mapping[str, float], depth: int = 2, decay: float = 0.5) -> dict[str, Reach]:
    """Return the files reached from the seeds, without the seeds."""
    found: dict[str, Reach] = {}
    front = dict(seeds)
    for step in range(1, depth + 1):
        heaviest = sorted(front, key=lambda path: (-front[path], path))[:MOST_FRONT]
        arrived: dict[str, Reach] = {}
        outbound = store.edges(*heaviest) if heaviest else ()
        inbound = store.edges_to(*heaviest, most=MOST_USERS)
        for way, edges in ((Direction.OUTBOUND, outbound), (Direction.INBOUND, inbound)):
            for reach, path in _shares(edges, front, way, step):
                if path not in seeds and path not in found:
                    _add(arrived, path, reach)
        found |= arrived
        front = {path: decay * reach.share for path, reach in arrived.items()}
    return found


def _shares(edges: tuple[Edge, ...], front: Mapping[str, float], way: Direction, step: int) -> list[tuple[Reach, str]]:
    """Let each file of the front share its weight among its neighbours."""
    neighbours: dict[str, dict[str, int]] = {}
    for edge in edges:
        own, other = (edge.source, edge.target) if way is Direction.OUTBOUND else (edge.target, edge.source)
        if edge.kind == FILE and own != other:
            neighbours.setdefault(own, {}).setdefault(other, edge.line)
    return [
        (Reach(front[own] / sqrt(len(others)), own, way, step, line), other)
        for own, others in neighbours.items()
        for other, line in others.items()
    ]


def _add(arrived: dict[str, Reach], path: str, reach: Reach) -> None:
    known = arrived.get(path)
    if known is None:
        arrived[path] = reach
        return
    main = max(known, reach, key=lambda one: one.share)
    arrived[path] = Reach(known.share + reach.share, main.source, main.direction, main.depth, main.line)
