"""Reading one file: bytes and a language in, chunks, symbols and imports out."""

import re
from typing import TYPE_CHECKING

from shirube.engine.parse.blade import parse_blade
from shirube.engine.parse.chunks import Span, cut_chunks, cut_lines
from shirube.engine.parse.grammars import GaveUp, is_minified, load_grammar
from shirube.engine.parse.imports import imports_of
from shirube.engine.parse.languages import Language, language_row
from shirube.engine.parse.markdown import parse_markdown
from shirube.engine.parse.symbols import ParsedDefinition, arrange, collect, symbols_of
from shirube.messages import say
from shirube.types import Parsed

if TYPE_CHECKING:
    from collections.abc import Callable

PARSER_VERSION = 5
"""Part of every cache key: raise it whenever the output for some file changes."""

_TOO_DEEP = re.compile(rb"^[ ?:-]{120}", re.MULTILINE)
"""The YAML grammar keeps its levels in a fixed buffer and crashes when some 250 of them overflow it."""

_SCANNERS = {"markdown": parse_markdown, "blade": parse_blade}
"""Languages read by rules of our own."""

_CALLED = frozenset({"function", "method", "constructor"})


def parse_file(text: bytes, language: str, expired: "Callable[[], bool] | None" = None) -> Parsed:
    """Return what is in a file; ``expired`` is asked now and then whether to give up and cut by lines."""
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
    """Read a text with its grammar, or give up and say why."""
    _refuse(text, row)
    grammar = load_grammar(row.name)
    if grammar is None:
        raise GaveUp("index.no_grammar")
    matches, broken = grammar.read(text, expired)
    reading = collect(matches, text, row)
    definitions = arrange(reading, text, row)
    symbols = symbols_of(definitions, text)  # also finds the bodies, which the spans need
    return Parsed(
        row.name,
        cut_chunks(text, [_span(definition, text) for definition in definitions]),
        symbols,
        imports_of(reading.imports, text, row.name),
        (say("index.syntax_errors"),) if broken else (),
    )


def _refuse(text: bytes, row: Language) -> None:
    """Give up on texts that nobody wrote by hand: they name nothing, and may stall or crash a parser."""
    if is_minified(text):
        raise GaveUp("index.long_lines")
    if row.name == "yaml" and _TOO_DEEP.search(text):
        raise GaveUp("index.too_deep")


def _span(found: ParsedDefinition, text: bytes) -> Span:
    """Return the place of a definition, from the comments above it."""
    declared = found.body is None and found.kind in _CALLED and b"\n" not in text[found.start : found.end]
    return Span(found.lead, found.end, found.qualified, found.kind, declared)
