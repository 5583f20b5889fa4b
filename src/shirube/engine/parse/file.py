"""Parses one file: bytes and a language in; chunks, symbols and imports out."""

import re
from typing import TYPE_CHECKING

from shirube.engine.parse.blade import parse_blade
from shirube.engine.parse.chunks import Span, cut_chunks, cut_lines
from shirube.engine.parse.components import code_in
from shirube.engine.parse.grammars import GaveUp, is_minified, load_grammar
from shirube.engine.parse.imports import imports_of
from shirube.engine.parse.languages import Language, language_row
from shirube.engine.parse.markdown import parse_markdown
from shirube.engine.parse.symbols import ParsedDefinition, arrange, collect, symbols_of
from shirube.messages import say
from shirube.types import Parsed

if TYPE_CHECKING:
    from collections.abc import Callable

PARSER_VERSION = 8
"""Part of every cache key: increment it whenever the output for some file changes."""

_TOO_DEEP = re.compile(rb"^[ ?:-]{120}", re.MULTILINE)
"""Deep YAML: the grammar keeps levels in a fixed buffer and crashes when about 250 of them overflow it."""

_SCANNERS = {"markdown": parse_markdown, "blade": parse_blade}
"""Languages with parsers of our own, without a grammar."""

_CALLED = frozenset({"function", "method", "constructor"})


def parse_file(text: bytes, language: str, expired: "Callable[[], bool] | None" = None) -> Parsed:
    """Parse a file; ``expired`` is called now and then, and when it returns true the file is cut by lines instead."""
    if not text.strip():
        return Parsed(language, ())
    if scan := _SCANNERS.get(language):
        return scan(text)
    row = language_row(language)
    if not row.grammar:
        return Parsed(language, cut_lines(text))
    try:
        return _parse(text, row, expired)
    except GaveUp as reason:
        return Parsed(language, cut_lines(text), notes=(say("index.by_lines", why=say(str(reason))),))


def _parse(text: bytes, row: Language, expired: "Callable[[], bool] | None") -> Parsed:
    """Parse a text with its grammar, or raise ``GaveUp`` with the reason."""
    _refuse(text, row)
    code, language = code_in(text, row.name)
    grammar = load_grammar(language)
    if grammar is None:
        raise GaveUp("index.no_grammar")
    matches, broken = grammar.read(code, expired)
    matched = collect(matches, text, grammar.row)
    definitions = arrange(matched, text, grammar.row)
    symbols = symbols_of(definitions, text)  # must come before _span: it also finds the bodies
    return Parsed(
        row.name,
        cut_chunks(text, [_span(definition, text) for definition in definitions]),
        symbols,
        imports_of(matched.imports, text, language),
        (say("index.syntax_errors"),) if broken else (),
    )


def _refuse(text: bytes, row: Language) -> None:
    """Give up on generated texts: they define nothing of interest, and may stall or crash a parser."""
    if is_minified(text):
        raise GaveUp("index.long_lines")
    if row.name == "yaml" and _TOO_DEEP.search(text):
        raise GaveUp("index.too_deep")


def _span(definition: ParsedDefinition, text: bytes) -> Span:
    """Return the span of a definition, including the comments above it."""
    is_one_line = b"\n" not in text[definition.start : definition.end]
    declared = definition.body is None and definition.kind in _CALLED and is_one_line
    bare = declared or definition.opens > 0
    return Span(definition.lead, definition.end, definition.qualified, definition.kind, bare)
