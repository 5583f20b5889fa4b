"""Commands about the index itself: ``index``, ``status`` and ``doctor``."""

import argparse
import signal
import sys
from threading import Event
from typing import TYPE_CHECKING

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, opened, show
from shirube.cli.screen import paint_for
from shirube.cli.show import change_text, status_text, sync_text
from shirube.types import SyncReport

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def _declare_index(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", nargs="?", metavar="PATH", default=argparse.SUPPRESS, help="the project (as --root)")
    parser.add_argument("--full", action="store_true", help="read every file again, whatever its time stamp")
    parser.add_argument("--watch", action="store_true", help="stay, and follow every change until interrupted")
    common(parser)


def _run_index(options: argparse.Namespace) -> int:
    result = ask(options, "sync_index", {"full": options.full})
    show(options, result, lambda: sync_text(result, paint_for(options.no_color)))
    if options.watch:
        with opened(options) as (workspace, _):
            _watch(workspace, options)
    return OK


def _watch(workspace: "Workspace", options: argparse.Namespace) -> None:
    """Tell of every change until interrupted, or until the program that started us is gone."""
    stop, interrupted = Event(), Event()

    def interrupt(*_: object) -> None:
        """End in an orderly way; an exception in the middle of anything could get lost. The second time, at once."""
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    signal.signal(signal.SIGINT, interrupt)

    def told(report: SyncReport) -> None:
        show(options, report, lambda: change_text(report, paint_for(options.no_color)))
        sys.stdout.flush()

    print("shirube: watching; Ctrl-C ends it", file=sys.stderr)
    workspace.keeper.watch(stop, told)
    if interrupted.is_set():
        raise KeyboardInterrupt


def _run_status(options: argparse.Namespace) -> int:
    result = ask(options, "index_status", {})
    show(options, result, lambda: status_text(result, paint_for(options.no_color)))
    return OK


def _declare_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repair", action="store_true", help="build a broken index anew, fetch a missing model")
    common(parser)


def _run_doctor(options: argparse.Namespace) -> int:
    from shirube.cli.doctor import Finding, examine, repair, report_text

    mended: tuple[Finding, ...] = ()
    if options.repair:
        with opened(options) as (workspace, call):
            mended = repair(workspace, call)
    findings = (*mended, *examine(options.root))
    show(options, {"findings": findings}, lambda: report_text(findings, paint_for(options.no_color)))
    return NO_MATCH if any(finding.state == "bad" for finding in findings) else OK


INDEX = Command(_declare_index, _run_index)
STATUS = Command(common, _run_status)
DOCTOR = Command(_declare_doctor, _run_doctor, unsettled=True)
