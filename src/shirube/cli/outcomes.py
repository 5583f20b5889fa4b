"""``shirube outcome …``: how sessions turned out, for people."""

import argparse
from functools import partial

from shirube.cli.command import OK, Command, ask, common, opened, show
from shirube.cli.screen import Paint, paint_for, printable
from shirube.errors import BadArgument, counted
from shirube.operations.results.insights import InsightsResult, StatsResult
from shirube.operations.results.session import OutcomeResult
from shirube.operations.run import run
from shirube.outcomes.log import SESSION
from shirube.outcomes.records import Result
from shirube.outcomes.refusals import GateRates


def _declare_outcome(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("message", metavar="MESSAGE", nargs="*", help="what was said that shows it")
    parser.add_argument("--session", default="", metavar="ID", help="the session (default: the last one used)")
    parser.add_argument("--cause", default="", metavar="TEXT", help="what caused it")
    parser.add_argument("--at", default="", metavar="TEXT", help="where it went wrong: a phase, an operation, a file")
    common(parser)


def _run_outcome(outcome: Result, options: argparse.Namespace) -> int:
    with opened(options) as (workspace, call):
        last = workspace.journal.documents(SESSION, 1)
        handle = options.session or (last[0].key if last else "")
        if not handle:
            raise BadArgument("there is no session in this work tree", "'shirube session start' begins one")
        arguments = {
            "session_id": handle,
            "outcome": outcome.value,
            "trigger_message": " ".join(options.message),
            "analysis": {"root_cause": options.cause, "failure_point": options.at},
        }
        result = run(workspace, "record_outcome", arguments, call)
    show(options, result, lambda: _outcome_text(result, paint_for(options.no_color)))
    return OK


def _declare_insights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", "--limit", type=int, default=100, metavar="N", help="the last N sessions (default 100)")
    parser.add_argument("--stats", action="store_true", help="only count them")
    parser.add_argument("--forget", action="store_true", help="take back what the ranking learnt so far")
    common(parser)


def _run_insights(options: argparse.Namespace) -> int:
    paint = paint_for(options.no_color)
    if options.forget:
        forgotten = ask(options, "forget_outcomes", {})
        show(options, forgotten, lambda: f"{counted(forgotten.outcomes, 'outcome')}: {forgotten.note}")
    elif options.stats:
        stats = ask(options, "get_outcome_stats", {})
        show(options, stats, lambda: _stats_text(stats, paint))
    else:
        result = ask(options, "get_improvement_insights", {"limit": options.limit})
        show(options, result, lambda: _insights_text(result, paint))
    return OK


def _outcome_text(result: OutcomeResult, paint: Paint) -> str:
    style = {"success": "good", "failure": "bad", "partial": "line"}[result.outcome.value]
    lines = [f"{paint(style, result.outcome.value)} recorded for {paint('bold', result.session_id)}"]
    lines += [paint("path", file) for file in result.agreement_files]
    lines += [paint("line", f"demoted: {name}") for name in result.demoted]
    lines += [paint("bad", f"! not agreed: {why}") for why in result.not_agreed]
    lines += [paint("bad", f"! {problem}") for problem in result.problems]
    return "\n".join([*lines, *([paint("dim", result.note)] if result.note else [])])


def _insights_text(result: InsightsResult, paint: Paint) -> str:
    lines = [
        f"{counted(result.total_sessions_with_outcomes, 'session')} with an outcome, "
        f"{result.sessions_with_decisions} with a decision"
    ]
    for title, table in (
        ("operations", result.tool_failure_correlation),
        ("risk", result.risk_level_correlation),
    ):
        rows = [
            f"  {name}: {rate.failures} of {rate.total} failed ({rate.failure_rate:.0%})"
            for name, rate in table.items()
        ]
        lines += [paint("bold", title), *map(partial(paint, "dim"), rows)] if rows else []
    for title, counts in (("failed at", result.common_failure_points), ("written files", result.survival)):
        rows = [f"  {name}: {count}" for name, count in counts.items()]
        lines += [paint("bold", title), *map(partial(paint, "dim"), rows)] if rows else []
    lines += _gate_lines(result.gate) if result.gate.checks or result.gate.found else []
    return "\n".join([*lines, f"ranking: {result.prior}", *(paint("line", f"· {line}") for line in result.suggestions)])


def _gate_lines(gate: GateRates) -> list[str]:
    """Tell the two rates, what they are made of, and what could be done about the wrong ones."""
    rate = "none" if gate.block_rate is None else f"{gate.block_rate:.0%}"
    wrong = "not known yet" if gate.false_block_rate is None else f"{gate.false_block_rate:.0%}"
    commands = ", ".join(f"{printable(name)} ({times})" for name, times in gate.harmless_commands.items())
    return [
        f"gate: {counted(gate.checks, 'write')} judged, {gate.blocked} blocked, {gate.advised} advised against "
        f"({rate}), {gate.lifted} allowed later, {gate.found} found afterwards",
        f"  false blocks: {wrong}, as far as can be seen: doubted commands that changed nothing"
        + (f": {commands}; gate.commands can let them pass" if commands else ""),
    ]


def _stats_text(stats: StatsResult, paint: Paint) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in stats.by_outcome.items())
    lines = [f"{counted(stats.total, 'outcome')} of {counted(stats.sessions, 'session')}: {counts or 'none'}"]
    for title, table in (("intent", stats.by_intent), ("phase", stats.by_phase), ("search by sense", stats.semantic)):
        for name, row in table.items():
            told = ", ".join(f"{count} {outcome}" for outcome, count in row.items())
            lines.append(f"  {paint('dim', title)} {name}: {told}")
    return "\n".join(lines)


SUCCESS, FAILURE = (Command(_declare_outcome, partial(_run_outcome, one)) for one in (Result.SUCCESS, Result.FAILURE))
PARTIAL = Command(_declare_outcome, partial(_run_outcome, Result.PARTIAL))
INSIGHTS = Command(_declare_insights, _run_insights)
