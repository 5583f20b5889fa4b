"""Parses Markdown by its headings: a section ends at the next heading of its own level or above."""

import re
from dataclasses import dataclass

from shirube.engine.parse.chunks import Lines, Span, cut_chunks
from shirube.types import Parsed, Symbol

NAME_CHARACTERS = 120

_FRONT = re.compile(rb"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(
    rb"^ {0,3}(?:(?P<level>#{1,6})(?:[ \t]+(?P<title>[^\n]*))?|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    rb"|(?P<under>=+|-{2,})[ \t]*)\r?$",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(rb"[^\s#>|`~=\-*+<]|[*_`<\[]+\w|\d+[^.)\d]")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|[*`]")


@dataclass(slots=True)
class _Heading:
    """A heading while its end is still unknown."""

    start: int
    level: int
    title: str
    end: int = 0
    qualified: str = ""


def parse_markdown(text: bytes) -> Parsed:
    """Return the sections of a Markdown text; front matter and code fences hold no headings."""
    headings = _nested(_headings(text), len(text))
    spans = [Span(heading.start, heading.end, heading.qualified, "section") for heading in headings]
    symbols, lines = [], Lines(text)
    for heading in headings:
        end = heading.start + len(text[heading.start : heading.end].rstrip())
        signature = f"{'#' * heading.level} {heading.title}"
        symbols.append(Symbol(heading.title, heading.qualified, "section", *lines.of(heading.start, end), signature))
    return Parsed("markdown", cut_chunks(text, spans), tuple(symbols))


def _headings(text: bytes) -> list[_Heading]:
    """Find the headings, both ``# marked`` and underlined."""
    front = _FRONT.match(text)
    place = front.end() if front else 0
    fence = b""
    headings: list[_Heading] = []
    for match in _MARK.finditer(text, place):
        if match["fence"]:
            fence = _fence(fence, match["fence"], match["info"])
        elif fence:
            continue
        elif match["level"]:
            headings.append(_Heading(match.start(), len(match["level"]), _title(match["title"] or b"")))
        elif match.start() > place:  # the line over an underline
            start = max(text.rfind(b"\n", place, match.start() - 1) + 1, place)
            raw = text[start : match.start() - 1].strip()
            if _PARAGRAPH.match(raw) and not (headings and headings[-1].start == start):
                headings.append(_Heading(start, 1 if match["under"][:1] == b"=" else 2, _title(raw)))
    return headings


def _fence(opened: bytes, mark: bytes, info: bytes) -> bytes:
    """Return the fence that is open after this line; a fence is closed by its own kind, at least as long."""
    if not opened:
        return b"" if mark[:1] == b"`" and b"`" in info else mark
    closes = mark[:1] == opened[:1] and len(mark) >= len(opened) and not info.strip()
    return b"" if closes else opened


def _title(raw: bytes) -> str:
    """Return a heading's words without closing marks, links and emphasis."""
    title = re.sub(r"(?:^|\s)#+\s*$", "", raw[: NAME_CHARACTERS * 8].decode("utf-8", "ignore"))
    return " ".join(_LINK.sub(r"\1", title).split())[:NAME_CHARACTERS].strip()


def _nested(headings: list[_Heading], end: int) -> list[_Heading]:
    """Set the end and the qualified name of every heading; an empty heading only ends others."""
    stack: list[_Heading] = []
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop().end = heading.start
        heading.qualified = ".".join([*(outer.title for outer in stack if outer.title), heading.title])
        stack.append(heading)
    for heading in stack:
        heading.end = end
    return [heading for heading in headings if heading.title]
