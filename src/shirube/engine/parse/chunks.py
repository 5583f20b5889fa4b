"""Spans of symbols become pieces: in order, without overlap, with nothing left out but white space."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from shirube.engine.parse.languages import CONTAINER_KINDS
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


WHOLE_BYTES = 600
"""A container up to this size stays one piece, and a small thing above it becomes one."""

SMALL_KINDS = frozenset(
    {"constant", "variable", "field", "property", "type", "macro", "key", "rule", "at_rule", "element"}
    | {"directive", "component"}
)
"""Kinds that share a piece with their neighbours unless they are long."""

_WORD = re.compile(rb"[\w\x80-\xff]")


class Span(NamedTuple):
    """The place of a symbol, from the comments above it to its end, in bytes."""

    start: int
    end: int
    symbol: str
    kind: str
    declared: bool = False
    """Whether it only declares, on one line and without a body, what is made elsewhere."""

    @property
    def small(self) -> bool:
        """Whether it shares a piece with its neighbours."""
        return self.declared or (self.kind in SMALL_KINDS and self.end - self.start <= WHOLE_BYTES)


@dataclass(slots=True)
class _Sweep:
    """One walk from the front of the text to its end."""

    text: bytes
    small: list[Span]
    segments: list[list[int]] = field(default_factory=list)
    labels: list[tuple[str, str]] = field(default_factory=list)
    opened: list[Span] = field(default_factory=list)
    place: int = 0
    fresh: bool = True
    """Whether the place is the very start of a container, whose header it begins."""


def cut_chunks(text: bytes, spans: list[Span]) -> tuple[Piece, ...]:
    """Return the pieces of a text whose symbols lie at the given spans."""
    ordered = sorted(spans, key=lambda span: (span.start, -span.end))
    own = [span for span in ordered if not span.small]
    sweep = _Sweep(text, [span for span in ordered if span.small])
    for number, span in enumerate(own):
        if span.start < sweep.place:
            continue
        _close(sweep, span.start)
        _gap(sweep, span.start)
        holds = number + 1 < len(own) and span.start < own[number + 1].start < span.end
        if holds and span.end - span.start > (WHOLE_BYTES if span.kind in CONTAINER_KINDS else MAX_BYTES):
            sweep.opened.append(span)
            sweep.fresh = True
        else:
            _whole(sweep, span)
    _close(sweep, len(text) + 1)
    _gap(sweep, len(text))
    return _finish(sweep, ordered)


def _whole(sweep: _Sweep, span: Span) -> None:
    """Take a span as one segment, with the indentation before it."""
    end = min([span.end, *(outer.end for outer in sweep.opened[-1:])])
    line = sweep.text.rfind(b"\n", 0, span.start) + 1
    start = line if line >= sweep.place and not sweep.text[line : span.start].strip() else span.start
    sweep.segments.append([start, end])
    sweep.labels.append((span.symbol, span.kind))
    sweep.place, sweep.fresh = end, False


def _close(sweep: _Sweep, start: int) -> None:
    """Leave the containers that end before the next span begins."""
    while sweep.opened and sweep.opened[-1].end <= start:
        _gap(sweep, min(sweep.opened[-1].end, len(sweep.text)))
        sweep.opened.pop()


def _gap(sweep: _Sweep, end: int) -> None:
    """Take what stands between two symbols; the rest of a line, and mere punctuation, stay with what was before."""
    start = sweep.place
    if start >= end:
        return
    text, fresh = sweep.text, sweep.fresh
    sweep.place, sweep.fresh = end, False
    if sweep.segments and not fresh:
        line = text.find(b"\n", start, end)
        start = end if line < 0 else line
        if not _WORD.search(text, start, end):
            start = end
        sweep.segments[-1][1] = start
    if start < end:
        sweep.segments.append([start, end])
        sweep.labels.append(_label(sweep, start, end))


def _label(sweep: _Sweep, start: int, end: int) -> tuple[str, str]:
    """Name a gap: its container, or the one small symbol that fills it."""
    if sweep.opened:
        return sweep.opened[-1].symbol, sweep.opened[-1].kind
    first = bisect_left(sweep.small, (start,))
    inside = [span for span in sweep.small[first : first + 2] if span.start < end]
    if len(inside) == 1 and (inside[0].end - inside[0].start) * 2 > end - start:
        return inside[0].symbol, inside[0].kind
    return "", "module"


def _finish(sweep: _Sweep, ordered: list[Span]) -> tuple[Piece, ...]:
    """Make pieces of the segments, cutting long ones where a nested symbol begins."""
    cutter = Cutter(sweep.text)
    marks: list[int] = []
    for (start, end), (symbol, kind) in zip(sweep.segments, sweep.labels, strict=True):
        if end - start > MAX_BYTES and not marks:
            marks = [sweep.text.rfind(b"\n", 0, span.start) + 1 for span in ordered]
        cutter.add(start, end, symbol, kind, marks)
    return tuple(cutter.pieces)
