"""Turns the matches of a query into symbols, with names, scopes and documentation.

What a query of ``queries/`` captures:

- ``@definition.KIND`` around a whole definition, with ``@name``, and where there is one ``@body`` (the signature ends
  before it; without it the whole definition is the signature, up to a brace) and ``@scope`` (written apart from it).
  Any KIND will do: those in ``CLASS_KINDS`` make functions methods, those in ``CONTAINER_KINDS`` are cut by member.
- ``@comment`` and ``@attribute`` for what belongs to the definition below, ``@doc`` for a docstring inside one.
- ``@import`` around a statement, with ``@module`` and ``@item``, or alone for a reader in ``imports.py``.
- ``@declarator`` is C's (``c_family.py``); ``@_name`` is for the query's own conditions.
"""

import re
from bisect import bisect_right
from collections import deque
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
"""The most characters of documentation to keep; longer prose describes the file, not the symbol."""

_OPENING = re.compile(r"""^(?:/\*+!?|<!--+|\{-+\s*\|?|\(\*+|--\[=*\[|[rRbBuUfF]{0,2}(?:\"{3}|'{3}|"|'))""")
_CLOSING = re.compile(r"""(?:\*+/|--+>|-+\}|\*+\)|\]=*\]|\"{3}|'{3}|"|')\s*$""")
_LINE = re.compile(r"^\s*(?:///?!?|//!|#+!?|--+\s*[|^]?|;+|%+|\*+(?!\S*\*))?\s?")


SIGNATURE_CHARACTERS = 200
NAME_CHARACTERS = 120
"""Longer names are cut; they are selectors or keys that nobody types."""

DEEPEST = 30
"""Scopes beyond this depth are left out of names, which would otherwise grow without end."""

_VALUED = frozenset({"constant", "variable", "field", "property", "key", "type", "macro"})
"""Kinds whose braces contain a value, not a body."""

_ANNOTATED = CLASS_KINDS | {"function", "method", "constructor", "property", "field"}
_NESTED = r"\((?:[^()\"]++|\"(?:[^\"\\]++|\\.)*+\"|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
_ANNOTATION = re.compile(rf"^(?:(?:@(?!interface)[\w.:]++(?:\s*+{_NESTED})?|#?\[[^\]]*\])\s*)+")
_REMARKS = ("#", "//", "/*", "--")

_DOTTED = frozenset({"module", "namespace", "protocol", "impl"})
"""Kinds that may be defined by a whole path (``defmodule Ecto.Query``): the name is its last part."""
_PATH_NAME = re.compile(r"\w+(?:[.\\]\w+)+")

_QUOTES = "\"'`"
_BRACES = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class ParsedDefinition:
    """A definition under construction; offsets are in bytes."""

    start: int
    end: int
    kind: str
    name: str
    pattern: int
    inner: "Node"
    """The smallest node of the definition: the signature starts here, after decorators."""
    body: "Node | None" = None
    scope: str = ""
    lead: int = 0
    """Where the comments directly above begin; the start when there are none."""
    doc: str = ""
    qualified: str = ""

    @property
    def opens(self) -> int:
        """Where the members of a key begin whose object holds functions; else 0."""
        return self.body.start_byte + 1 if self.kind == "property" and self.body is not None else 0


@dataclass(slots=True)
class QueryMatches:
    """The matches of a query, sorted by what they capture."""

    definitions: dict[int, ParsedDefinition] = field(default_factory=dict)
    """By the offset of the name."""
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
    """Add one match; of several for the same name, the widest gives the span and the earliest pattern the kind."""
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


def _split_name(definition: ParsedDefinition, row: Language) -> None:
    """Split ``Foo::bar`` into scope and name, if the language writes names like that."""
    if not row.joiner or definition.name.isidentifier():
        return
    bare = _BRACES.sub("", definition.name) if "operator" not in definition.name else definition.name
    parts = [part.strip() for part in re.split(row.joiner, bare) if part.strip()]
    if parts:
        definition.name = parts[-1]
        definition.scope = ".".join(filter(None, (definition.scope, *parts[:-1])))


def arrange(matches: QueryMatches, text: bytes, row: Language) -> list[ParsedDefinition]:
    """Return the definitions in order, each with kind, qualified name, comments above and docstring."""
    ordered = sorted(matches.definitions.values(), key=lambda definition: (definition.start, -definition.end))
    leads = sorted(matches.leads)
    ends = [lead[1] for lead in leads]
    docs = deque(sorted(matches.docs))
    stack: list[ParsedDefinition] = []
    arranged: list[ParsedDefinition] = []
    for definition in ordered:
        while docs and docs[0][0] < definition.start:
            _attach(stack, docs.popleft(), text)
        definition.lead = definition.start
        _look_above(definition, leads, ends, text)
        while stack and not _holds(stack[-1], definition):
            stack.pop()
        parent = stack[min(len(stack), DEEPEST) - 1] if stack else None
        if parent and _repeats(parent, definition, text):
            continue
        if parent and parent.opens and not text[parent.opens : definition.lead].strip():
            definition.lead = parent.lead  # the key is read with its first member
        _place(definition, parent, row)
        arranged.append(definition)
        stack.append(definition)
    for doc in docs:
        _attach(stack, doc, text)
    return _joined(arranged) if row.joins else arranged


