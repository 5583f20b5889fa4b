"""Find the lines of one text that match, without looking at each line: the engine jumps from match to match."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct

from shirube.deadline import Deadline
from shirube.engine.repo.regex import Pattern

WINDOW_WORK = 1 << 26
"""Bytes times steps of the engine's program between two looks at the clock: well under a second at worst."""
MIN_WINDOW = 4_096
LINE_WORK = 1 << 31
"""A line that could cost more (a megabyte of minified code, a pattern of many repetitions) is not searched."""


@dataclass(slots=True)
class Found:
    """A line that matches: its first byte, the first match in it, and which patterns match."""

    start: int
    at: int
    end: int
    patterns: tuple[int, ...]


class Scanned(Struct, frozen=True):
    """The lines that match, in order, and whether every line was searched."""

    found: tuple[Found, ...]
    whole: bool = True


def scan(text: bytes, patterns: Sequence[Pattern], deadline: Deadline) -> Scanned:
    """Return the lines of a UTF-8 text that match any pattern."""
    by_line: dict[int, Found] = {}
    whole = True
    for number, pattern in enumerate(patterns):
        for start, at, end in _matches(text, pattern, deadline):
            if at < 0:
                whole = False
                continue
            known = by_line.get(start)
            if known is None:
                by_line[start] = Found(start, at, end, (number,))
                continue
            known.patterns += (number,)
            if at < known.at:
                known.at, known.end = at, end
    found = by_line.values() if len(patterns) == 1 else (by_line[start] for start in sorted(by_line))
    return Scanned(tuple(found), whole)


def _matches(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[tuple[int, int, int]]:
    """Yield each line that matches as its start and the span of its first match, or a mark for what is left out."""
    window = max(MIN_WINDOW, WINDOW_WORK // pattern.size)
    position = 0
    while position < len(text):
        end = _window_end(text, position, window)
        if deadline.passed or (end - position > window and (end - position) * pattern.size > LINE_WORK):
            yield position, -1, -1
            if deadline.passed:
                return
        else:
            yield from _in_window(text, pattern, position, end)
        position = end


def _window_end(text: bytes, position: int, window: int) -> int:
    """Return where lines end that fill the window; one long line is a window by itself."""
    if len(text) - position <= window:
        return len(text)
    cut = text.rfind(b"\n", position, position + window)
    if cut < 0:
        cut = text.find(b"\n", position + window)
    return cut + 1 if cut >= 0 else len(text)


def _in_window(text: bytes, pattern: Pattern, position: int, stop: int) -> Iterator[tuple[int, int, int]]:
    while position < stop:
        match = pattern.search(text, position, stop)
        if match is None:
            return
        at, end = match.span(pattern.group)
        if at == stop and text[stop - 1] == 10:  # an empty match behind the last line break is in no line of ours
            return
        line = text.rfind(b"\n", position, at) + 1 or position
        yield line, at, end
        following = text.find(b"\n", at, stop)
        position = following + 1 if following >= 0 else stop
