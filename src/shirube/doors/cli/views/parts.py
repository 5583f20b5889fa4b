"""What several views are made of: places that a terminal can follow, names that are lit, numbered lines."""

from collections.abc import Iterator
from typing import Any

from shirube.doors.cli.screen import Paint, Screen, columns, printable
from shirube.messages import say

WIDEST = 60
"""A place longer than this does not push the others to the right."""


def notes_of(result: Any, shown: int, screen: Screen) -> tuple[str, ...]:
    """Return what the reader should know beside an answer of any operation that lists places."""
    notes = [screen.say(note) for note in result.degraded]
    if not shown:
        return (*notes, f"{result.answer.value}: {screen.say(result.next)}")
    if getattr(result, "match", "exact") == "similar":
        notes.append(screen.words("view.similar", symbol=result.symbol))
    if result.answer.value == "partial" and not hasattr(result, "match"):
        notes.append(f"partial: {screen.say(result.next)}")
    if getattr(result, "truncated", False):
        notes.append(screen.words("view.more", cursor=result.next_cursor))
    if unread := getattr(result, "not_searched", {}):
        left = [say(f"symbols.left_{reason}", count=count) for reason, count in unread.items()]
        notes.append(screen.words("view.not_searched", left=left))
    return tuple(notes)


def lit(text: str, name: str, paint: Paint) -> str:
    """Return a text with the first place of a name lit."""
    before, found, after = text.partition(name)
    return f"{printable(before)}{paint('bold', found)}{printable(after)}" if found else printable(text)


def widest(places: list[str]) -> int:
    """Return the width of a column of places."""
    return min(WIDEST, max(map(columns, places), default=0))


def place(file: str, line: int, width: int, paint: Paint) -> str:
    """Return ``path:line`` in colours, padded to a width."""
    pad = " " * max(0, width - columns(f"{file}:{line}"))
    return f"{paint('path', file)}:{paint('line', str(line))}{pad}"


def span(file: str, lines: tuple[int, int], named: tuple[str, str], paint: Paint) -> str:
    """Return the head of a snippet: place, kind and name."""
    head = f"{paint('path', file)}:{paint('line', f'{lines[0]}-{lines[1]}')}  {paint('kind', named[0])}"
    return f"{head} {paint('bold', named[1])}" if named[1] else head


def numbered(content: str, start: int, line: int, paint: Paint) -> Iterator[str]:
    """Return lines with their numbers, one of them marked."""
    lines = content.split("\n")
    width = len(str(start + len(lines) - 1))
    for number, text in enumerate(lines, start):
        here = number == line
        mark = paint("match", ">") if here else " "
        yield f"{mark} {paint('line' if here else 'dim', str(number).rjust(width))}  {printable(text)}"
