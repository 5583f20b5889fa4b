"""Lines that match, as a person or another program reads them."""

from collections.abc import Iterator

from shirube.cli.show import Paint, printable
from shirube.errors import counted
from shirube.operations.text import TextMatch, TextResult
from shirube.types import Answer

CUT = "…"
NAMED = 3
"""How many files that show only a part of their lines are named."""


def matches_text(result: TextResult, paint: Paint, headings: bool) -> str:
    """Return the lines: below their files for a terminal, each with path, line and column for a pipe."""
    lines: list[str] = []
    before: TextMatch | None = None
    for match in result.matches:
        same = before is not None and before.file == match.file
        if headings and not same:
            lines += ([""] if before else []) + [paint("path", match.file)]
        elif before is not None and _is_gap(before, match):
            lines.append(paint("dim", "--"))
        lines += _block(match, paint, headings)
        before = match
    return "\n".join(lines)


def match_notes(result: TextResult) -> list[str]:
    """Return what the reader should know beside the lines."""
    notes = list(result.degraded)
    if not result.matches:
        return [*notes, f"{result.answer.value}: {result.next}"]
    if result.answer == Answer.PARTIAL:
        notes.append(f"partial: {result.next}")
    if result.truncated:
        cut = [f"{file.file} {file.shown} of {file.total}" for file in result.files if file.shown < file.total]
        named = f" ({', '.join(cut[:NAMED])}{', …' * (len(cut) > NAMED)})" if cut else ""
        further = f", --cursor {result.next_cursor} goes on" if result.next_cursor else ""
        shown = f"{len(result.matches)} of {counted(result.total, 'line')} shown{named}"
        notes.append(f"{shown}; -k shows more{further}, --path narrows it")
    return notes


def _is_gap(before: TextMatch, match: TextMatch) -> bool:
    """Tell whether lines are left out between two matches that show context."""
    context = before.context_after or match.context_before
    follows = before.line + len(before.context_after) + 1 == match.line - len(match.context_before)
    return bool(context) and not (before.file == match.file and follows)


def _block(match: TextMatch, paint: Paint, headings: bool) -> Iterator[str]:
    first = match.line - len(match.context_before)
    for number, text in enumerate(match.context_before, first):
        yield _line(match, number, "-", printable(text), (paint, headings))
    yield _line(match, match.line, ":", _lit(match, paint), (paint, headings))
    for number, text in enumerate(match.context_after, match.line + 1):
        yield _line(match, number, "-", printable(text), (paint, headings))


def _line(match: TextMatch, number: int, mark: str, text: str, manner: tuple[Paint, bool]) -> str:
    paint, headings = manner
    place = paint("good", str(number))
    if headings:
        return f"{place}{mark}{text}"
    column = f"{match.column}{mark}" if mark == ":" else ""
    return f"{paint('path', match.file)}{mark}{place}{mark}{column}{text}"


def _lit(match: TextMatch, paint: Paint) -> str:
    """Return the line with its match lit, unless it was cut, and the column tells nothing of the place in it."""
    text, start, end = match.content, match.column - 1, match.end_column - 1
    if not paint.on or text.startswith(CUT) or not start < end <= len(text):
        return printable(text)
    return f"{printable(text[:start])}{paint('match', text[start:end])}{printable(text[end:])}"
