"""The type of a command, and what every command needs: an open project, a call, a way to print, a progress line."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct

from shirube.codec import replace, shown_json
from shirube.config import client_session
from shirube.doors.cli.screen import language_for, speech_for
from shirube.doors.views.screen import columns
from shirube.messages import AGENT, Message, Speech, render, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.workspace import Workspace

EVERY_SECONDS = 0.1
BAR = 24


class ProgressLine:
    """Rewrites one line while work goes on; prints nothing unless the stream is a terminal."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False, speech: Speech = AGENT) -> None:
        self._speech = speech
        self._stream = stream or sys.stderr
        self._shown = not quiet and self._stream.isatty()
        self._last = float("-inf")
        self._started = monotonic()
        self._width = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show a step, at most every ``EVERY_SECONDS``."""
        if not self._shown or monotonic() - self._last < EVERY_SECONDS:
            return
        self._last = monotonic()
        self._write(render(progress_text(what, done, total, monotonic() - self._started), self._speech))

    def finish(self) -> None:
        """Clear the line."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, text: str) -> None:
        width = columns(text)
        self._stream.write("\r" + text + " " * (self._width - width))
        self._stream.flush()
        self._width = width


def progress_text(what: str, done: int, total: int, seconds: float) -> Message:
    """Return a line: ``indexing ███░░░ 120/400 files  3 s``."""
    if not total:
        return say("cli.at_work", what=what, seconds=f"{seconds:.0f}")
    filled = BAR * done // total
    bar = "█" * filled + "░" * (BAR - filled)
    return say("cli.progress", what=what, bar=bar, done=f"{done:,}", total=f"{total:,}", seconds=f"{seconds:.0f}")


OK, NO_MATCH = 0, 1


class CliCommand(Struct, frozen=True):
    """One command: its arguments, and what it does."""

    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    anywhere: bool = False
    """Whether it also works outside a project; ``options.root`` is None there."""
    unsettled: bool = False
    """Whether it runs even with an unusable configuration: ``doctor`` has to report what is wrong."""


@contextmanager
def opened(options: argparse.Namespace) -> "Iterator[tuple[Workspace, Call]]":
    """Open the project for one command, with a progress line."""
    from shirube.workspace import build_workspace

    workspace = build_workspace(options.root, config=getattr(options, "config", None))
    line = ProgressLine(quiet=options.quiet, speech=speech_for(None, language_for(options)))
    workspace.keeper.lasting = False
    try:
        yield workspace, Call(progress=line, patient=True, lasting=False, client=client_session())
    finally:
        line.finish()
        options.overdue = workspace.keeper.is_overdue()
        workspace.close()


def ask(options: argparse.Namespace, name: str, arguments: dict[str, Any]) -> Any:
    """Run one operation as this command, and return its typed result."""
    from shirube.operations import operation_named, run

    with opened(options) as (workspace, call):
        most = 0 if options.json else options.max_tokens
        wanted = 0 if options.json else most or operation_named(name).tokens or 1
        return run(workspace, name, arguments, replace(call, tokens=wanted, text_tokens=most))


def show(options: argparse.Namespace, result: Any, text: Callable[[], str]) -> None:
    """Print a result: as one JSON object when asked for, else as text for a person."""
    print(json.dumps(shown_json(result), ensure_ascii=False) if options.json else text())


def common(parser: argparse.ArgumentParser) -> None:
    """Declare the options that every command has."""
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--max-tokens", type=int, default=0, metavar="N", help="print at most so many tokens")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    parser.add_argument("--no-color", action="store_true", help="no colours")
