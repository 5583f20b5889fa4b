"""Options of the commands about index."""

import argparse
import signal
import sys
from threading import Event
from typing import TYPE_CHECKING, Any

from shirube.doors.cli.command import opened, show
from shirube.doors.cli.derived import answer
from shirube.doors.cli.screen import screen_for
from shirube.doors.views.screen import changes
from shirube.types import SyncReport

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def declare_sync_index(parser: argparse.ArgumentParser) -> None:
    """Add the project as an argument, and ``--watch``."""
    parser.add_argument("root", nargs="?", metavar="PATH", default=argparse.SUPPRESS, help="the project (as --root)")
    parser.add_argument("--watch", action="store_true", help="stay, and follow every change until interrupted")


def run_sync_index(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Update the index, and with ``--watch`` keep following changes."""
    code = answer(options, "sync_index", arguments)
    if options.watch:
        with opened(options) as (workspace, _):
            _watch(workspace, options)
    return code


def _watch(workspace: "Workspace", options: argparse.Namespace) -> None:
    """Print every change until interrupted, or until our parent process is gone."""
    stop, interrupted, screen = Event(), Event(), screen_for(options)

    def interrupt(*_: object) -> None:
        """Stop after the current step, since an exception inside it could get lost; the second time, exit at once."""
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    signal.signal(signal.SIGINT, interrupt)

    def tell(report: SyncReport) -> None:
        show(options, report, lambda: "\n".join(changes(report, screen.paint)))
        sys.stdout.flush()

    print(f"shirube: {screen.words('index_view.watching_now')}", file=sys.stderr)
    workspace.keeper.watch(stop, tell)
    if interrupted.is_set():
        raise KeyboardInterrupt
