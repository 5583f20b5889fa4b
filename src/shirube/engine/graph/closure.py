"""What a file uses, and who uses it, step by step: the dependency closure of seed 001.

Breadth first, so that what is near is there when the rest is cut off; a file that was met is not entered again, so a
cycle ends by itself. ``both`` is what can be reached by going only down and by going only up: turning round on the way
would soon lead everywhere.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from math import sqrt

import msgspec
from msgspec import Struct

from shirube.engine.store.port import Store
from shirube.types import Edge

FILE, PACKAGE = "path", "package"


class Direction(StrEnum):
    """Which way the edges are followed."""

    OUTBOUND = "outbound"
    INBOUND = "inbound"
    BOTH = "both"


class Node(Struct, frozen=True):
    """A file, a package, or a name nobody could place (``unresolved``), and how many steps away it is."""

    kind: str
    target: str
    depth: int
    direction: Direction
    """Whether it is used (outbound), uses (inbound), or both; the root itself is both."""


class Link(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """An edge that was followed: ``from_`` uses ``to``; on the wire it is called ``from``."""

    from_: str
    to: str
    kind: str
    rel: str
    depth: int
    line: int
    """Where the import stands, the first of several."""


class Closure(Struct, frozen=True):
    """What was reached from a file."""

    root: str
    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    whole_to: int
    """Up to this depth nothing is missing."""
    truncated: bool = False


class ClosureLimits(Struct, frozen=True):
    """How far to go."""

    depth: int = 3
    packages: bool = True
    nodes: int = 500


def close(store: Store, root: str, direction: Direction, limits: ClosureLimits | None = None) -> Closure:
    """Follow the edges from a file; ties go by path, so the same index gives the same graph."""
    limits = limits or ClosureLimits()
    ways = [way for way in (Direction.OUTBOUND, Direction.INBOUND) if direction in (way, Direction.BOTH)]
    walks = [_Walk(store, root, way, limits) for way in ways]
    for depth in range(1, limits.depth + 1):
        room = limits.nodes - len({name for walk in walks for name in walk.met})
        for walk in walks:
            room = walk.step(depth, room)
    cut = min((walk.cut_at for walk in walks), default=0)
    return Closure(
        root,
        tuple(_nodes(root, walks)),
        _links(walks),
        min(limits.depth, cut - 1),
        any(walk.cut_at <= limits.depth for walk in walks),
    )


class _Walk:
    """One way from the root, a step at a time."""

    def __init__(self, store: Store, root: str, way: Direction, limits: ClosureLimits) -> None:
        self.way = way
        self.met: dict[tuple[str, str], int] = {(FILE, root): 0}
        """(kind, name) → depth."""
        self.links: list[Link] = []
        self.cut_at = limits.depth + 1
        """The first depth at which something was left out."""
        self._packages = limits.packages
        self._front = [root]
        self._look: Callable[..., tuple[Edge, ...]] = store.edges if way is Direction.OUTBOUND else store.edges_to

    def step(self, depth: int, room: int) -> int:
        """Go one step further, adding at most ``room`` nodes; return the room that is left."""
        met, self._front = self.met, self._front if self.cut_at >= depth else []
        front: list[str] = []
        for edge in _once(self._look(*self._front) if self._front else ()):
            key = (edge.kind, edge.target) if self.way is Direction.OUTBOUND else (FILE, edge.source)
            if not self._counts(edge):
                continue
            if key not in met:
                if room <= 0:
                    self.cut_at = min(self.cut_at, depth)
                    continue
                met[key], room = depth, room - 1
                front += [key[1]] if key[0] == FILE else []
            self.links.append(Link(edge.source, edge.target, edge.kind, edge.rel, depth, edge.line))
        self._front = sorted(front)
        return room

    def _counts(self, edge: Edge) -> bool:
        if edge.source == edge.target or (edge.kind == PACKAGE and not self._packages):
            return False
        return self.way is Direction.OUTBOUND or edge.kind == FILE


def _once(edges: tuple[Edge, ...]) -> Iterator[Edge]:
    """Leave out what is imported again on a later line."""
    seen: set[tuple[str, str, str, str]] = set()
    for edge in edges:
        key = (edge.source, edge.target, edge.kind, edge.rel)
        if key not in seen:
            seen.add(key)
            yield edge


def _nodes(root: str, walks: list[_Walk]) -> list[Node]:
    found: dict[tuple[str, str], Node] = {(FILE, root): Node(FILE, root, 0, Direction.BOTH)}
    for walk in walks:
        for key, depth in walk.met.items():
            if (known := found.get(key)) is None:
                found[key] = Node(*key, depth, walk.way)
            elif depth:
                found[key] = Node(*key, min(depth, known.depth), Direction.BOTH)
    if len(walks) == 1:
        found[FILE, root] = Node(FILE, root, 0, walks[0].way)
    return sorted(found.values(), key=lambda node: (node.depth, node.kind != FILE, node.target))


def _links(walks: list[_Walk]) -> tuple[Link, ...]:
    """Return every edge once, at its smallest depth: in a cycle both walks meet the same one."""
    found: dict[tuple[str, str, str, str], Link] = {}
    links = (link for walk in walks for link in walk.links)
    for link in sorted(links, key=lambda link: (link.depth, link.from_, link.line, link.to, link.rel)):
        found.setdefault((link.from_, link.to, link.kind, link.rel), link)
    return tuple(found.values())


_SHAPES = {FILE: "box", PACKAGE: "ellipse"}
_BRACKETS = {FILE: ("[", "]"), PACKAGE: ("([", "])")}


def dot(closure: Closure) -> str:
    """Return the graph for Graphviz: files are boxes, packages are round, what nobody could place is dashed."""
    lines = ["digraph dependencies {", "  rankdir=LR;", '  node [fontname="monospace"];']
    for node in closure.nodes:
        style = "" if node.kind in _SHAPES else ", style=dashed"
        weight = ", penwidth=2" if node.depth == 0 else ""
        lines.append(f"  {_quoted(node.target)} [shape={_SHAPES.get(node.kind, 'box')}{style}{weight}];")
    lines += [f"  {_quoted(link.from_)} -> {_quoted(link.to)};" for link in closure.edges]
    return "\n".join([*lines, "}"])


def mermaid(closure: Closure) -> str:
    """Return the graph as Mermaid's flowchart; nodes are numbered, because a path is no name there."""
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
    """Return a text with what means something to Mermaid written as a number."""
    return "".join(f"#{ord(char)};" if char in '"#<>&;`\n\\' else char for char in text)


