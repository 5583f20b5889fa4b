"""Options of the commands about session."""

import argparse
from typing import Any

from shirube.doors.cli.command import opened
from shirube.doors.cli.derived import shown
from shirube.features.guard.sessions import latest_session
from shirube.operation import OPERATIONS
from shirube.operations import run


def declare_record_outcome(parser: argparse.ArgumentParser) -> None:
    """Add the message (without quotes) as arguments, and options for the session and the cause."""
    parser.add_argument("message", metavar="MESSAGE", nargs="*", help="what was said that shows it")
    parser.add_argument("--session", default="", metavar="ID", help="the session (default: the last one used)")
    parser.add_argument("--cause", default="", metavar="TEXT", help="what caused it")
    parser.add_argument("--at", default="", metavar="TEXT", help="where it went wrong: a phase, an operation, a file")


def run_record_outcome(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Record the outcome of a session: without a handle, of the one that was changed last."""
    analysis = {"root_cause": options.cause, "failure_point": options.at}
    told = {"trigger_message": " ".join(options.message), "analysis": analysis}
    with opened(options) as (workspace, call):
        handle = options.session or latest_session(workspace)
        result = run(workspace, "record_outcome", {**arguments, **told, "session_id": handle}, call)
    return shown(options, OPERATIONS["record_outcome"], result)
