"""Cutting by lines: blank lines first, then line ends, then characters."""

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from shirube.types import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES = 2000
"""The longest piece: about 500 tokens, what the embedding model reads at once."""

LONG_BYTES = 10_000
"""Spans above this look their last line up; counting would be quadratic for deeply nested code."""


def split_span(text: bytes, start: int, end: int, marks: "Sequence[int]" = ()) -> "Iterator[tuple[int, int]]":
    """Cut a span into parts of at most MAX_BYTES, at marks, blank lines, line ends or characters."""
    while end - start > MAX_BYTES:
        parts = -(-(end - start) // MAX_BYTES)
        aim = (end - start) // parts
        cut = _best_cut(text, start, aim, marks)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _best_cut(text: bytes, start: int, aim: int, marks: "Sequence[int]") -> int:
    """Return the best place to cut near the aim, never farther than MAX_BYTES."""
    low, high = start + aim // 2, start + min(MAX_BYTES, aim + aim // 3)
    if marks:
        place = bisect_left(marks, high + 1) - 1
        if place >= 0 and marks[place] > low:
            return marks[place]
    for near in (b"\n\n", b"\n\r\n"):
        found = text.rfind(near, low, high)
        if found >= 0:
            return found + len(near)
    found = text.rfind(b"\n", start + 1, start + MAX_BYTES)
    if found >= 0:
        return found + 1
    cut = start + MAX_BYTES
    while cut > start + 1 and text[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


class Lines:
    """Line numbers of spans that are asked for mostly from front to back."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._line = 1
        self._place = 0
        self._breaks: list[int] = []

    def of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line of a span."""
        if start < self._place:
            self._line, self._place = 1, 0
        self._line += self._text.count(b"\n", self._place, start)
        self._place = start
        if end - start <= LONG_BYTES:
            return self._line, self._line + self._text.count(b"\n", start, end)
        if not self._breaks:
            self._breaks = [found.start() for found in re.finditer(b"\n", self._text)]
        return self._line, bisect_left(self._breaks, end) + 1


class Cutter:
    """Turns spans, given in order, into pieces with line numbers."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self._lines = Lines(text)

    def add(self, start: int, end: int, symbol: str = "", kind: str = "module", marks: "Sequence[int]" = ()) -> None:
        """Add a span as one piece, or as several when it is long; white space alone adds nothing."""
        for left, right in split_span(self.text, start, end, marks) if end - start > MAX_BYTES else ((start, end),):
            self._add_part(left, right, symbol, kind)

    def _add_part(self, start: int, end: int, symbol: str, kind: str) -> None:
        raw = self.text[start:end]
        bare = raw.strip()
        if not bare or ((bare[0] > 0x7F or bare[0] < 0x20) and not bare.decode("utf-8", "ignore").strip()):
            return
        end -= len(raw) - len(raw.rstrip())
        lead = start + len(raw) - len(raw.lstrip())
        start = max(start, self.text.rfind(b"\n", start, lead) + 1)
        self.pieces.append(Piece(start, end, *self._lines.of(start, end), symbol, kind))


def cut_lines(text: bytes) -> tuple[Piece, ...]:
    """Return the pieces of a text without structure."""
    cutter = Cutter(text)
    cutter.add(0, len(text))
    return tuple(cutter.pieces)