MOST_FRONT = 24
"""How many files are passed through at a step; the weightiest go on."""
MOST_USERS = 200
"""What more files use than this says nothing of any of them."""


class SpreadShare(Struct, frozen=True):
    """How much of the seeds' weight came to a file, and the way most of it came."""

    share: float
    source: str
    direction: Direction
    depth: int
    line: int
    """Where the import stands, in ``source`` when it is outbound, else in the file itself."""


def spread(store: Store, seeds: Mapping[str, float], depth: int = 2, decay: float = 0.5) -> dict[str, SpreadShare]:
    """Return the files reached from the seeds, without the seeds."""
    found: dict[str, SpreadShare] = {}
    front = dict(seeds)
    for step in range(1, depth + 1):
        heaviest = sorted(front, key=lambda path: (-front[path], path))[:MOST_FRONT]
        arrived: dict[str, SpreadShare] = {}
        outbound = store.edges(*heaviest) if heaviest else ()
        inbound = store.edges_to(*heaviest, most=MOST_USERS)
        for way, edges in ((Direction.OUTBOUND, outbound), (Direction.INBOUND, inbound)):
            for reach, path in _shares(edges, front, way, step):
                if path not in seeds and path not in found:
                    _add(arrived, path, reach)
        found |= arrived
        front = {path: decay * reach.share for path, reach in arrived.items()}
    return found


def _shares(
    edges: tuple[Edge, ...], front: Mapping[str, float], way: Direction, step: int
) -> list[tuple[SpreadShare, str]]:
    """Let each file of the front share its weight among its neighbours."""
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


def _add(arrived: dict[str, SpreadShare], path: str, reach: SpreadShare) -> None:
    known = arrived.get(path)
    if known is None:
        arrived[path] = reach
        return
    main = max(known, reach, key=lambda way: way.share)
    arrived[path] = SpreadShare(known.share + reach.share, main.source, main.direction, main.depth, main.line)
