"""What a file uses and what uses it, directly and indirectly: the dependency closure of seed 001.

The walk is breadth first, so that a limit cuts off what is far away. It visits no file twice, so cycles end. ``both``
joins two walks, one along the edges and one against them; a single walk that changed direction would soon reach the
whole project.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from math import sqrt

import msgspec
from msgspec import Struct

from shirube.engine.store.store import Store
from shirube.types import Edge

FILE, PACKAGE = "path", "package"


class Direction(StrEnum):
    """Which way the edges are followed."""

    OUTBOUND = "outbound"
    INBOUND = "inbound"
    BOTH = "both"


class Node(Struct, frozen=True):
    """A file, a package, or a name that could not be resolved (``unresolved``), and its distance in steps."""

    kind: str
    target: str
    depth: int
    direction: Direction
    """Whether the root uses it (outbound), it uses the root (inbound), or both; the root is both."""


class Link(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """An edge that was followed: ``from_`` uses ``to``; in JSON it is called ``from``."""

    from_: str
    to: str
    kind: str
    rel: str
    depth: int
    line: int
    """The line of the import, the first of several."""


class Closure(Struct, frozen=True):
    """Everything reached from a file."""

    root: str
    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    whole_to: int
    """Up to this depth the closure is complete."""
    truncated: bool = False


class ClosureLimits(Struct, frozen=True):
    """How far to go."""

    depth: int = 3
    packages: bool = True
    nodes: int = 500


def close(store: Store, root: str, direction: Direction, limits: ClosureLimits | None = None) -> Closure:
    """Follow the edges from a file; ties are broken by path, so the same index gives the same graph."""
    limits = limits or ClosureLimits()
    ways = [way for way in (Direction.OUTBOUND, Direction.INBOUND) if direction in (way, Direction.BOTH)]
    walks = [_Walk(store, root, way, limits) for way in ways]
    for depth in range(1, limits.depth + 1):
        room = limits.nodes - len({name for walk in walks for name in walk.visited})
        for walk in walks:
            room = walk.step(depth, room)
    cut = min((walk.cut_at for walk in walks), default=0)
    # Every edge once, at its smallest depth: in a cycle both walks follow the same edge.
    unique: dict[tuple[str, str, str, str], Link] = {}
    links = (link for walk in walks for link in walk.links)
    for link in sorted(links, key=lambda link: (link.depth, link.from_, link.line, link.to, link.rel)):
        unique.setdefault((link.from_, link.to, link.kind, link.rel), link)
    truncated = any(walk.cut_at <= limits.depth for walk in walks)
    return Closure(root, _nodes(root, walks), tuple(unique.values()), min(limits.depth, cut - 1), truncated)


class _Walk:
    """A walk in one direction from the root, one step at a time."""

    def __init__(self, store: Store, root: str, way: Direction, limits: ClosureLimits) -> None:
        self.way = way
        self.visited: dict[tuple[str, str], int] = {(FILE, root): 0}
        """(kind, name) → depth."""
        self.links: list[Link] = []
        self.cut_at = limits.depth + 1
        """The first depth at which a node was left out."""
        self._packages = limits.packages
        self._front = [root]
        self._look: Callable[..., tuple[Edge, ...]] = store.edges if way is Direction.OUTBOUND else store.edges_to

    def step(self, depth: int, room: int) -> int:
        """Go one step further, adding at most ``room`` nodes; return the room that is left."""
        visited, self._front = self.visited, self._front if self.cut_at >= depth else []
        front: list[str] = []
        for edge in _without_repeats(self._look(*self._front) if self._front else ()):
            key = (edge.kind, edge.target) if self.way is Direction.OUTBOUND else (FILE, edge.source)
            if edge.source == edge.target or (edge.kind == PACKAGE and not self._packages):
                continue
            if self.way is Direction.INBOUND and edge.kind != FILE:
                continue
            if key not in visited:
                if room <= 0:
                    self.cut_at = min(self.cut_at, depth)
                    continue
                visited[key], room = depth, room - 1
                front += [key[1]] if key[0] == FILE else []
            self.links.append(Link(edge.source, edge.target, edge.kind, edge.rel, depth, edge.line))
        self._front = sorted(front)
        return room


def _without_repeats(edges: tuple[Edge, ...]) -> Iterator[Edge]:
    """Yield each edge once: skips repeated imports on later lines."""
    seen: set[tuple[str, str, str, str]] = set()
    for edge in edges:
        key = (edge.source, edge.target, edge.kind, edge.rel)
        if key not in seen:
            seen.add(key)
            yield edge


def _nodes(root: str, walks: list[_Walk]) -> tuple[Node, ...]:
    nodes: dict[tuple[str, str], Node] = {(FILE, root): Node(FILE, root, 0, Direction.BOTH)}
    for walk in walks:
        for key, depth in walk.visited.items():
            if (known := nodes.get(key)) is None:
                nodes[key] = Node(*key, depth, walk.way)
            elif depth:
                nodes[key] = Node(*key, min(depth, known.depth), Direction.BOTH)
    if len(walks) == 1:
        nodes[FILE, root] = Node(FILE, root, 0, walks[0].way)
    return tuple(sorted(nodes.values(), key=lambda node: (node.depth, node.kind != FILE, node.target)))


_SHAPES = {FILE: "box", PACKAGE: "ellipse"}
_BRACKETS = {FILE: ("[", "]"), PACKAGE: ("([", "])")}


def dot(closure: Closure) -> str:
    """Return the graph for Graphviz: files are boxes, packages are round, unresolved names are dashed."""
    lines = ["digraph dependencies {", "  rankdir=LR;", '  node [fontname="monospace"];']
    for node in closure.nodes:
        style = "" if node.kind in _SHAPES else ", style=dashed"
        weight = ", penwidth=2" if node.depth == 0 else ""
        lines.append(f"  {_quoted(node.target)} [shape={_SHAPES.get(node.kind, 'box')}{style}{weight}];")
    lines += [f"  {_quoted(link.from_)} -> {_quoted(link.to)};" for link in closure.edges]
    return "\n".join([*lines, "}"])


def mermaid(closure: Closure) -> str:
    """Return the graph as a Mermaid flowchart; nodes are numbered, because a path is no valid node name."""
    names = {node.target: f"n{number}" for number, node in enumerate(closure.nodes)}
    lines = ["flowchart LR"]
    for node in closure.nodes:
        left, right = _BRACKETS.get(node.kind, ("{{", "}}"))
        lines.append(f'  {names[node.target]}{left}"{_escaped(node.target)}"{right}')
    lines += [f"  {names[link.from_]} --> {names[link.to]}" for link in closure.edges]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def _escaped(text: str) -> str:
    """Return a text with Mermaid's special characters written as character codes."""
    return "".join(f"#{ord(char)};" if char in '"#<>&;`\n\\' else char for char in text)


