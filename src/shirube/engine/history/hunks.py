"""Tells from the text of a diff which symbols it touches.

Git writes into the heading of each hunk the last line before it that begins a definition. ``SETTINGS`` and
``diff.attributes`` tell git which lines those are, by the kind of file; they keep the blanks before a definition, since
by them we see whether the hunk is still inside.
"""

import re
from collections.abc import Iterator
from pathlib import Path

MOST_SYMBOLS = 20
"""Symbols remembered of one file in one commit."""
_MODIFIERS = (
    "export|default|declare|async|public|private|protected|internal|static|final|abstract|override|open|sealed|virtual"
    "|inline|unsafe|extern|const|data|suspend|partial|readonly|local|pub"
)
_KEYWORDS = (
    "def|defp|defmodule|defmacro|defprotocol|class|function|func|fun|fn|interface|struct|enum|trait|type|module|namespace"
    "|object|protocol|extension|record|macro|macro_rules!|impl|mod|union"
)
_STATEMENTS = "if|for|while|switch|catch|return|else|do|try|throw|new|await|yield|case|using|super|elif|with|match"
_NOT = rf"!^[ \t]*({_STATEMENTS})([^A-Za-z0-9_$]|$)"
_PYTHON_LINE = r"^([ \t]*(class|(async[ \t]+)?def)[ \t].*)$"
_KEYWORD_LINE = rf"^([ \t]*(({_MODIFIERS})(\([^)]*\))?[ \t]+)*({_KEYWORDS})[ \t*<(]+[^;]*)$"
_SCRIPT_LINE = (
    r"^([ \t]*(export[ \t]+)?(default[ \t]+)?(declare[ \t]+|abstract[ \t]+|async[ \t]+)?"
    r"(function|class|interface|enum|type|namespace)[ \t*]+[A-Za-z_$].*)$"
)
_ASSIGNED_LINE = (
    r"^([ \t]*(export[ \t]+)?(const|let|var)[ \t]+[A-Za-z0-9_$]+[^=]*=[ \t]*(async[ \t]*)?"
    r"(\(|function|[A-Za-z_$]+[ \t]*=>).*)$"
    "\n"
    r"^([ \t]*[A-Za-z_$][A-Za-z0-9_$.]*[ \t]*[=:][ \t]*(async[ \t]*)?function.*)$"
)
_METHOD_LINE = (
    r"^([ \t]*((static|async|public|private|protected|override|get|set)[ \t]+)*"
    r"[#A-Za-z_$][A-Za-z0-9_$]*[ \t]*\([^;]*\{[ \t]*)$"
)
_TYPED_LINE = r"^([ \t]*([][A-Za-z_<>&?.,0-9]+[ \t]+)+[A-Za-z_][A-Za-z_0-9]*[ \t]*\([^;]*)$"
SETTINGS = {
    "core.attributesFile": str(Path(__file__).with_name("diff.attributes")),
    "diff.shirube-python.xfuncname": _PYTHON_LINE,
    "diff.shirube-keyword.xfuncname": _KEYWORD_LINE,
    "diff.shirube-script.xfuncname": "\n".join([_NOT, _SCRIPT_LINE, _ASSIGNED_LINE, "!=>", _METHOD_LINE]),
    "diff.shirube-typed.xfuncname": "\n".join([_NOT, _KEYWORD_LINE, _TYPED_LINE]),
}
"""Settings for git. Short expressions for common languages: git tries them on every line before a hunk."""
_DEFINED = (
    rf"(?:(?:{_MODIFIERS})(?:\([^)\n]*\))?[ \t]+)*"
    rf"(?:(?!impl\b)(?:{_KEYWORDS})\b(?:\*|[ \t]+|<[^>\n]*>|\([^)\n]*\))+(?P<keyword>[\w$][\w$.:]*[!?]?)"
    r"(?=[ \t]*(?:[({:<\[=;,|]|$|(?:extends|implements|where|do|struct|interface|func|map|is)\b))"
    r"|(?:const|let|var|val)[ \t]+(?P<assigned>[\w$]+)[ \t]*(?::[^=\n]+)?=[ \t]*(?:async[ \t]*)?"
    r"(?:\(|function\b|[\w$]+[ \t]*=>)"
    r"|(?P<member>[\w$.]+)[ \t]*[=:][ \t]*(?:async[ \t]*)?function\b)"
)
_METHOD = (
    rf"(?!(?:{_STATEMENTS}|not|and|or|in|is|assert)\b)(?:[\w<>\[\],.:?@$~-]+[ \t*&]+)+"
    rf"(?!(?:{_KEYWORDS}|{_STATEMENTS})\b)(?P<method>[\w$~:]+)[ \t]*\([^;=\n]*\{{[ \t]*$"
)
"""A function without a keyword, as in C and Java."""
_LONGEST_LINE = 400
"""No definition is looked for in longer lines: they are data, or made to keep us busy."""
_HEADING = re.compile(_DEFINED, re.MULTILINE)
_CALLED = re.compile(r"(?P<called>[A-Za-z_$~][\w$:~]*)\s*\(")
_FILE = re.compile(r"^diff --git (.*)\n", re.MULTILINE)
_HUNK = re.compile(r"^@@ [-+,\d ]+@@ ?(.*)\n", re.MULTILINE)
_DEFINITION = re.compile(rf"^[+-](?!.{{{_LONGEST_LINE}}})[ \t]*(?:{_DEFINED}|{_METHOD})", re.MULTILINE)
_FIRST_LINE = re.compile(r"^[+-]([ \t]*)(\S+)", re.MULTILINE)
_GOES_ON = re.compile(r"\{|#(?:if|el|end|define)|(?:else|elif|elsif|except|finally|rescue|ensure|when|case|default)\b")
"""Words that stand in a body, but no deeper than its definition."""
_PROSE = (".md", ".rst", ".txt", ".adoc")
_HEADING_BYTES = 79
"""Git cuts longer headings, and with them perhaps a name."""


