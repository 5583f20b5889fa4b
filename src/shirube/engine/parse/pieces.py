"""Spans of symbols become pieces: in order, without overlap, with nothing left out but white space."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from shirube.engine.parse.languages import CONTAINER_KINDS
from shirube.engine.parse.lines import MAX_BYTES, Cutter
from shirube.types import Piece

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


def cut_pieces(text: bytes, spans: list[Span]) -> tuple[Piece, ...]:
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
