"""Text for the content of the index and the changes of a sync."""

import argparse
import signal
import sys
from collections.abc import Mapping
from threading import Event
from typing import TYPE_CHECKING, Any

from shirube.doors.cli.command import opened, show
from shirube.doors.cli.derived import answer
from shirube.doors.cli.screen import Screen, View, changes, columns, printable, screen_for
from shirube.engine.text.budget import size
from shirube.features.lookup.results import IndexStatus, SyncResult
from shirube.types import SyncReport

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LABEL_COLUMNS = 10


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


def sync_index(result: SyncResult, screen: Screen) -> View:
    """Return one line about a sync, then warnings."""
    totals, words = result.totals, screen.words
    named = ("added", "changed", "removed")
    done = [words(f"index_view.{key}", count=f"{totals[key]:,}") for key in named if totals[key]]
    work = words("index_view.work", parsed=f"{totals['parsed']:,}", reused=f"{totals['reused']:,}")
    line = words(
        "index_view.synced",
        files=totals["files"],
        changes=done or words("index_view.no_changes"),
        work=work if done else words("index_view.no_work"),
        seconds=f"{result.seconds:.2f}",
    )
    stale = [f"{count} {state}" for state, count in result.map.items() if state not in ("fresh", "unbound")]
    line += words("index_view.agreements", states=stale) if stale else ""
    warnings = result.warnings if totals["files"] else (result.next, *result.warnings)
    return View("\n".join([screen.paint("good", line), *screen.warn(warnings)]))


def index_status(result: IndexStatus, screen: Screen) -> View:
    """Return the content of the index as aligned lines."""
    words = screen.words
    waiting = words("index_view.waiting", engine=result.lexical, count=result.waiting)
    to_be_read = words("index_view.to_be_read", model=result.model, count=result.unembedded)
    state = "index_view.outdated" if result.needs_sync else "index_view.current"
    rows = {
        "root": result.root,
        "state": words(state, state=result.state),
        "indexed": result.freshness.indexed_at or words("index_view.never"),
        "files": f"{result.files:,}  ({size(result.source_bytes)})",
        "chunks": f"{result.chunks:,}",
        "symbols": f"{result.symbols:,}",
        "edges": f"{result.edges:,}",
        "commits": f"{result.commits:,}",
        "languages": _counts(result.languages),
        "on_disk": size(result.disk_bytes),
        "watching": screen.say(result.watching) or words("index_view.not_watching"),
        "lexical": waiting if result.waiting else result.lexical,
        "model": to_be_read if result.unembedded else result.model,
        "left_out": _counts(result.skipped) or words("index_view.nothing"),
    }
    lines = []
    for name, value in rows.items():
        label = words(f"index_view.{name}")
        pad = " " * (LABEL_COLUMNS - columns(label))
        lines.append(f"{screen.paint('dim', pad + label)}  {printable(value)}")
    return View("\n".join([*lines, *screen.warn(result.warnings)]))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in counts.items())