def touched_symbols(diff: str) -> Iterator[tuple[str, ...]]:
    """Yield for each file of a diff the names of the symbols that its hunks touch.

    Those are the symbols defined on changed lines, and the one in a hunk's heading if the hunk begins inside of it.
    """
    _, *files = _FILE.split(diff)
    for named, file in zip(files[::2], files[1::2], strict=True):
        _, *parts = _HUNK.split("" if named.rstrip('"').endswith(_PROSE) else file)
        names: dict[str, None] = {}
        for heading, hunk in zip(parts[::2], parts[1::2], strict=True):
            if _is_inside(heading, hunk):
                names[_name_in(heading)] = None
            names.update((_name_of(found), None) for found in _DEFINITION.finditer(hunk))
        names.pop("", None)
        yield tuple(names)[:MOST_SYMBOLS]


def _is_inside(heading: str, hunk: str) -> bool:
    """Tell by the first line of a hunk whether it belongs to the definition in its heading."""
    first = _FIRST_LINE.search(hunk)
    if first is None:
        return False
    depth, own = len(heading) - len(heading.lstrip()), len(first[1])
    return own > depth or (own == depth and _GOES_ON.match(first[2]) is not None)


def _name_in(heading: str) -> str:
    """Return the name that a heading defines: ``static int parse(char *text)`` → ``parse``."""
    found = _HEADING.search(heading) or _CALLED.search(heading)
    is_cut = found is not None and found.end() == len(heading) and len(heading.encode()) >= _HEADING_BYTES
    return "" if found is None or is_cut else _name_of(found)


def _name_of(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return _last(next((name for name in groups.values() if name), ""))


def _last(name: str) -> str:
    """Return the last part of a qualified name: ``Session::start`` → ``start``."""
    return re.split(r"[.:]+", name.strip(".:"))[-1]