MOST_FRONT = 24
"""How many files one step starts from: those with the most weight."""
MOST_USERS = 200
"""A file with more users than this passes no weight to them: being used by everybody says nothing."""


class SpreadShare(Struct, frozen=True):
    """How much of the seeds' weight reached a file, and along which edge most of it came."""

    share: float
    source: str
    direction: Direction
    depth: int
    line: int
    """The line of the import: in ``source`` when outbound, else in the file itself."""


def spread(store: Store, seeds: Mapping[str, float], depth: int = 2, decay: float = 0.5) -> dict[str, SpreadShare]:
    """Spread the seeds' weights along edges; return the share of each file reached, without the seeds."""
    reached: dict[str, SpreadShare] = {}
    front = dict(seeds)
    for step in range(1, depth + 1):
        heaviest = sorted(front, key=lambda path: (-front[path], path))[:MOST_FRONT]
        arrived: dict[str, SpreadShare] = {}
        outbound = store.edges(*heaviest) if heaviest else ()
        inbound = store.edges_to(*heaviest, most=MOST_USERS)
        for way, edges in ((Direction.OUTBOUND, outbound), (Direction.INBOUND, inbound)):
            for reach, path in _shares(edges, front, way, step):
                if path in seeds or path in reached:
                    continue
                share = reach.share + (arrived[path].share if path in arrived else 0.0)
                main = max(arrived.get(path, reach), reach, key=lambda way: way.share)
                arrived[path] = SpreadShare(share, main.source, main.direction, main.depth, main.line)
        reached |= arrived
        front = {path: decay * reach.share for path, reach in arrived.items()}
    return reached


def _shares(
    edges: tuple[Edge, ...], front: Mapping[str, float], way: Direction, step: int
) -> list[tuple[SpreadShare, str]]:
    """Divide the weight of each file of the front among its neighbours."""
    neighbours: dict[str, dict[str, int]] = {}
    for edge in edges:
        own, other = (edge.source, edge.target) if way is Direction.OUTBOUND else (edge.target, edge.source)
        if edge.kind == FILE and own != other:
            neighbours.setdefault(own, {}).setdefault(other, edge.line)
    return [
        (SpreadShare(front[own] / sqrt(len(others)), own, way, step, line), other)
        for own, others in neighbours.items()
        for other, line in others.items()
    ]
