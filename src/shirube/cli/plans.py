"""Plans in the terminal: turns as they come, on stderr, then the results and the six measures."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, opened, show
from shirube.cli.files import read_file, write_file
from shirube.cli.screen import Paint, paint_for, printable
from shirube.codec.records import replace
from shirube.errors import counted
from shirube.operations import run
from shirube.operations.declare import Call
from shirube.operations.results.plan import PlanImport, PlanIteration, PlanList, PlanReport
from shirube.operations.shelf import is_export
from shirube.plan.record import PlanResult, PlanStatus

MEASURES = (
    ("keyword", "keywordMatch"),
    ("pattern", "patternMatch"),
    ("sense", "semanticSimilarity"),
    ("coverage", "coverage"),
    ("precision", "precision"),
    ("recall", "recall"),
)
STYLES = {PlanStatus.SUCCESS: "good", PlanStatus.PARTIAL: "line", PlanStatus.FAILED: "bad"}
LONGEST = 56


def _declare_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("goal", metavar="GOAL", nargs="+", help="what is to be understood or found")
    parser.add_argument("--expect", action="append", default=[], metavar="WORD", help="a word a good answer has")
    parser.add_argument("--pattern", action="append", default=[], metavar="RE", help="an expression that must match")
    parser.add_argument("--query", action="append", default=[], metavar="Q", help="a question to ask in any case")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help='"filter *.test.ts", "in docs"')
    parser.add_argument("--preset", default="", metavar="NAME", help="a ready measure of a good answer")
    parser.add_argument("--mode", choices=("strict", "fuzzy", "semantic"), help="how to compare (default semantic)")
    parser.add_argument("--confidence", type=float, metavar="X", help="how sure to be before stopping (default 0.7)")
    parser.add_argument("--iterations", type=int, default=5, metavar="N", help="at most so many questions")
    parser.add_argument("--timeout", type=int, default=120, metavar="S", help="seconds, 10 to 300")
    parser.add_argument("--save", choices=("state", "project", "none"), default="state", help="where the page goes")
    parser.add_argument("--fresh", action="store_true", help="ask anew, whatever is remembered")
    common(parser)


def _run_plan(options: argparse.Namespace) -> int:
    arguments: dict[str, Any] = {
        "goal": " ".join(options.goal),
        "initialQueries": options.query,
        "maxIterations": options.iterations,
        "evaluationMode": options.mode,
        "timeoutSeconds": options.timeout,
        "preset": options.preset,
        "save": options.save,
        "fresh": options.fresh,
    }
    expected = {"keywords": options.expect, "contentPatterns": options.pattern, "confidence": options.confidence}
    if any(value not in ([], None) for value in expected.values()):
        arguments["expectedResults"] = expected
    if options.rule:
        arguments["strategy"] = {"expansionRules": options.rule}
    with opened(options) as (workspace, call):
        telling = Call(_told(call.progress, options.quiet), call.deadline, call.patient, call.lasting)
        report = run(workspace, "query_plan", arguments, telling)
    show(options, report, lambda: plan_text(report, paint_for(options.no_color)))
    return OK if report.finalResults.data else NO_MATCH


def _told(progress: Callable[[str, int, int], None], quiet: bool) -> Callable[[str, int, int], None]:
    """Return who is told of progress: a turn is a line of its own and stays, the rest is the usual line."""

    def tell(what: str, done: int, total: int) -> None:
        if what.startswith("turn ") and not quiet:
            print(printable(what), file=sys.stderr, flush=True)
        else:
            progress(what, done, total)

    return tell


def plan_text(report: PlanReport, paint: Paint) -> str:
    """Return a plan as a person reads it: the places, the turns with their measures, how it ended."""
    blocks = [_place(result, paint) for result in report.finalResults.data]
    return "\n".join([*blocks, *([""] if blocks else []), *turns_table(report, paint), *_end(report, paint)])


def _place(result: PlanResult, paint: Paint) -> str:
    place = f"{paint('path', result.path)}:{paint('line', f'{result.start_line}-{result.end_line}')}"
    return f"{place}  {paint('kind', result.kind)}" + (f" {paint('bold', result.symbol)}" if result.symbol else "")


def turns_table(report: PlanReport, paint: Paint) -> list[str]:
    """Return the table of turns: score, how sure, the six measures, and what was asked."""
    heads = "".join(f"{name:>10}" for name, _ in MEASURES)
    lines = [paint("dim", f"{'turn':>4}{'score':>7}{'sure':>6}{heads}  asked")]
    lines += [_turn(turn) for turn in report.iterations]
    final = report.finalResults
    numbers = "".join(f"{getattr(final.evaluation, name):>10.2f}" for _, name in MEASURES)
    lines.append(paint("bold", f"{'all':>4}{final.evaluation.score:>7.2f}{final.confidence:>6.0%}{numbers}  fused"))
    return lines


def _turn(turn: PlanIteration) -> str:
    said = printable(f"{turn.query} ({turn.why})" if turn.why else turn.query)
    said = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    if turn.error:
        return f"{turn.iterationNumber:>4}  failed: {printable(turn.error)}  {said}"
    numbers = "".join(f"{getattr(turn.evaluation, name):>10.2f}" for _, name in MEASURES)
    mark = " (remembered)" if turn.cached else ""
    return f"{turn.iterationNumber:>4}{turn.evaluationScore:>7.2f}{turn.confidence:>6.0%}{numbers}  {said}{mark}"


def _end(report: PlanReport, paint: Paint) -> list[str]:
    status = paint(STYLES[report.status], report.status.value)
    meta = report.metadata
    took = f"{meta.totalTime:.2f} s, {meta.cacheHits} of {counted(meta.totalIterations, 'turn')} remembered"
    lines = [f"{status}: {report.finalResults.confidence:.0%} sure, stopped by {report.stopped}; {took}"]
    if report.finalResults.unmatchedExpectations:
        lines.append(paint("bad", f"not found: {', '.join(report.finalResults.unmatchedExpectations)}"))
    lines += [paint("bad", f"! {line}") for line in report.degraded]
    if report.structuredKnowledgePath:
        lines.append(paint("dim", f"page: {report.structuredKnowledgePath}"))
    return [*lines, paint("dim", f"plan: {report.planId}"), f"next: {printable(report.next)}"]


def _declare_plans(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", default="", metavar="ID", help="show one plan; the beginning of its id is enough"
    )
    parser.add_argument("--about", default="", metavar="WORDS", help="only plans whose goal has one of the words")
    parser.add_argument("--presets", action="store_true", help="list the ready plans instead")
    parser.add_argument("--export", default="", metavar="FILE", help="write all plans to a file of yours")
    parser.add_argument("--import", dest="take", default="", metavar="FILE", help="take in such a file")
    parser.add_argument("-k", "--limit", type=int, default=20, metavar="N", help="how many (default 20)")
    common(parser)


def _run_plans(options: argparse.Namespace) -> int:
    paint = paint_for(options.no_color)
    if options.presets:
        presets = ask(options, "list_presets", {})
        show(
            options,
            presets,
            lambda: "\n".join(f"{paint('bold', one.name)}  {one.description}" for one in presets.presets),
        )
        return OK
    if options.export:
        written = ask(options, "export_plans", {})
        written = replace(written, path=write_file(options.export, f"{written.document}\n", is_export), document="")
        show(
            options,
            written,
            lambda: f"{counted(written.plans, 'plan')}, {counted(written.templates, 'template')} → {written.path}",
        )
        return OK
    if options.take:
        return _import(options, options.take)
    if options.id:
        report = ask(options, "show_plan", {"planId": options.id})
        show(options, report, lambda: plan_text(report, paint))
        return OK
    found = ask(options, "list_plans", {"query": options.about, "limit": options.limit})
    show(options, found, lambda: plans_text(found, paint))
    return OK if found.plans else NO_MATCH


def plans_text(found: PlanList, paint: Paint) -> str:
    """Return the list of plans, a line each."""
    if not found.plans:
        return f"no plans: {found.next}"
    lines = [
        f"{one.planId[:8]}  {one.madeAt}  {paint(STYLES[PlanStatus(one.status)], f'{one.status:<7}')} "
        f"{one.confidence:>4.0%}  {printable(one.goal)}  {paint('path', one.first)}"
        for one in found.plans
    ]
    return "\n".join([*lines, f"{len(lines)} of {found.total}; -k for more"] if found.truncated else lines)


def _declare_gistdex(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default=".gistdex", metavar="DIR", help="the directory (default .gistdex)")
    common(parser)


def _import(options: argparse.Namespace, path: str) -> int:
    text = read_file(path)
    taken: PlanImport = ask(options, "import_plans", {"document": text} if text else {"path": path})
    counts = ((taken.plans, "plan"), (taken.templates, "template"), (taken.pages, "page"))
    told = f"{', '.join(counted(*one) for one in counts)} taken in; {taken.known} known already"
    show(options, taken, lambda: "\n".join([told, *taken.refused]))
    return OK


PLAN = Command(_declare_plan, _run_plan)
PLANS = Command(_declare_plans, _run_plans)
GISTDEX = Command(_declare_gistdex, lambda options: _import(options, options.path))
