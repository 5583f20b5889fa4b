"""``shirube outcome …``: how sessions turned out, for people."""

import argparse
from functools import partial

from shirube.cli.command import OK, Command, common, opened, show
from shirube.cli.screen import Paint, paint_for
from shirube.errors import BadArgument
from shirube.operations.results.session import OutcomeResult
from shirube.operations.run import run
from shirube.outcomes.log import SESSION
from shirube.outcomes.records import Result


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


def _outcome_text(result: OutcomeResult, paint: Paint) -> str:
    style = {"success": "good", "failure": "bad", "partial": "line"}[result.outcome.value]
    lines = [f"{paint(style, result.outcome.value)} recorded for {paint('bold', result.session_id)}"]
    lines += [paint("path", file) for file in result.agreement_files]
    lines += [paint("line", f"demoted: {name}") for name in result.demoted]
    lines += [paint("bad", f"! not agreed: {why}") for why in result.not_agreed]
    lines += [paint("bad", f"! {problem}") for problem in result.problems]
    return "\n".join([*lines, *([paint("dim", result.note)] if result.note else [])])


SUCCESS, FAILURE = (Command(_declare_outcome, partial(_run_outcome, one)) for one in (Result.SUCCESS, Result.FAILURE))
PARTIAL = Command(_declare_outcome, partial(_run_outcome, Result.PARTIAL))
