"""Text for plans: each turn on stderr as it ends, then the results and the six measures."""

import argparse
import sys
from typing import Any

from shirube.codec import replace
from shirube.doors.cli.command import ask, opened
from shirube.doors.cli.derived import answer, shown
from shirube.doors.cli.screen import Screen, View, columns, printable, read_file, screen_for, span, write_file
from shirube.features.plan.plan_files import is_export
from shirube.features.plan.record import PlanStatus
from shirube.features.plan.results import PlanExport, PlanImport, PlanIteration, PlanList, PlanReport, PresetList
from shirube.messages import Message
from shirube.operation import OPERATIONS, Call
from shirube.operations import run
from shirube.types import Judgement

MEASURES = {
    "keyword": "keywordMatch",
    "pattern": "patternMatch",
    "sense": "semanticSimilarity",
    "coverage": "coverage",
    "precision": "precision",
    "recall": "recall",
}
STYLES = {PlanStatus.SUCCESS: "good", PlanStatus.PARTIAL: "line", PlanStatus.FAILED: "bad"}
LONGEST = 56


def declare_query_plan(parser: argparse.ArgumentParser) -> None:
    """Add options for what a good answer contains, and for how to search."""
    parser.add_argument("--expect", action="append", default=[], metavar="WORD", help="a word a good answer has")
    parser.add_argument("--pattern", action="append", default=[], metavar="RE", help="an expression that must match")
    parser.add_argument("--confidence", type=float, metavar="X", help="how sure to be before stopping (default 0.7)")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help='"filter *.test.ts", "in docs"')


def typed_query_plan(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Move these options into the operation's arguments."""
    expected = {"keywords": options.expect, "contentPatterns": options.pattern, "confidence": options.confidence}
    return {**arguments, "expectedResults": expected, "strategy": {"expansionRules": options.rule}}


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


def query_plan(report: PlanReport, screen: Screen) -> View:
    """Return a plan: the places, the turns with their measures, how it ended."""
    paint, data = screen.paint, report.finalResults.data
    places = [span(one.path, (one.start_line, one.end_line), (one.kind, one.symbol), paint) for one in data]
    parts = [*places, *([""] if places else []), *_turns(report, screen), *_end(report, screen)]
    return View("\n".join(parts), (), bool(data))


def show_plan(report: PlanReport, screen: Screen) -> View:
    """Return a plan that was made before."""
    return query_plan(report, screen)._replace(found=True)


def _turns(report: PlanReport, screen: Screen) -> list[str]:
    """Return the table of turns: score, confidence, the six measures, and the query."""
    heads = [("turn", 4), ("score", 7), ("sure", 6), *((name, 10) for name in MEASURES)]
    titles = "".join(_right(screen.words(f"plan_view.{name}"), width) for name, width in heads)
    final = report.finalResults
    whole = _right(screen.words("plan_view.all"), 4)
    numbers = _numbers(final.evaluation, final.evaluation.score, final.confidence)
    return [
        screen.paint("dim", f"{titles}  {screen.words('plan_view.asked')}"),
        *(_turn(turn, screen) for turn in report.iterations),
        screen.paint("bold", f"{whole}{numbers}  {screen.words('plan_view.fused')}"),
    ]


def _right(text: str, width: int) -> str:
    return text.rjust(width - columns(text) + len(text))


def _numbers(judged: Judgement, score: float, sure: float) -> str:
    measures = "".join(f"{getattr(judged, name):>10.2f}" for name in MEASURES.values())
    return f"{score:>7.2f}{sure:>6.0%}{measures}"


def _turn(turn: PlanIteration, screen: Screen) -> str:
    asked = screen.words("plan.because", text=turn.query, why=turn.why) if turn.why else printable(turn.query)
    asked = asked if len(asked) <= LONGEST else asked[: LONGEST - 1] + "…"
    if turn.error:
        return f"{turn.iterationNumber:>4}  {screen.words('plan_view.failed_turn', error=turn.error)}  {asked}"
    mark = screen.words("plan_view.remembered") if turn.cached else ""
    return f"{turn.iterationNumber:>4}{_numbers(turn.evaluation, turn.evaluationScore, turn.confidence)}  {asked}{mark}"


def _end(report: PlanReport, screen: Screen) -> list[str]:
    paint, meta, final = screen.paint, report.metadata, report.finalResults
    status = paint(STYLES[report.status], screen.words(f"plan_view.{report.status.value}"))
    end = screen.words(
        "plan_view.end",
        share=f"{final.confidence:.0%}",
        stopped=report.stopped,
        seconds=f"{meta.totalTime:.2f}",
        cached=meta.cacheHits,
        turns=meta.totalIterations,
    )
    lines = [f"{status}: {end}"]
    if final.unmatchedExpectations:
        lines.append(paint("bad", screen.words("plan_view.not_found", words=final.unmatchedExpectations)))
    lines += screen.warn(report.degraded)
    if report.structuredKnowledgePath:
        lines.append(paint("dim", screen.words("plan_view.page", path=report.structuredKnowledgePath)))
    lines.append(paint("dim", screen.words("plan_view.plan", id=report.planId)))
    return [*lines, screen.words("plan_view.next", next=report.next)]


def declare_list_plans(parser: argparse.ArgumentParser) -> None:
    """Add the plan to show, and options for actions on all plans."""
    one = "show one plan; the beginning of its id is enough"
    parser.add_argument("id", nargs="?", default="", metavar="ID", help=one)
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
    if options.id:
        return answer(options, "show_plan", {"planId": options.id})
    return answer(options, "list_plans", arguments)


def list_plans(found: PlanList, screen: Screen) -> View:
    """Return the list of plans, a line each."""
    if not found.plans:
        return View(screen.words("plan_view.no_plans", next=found.next), (), False)
    lines = []
    for plan in found.plans:
        status = screen.words(f"plan_view.{plan.status}")
        painted = screen.paint(STYLES[PlanStatus(plan.status)], status + " " * (7 - columns(status)))
        goal = f"{plan.confidence:>4.0%}  {printable(plan.goal)}  {screen.paint('path', plan.first)}"
        lines.append(f"{plan.planId[:8]}  {plan.madeAt}  {painted} {goal}")
    if found.truncated:
        lines.append(screen.words("plan_view.more", shown=len(lines), total=found.total))
    return View("\n".join(lines))


def list_presets(found: PresetList, screen: Screen) -> View:
    """Return the presets, a line each."""
    lines = [f"{screen.paint('bold', one.name)}  {screen.say(one.description)}" for one in found.presets]
    return View("\n".join(lines))


def export_plans(made: PlanExport, screen: Screen) -> View:
    """Return what was written, and where to."""
    words = screen.words("plan_view.written", plans=made.plans, templates=made.templates, path=made.path)
    return View(words)


def declare_import_plans(parser: argparse.ArgumentParser) -> None:
    """Add the directory of an earlier program as an argument."""
    told = "the directory (default .gistdex)"
    parser.add_argument("path", nargs="?", default=".gistdex", metavar="DIR", help=told)


def run_import_plans(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Import a file (anywhere), or a directory of the project."""
    text = read_file(arguments["path"])
    return answer(options, "import_plans", {"document": text} if text else arguments)


def import_plans(taken: PlanImport, screen: Screen) -> View:
    """Return how much was imported, and what was refused."""
    counts = {"plans": taken.plans, "templates": taken.templates, "pages": taken.pages, "known": taken.known}
    return View("\n".join([screen.words("plan_view.taken", **counts), *map(screen.say, taken.refused)]))
