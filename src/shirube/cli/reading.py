"""The command for what a file depends on."""

import argparse
from collections.abc import Iterator

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.screen import Paint, paint_for
from shirube.graph import Direction
from shirube.operations.results.symbols import DepsResult

DIRECTIONS = {"out": Direction.OUTBOUND, "in": Direction.INBOUND, "both": Direction.BOTH}
TITLES = {Direction.OUTBOUND: "uses", Direction.INBOUND: "used by"}


def _declare_deps(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file of the project")
    parser.add_argument("--direction", choices=list(DIRECTIONS), default="both", help="what it uses, who uses it")
    parser.add_argument("--depth", type=int, default=2, metavar="N", help="how many steps (default 2)")
    parser.add_argument("--no-packages", action="store_true", help="only files of the project")
    parser.add_argument("--limit", type=int, metavar="N", help="how many files and packages (default 100)")
    parser.add_argument("--history", action="store_true", help="also what usually changes together with it")
    parser.add_argument("--dot", action="store_true", help="print the graph for Graphviz")
    parser.add_argument("--mermaid", action="store_true", help="print the graph for Mermaid")
    common(parser)


def _run_deps(options: argparse.Namespace) -> int:
    drawing = "dot" if options.dot else "mermaid" if options.mermaid else "graph"
    arguments = {
        "path": options.file,
        "direction": DIRECTIONS[options.direction],
        "max_depth": options.depth,
        "include_packages": not options.no_packages,
        "limit": options.limit,
        "format": drawing,
        "history": options.history,
    }
    result = ask(options, "deps_closure", arguments)
    show(options, result, lambda: result.drawing or deps_text(result, paint_for(options.no_color)))
    return OK if len(result.nodes) > 1 else NO_MATCH


def deps_text(result: DepsResult, paint: Paint) -> str:
    """Return the graph as a tree for each direction: every file once, below the first that leads there."""
    ways = [way for way in TITLES if result.direction in (way, Direction.BOTH)]
    lines = [paint("path", result.root)]
    for way in ways:
        drawn = list(_tree(result, way, paint))
        lines += [paint("bold", f"{TITLES[way]}:"), *(drawn or [paint("dim", "  nothing that is indexed")])]
    for one in result.changes_with:
        mark = "" if one.linked else "  (no import leads there)"
        lines.append(f"{paint('dim', f'changes with it {one.share:.0%}')}  {paint('path', one.path)}{mark}")
    if result.answer.value in ("partial", "unknown", "none"):
        lines.append(paint("dim", f"({result.answer.value}: {result.next})"))
    return "\n".join([*lines, *(paint("bad", f"! {note}") for note in result.degraded)])


def _tree(result: DepsResult, way: Direction, paint: Paint) -> Iterator[str]:
    children: dict[str, list[tuple[str, int]]] = {}
    kinds = {node.target: node.kind for node in result.nodes if node.direction in (way, Direction.BOTH)}
    met = {result.root}
    front = {result.root}
    while front:
        reached: set[str] = set()
        for link in result.edges:
            own, other = (link.from_, link.to) if way is Direction.OUTBOUND else (link.to, link.from_)
            if own in front and other in kinds and other not in met:
                met.add(other)
                reached.add(other)
                children.setdefault(own, []).append((other, link.line))
        front = reached
    return _branches(result.root, children, kinds, paint)


def _branches(
    name: str, children: dict[str, list[tuple[str, int]]], kinds: dict[str, str], paint: Paint, before: str = ""
) -> Iterator[str]:
    below = sorted(children.get(name, ()), key=lambda one: (kinds[one[0]] != "path", one[0]))
    for number, (other, line) in enumerate(below):
        last = number == len(below) - 1
        kind = kinds[other]
        shown = paint("path", other) if kind == "path" else f"{paint('kind', other)} {paint('dim', kind)}"
        place = paint("dim", f"  line {line}") if line else ""
        yield f"{before}{'└─ ' if last else '├─ '}{shown}{place}"
        yield from _branches(other, children, kinds, paint, before + ("   " if last else "│  "))


DEPS = Command(_declare_deps, _run_deps)
