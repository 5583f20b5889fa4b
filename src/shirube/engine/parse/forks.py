"""Branches of C's preprocessor that no grammar can follow, made straight: one is kept, the others are blanked out.

``#if`` may part a statement, an expression or a list anywhere. Where brackets are opened in a branch and closed outside
of it, or no statement can be, the first branch stays and its lines with ``#`` go; whole declarations stay as they are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = rb"/\*(?:[^*]++|\*(?!/))*+\*/"
_TOKEN = re.compile(
    rb"//[^\n]*+|" + _COMMENT + rb"|\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    rb"|^[ \t]*+\#[ \t]*+"
    rb"(?:(?P<opens>if(?:n?def)?)|(?P<turns>el(?:se|if(?:n?def)?))|(?P<closes>endif)|(?P<defines>define))\b"
    rb"(?:[^\\\n/]++|\\(?:\r?\n|.)|" + _COMMENT + rb"|/)*+|(?P<brace>[{}])",
    re.MULTILINE,
)
"""What matters when brackets are counted; whatever is in strings and comments does not."""
_COMMENTS = re.compile(_COMMENT)
_VALUE, _ENUM, _BLOCK = "value", "enum", "block"
_ENUMS = re.compile(rb"\benum\b[^;{}()=]*\Z")
_OPERATORS = tuple(bytes([one]) for one in b",(|&+-=?<>!^")
LOOK_BACK = 200
"""Bytes before a bracket that say what it holds."""


@dataclass(slots=True)
class _Fork:
    """One ``#if`` with its branches."""

    lines: list[tuple[int, int]]
    """Where its own lines are."""
    opened: list[str]
    """The brackets around it."""
    is_uneven: bool
    """Whether it stands in an expression, or a branch opens or closes a bracket that is not its own."""

    def turn(self, line: tuple[int, int], opened: list[str]) -> None:
        """Go to the next branch, or to the end."""
        self.is_uneven = self.is_uneven or len(opened) != len(self.opened)
        self.lines.append(line)


def crooked(text: bytes) -> Iterator[tuple[int, int]]:
    """Find what a grammar of C cannot follow: uneven forks, of which one branch is kept, and comments in macros."""
    forks: list[_Fork] = []
    opened: list[str] = []
    for found in _TOKEN.finditer(text):
        what = found.lastgroup
        if what == "defines" and b"\n" in found[0]:
            at = found.start()
            yield from ((at + one.start(), at + one.end()) for one in _COMMENTS.finditer(found[0]))
        elif what == "brace":
            _open_or_close(text, found, opened, forks)
        elif what == "opens":
            forks.append(_Fork([found.span()], [*opened], _is_in_expression(text, found.start(), opened)))
        elif what in ("turns", "closes") and forks:
            forks[-1].turn(found.span(), opened)
            if what == "turns":
                opened = [*forks[-1].opened]
            else:
                yield from _straightened(forks.pop())


def _open_or_close(text: bytes, found: re.Match[bytes], opened: list[str], forks: list[_Fork]) -> None:
    """Note a bracket that opens, with what it holds, or that closes another."""
    if found[0] == b"{":
        before = text[max(0, found.start() - LOOK_BACK) : found.start()].rstrip()
        opened.append(
            _VALUE if before.endswith((b"=", b",", b"{", b"(")) else _ENUM if _ENUMS.search(before) else _BLOCK
        )
        return
    if opened:
        opened.pop()
    if forks and len(opened) < len(forks[-1].opened):
        forks[-1].is_uneven = True


def _is_in_expression(text: bytes, at: int, opened: list[str]) -> bool:
    """Tell whether a line of the preprocessor stands where no statement can be."""
    if not opened or opened[-1] == _ENUM:
        return False
    return opened[-1] == _VALUE or text[max(0, at - LOOK_BACK) : at].rstrip().endswith(_OPERATORS)


def _straightened(fork: _Fork) -> Iterator[tuple[int, int]]:
    """Keep the first branch of an uneven fork, and nothing of the others."""
    if fork.is_uneven:
        yield fork.lines[0]
        yield fork.lines[1][0], fork.lines[-1][1]
