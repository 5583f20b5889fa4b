"""Definitions and references as a person reads them: aligned, ``path:line`` first so that a terminal can follow it."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from shirube.cli.show import Paint, printable
from shirube.operations.references import ReferencesResult
from shirube.operations.symbols import Defined

WIDEST = 60
"""A place longer than this does not push the others to the right."""
LONGEST = 100
"""Characters of a signature that are shown."""
STYLES = {"import_resolved": "good", "same_file": "good", "name_only": "dim"}
MARKS = {"import_resolved": "import", "same_file": "file", "name_only": "name"}


def definitions_text(found: Sequence[Defined], paint: Paint) -> str:
    """Return a line for each definition: place, kind, name in its signature."""
    places = [f"{one.file}:{one.line}" for one in found]
    width = min(WIDEST, max(map(columns, places), default=0))
    kinds = max((len(one.kind) for one in found), default=0)
    lines = []
    for one in found:
        told = _short(one.signature or one.qualified)
        scope = paint("dim", f"  in {one.scope}") if one.scope else ""
        head = f"{_place(one.file, one.line, width, paint)}  {paint('kind', one.kind.ljust(kinds))}"
        lines.append(f"{head}  {lit(told, one.name, paint)}{scope}")
    return "\n".join(lines)


def references_text(result: ReferencesResult, paint: Paint) -> str:
    """Return a line for each use: place, how it was found, the line with the name lit; prose is said to be prose."""
    places = [f"{one.file}:{one.line}" for one in result.references]
    width = min(WIDEST, max(map(columns, places), default=0))
    lines = []
    for one in result.references:
        how = one.how.value if one.where == "code" else "name_only"
        word = MARKS[how] if one.where == "code" else one.where
        place = _place(one.file, one.line, width, paint)
        text = one.content
        start, end = one.column - 1, one.end_column - 1
        shown = f"{printable(text[:start].lstrip())}{paint('match', text[start:end])}{printable(text[end:])}"
        lines.append(f"{place}  {paint(STYLES[how], word.ljust(7))} {shown.rstrip()}")
    return "\n".join(lines)


def notes_of(result: Any, shown: int) -> list[str]:
    """Return what the reader should know beside an answer of any of the symbol operations."""
    notes = list(result.degraded)
    if not shown:
        return [*notes, f"{result.answer.value}: {result.next}"]
    if getattr(result, "match", "exact") == "similar":
        notes.append(f"no symbol is called '{result.symbol}': these look like it")
    if result.answer.value == "partial" and not hasattr(result, "match"):
        notes.append(f"partial: {result.next}")
    if result.truncated:
        notes.append(f"there is more: --cursor {result.next_cursor}")
    if result.not_searched:
        left = ", ".join(f"{count} {reason}" for reason, count in result.not_searched.items())
        notes.append(f"not searched: {left}")
    return notes


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def lit(text: str, name: str, paint: Paint) -> str:
    """Return a text with the first place of a name lit."""
    before, found, after = text.partition(name)
    return f"{printable(before)}{paint('bold', found)}{printable(after)}" if found else printable(text)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes; Japanese takes two for a character."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _place(file: str, line: int, width: int, paint: Paint) -> str:
    pad = " " * max(0, width - columns(f"{file}:{line}"))
    return f"{paint('path', file)}:{paint('line', str(line))}{pad}"
