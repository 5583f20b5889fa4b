"""Symbols of a file as people see them: nested, with the line of the name, and what is around a line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from shirube.types import Symbol

FUNCTIONS = frozenset({"function", "method", "constructor", "test", "macro"})
"""What is a function to somebody who asks for the function around a line."""
_ABOVE = ("@", "#[", "[", "//", "/*", "*", "# ", "--")
"""How a line begins that stands above a definition and may have its name in it."""


@dataclass(slots=True)
class Branch:
    """A symbol and what is in it."""

    symbol: Symbol
    children: list["Branch"] = field(default_factory=list)


def nest(symbols: Sequence[Symbol]) -> list[Branch]:
    """Put symbols into one another by their lines; two of the same lines are neighbours."""
    tops: list[Branch] = []
    stack: list[Branch] = []
    for symbol in sorted(symbols, key=lambda one: (one.start_line, -one.end_line)):
        branch = Branch(symbol)
        while stack and not _holds(stack[-1].symbol, symbol):
            stack.pop()
        (stack[-1].children if stack else tops).append(branch)
        stack.append(branch)
    return tops


def _holds(outer: Symbol, inner: Symbol) -> bool:
    if inner.scope and inner.scope == outer.qualified:
        return outer.end_line >= inner.start_line
    inside = outer.start_line <= inner.start_line and inner.end_line <= outer.end_line
    return inside and inner.scope.startswith(outer.qualified) and inner.qualified != outer.qualified


def around(symbols: Sequence[Symbol], line: int) -> list[Symbol]:
    """Return the symbols around a line, the innermost first."""
    found = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return sorted(found, key=lambda symbol: (-symbol.start_line, symbol.end_line))


def name_line(lines: Sequence[str], symbol: Symbol) -> int:
    """Return the line a name stands on: a definition may begin with decorators and attributes."""
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    for number in range(symbol.start_line, min(symbol.end_line, len(lines)) + 1):
        text = lines[number - 1]
        if word.search(text) and not text.lstrip().startswith(_ABOVE):
            return number
    return symbol.start_line
