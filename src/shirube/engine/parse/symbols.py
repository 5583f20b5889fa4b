"""Matches of a query become symbols: named, scoped, documented."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shirube.engine.parse.chunks import Lines
from shirube.engine.parse.languages import CLASS_KINDS, Language
from shirube.types import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from shirube.engine.parse.grammars import Match

DOC_CHARACTERS = 1000
"""More than a screen of prose describes the file, not the symbol."""

_OPENING = re.compile(r"""^(?:/\*+!?|<!--+|\{-+\s*\|?|\(\*+|--\[=*\[|[rRbBuUfF]{0,2}(?:\"{3}|'{3}|"|'))""")
_CLOSING = re.compile(r"""(?:\*+/|--+>|-+\}|\*+\)|\]=*\]|\"{3}|'{3}|"|')\s*$""")
_LINE = re.compile(r"^\s*(?:///?!?|//!|#+!?|--+\s*[|^]?|;+|%+|\*+(?!\S*\*))?\s?")


SIGNATURE_CHARACTERS = 200
NAME_CHARACTERS = 120
"""Longer names are selectors or keys that nobody types."""

DEEPEST = 30
"""Scopes beyond this depth are left out of names, which would otherwise grow without end."""

_VALUED = frozenset({"constant", "variable", "field", "property", "key", "type", "macro"})
"""Kinds whose braces are a value, not a body."""

_ANNOTATED = CLASS_KINDS | {"function", "method", "constructor", "property", "field"}
_ANNOTATION = re.compile(r"^(?:(?:@(?!interface)[\w.:]+(?:\([^()]*\))?|#?\[[^\]]*\])\s*)+")
_REMARKS = ("#", "//", "/*", "--")

_DOTTED = frozenset({"module", "namespace", "protocol", "impl"})
"""Kinds that are defined by their whole path at once (``defmodule Ecto.Query``): the name is its last part."""
_PATH_NAME = re.compile(r"\w+(?:[.\\]\w+)+")

_QUOTES = "\"'`"
_BRACES = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class ParsedDefinition:
    """A definition while it is being read; offsets are bytes."""

    start: int
    end: int
    kind: str
    name: str
    pattern: int
    inner: "Node"
    """The node nearest to the name: a signature starts here, after decorators."""
    body: "Node | None" = None
    scope: str = ""
    lead: int = 0
    """Where the comments directly above begin; the start when there are none."""
    doc: str = ""
    qualified: str = ""


@dataclass(slots=True)
class QueryMatches:
    """What one pass over the matches has collected."""

    definitions: dict[int, ParsedDefinition] = field(default_factory=dict)
    """By the place of the name."""
    leads: list[tuple[int, int, bool]] = field(default_factory=list)
    """Comments and attributes as (start, end, is a comment)."""
    docs: list[tuple[int, int]] = field(default_factory=list)
    imports: "list[tuple[int, dict[str, list[Node]]]]" = field(default_factory=list)


def collect(matches: "list[Match]", text: bytes, row: Language) -> QueryMatches:
    """Sort the matches into definitions, comments, docstrings and imports."""
    sorted_matches = QueryMatches()
    for pattern, captures in matches:
        if "comment" in captures:
            sorted_matches.leads += ((node.start_byte, node.end_byte, True) for node in captures["comment"])
        elif "name" in captures:
            _define(sorted_matches.definitions, pattern, captures, text, row)
        elif "doc" in captures:
            sorted_matches.docs += (node.byte_range for node in captures["doc"])
        elif "attribute" in captures:
            sorted_matches.leads += ((node.start_byte, node.end_byte, False) for node in captures["attribute"])
        if "import" in captures:
            sorted_matches.imports.append((captures["import"][0].start_byte, captures))
    return sorted_matches


def _define(
    known: dict[int, ParsedDefinition], pattern: int, captures: "dict[str, list[Node]]", text: bytes, row: Language
) -> None:
    """Note one match; of two for the same name the widest gives the span, the earliest pattern the kind."""
    key = next((name for name in captures if name.startswith("definition.")), "")
    if not key:
        return
    node = captures[key][0]
    start, end = node.start_byte, node.end_byte
    body = captures["body"][0] if "body" in captures else None
    scope = _text(text, captures["scope"][0]) if "scope" in captures else ""
    for named in captures["name"]:
        place = named.start_byte
        seen = known.get(place)
        if seen is None:
            if written := _text(text, named):
                known[place] = ParsedDefinition(start, end, key[11:], written, pattern, node, body, scope)
                _split_name(known[place], row)
            continue
        if end - start < seen.inner.end_byte - seen.inner.start_byte:
            seen.inner = node
        seen.start, seen.end = min(seen.start, start), max(seen.end, end)
        seen.body = seen.body or body
        if pattern < seen.pattern:
            seen.pattern, seen.kind = pattern, key[11:]


def _text(text: bytes, node: "Node") -> str:
    """Return a node's text on one line without quotes."""
    raw = text[node.start_byte : node.end_byte][: NAME_CHARACTERS * 4].decode("utf-8", "ignore")
    if raw.isidentifier():
        return raw[:NAME_CHARACTERS]
    return " ".join(raw.split()).strip(_QUOTES)[:NAME_CHARACTERS].strip()


def _split_name(found: ParsedDefinition, row: Language) -> None:
    """Part ``Foo::bar`` into scope and name where the language writes names so."""
    if not row.joiner or found.name.isidentifier():
        return
    bare = _BRACES.sub("", found.name) if "operator" not in found.name else found.name
    parts = [part.strip() for part in re.split(row.joiner, bare) if part.strip()]
    if parts:
        found.name = parts[-1]
        found.scope = ".".join(filter(None, (found.scope, *parts[:-1])))


def arrange(matches: QueryMatches, text: bytes, row: Language) -> list[ParsedDefinition]:
    """Return the definitions in order, each with kind, qualified name, comments above and docstring."""
    ordered = sorted(matches.definitions.values(), key=lambda found: (found.start, -found.end))
    leads = sorted(matches.leads)
    ends = [lead[1] for lead in leads]
    constructors = row.constructors.split()
    docs = iter([*sorted(matches.docs), (len(text) + 1, 0)])
    doc = next(docs)
    stack: list[ParsedDefinition] = []
    kept: list[ParsedDefinition] = []
    for found in ordered:
        while doc[0] < found.start:
            _attach(stack, doc, text)
            doc = next(docs)
        found.lead = found.start
        if leads:
            _look_above(found, leads, ends, text)
        while stack and not _holds(stack[-1], found):
            stack.pop()
        parent = stack[min(len(stack), DEEPEST) - 1] if stack else None
        if parent and _repeats(parent, found, text):
            continue
        _place(found, parent, row, constructors)
        kept.append(found)
        stack.append(found)
    while doc[0] < len(text):
        _attach(stack, doc, text)
        doc = next(docs)
    return _joined(kept) if row.joins else kept


def _holds(outer: ParsedDefinition, inner: ParsedDefinition) -> bool:
    """Say whether one definition encloses another; two names of one statement are neighbours."""
    same = (outer.inner.start_byte, outer.end) == (inner.inner.start_byte, inner.end)
    return outer.end >= inner.end and outer.end > inner.start and not same


def _repeats(outer: ParsedDefinition, inner: ParsedDefinition, text: bytes) -> bool:
    """Say whether the inner is the outer once more: ``typedef struct a {} a``."""
    same = inner.name == outer.name and inner.kind == outer.kind and inner.kind in CLASS_KINDS
    return same and b"\n" not in text[outer.start : inner.start]


def _attach(stack: list[ParsedDefinition], doc: tuple[int, int], text: bytes) -> None:
    """Give a docstring to the innermost definition around it."""
    for found in reversed(stack):
        if found.end >= doc[1]:
            found.doc = comment_text(text[doc[0] : doc[1]].decode("utf-8", "ignore"))
            return


def _look_above(found: ParsedDefinition, leads: list[tuple[int, int, bool]], ends: list[int], text: bytes) -> None:
    """Take the attributes and comments that stand directly above into the definition."""
    comments: list[bytes] = []
    place = bisect_right(ends, found.start) - 1
    while place >= 0:
        start, end, is_comment = leads[place]
        gap = text[min(end, found.lead) : found.lead]
        ended = text[end - 1 : end] == b"\n"
        if gap.strip() or gap.count(b"\n") + ended > 1:
            break
        if text[text.rfind(b"\n", 0, start) + 1 : start].strip():
            break
        if is_comment:
            comments.append(text[start:end])
        else:
            found.start = start
        found.lead = start
        place -= 1
    if comments and not found.doc:
        found.doc = comment_text(b"\n".join(reversed(comments)).decode("utf-8", "ignore"))


def _place(found: ParsedDefinition, parent: ParsedDefinition | None, row: Language, constructors: list[str]) -> None:
    """Settle kind and qualified name under the enclosing definition."""
    if found.kind == "function" and ((parent and parent.kind in CLASS_KINDS) or found.scope):
        found.kind = "method"
    if found.kind == "method" and found.name in constructors:
        found.kind = "constructor"
    if found.kind == "variable" and row.shouts and found.name.isupper():
        found.kind = "constant"
    if found.kind in _DOTTED and _PATH_NAME.fullmatch(found.name):
        before, _, found.name = found.name.replace("\\", ".").rpartition(".")
        found.scope = ".".join(filter(None, (found.scope, before)))
    above = parent.qualified if parent else ""
    if parent and found.kind == "property" and parent.kind == "constructor":
        above = above[: -len(parent.name) - 1]
    found.qualified = ".".join(filter(None, (above, found.scope, found.name)))


def _joined(ordered: list[ParsedDefinition]) -> list[ParsedDefinition]:
    """Make neighbouring clauses of one function one definition."""
    kept: list[ParsedDefinition] = []
    last: dict[str, ParsedDefinition] = {}
    for found in ordered:
        scope = found.qualified[: -len(found.name)]
        before = last.get(scope)
        if before and before.qualified == found.qualified and before.kind == found.kind:
            before.end = max(before.end, found.end)
            continue
        last[scope] = found
        kept.append(found)
    return kept


def symbols_of(definitions: "Iterable[ParsedDefinition]", text: bytes) -> tuple[Symbol, ...]:
    """Return the definitions as symbols, with lines and signatures."""
    symbols = []
    lines = Lines(text)
    for found in definitions:
        end = found.end
        while end > found.start + 1 and text[end - 1] in b"\r\n":
            end -= 1
        line, end_line = lines.of(found.start, end)
        found.body = found.body or found.inner.child_by_field_name("body")
        signature = signature_of(found, text)
        symbols.append(Symbol(found.name, found.qualified, found.kind, line, end_line, signature, found.doc))
    return tuple(symbols)


def signature_of(found: ParsedDefinition, text: bytes) -> str:
    """Return what stands before the body, on one line, without annotations."""
    start = found.inner.start_byte
    if b"\n" not in text[found.start : start]:
        start = found.start
    stop = found.body.start_byte if found.body is not None else found.inner.end_byte
    raw = text[start : min(stop, start + SIGNATURE_CHARACTERS * 4)].decode("utf-8", "ignore")
    if found.body is None and found.kind not in _VALUED:
        raw = raw.partition("{")[0]
    if "\n" in raw:
        first, *rest = raw.splitlines()
        raw = " ".join([first, *(line for line in rest if not line.lstrip().startswith(_REMARKS))])
    folded = " ".join(raw.split())
    if folded[:1] in "@[#" and found.kind in _ANNOTATED:
        folded = _ANNOTATION.sub("", folded)
    return folded[:SIGNATURE_CHARACTERS].rstrip(" {:=;")


def comment_text(comment: str) -> str:
    """Return a comment or docstring without its markers, lines joined by newlines.

    >>> comment_text("/** Adds.\\n * Fast. */")
    'Adds.\\nFast.'
    """
    text = comment[: DOC_CHARACTERS * 8].strip()
    if block := _OPENING.match(text):
        star = "*" if block[0].startswith("/*") else ""
        lines = [line.strip().lstrip(star).strip() for line in _CLOSING.sub("", text[block.end() :]).splitlines()]
    else:
        lines = [_LINE.sub("", line, count=1).strip() for line in text.splitlines()]
    return "\n".join(filter(None, lines))[:DOC_CHARACTERS].strip()
