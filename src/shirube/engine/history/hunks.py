"""Tells from the text of a diff which symbols it touches.

Git writes into the heading of each hunk the line before it that begins a definition; ``SETTINGS`` tell git
which lines those are, by the kind of file.
"""

import re
from collections.abc import Iterator
from pathlib import Path

MOST_SYMBOLS = 20
"""Symbols remembered of one file in one commit."""
_FUNCTION = (
    r"^[ \t]*((export[ \t]+|default[ \t]+|declare[ \t]+|async[ \t]+|public[ \t]+|private[ \t]+|protected[ \t]+"
    r"|internal[ \t]+|static[ \t]+|final[ \t]+|override[ \t]+|abstract[ \t]+|open[ \t]+|pub[ \t]+|local[ \t]+)*"
    r"(function|class|interface|enum|struct|trait|object|protocol|extension|namespace|type|func|fun|fn|def)"
    r"[ \t*]+[A-Za-z_$].*|(export[ \t]+)?(const|let|var)[ \t]+[A-Za-z_$][A-Za-z0-9_$]*[ \t]*=[ \t]*(async[ \t]*)?"
    r"(\(|function|[A-Za-z_$]+[ \t]*=>).*)$"
)
SETTINGS = {
    "core.attributesFile": str(Path(__file__).with_name("diff.attributes")),
    "diff.shirube.xfuncname": _FUNCTION,
}
"""Settings for git; the built-in drivers that ``diff.attributes`` names need no more."""
_MODIFIERS = (
    r"(?:(?:export|default|declare|async|public|private|protected|internal|static|final|abstract|override|open|sealed"
    r"|virtual|inline|unsafe|extern|const|data|suspend|partial|readonly|local|pub(?:\([^)\n]*\))?)\s+)*"
)
_KEYWORD = (
    r"(?:def|class|function\*?|func|fun|fn|interface|struct|enum|trait|type|module|namespace|object|protocol|extension"
    r"|defp|defmodule|defmacro|defprotocol|sub|record|macro)"
)
_DEFINED = (
    rf"{_MODIFIERS}(?:{_KEYWORD}\s+(?:\([^)\n]*\)\s*)?(?P<keyword>[\w$.:]+)"
    r"|(?:const|let|var|val)\s+(?P<assigned>[\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>))"
)
_HEADING = re.compile(_DEFINED)
_CALLED = re.compile(r"([A-Za-z_$~][\w$]*)\s*\(")
_FILE = re.compile(r"^diff --git .*\n", re.MULTILINE)
_HUNK = re.compile(r"^@@ [-+,\d ]+@@ ?(.*)\n", re.MULTILINE)
_DEFINITION = re.compile(r"^[+-][ \t]*" + _DEFINED, re.MULTILINE)
_BEGINS = re.compile(r"(?:[+-][ \t]*(?:[@#*].*|//.*|/\*.*|)\n)*[+-][ \t]*" + _DEFINED)
"""A hunk that begins with a definition; blank lines, comments and decorators before it belong to it."""


def touched_symbols(diff: str) -> Iterator[tuple[str, ...]]:
    """Yield for each file of a diff the names of the symbols that its hunks touch.

    Those are the symbols defined on changed lines, and the one in a hunk's heading, unless the hunk begins with a
    definition: then the heading names what stands before it.
    """
    for file in _FILE.split(diff)[1:]:
        _, *parts = _HUNK.split(file)
        names: dict[str, None] = {}
        for heading, hunk in zip(parts[::2], parts[1::2], strict=True):
            if not _BEGINS.match(hunk):
                names[_name_in(heading)] = None
            names.update((_last(found["keyword"] or found["assigned"]), None) for found in _DEFINITION.finditer(hunk))
        names.pop("", None)
        yield tuple(names)[:MOST_SYMBOLS]


def _name_in(heading: str) -> str:
    """Return the name that a heading defines: ``static int parse(char *text)`` → ``parse``."""
    found = _HEADING.search(heading)
    name = (found["keyword"] or found["assigned"]) if found else ""
    if not name:
        called = _CALLED.search(heading)
        name = called[1] if called else ""
    return _last(name)


def _last(name: str) -> str:
    """Return the last part of a qualified name: ``Session::start`` → ``start``."""
    return re.split(r"[.:]+", name.strip(".:"))[-1]
