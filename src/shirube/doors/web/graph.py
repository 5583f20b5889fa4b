"""The graph page: what a file uses, who uses it, and what a change of it would affect.

Users are drawn on the left, dependencies on the right; each column is ordered so that few lines cross.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from shirube import operations
from shirube.doors.web.visit import Visit, WebPage
from shirube.engine.graph.closure import Node
from shirube.errors import UsageError
from shirube.features.lookup.symbol_results import DepsResult

DEPTH, NODES = 2, 150
MOST_NODES = 400
"""The most boxes in a drawing; nobody can read more."""
MOST_DEPTH = 6
SHORT = 24
"""Characters of a name that fit into a box."""
DIRECTIONS = ("both", "outbound", "inbound")
WIDE, TALL = 190, 24
ACROSS, DOWN = 250, 32
MOST_DOWN = 32
"""Boxes in one column; a layer with more of them takes several columns."""


class Layout(Struct, frozen=True):
    """The upper left corner of each box, and the size of the drawing."""

    spots: Mapping[str, tuple[int, int]]
    width: int
    height: int


class Box(Struct, frozen=True):
    """A file or a package in the drawing."""

    target: str
    name: str
    kind: str
    """``root``, ``must`` or ``should`` be checked after a change of the root, ``package`` or ``plain``."""
    is_file: bool
    x: int
    y: int


class EdgeCurve(Struct, frozen=True):
    """A dependency in the drawing; ``hot`` when it points at the root."""

    path: str
    hot: bool


class Drawing(Struct, frozen=True):
    """Everything that the template draws."""

    boxes: Sequence[Box]
    curves: Sequence[EdgeCurve]
    width: int
    height: int


def _show(visit: Visit) -> Markup:
    depth = visit.number("depth", DEPTH)
    values: dict[str, Any] = {
        "directions": DIRECTIONS,
        "depth": str(depth),
        "depths": [str(number) for number in range(1, MOST_DEPTH + 1)],
        "kept": {name: text for name, text in visit.texts("direction", "depth", "packages").items() if text},
        "error": None,
        "result": None,
    }
    if not visit.text("path"):
        return visit.render("graph.html", **values)
    try:
        result = visit.ask(
            operations.symbols.deps_closure,
            path=visit.text("path"),
            direction=visit.text("direction", "both"),
            max_depth=min(MOST_DEPTH, max(1, depth)),
            include_packages=bool(visit.text("packages")),
            limit=min(MOST_NODES, visit.number("limit", NODES)),
        )
    except UsageError as error:
        meant = visit.ask(operations.search.files_search, query=visit.text("path"), limit=10)
        paths = [file.path for file in meant.results]
        return visit.render("graph.html", **values | {"error": visit.words.error(error), "meant": paths})
    impact = visit.ask(operations.symbols.analyze_impact, files=[result.root], limit=200)
    kinds = (("must", impact.must_verify), ("should", impact.should_verify))
    places = [
        (kind, place, "; ".join(map(visit.words.say, place.reasons))) for kind, listed in kinds for place in listed
    ]
    touched = {place.file: kind for kind, place, _ in reversed(places)}
    values |= {"result": result, "graph": _drawn(result, touched), "impact": impact, "places": places}
    return visit.render("graph.html", **values)


def _drawn(result: DepsResult, touched: Mapping[str, str]) -> Drawing:
    layers = {node.target: -node.depth if node.direction == "inbound" else node.depth for node in result.nodes}
    edges = [(edge.from_, edge.to) for edge in result.edges if {edge.from_, edge.to} <= layers.keys()]
    layout = lay_out(layers, edges)
    curves = [
        EdgeCurve(_curve(layout.spots[source], layout.spots[target]), target == result.root)
        for source, target in dict.fromkeys(edges)
    ]
    boxes = [
        Box(
            node.target,
            _short(node),
            _kind(node, result.root, touched),
            node.kind == "path",
            *layout.spots[node.target],
        )
        for node in result.nodes
    ]
    return Drawing(boxes, curves, layout.width, layout.height)


def _kind(node: Node, root: str, touched: Mapping[str, str]) -> str:
    if node.target == root:
        return "root"
    return touched.get(node.target, "plain") if node.kind == "path" else "package"


def _curve(source: tuple[int, int], target: tuple[int, int]) -> str:
    x1, y1, x2, y2 = source[0] + WIDE, source[1] + TALL // 2, target[0], target[1] + TALL // 2
    bend = max(30, abs(x2 - x1) // 2)
    return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


def _short(node: Node) -> str:
    """Return a name that fits into a box, with its directory where there is room."""
    parts = node.target.split("/") if node.kind == "path" else [node.target]
    both = "/".join(parts[-2:])
    name = both if len(both) <= SHORT else parts[-1]
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"


def lay_out(layers: Mapping[str, int], edges: Sequence[tuple[str, str]]) -> Layout:
    """Return a position for each node; ``layers`` has its distance from the root, negative for users."""
    rows: dict[int, list[str]] = {}
    for name, layer in layers.items():
        rows.setdefault(layer, []).append(name)
    _untangle(rows, edges)
    columns = [
        names[at : at + MOST_DOWN] for layer, names in sorted(rows.items()) for at in range(0, len(names), MOST_DOWN)
    ]
    tallest = max((len(names) for names in columns), default=1)
    spots = {
        name: (column * ACROSS + 10, 10 + row * DOWN + (tallest - len(names)) * DOWN // 2)
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    return Layout(spots, (len(columns) - 1) * ACROSS + WIDE + 20, tallest * DOWN + 12)


def _untangle(rows: dict[int, list[str]], edges: Sequence[tuple[str, str]]) -> None:
    """Order each layer by the positions of its neighbours nearer to the root, so that fewer lines cross."""
    beside: dict[str, list[str]] = {}
    for first, second in edges:
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    height: dict[str, float] = {}
    for layer in sorted(rows, key=abs):
        names, middle = rows[layer], {}
        for name in names:
            known = [height[near] for near in beside.get(name, ()) if near in height]
            middle[name] = sum(known) / len(known) if known else 0.5
        names.sort(key=lambda name: (middle[name], name))
        height |= {name: at / len(names) for at, name in enumerate(names)}


GRAPH = WebPage("graph", _show)
