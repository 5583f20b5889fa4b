"""Turns spans of symbols into chunks: in order, without overlap, leaving out nothing but white space."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shirube.codec import replace
from shirube.engine.parse.head import is_head
from shirube.engine.parse.languages import CONTAINER_KINDS
from shirube.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES = 2000
"""The longest chunk: about 500 tokens, as much as an embedding model reads at once."""

WHOLE_BYTES = 600
"""A container up to this size stays one chunk; a symbol of a small kind above it becomes its own chunk."""

SMALL_KINDS = frozenset(
    {"constant", "variable", "field", "property", "type", "macro", "key", "rule", "at_rule", "element"}
    | {"directive", "component"}
)
"""Kinds that share a chunk with their neighbours unless they are long."""

LONG_BYTES = 10_000
"""For longer spans the last line is looked up, not counted: counting is quadratic for deeply nested code."""

_WORD = re.compile(rb"[\w\x80-\xff]")


def split_span(text: bytes, start: int, end: int, marks: "Sequence[int]" = ()) -> "Iterator[tuple[int, int]]":
    """Cut a span into parts of at most MAX_BYTES, at marks, blank lines, line ends or characters."""
    while end - start > MAX_BYTES:
        parts = -(-(end - start) // MAX_BYTES)
        cut = _best_cut(text, start, (end - start) // parts, marks)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _best_cut(text: bytes, start: int, aim: int, marks: "Sequence[int]") -> int:
    """Return the best place to cut near the aim, never farther than MAX_BYTES."""
    low, high = start + aim // 2, start + min(MAX_BYTES, aim + aim // 3)
    place = bisect_left(marks, high + 1) - 1
    if place >= 0 and marks[place] > low:
        return marks[place]
    for near in (b"\n\n", b"\n\r\n"):
        if (found := text.rfind(near, low, high)) >= 0:
            return found + len(near)
    if (found := text.rfind(b"\n", start + 1, start + MAX_BYTES)) >= 0:
        return found + 1
    cut = start + MAX_BYTES
    while cut > start + 1 and text[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


class Lines:
    """Finds the line numbers of spans; fast when called from front to back."""

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


class Span(NamedTuple):
    """The byte offsets of a symbol, from the comments above it to its end."""

    start: int
    end: int
    symbol: str
    kind: str
    bare: bool = False
    """Whether it has no chunk of its own: a declaration on one line, or a key with members, which are the chunks."""

    @property
    def small(self) -> bool:
        """Whether it shares a chunk with its neighbours."""
        return self.bare or (self.kind in SMALL_KINDS and self.end - self.start <= WHOLE_BYTES)


@dataclass(slots=True)
class _Segment:
    """A part of the text that belongs to one symbol, before long ones are cut."""

    start: int
    end: int
    symbol: str = ""
    kind: str = "module"


def cut_lines(text: bytes) -> tuple[Chunk, ...]:
    """Return the chunks of a text without structure."""
    return _cut_segments(text, [_Segment(0, len(text))], [])


def cut_chunks(text: bytes, spans: list[Span]) -> tuple[Chunk, ...]:
    """Return the chunks of a text whose symbols lie at the given spans."""
    ordered = sorted(spans, key=lambda span: (span.start, -span.end))
    chunks = _cut_segments(text, _Sweep(text, ordered).segments, ordered)
    return tuple(replace(one, kind="head") if _is_head(one, text) else one for one in chunks)


def _is_head(chunk: Chunk, text: bytes) -> bool:
    between = chunk.kind == "module" and not chunk.symbol
    return between and is_head(text[chunk.start : chunk.end].decode("utf-8", "replace"))


class _Sweep:
    """Cuts a text into ``segments`` in one pass from front to end."""

    def __init__(self, text: bytes, ordered: list[Span]) -> None:
        self.segments: list[_Segment] = []
        self._text = text
        self._small = [span for span in ordered if span.small]
        self._opened: list[Span] = []
        self._place = 0
        self._fresh = True
        """Whether the place is the very start of a container, whose header it begins."""
        own = [span for span in ordered if not span.small]
        for number, span in enumerate(own):
            if span.start < self._place:
                continue
            self._close(span.start)
            line = text.rfind(b"\n", 0, span.start) + 1
            self._gap(line if line >= self._place and not text[line : span.start].strip() else span.start)
            holds = number + 1 < len(own) and span.start < own[number + 1].start < span.end
            if holds and span.end - span.start > (WHOLE_BYTES if span.kind in CONTAINER_KINDS else MAX_BYTES):
                self._opened.append(span)
                self._fresh = True
            else:
                self._whole(span)
        self._close(len(text) + 1)
        self._gap(len(text))

    def _whole(self, span: Span) -> None:
        """Add a span as one segment, with the indentation before it."""
        end = min([span.end, *(outer.end for outer in self._opened[-1:])])
        self.segments.append(_Segment(self._place, end, span.symbol, span.kind))
        self._place, self._fresh = end, False

    def _close(self, start: int) -> None:
        """Leave the containers that end before the next span begins."""
        while self._opened and self._opened[-1].end <= start:
            self._gap(min(self._opened[-1].end, len(self._text)))
            self._opened.pop()

    def _gap(self, end: int) -> None:
        """Add the text between two symbols; the rest of a line and mere punctuation go to the segment before."""
        start, fresh = self._place, self._fresh
        if start >= end:
            return
        self._place, self._fresh = end, False
        if self.segments and not fresh:
            line = self._text.find(b"\n", start, end)
            start = line if line >= 0 and _WORD.search(self._text, line, end) else end
            self.segments[-1].end = start
        if start < end:
            self.segments.append(_Segment(start, end, *self._label(start, end)))

    def _label(self, start: int, end: int) -> tuple[str, str]:
        """Name a gap: its container, or the one small symbol that fills it."""
        if self._opened:
            return self._opened[-1].symbol, self._opened[-1].kind
        first = bisect_left(self._small, (start,))
        inside = [span for span in self._small[first : first + 2] if span.start < end]
        if len(inside) == 1 and (inside[0].end - inside[0].start) * 2 > end - start:
            return inside[0].symbol, inside[0].kind
        return "", "module"


def _cut_segments(text: bytes, segments: list[_Segment], ordered: list[Span]) -> tuple[Chunk, ...]:
    """Turn segments into chunks; cut long ones where a nested symbol begins, and leave out blank ones."""
    lines, marks = Lines(text), list[int]()
    if any(segment.end - segment.start > MAX_BYTES for segment in segments):
        marks = [text.rfind(b"\n", 0, span.start) + 1 for span in ordered]
    chunks = []
    for segment in segments:
        for start, end in split_span(text, segment.start, segment.end, marks):
            raw = text[start:end]
            bare = raw.strip()
            if not bare or ((bare[0] > 0x7F or bare[0] < 0x20) and not bare.decode("utf-8", "ignore").strip()):
                continue
            last = start + len(raw.rstrip())
            lead = end - len(raw.lstrip())
            first = max(start, text.rfind(b"\n", start, lead) + 1)
            chunks.append(Chunk(first, last, *lines.of(first, last), segment.symbol, segment.kind))
    return tuple(chunks)
