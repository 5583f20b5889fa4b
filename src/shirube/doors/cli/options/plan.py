"""Options of the commands about plan."""

import argparse
import sys
from typing import Any

from shirube.codec import replace
from shirube.doors.cli.command import ask, opened
from shirube.doors.cli.derived import answer, shown
from shirube.doors.cli.screen import read_file, screen_for, write_file
from shirube.doors.views.screen import Screen
from shirube.features.plan.plan_files import is_export
from shirube.features.plan.results import PlanExport
from shirube.messages import Message
from shirube.operation import OPERATIONS, Call
from shirube.operations import run

MOST_TURNS = 500
"""As many turns of a plan are shown in a terminal: all of them."""


def declare_query_plan(parser: argparse.ArgumentParser) -> None:
    """Add options for what a good answer contains, and for how to search."""
    parser.add_argument("--expect", action="append", default=[], metavar="WORD", help="a word a good answer has")
    parser.add_argument("--pattern", action="append", default=[], metavar="RE", help="an expression that must match")
    parser.add_argument("--confidence", type=float, metavar="X", help="how sure to be before stopping (default 0.7)")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help='"filter *.test.ts", "in docs"')


def typed_query_plan(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Move these options into the operation's arguments."""
    expected = {"keywords": options.expect, "content_patterns": options.pattern, "confidence": options.confidence}
    return {**arguments, "expected_results": expected, "strategy": {"expansion_rules": options.rule}}


def run_query_plan(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Make a plan, and print each turn as it ends."""
    operation = OPERATIONS["query_plan"]
    with opened(options) as (workspace, call):
        report = run(workspace, operation, arguments, _telling(call, screen_for(options, operation), options.quiet))
    return shown(options, operation, report)


def _telling(call: Call, screen: Screen, quiet: bool) -> Call:
    """Return the call with a progress that prints each turn on its own line; other progress is as usual."""

    def tell(what: str, done: int, total: int) -> None:
        if isinstance(what, Message) and what.code == "plan.turn" and not quiet:
            print(screen.say(what), file=sys.stderr, flush=True)
        else:
            call.progress(what, done, total)

    return replace(call, progress=tell)


def declare_list_plans(parser: argparse.ArgumentParser) -> None:
    """Add the plan to show, and options for actions on all plans."""
    one = "show one plan; the beginning of its id is enough"
    parser.add_argument("show", nargs="*", default=[], metavar="[show] ID", help=one)
    parser.add_argument("--presets", action="store_true", help="list the ready plans instead")
    parser.add_argument("--export", default="", metavar="FILE", help="write all plans to a file of yours")
    parser.add_argument("--import", dest="take", default="", metavar="FILE", help="take in such a file")


def run_list_plans(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """List plans or presets, show one plan, or export or import a file."""
    if options.presets:
        return answer(options, "list_presets", {})
    if options.export:
        made: PlanExport = ask(options, "export_plans", {})
        path = write_file(options.export, f"{made.document}\n", is_export)
        return shown(options, OPERATIONS["export_plans"], replace(made, path=path, document=""))
    if options.take:
        return run_import_plans(options, {"path": options.take})
    words = options.show[1:] if options.show[:1] == ["show"] else options.show
    if options.show:
        return answer(options, "show_plan", {"plan_id": " ".join(words), "limit": MOST_TURNS})
    return answer(options, "list_plans", arguments)


def declare_import_plans(parser: argparse.ArgumentParser) -> None:
    """Add the directory of an earlier program as an argument."""
    told = "the directory (default .gistdex)"
    parser.add_argument("path", nargs="?", default=".gistdex", metavar="DIR", help=told)


def run_import_plans(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Import a file (anywhere), or a directory of the project."""
    text = read_file(arguments["path"])
    return answer(options, "import_plans", {"document": text} if text else arguments)
