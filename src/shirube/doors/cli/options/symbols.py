"""Options of the commands about symbols."""

import argparse
import re
from typing import Any

from shirube.doors.cli.command import ask
from shirube.doors.cli.derived import answer, shown
from shirube.errors import BadArgument
from shirube.features.lookup.symbol_results import LineResult
from shirube.operation import OPERATIONS

DIRECTIONS = {"out": "outbound", "in": "inbound", "both": "both"}
DEPTH = 2
"""The default depth of the tree: both directions together fill a screen."""
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?:[:-]\d+)?:?\Z")


def declare_get_function_at_line(parser: argparse.ArgumentParser) -> None:
    """Add one place as an argument, as compilers print it."""
    parser.add_argument("place", metavar="FILE:LINE", help="a place, for example src/app.py:42")


def typed_get_function_at_line(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Parse a place; ignore a column or the last line after the line."""
    found = _PLACE.fullmatch(options.place)
    if not found:
        raise BadArgument("view.no_place", place=options.place)
    return {"file_path": found["file"], "line": int(found["line"])}


def run_get_function_at_line(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Show the function, or the class or whatever else is around a line that is in no function."""
    result: LineResult = ask(options, "get_function_at_line", arguments)
    if options.json or result.function or not result.enclosing:
        return shown(options, OPERATIONS["get_function_at_line"], result)
    line = arguments["line"]
    around = {"path": arguments["file_path"], "start_line": line, "view": "symbol"}
    return answer(options, "snippets_get", around, line=line)


def declare_deps_closure(parser: argparse.ArgumentParser) -> None:
    """Add short words for the directions, a smaller default depth than for agents, and an option per format."""
    parser.add_argument("--direction", choices=list(DIRECTIONS), default="both", help="what it uses, who uses it")
    steps = f"how many steps (default {DEPTH})"
    parser.add_argument("--depth", "--max-depth", dest="max_depth", type=int, default=DEPTH, metavar="N", help=steps)
    for name, program in (("dot", "Graphviz"), ("mermaid", "Mermaid")):
        chosen: dict[str, Any] = {"action": "store_const", "const": name, "default": argparse.SUPPRESS}
        parser.add_argument(f"--{name}", dest="format", help=f"print the graph for {program}", **chosen)


def typed_deps_closure(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the operation's name for the direction."""
    return {**arguments, "direction": DIRECTIONS[options.direction]}
