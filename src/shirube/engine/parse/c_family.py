"""Handles what the grammars of C and C++ cannot parse: macros, branches of the preprocessor, nested declarators.

A grammar knows no macros: ``API int f(void);`` or a line ``COMMON_FIELDS`` in a struct is a syntax error, and what
follows is misread. So macros are overwritten with spaces, byte by byte, which keeps all offsets.

``#if`` may split a statement, an expression or a list anywhere. Where a branch opens a bracket that is closed outside
it, or where no statement is possible, the first branch stays and the others are blanked; whole declarations stay.

``int *(*a[3])(void)`` wraps its name in as many brackets as people like, so a query cannot list them all: it captures
the whole as ``@declarator``, and ``resolve_declarator`` finds the name.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LOOK_BACK = 4_000
"""How many bytes to look back for the end of the previous statement; comments are shorter than this."""
DEEPEST = 24
"""The deepest nesting of a declarator to follow; nobody writes deeper ones."""

_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name"}
    | {"destructor_name", "template_function", "operator_cast", "primitive_type"}
)
_NEUTRAL = frozenset({"parenthesized_declarator", "attributed_declarator"})
_FUNCTION_KINDS = {"definition.variable": "definition.function", "definition.field": "definition.method"}
_BODIES = frozenset({"function_definition", "compound_statement", "parameter_list"})

_COMMENT = rb"/\*(?:[^*]++|\*(?!/))*+\*/"
_TOKEN = re.compile(
    rb"//[^\n]*+|" + _COMMENT + rb"|\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    rb"|^[ \t]*+\#[ \t]*+"
    rb"(?:(?P<opens>if(?:n?def)?)|(?P<turns>el(?:se|if(?:n?def)?))|(?P<closes>endif)|(?P<defines>define))\b"
    rb"(?:[^\\\n/]++|\\(?:\r?\n|.)|" + _COMMENT + rb"|/)*+|(?P<brace>[{}])",
    re.MULTILINE,
)
"""The tokens needed to count brackets; it also matches strings and comments, to skip what is in them."""
_COMMENTS = re.compile(_COMMENT)
_VALUE, _ENUM, _BLOCK = "value", "enum", "block"
_ENUMS = re.compile(rb"\benum\b[^;{}()=]*\Z")
_OPERATORS = tuple(bytes([byte]) for byte in b",(|&+-=?<>!^")
BRACKET_LOOK_BACK = 200
"""How many bytes before a bracket are read to tell what it holds."""


@dataclass(slots=True)
class _Fork:
    """One ``#if`` with its branches."""

    lines: list[tuple[int, int]]
    """The spans of its own lines: ``#if``, ``#else``, ``#endif``."""
    opened: list[str]
    """The brackets around it."""
    is_uneven: bool
    """Whether it is in an expression, or a branch opens a bracket and does not close it, or the reverse."""


