"""Comments and docstrings as plain prose."""

import re

DOC_CHARACTERS = 1000
"""More than a screen of prose describes the file, not the symbol."""

_OPENING = re.compile(r"""^(?:/\*+!?|<!--+|\{-+\s*\|?|\(\*+|--\[=*\[|[rRbBuUfF]{0,2}(?:\"{3}|'{3}|"|'))""")
_CLOSING = re.compile(r"""(?:\*+/|--+>|-+\}|\*+\)|\]=*\]|\"{3}|'{3}|"|')\s*$""")
_LINE = re.compile(r"^\s*(?:///?!?|//!|#+!?|--+\s*[|^]?|;+|%+|\*+(?!\S*\*))?\s?")


def plain(comment: str) -> str:
    """Return a comment or docstring without its markers, lines joined by newlines.

    >>> plain("/** Adds.\\n * Fast. */")
    'Adds.\\nFast.'
    """
    text = comment[: DOC_CHARACTERS * 8].strip()
    block = _OPENING.match(text)
    if block:
        text = text[block.end() :]
        text = _CLOSING.sub("", text)
    star = block is not None and block[0].startswith("/*")
    lines = (_bare(line, block is None, star) for line in text.splitlines())
    return "\n".join(line for line in lines if line)[:DOC_CHARACTERS].strip()


def _bare(line: str, marked: bool, star: bool) -> str:
    """Drop the marker at the front of one line."""
    if marked:
        return _LINE.sub("", line, count=1).strip()
    line = line.strip()
    return line.lstrip("*").strip() if star else line
