"""A progress line on stderr that tells the truth, and only to people."""

import sys
from time import monotonic
from typing import TextIO

from shirube.doors.cli.screen import columns
from shirube.messages import AGENT, Message, Speech, render, say

EVERY_SECONDS = 0.1
BAR = 24


class ProgressLine:
    """Rewrites one line while work goes on; silent when nobody watches."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False, speech: Speech = AGENT) -> None:
        self._speech = speech
        self._stream = stream or sys.stderr
        self._shown = not quiet and self._stream.isatty()
        self._last = float("-inf")
        self._started = monotonic()
        self._width = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show a step, at most ten times a second."""
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
