"""Commands for reading: what a file depends on, and what to read for a goal."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.screen import Paint, paint_for, printable
from shirube.errors import BadArgument
from shirube.graph import Direction
from shirube.operations.results.search import BundleResult, ContextItem
from shirube.operations.results.symbols import DepsResult

DIRECTIONS = {"out": Direction.OUTBOUND, "in": Direction.INBOUND, "both": Direction.BOTH}
TITLES = {Direction.OUTBOUND: "uses", Direction.INBOUND: "used by"}
STDIN = "-"


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


def _declare_context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("goal", metavar="GOAL", nargs="+", help="what is to be done")
    parser.add_argument("--editing", action="append", default=[], metavar="FILE", help="a file at hand; repeatable")
    parser.add_argument(
        "--failing-test", action="append", default=[], metavar="T", help="a test's name, or - for the run's output"
    )
    parser.add_argument("--diff", metavar="FILE", help="a unified diff; - reads stdin")
    parser.add_argument(
        "--hint", action="append", default=[], metavar="H", help="a path, a symbol, words, or - for output or a diff"
    )
    parser.add_argument("--profile", default="", metavar="P", help="what for: bugfix, testfail, typeerror, feature, …")
    parser.add_argument("--boost-profile", default="", metavar="B", help="which files first: docs, code, …")
    parser.add_argument("--path", default="", metavar="GLOB", help="only below this directory or glob")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="tokens to fill (default 4000)")
    parser.add_argument("--compact", action="store_true", help="places alone, without their lines")
    common(parser)


def _run_context(options: argparse.Namespace) -> int:
    given = [*options.failing_test, *options.hint, options.diff]
    if given.count(STDIN) > 1:
        raise BadArgument("stdin can be read once only", "give - to one of --diff, --failing-test and --hint")
    arguments = {
        "goal": " ".join(options.goal),
        "editing_path": options.editing,
        "failing_tests": [_said(text) for text in options.failing_test],
        "last_diff": _diff(options.diff),
        "hints": [_said(text) for text in options.hint],
        "profile": options.profile,
        "boost_profile": options.boost_profile,
        "path": options.path,
        "budget": options.budget,
        "compact": options.compact,
    }
    result = ask(options, "context_bundle", arguments)
    show(options, result, lambda: bundle_text(result, paint_for(options.no_color)))
    return OK if result.context else NO_MATCH


def _said(text: str) -> str:
    return sys.stdin.read() if text == STDIN else text


def _diff(name: str | None) -> str:
    if not name or name == STDIN:
        return sys.stdin.read() if name else ""
    try:
        return Path(name).read_text("utf-8", "replace")
    except OSError as error:
        raise BadArgument(f"{name} cannot be read: {error.strerror}", "--diff takes a file, or - for stdin") from None


def bundle_text(result: BundleResult, paint: Paint) -> str:
    """Return the snippets with line numbers and reasons, then what they cost and what did not fit."""
    blocks = [_item_text(item, paint) for item in result.context]
    notes = [paint("bad", f"! {line}") for line in result.warnings]
    if not blocks:
        return "\n".join([f"{result.answer.value}: {result.next}", *notes])
    spent = f"{result.tokens_estimate:,} of {result.budget:,} tokens, profile {result.profile}"
    left = f"; {result.omitted_total} more did not fit" if result.omitted_total else ""
    stale = result.freshness.stale_files
    notes += [paint("bad", f"! changed since indexed: {', '.join(stale)}")] if stale else []
    return "\n".join([*blocks, paint("dim", f"{spent}{left}"), paint("dim", f"next: {result.next}"), *notes])


def _item_text(item: ContextItem, paint: Paint) -> str:
    first, last = item.range
    place = f"{paint('path', item.path)}:{paint('line', f'{first}-{last}')}"
    part = "" if item.whole else " (part)"
    head = f"{place}  {paint('kind', item.kind)} {paint('bold', item.symbol)}".rstrip() + part
    why = paint("dim", f"    {item.tokens} tokens  {'  '.join(item.why)}")
    return "\n".join([head, why, *_numbered(item.preview, first, last, paint)])


def _numbered(text: str, first: int, last: int, paint: Paint) -> Sequence[str]:
    width = len(str(last))
    lines = text.split("\n") if text else []
    return [f"    {paint('dim', f'{number:>{width}}')}  {printable(line)}" for number, line in enumerate(lines, first)]


DEPS = Command(_declare_deps, _run_deps)
CONTEXT = Command(_declare_context, _run_context)