def uneven_branches(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield spans to blank: all but the first branch of uneven forks, and comments in macro definitions."""
    forks: list[_Fork] = []
    opened: list[str] = []
    for match in _TOKEN.finditer(text):
        what = match.lastgroup
        if what == "defines" and b"\n" in match[0]:
            yield from (comment.span() for comment in _COMMENTS.finditer(text, *match.span()))
        elif what == "brace":
            _open_or_close(text, match, opened, forks)
        elif what == "opens":
            forks.append(_Fork([match.span()], [*opened], _is_in_expression(text, match.start(), opened)))
        elif what in ("turns", "closes") and forks:
            fork = forks[-1]
            fork.is_uneven = fork.is_uneven or len(opened) != len(fork.opened)
            fork.lines.append(match.span())
            if what == "turns":
                opened = [*fork.opened]
            elif forks.pop().is_uneven:  # the first branch stays
                yield from (fork.lines[0], (fork.lines[1][0], fork.lines[-1][1]))


def _open_or_close(text: bytes, match: re.Match[bytes], opened: list[str], forks: list[_Fork]) -> None:
    """Push an opening bracket with what it holds, or pop a closing one."""
    if match[0] == b"{":
        before = text[max(0, match.start() - BRACKET_LOOK_BACK) : match.start()].rstrip()
        is_value = before.endswith((b"=", b",", b"{", b"("))
        opened.append(_VALUE if is_value else _ENUM if _ENUMS.search(before) else _BLOCK)
        return
    if opened:
        opened.pop()
    if forks and len(opened) < len(forks[-1].opened):
        forks[-1].is_uneven = True


def _is_in_expression(text: bytes, at: int, opened: list[str]) -> bool:
    """Tell whether a preprocessor line is at a point where no statement can begin."""
    if not opened or opened[-1] == _ENUM:
        return False
    return opened[-1] == _VALUE or text[max(0, at - BRACKET_LOOK_BACK) : at].rstrip().endswith(_OPERATORS)


_PARTS = {
    "keyword": (
        r"(?:alignas|alignof|asm|auto|bool|break|case|catch|char|class|concept|const|consteval|constexpr|constinit|continue"
        r"|co_await|co_return|co_yield|decltype|default|delete|do|double|else|enum|explicit|export|extern|float|for|friend"
        r"|goto|if|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|protected|public|register"
        r"|requires|return|short|signed|sizeof|static|static_assert|struct|switch|template|this|throw|try|typedef|typeid"
        r"|typename|union|unsigned|using|virtual|void|volatile|wchar_t|while|_Bool|_Static_assert|__attribute__|__declspec"
        r"|__extension__|defined|import|module)\b"
    ),
    "word": r"[A-Za-z_]\w*+",
    "CAPITALS": r"[A-Z][A-Z0-9_]++(?!\w)",
    "arguments": r"\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)",
    "qualifiers": (
        r"(?:(?:const|volatile|static|extern|inline|struct|enum|union|unsigned|signed|long|short|virtual|constexpr)\s++)*"
    ),
    "type": (
        r"<qualifiers>(?!(?:return|sizeof|else|goto|case|new|delete|throw|and|or|not|operator|in|const|volatile|static"
        r"|extern|inline|struct|enum|union|virtual|constexpr)\b)<word>(?:::\w+)*+"
        r"(?:\s++(?:const|int|char|long|short|double)\b)*[\s*&]++(?:const\s++)?"
    ),
    "name": r"(?:\(\s*+\**+<word>\s*+\)|<word>)",
    "comment": r"(?:/\*(?:[^*]++|\*(?!/))*+\*/|//[^\n]*+)",
    "begin": r"^[ \t]*+(?:(?:static|extern|inline|typedef)[ \t]++)*+",
}


def _pattern(written: str) -> re.Pattern[bytes]:
    """Compile a pattern in which ``<name>`` stands for a part of ``_PARTS``."""
    while (filled := re.sub(r"(?<!\?P)<(\w+)>", lambda part: _PARTS[part[1]], written)) != written:
        written = filled
    return re.compile(written.encode(), re.MULTILINE)


_SUPERFLUOUS = [
    _pattern(written)
    for written in (
        # API int f(   FORMAT(1, 2) static void f(
        r"<begin>((?!<keyword>)<word>(?:<arguments>(?=[ \t]))?)(?=\s++<type><name>\s*+[\[(;=,])",
        # void CALL f(   } PACKED name;
        r"(?:\b(?:void|int|char|long|short|unsigned|bool|double|float)\s++|\*\s*+)(<CAPITALS>)\s++<word>\s*+\(",
        r"\}\s*+(<CAPITALS>(?:<arguments>)?)\s++\**+<word>\s*+[;,\[=]",
        # int f(void) NOTHROW;
        r"<begin>(?:<CAPITALS>[ \t]++)?<type><name>\s*+<arguments>\s*+(<CAPITALS>(?:<arguments>)?)\s*+[;{]",
        # class API Name {
        r"\b(?:class|struct|union|enum)\s++(<CAPITALS>(?:<arguments>)?)\s++<word>\s*+(?:final\s*+)?[:{]",
        # LIST_HEAD(list, item) head;
        r"<begin><CAPITALS>(<arguments>)[ \t]++\**+(?!<keyword>)<word>\s*+[;=\[]",
        # only for C++: extern "C" { and its closing bracket
        r"^[ \t]*+#[ \t]*+if(?:def[ \t]++|[ \t]++defined[ \t]*+\(?[ \t]*+)__cplusplus\b[^\n]*+\n"
        r"((?:[ \t]*+(?:extern[ \t]++\"C\"[ \t]*+\{?|[{}])?[ \t]*+<comment>?\r?\n)++)[ \t]*+#[ \t]*+endif",
    )
]
"""Macros that the grammar does not expect; the first group is the span to blank."""
_AROUND = _pattern(r"^(<CAPITALS>\()(?=<type><name>\s*+<arguments>\s*+(\))\s*+[;{])")
"""A macro around a whole declaration: ``HIDDEN(int f(void));``."""
_ALONE = _pattern(r"^[ \t]*+(<CAPITALS>(?:[ \t]*+<arguments>)?)[ \t]*+<comment>?\r?$")
"""A macro on a line of its own: ``COMMON_FIELDS``."""
_NEXT = _pattern(
    r"(?:\s++|<comment>|#[^\n]*+)*+"
    r"(?P<next>\}|<word>(?:\s*+[*&]|\s++\w|(?P<item>\s*+[,=]))|<CAPITALS>\s*?(?:\n|\()|(?P<end>\Z))?"
)
_LIST = _pattern(r"(?:[=,({]\s*+|\benum\b[^;{}()=]*+)\{\Z")
"""A bracket with values or names in it."""
_BYTE = re.compile(rb"[^\\\r\n]")


def without_macros(text: bytes) -> bytes:
    """Return a C or C++ text of the same length, with the macros blanked that confuse the grammar."""
    text = _without(text, uneven_branches(text))
    spans = [match.span(1) for pattern in _SUPERFLUOUS for match in pattern.finditer(text)]
    for match in _AROUND.finditer(text):
        spans += (match.span(1), match.span(2))
    last = -1
    for match in _ALONE.finditer(text):
        follows = last >= 0 and not text[last : match.start()].strip()
        if _begins_anew(text, match) and (follows or _has_ended(text, match.start())):
            last = match.end()
            spans.append(match.span(1))
    return _without(text, spans)


def _without(text: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    parts, place = [], 0
    for start, end in sorted(spans):
        if end > place:
            parts += [text[place:start], _BYTE.sub(b" ", text[max(start, place) : end])]
            place = end
    return b"".join([*parts, text[place:]]) if parts else text


def _begins_anew(text: bytes, match: re.Match[bytes]) -> bool:
    """Tell whether a new statement follows a lone word; if not, the word is a value, a type or a name."""
    after = _NEXT.match(text, match.end())
    if after is None or after["next"] is None:
        return False
    return match[1].endswith(b")") or (after["item"] is None and after["end"] is None)


def _has_ended(text: bytes, at: int) -> bool:
    """Tell whether a statement may begin here."""
    while True:
        first = max(0, at - LOOK_BACK)
        before = text[first:at].rstrip()
        if not before:
            return True
        line = before[before.rfind(b"\n") + 1 :]
        if before.endswith(b"*/") and (start := before.rfind(b"/*")) >= 0:
            at = first + start
        elif b"//" in line and not line.lstrip().startswith(b"#"):
            at = first + before.rfind(b"//")
        elif before.endswith(b"{"):
            return not _LIST.search(before)
        else:
            return before.endswith((b";", b"}")) or (line.lstrip().startswith(b"#") and not before.endswith(b"\\"))


def resolve_declarator(captures: "dict[str, list[Node]]") -> None:
    """Replace a captured declarator by its name and kind; drop matches inside functions."""
    declarator = captures.pop("declarator")[0]
    key = next(key for key in captures if key.startswith("definition."))
    node = captures.pop(key)[0]
    named = _name_in(declarator)
    if named is None or (node.type == "declaration" and _is_inside(node)):
        return
    name, wrapper = named
    if name.type == "primitive_type" and node.type != "type_definition":
        return
    if wrapper == "function_declarator":  # the arguments follow the name directly
        key = _FUNCTION_KINDS.get(key, key)
    captures[key], captures["name"] = [node], [name]
    if node.type == "function_definition":
        _name_from_macro(node, declarator, captures)


def _name_from_macro(node: "Node", declarator: "Node", captures: "dict[str, list[Node]]") -> None:
    """Name a definition made by a macro after its arguments: ``TEST(Till, rings) {`` defines ``Till.rings``, a test."""
    macro, given = node.child_by_field_name("type"), captures["name"]
    if declarator.type == "function_declarator" and macro is None:
        macro, parameters = given[0], declarator.child_by_field_name("parameters")
        types = [child.child_by_field_name("type") for child in parameters.named_children] if parameters else []
        given = [node for node in types if node is not None and node.type == "type_identifier"]
        if not types or len(given) < len(types):
            return
    elif declarator.type != "parenthesized_declarator":
        return
    written = (macro.text or b"") if macro else b""
    if not written.isupper() or len(given) > 2:
        return
    captures["name"] = given[-1:]
    if len(given) > 1:
        captures["scope"] = given[:1]
    if b"TEST" in written:
        captures["definition.test"] = captures.pop("definition.function")


def _name_in(declarator: "Node") -> "tuple[Node, str] | None":
    """Return the name node and the type of the node directly around it, ignoring brackets."""
    node: Node | None = declarator
    around = ""
    for _ in range(DEEPEST):
        if node is None:
            return None
        if node.type in _NAMES:
            return node, around
        if node.type not in _NEUTRAL:
            around = node.type
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type in _NAMES or child.type.endswith("_declarator")), None
        )
    return None


def _is_inside(node: "Node") -> bool:
    """Tell whether a declaration is in a function."""
    outer: Node | None = node
    while outer is not None and (outer := outer.parent) is not None:
        if outer.type in _BODIES:
            return True
    return False
