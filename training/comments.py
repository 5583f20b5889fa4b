"""Comments and docs of a source file, each with the code it stands at."""

import re
from collections.abc import Iterator

from shirube.engine.parse.file import parse_file
from training.collect import first_paragraph

MOST_BELOW = 15
"""Lines of code of a comment."""
_COMMENT = re.compile(
    r"\s*(?://+(?:!|<(?![a-z]))?|#+(?![a-z]+\b)|--+(?!\w)|;+|/\*+[!<]?|\*+(?!/)(?=\s|$))\s?(.*?)\s*(?:\*+/)?\s*$|\s*\*+/\s*$"
)
_DECORATION = re.compile(r"^\s*(?:[-=*#/+~_ ]{3,}|[@\\](?:brief|details?|file)\b)|[-=*#/]{3,}\s*$|</?[a-z]+[^>]*>")


def comments(text: str, language: str) -> Iterator[tuple[str, str, str]]:
    """Yield what is said, the code it stands at, and the symbol that is defined there, if any."""
    lines = text.splitlines()
    symbols = {symbol.start_line: symbol for symbol in reversed(parse_file(text.encode(), language).symbols)}
    for symbol in symbols.values():
        own = lines[symbol.start_line - 1 : symbol.end_line]
        code = [line for line in own if line.strip() and line.strip(" \t\"'*/#") not in symbol.doc.splitlines()]
        yield _said(symbol.doc), "\n".join(code[:MOST_BELOW]), symbol.qualified
    said: list[str] = []
    for place, line in enumerate(lines):
        if found := _COMMENT.match(line):
            said.append(found[1] or "")
        elif said:
            symbol_here = symbols.get(place + 1)
            end = symbol_here.end_line if symbol_here else _end(lines, place)
            code = lines[place : min(end, place + MOST_BELOW)]
            yield _said("\n".join(said)), "\n".join(code), symbol_here.qualified if symbol_here else ""
            said = []


def _said(comment: str) -> str:
    """Return the first paragraph without frames, tags and marks of documentation tools."""
    return first_paragraph("\n".join(_DECORATION.sub("", line) for line in comment.splitlines()))


def _end(lines: list[str], place: int) -> int:
    """Return where a block of code ends: before the next empty line or comment."""
    ends = (i for i in range(place, len(lines)) if not lines[i].strip() or _COMMENT.match(lines[i]))
    return next(ends, len(lines))
