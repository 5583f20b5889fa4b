"""Graph: what a file uses and who uses it, with what a change of it would touch."""

from collections.abc import Mapping
from urllib.parse import urlencode

from shirube import operations
from shirube.doors.web.html import Html, cut, el, plain
from shirube.doors.web.layout import TALL, WIDE, Layout, lay_out
from shirube.doors.web.parts import badge, empty, field, heading, note, notes, place, section, select, table, told
from shirube.doors.web.visit import Page, Visit
from shirube.engine.graph.closure import Node
from shirube.errors import UsageError
from shirube.features.lookup.symbol_results import DepsResult, ImpactResult

DEPTH, NODES = 2, 150
MOST_NODES = 400
"""More boxes than this nobody can read."""
MOST_DEPTH = 6
SHORT = 24
"""Characters of a name that fit into a box."""
DENSE = 60
"""From so many boxes on, the lines step back."""
DIRECTIONS = ("both", "outbound", "inbound")


def _show(visit: Visit) -> Html:
    words = visit.words
    found = _graph(visit) if visit.text("path") else empty(words("graph.empty"))
    return el("div", heading(words("graph.title"), about=words("graph.about")), _form(visit), found)


def _form(visit: Visit) -> Html:
    words = visit.words
    ways = [(way, words.term("direction", way)) for way in DIRECTIONS]
    depths = [(str(depth), str(depth)) for depth in range(1, MOST_DEPTH + 1)]
    packages = el("input", type="checkbox", name="packages", value="1", checked=bool(visit.text("packages")))
    line = el(
        "div",
        field("path", words("graph.path"), visit.text("path"), placeholder="src/…"),
        select("direction", words("graph.direction"), visit.text("direction", "both"), ways),
        select("depth", words("graph.depth"), str(visit.number("depth", DEPTH)), depths),
        el("label", packages, el("span", words("graph.packages")), class_="check"),
        el("button", words("graph.go"), class_="button primary"),
        class_="row",
    )
    return el("form", line, method="get", action="/graph", class_="card", role="search")


def _graph(visit: Visit) -> Html:
    words, path = visit.words, visit.text("path")
    try:
        result = visit.ask(
            operations.symbols.deps_closure,
            path=path,
            direction=visit.text("direction", "both"),
            max_depth=min(MOST_DEPTH, max(1, visit.number("depth", DEPTH))),
            include_packages=bool(visit.text("packages")),
            limit=min(MOST_NODES, visit.number("limit", NODES)),
        )
    except UsageError as error:
        return el("div", note(told(visit.words, error)), _candidates(visit, path), class_="column")
    impact = visit.ask(operations.symbols.analyze_impact, files=[result.root], limit=200)
    touched = {one.file: "should" for one in impact.should_verify}
    touched |= {one.file: "must" for one in impact.must_verify}
    cut_off = note(words("graph.cut", count=len(result.nodes), depth=result.whole_to)) if result.truncated else None
    return el(
        "div",
        notes(visit, result.degraded),
        section(cut(result.root, 300), cut_off, _legend(visit), _drawn(visit, result, touched)),
        el("p", visit.say(result.next), class_="dim") if len(result.nodes) < 2 else None,
        _impact(visit, impact),
        class_="column",
    )


def _candidates(visit: Visit, path: str) -> Html | None:
    """Return the files that may have been meant."""
    found = visit.ask(operations.search.files_search, query=path, limit=10)
    rows = [el("li", el("a", cut(one.path, 300), href=_address(visit, one.path))) for one in found.results]
    return section(visit.words("graph.meant"), el("ul", rows, class_="plain")) if rows else None


def _address(visit: Visit, path: str) -> str:
    kept = {name: visit.text(name) for name in ("direction", "depth", "packages") if visit.text(name)}
    return f"/graph?{urlencode({'path': path, **kept})}"