def _holds(outer: ParsedDefinition, inner: ParsedDefinition) -> bool:
    """Tell whether one definition encloses another; two names of the same statement do not."""
    same = (outer.inner.start_byte, outer.end) == (inner.inner.start_byte, inner.end)
    return outer.end >= inner.end and outer.end > inner.start and not same


def _repeats(outer: ParsedDefinition, inner: ParsedDefinition, text: bytes) -> bool:
    """Tell whether the inner definition repeats the outer one: ``typedef struct a {} a``."""
    same = inner.name == outer.name and inner.kind == outer.kind and inner.kind in CLASS_KINDS
    return same and b"\n" not in text[outer.start : inner.start]


def _attach(stack: list[ParsedDefinition], doc: tuple[int, int], text: bytes) -> None:
    """Give a docstring to the innermost definition around it."""
    for definition in reversed(stack):
        if definition.end >= doc[1]:
            definition.doc = comment_text(text[doc[0] : doc[1]].decode("utf-8", "ignore"))
            return


def _look_above(definition: ParsedDefinition, leads: list[tuple[int, int, bool]], ends: list[int], text: bytes) -> None:
    """Add the attributes and comments directly above to the definition."""
    comments: list[bytes] = []
    place = bisect_right(ends, definition.start) - 1
    while place >= 0:
        start, end, is_comment = leads[place]
        gap = text[min(end, definition.lead) : definition.lead]
        breaks = gap.count(b"\n") + (text[end - 1 : end] == b"\n")
        stands_behind_code = text[text.rfind(b"\n", 0, start) + 1 : start].strip()
        if gap.strip() or breaks > 1 or stands_behind_code:
            break
        if is_comment:
            comments.append(text[start:end])
        else:
            definition.start = start
        definition.lead = start
        place -= 1
    if comments and not definition.doc:
        definition.doc = comment_text(b"\n".join(reversed(comments)).decode("utf-8", "ignore"))


def _place(definition: ParsedDefinition, parent: ParsedDefinition | None, row: Language) -> None:
    """Set the final kind and the qualified name, given the enclosing definition."""
    if definition.kind == "function" and ((parent and parent.kind in CLASS_KINDS) or definition.scope):
        definition.kind = "method"
    if definition.kind == "method" and definition.name in row.constructors.split():
        definition.kind = "constructor"
    if definition.kind == "variable" and row.shouts and definition.name.isupper():
        definition.kind = "constant"
    if definition.kind in _DOTTED and _PATH_NAME.fullmatch(definition.name):
        before, _, definition.name = definition.name.replace("\\", ".").rpartition(".")
        definition.scope = ".".join(filter(None, (definition.scope, before)))
    above = parent.qualified if parent else ""
    if parent and definition.kind == "property" and parent.kind == "constructor":
        above = above[: -len(parent.name) - 1]
    definition.qualified = ".".join(filter(None, (above, definition.scope, definition.name)))


def _joined(ordered: list[ParsedDefinition]) -> list[ParsedDefinition]:
    """Merge adjacent clauses of one function into one definition."""
    joined: list[ParsedDefinition] = []
    last: dict[str, ParsedDefinition] = {}
    for definition in ordered:
        scope = definition.qualified[: -len(definition.name)]
        before = last.get(scope)
        if before and before.qualified == definition.qualified and before.kind == definition.kind:
            before.end = max(before.end, definition.end)
            continue
        last[scope] = definition
        joined.append(definition)
    return joined


def symbols_of(definitions: "Iterable[ParsedDefinition]", text: bytes) -> tuple[Symbol, ...]:
    """Return the definitions as symbols, with lines and signatures."""
    symbols = []
    lines = Lines(text)
    for definition in definitions:
        end = definition.end
        while end > definition.start + 1 and text[end - 1] in b"\r\n":
            end -= 1
        definition.body = definition.body or definition.inner.child_by_field_name("body")
        signature = signature_of(definition, text)
        name, kind, place = definition.name, definition.kind, lines.of(definition.start, end)
        symbols.append(Symbol(name, definition.qualified, kind, *place, signature, definition.doc))
    return tuple(symbols)


def signature_of(definition: ParsedDefinition, text: bytes) -> str:
    """Return the text before the body, on one line, without annotations."""
    start = definition.inner.start_byte
    if b"\n" not in text[definition.start : start]:
        start = definition.start
    stop = definition.body.start_byte if definition.body is not None else definition.inner.end_byte
    most = SIGNATURE_CHARACTERS * (20 if text[start : start + 1] in (b"@", b"[") else 4)
    raw = text[start : min(stop, start + most)].decode("utf-8", "ignore")
    if definition.body is None and definition.kind not in _VALUED:
        raw = raw.partition("{")[0]
    if "\n" in raw:
        first, *rest = raw.splitlines()
        raw = " ".join([first, *(line for line in rest if not line.lstrip().startswith(_REMARKS))])
    folded = " ".join(raw.split())
    if folded[:1] in "@[#" and definition.kind in _ANNOTATED:
        bare = _ANNOTATION.sub("", folded)
        folded = bare if definition.name in bare else folded
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
