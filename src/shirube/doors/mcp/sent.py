"""What each reader has been sent in a session, so that unchanged code is named instead of sent a second time.

A reader is an agent in a session of a client. It is forgotten when its client tells that a conversation lost its text.
"""

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from zlib import crc32

from shirube.doors.views.screen import printable
from shirube.features.guard.gate_memory import context_mark

MOST_READERS = 64
MOST_LINES = 50_000
"""How many lines are remembered of a reader; with more, all are forgotten, since old ones have left its window."""

Lines = dict[tuple[str, int], int]
"""A checksum of each line that was sent, by path and number."""


class Sent:
    """The memory of a server; it lives as long as the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = context_mark(folder)
        self._readers: OrderedDict[tuple[str, ...], Lines] = OrderedDict()
        self._lock = Lock()

    def reader(self, *identity: str) -> Lines:
        """Return the lines that a reader has; none after a client lost its context."""
        mark = context_mark(self._folder)
        with self._lock:
            if mark != self._mark:
                self._mark = mark
                self._readers.clear()
            lines = self._readers.setdefault(identity, {})
            self._readers.move_to_end(identity)
            if len(self._readers) > MOST_READERS:
                self._readers.popitem(last=False)
            if len(lines) > MOST_LINES:
                lines.clear()
            return lines


class Reply:
    """The code that one reply offers; only what is in its final text counts as sent."""

    def __init__(self, lines: Lines, again: bool) -> None:
        self._lines, self._again = lines, again
        self._offers: list[tuple[str, int, list[str]]] = []

    def was_sent(self, path: str, start: int, end: int, text: str) -> bool:
        """Tell whether the reader has exactly these lines of a file; else they may be in this reply."""
        lines = text.split("\n")
        if not lines[-1] and len(lines) == end - start + 2:
            lines.pop()  # a line break at the end, not an empty last line
        if len(lines) != end - start + 1:
            return False  # only a part of the place, which nobody can tell from another part
        known = all(self._lines.get((path, number)) == _sum(line) for number, line in enumerate(lines, start))
        if known and not self._again:
            return True
        self._offers.append((path, start, lines))
        return False

    def finish(self, text: str) -> None:
        """Remember what the reply really shows."""
        for path, start, lines in self._offers:
            if f"{path}:" in text and "\n".join(map(printable, lines)) in text:
                self._lines |= {(path, number): _sum(line) for number, line in enumerate(lines, start)}


def _sum(line: str) -> int:
    return crc32(line.encode("utf-8", "surrogatepass"))