def _legend(visit: Visit) -> Html:
    words = visit.words
    marks = (("root", "graph.root"), ("must", "graph.must"), ("should", "graph.should"), ("package", "graph.package"))
    items = [el("li", el("span", words(key), class_=f"badge node-{kind}")) for kind, key in marks]
    return el("ul", items, class_="legend")


def _layers(result: DepsResult) -> dict[str, int]:
    """Return how far each node is from the root: users are on the other side."""
    return {node.target: -node.depth if node.direction == "inbound" else node.depth for node in result.nodes}


def _drawn(visit: Visit, result: DepsResult, touched: Mapping[str, str]) -> Html:
    layers = _layers(result)
    edges = [(edge.from_, edge.to) for edge in result.edges if {edge.from_, edge.to} <= layers.keys()]
    layout = lay_out(layers, edges)
    lines = [_line(layout, one, other, hot=other == result.root) for one, other in dict.fromkeys(edges)]
    boxes = [_box(visit, node, layout, _kind(node, result.root, touched)) for node in result.nodes]
    label = visit.words("graph.drawing", count=len(result.nodes))
    drawn = el(
        "svg",
        lines,
        boxes,
        viewBox=f"0 0 {layout.width} {layout.height}",
        width=layout.width,
        height=layout.height,
        class_="graph dense" if len(boxes) > DENSE else "graph",
        role="group",
        aria_label=label,
    )
    return el("div", drawn, class_="scroll canvas", tabindex=0, role="region", aria_label=label)


def _kind(node: Node, root: str, touched: Mapping[str, str]) -> str:
    if node.target == root:
        return "root"
    return touched.get(node.target, "plain") if node.kind == "path" else "package"


def _line(layout: Layout, one: str, other: str, *, hot: bool) -> Html:
    (x1, y1), (x2, y2) = layout.spots[one], layout.spots[other]
    x1, y1, y2 = x1 + WIDE, y1 + TALL // 2, y2 + TALL // 2
    bend = max(30, abs(x2 - x1) // 2)
    kind = "edge hot" if hot else "edge"
    return el("path", d=f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}", class_=kind)


def _short(node: Node) -> str:
    """Return what fits into a box: the name, with its directory where there is room."""
    parts = node.target.split("/") if node.kind == "path" else [node.target]
    both = "/".join(parts[-2:])
    name = both if len(both) <= SHORT else parts[-1]
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"


def _box(visit: Visit, node: Node, layout: Layout, kind: str) -> Html:
    x, y = layout.spots[node.target]
    short = _short(node)
    label = f"{cut(node.target, 200)} ({visit.words.term('node', kind)})"
    inside = (
        el("title", plain(label)),
        el("rect", x=x, y=y, width=WIDE, height=TALL, rx=6),
        el("text", plain(short), x=x + 9, y=y + 16),
    )
    if node.kind != "path":
        return el("g", inside, class_=f"node {kind}")
    return el("a", inside, href=_address(visit, node.target), class_=f"node {kind}")


def _impact(visit: Visit, impact: ImpactResult) -> Html:
    words = visit.words
    rows = [
        (
            badge(words.term("node", kind), "bad" if kind == "must" else "warn"),
            place(visit, one.file, one.line),
            badge(words.term("role", one.role)),
            cut("; ".join(map(visit.say, one.reasons)), 300),
        )
        for kind, places in (("must", impact.must_verify), ("should", impact.should_verify))
        for one in places
    ]
    heads = [words(f"graph.{name}") for name in ("look", "where", "role", "why")]
    title = words("graph.impact", must=impact.totals["must_verify"], should=impact.totals["should_verify"])
    shown = table(heads, rows, title) if rows else empty(visit.say(impact.next) or words("graph.no_impact"))
    partial = [el("li", cut(visit.say(text), 300)) for text in impact.degraded]
    return section(title, shown, el("ul", partial, class_="plain dim") if partial else None)


GRAPH = Page("graph", _show)
