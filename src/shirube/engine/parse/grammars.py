"""Loads grammars and queries once, at first use; the only module that calls the parser."""

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias
from warnings import catch_warnings, simplefilter

from shirube.engine.parse.c_family import resolve_declarator, without_macros
from shirube.engine.parse.declared import declared
from shirube.engine.parse.languages import Language, language_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node, Parser, Query, QueryCursor, Tree

    Match: TypeAlias = tuple[int, dict[str, list[Node]]]

_INCLUDE = re.compile(r"^; include (\w+)$", re.MULTILINE)
CALM_BYTES = 1_024
"""Texts up to this size are parsed without a time limit: even a hostile one takes less than a second."""

KEPT_BYTES = 2_000_000
"""How many bytes of text have their trees cached per language; a tree takes about ten times as much memory."""

READ_BYTES = 1_024
"""How many bytes the parser reads at a time; between two reads it can be stopped."""


class GaveUp(Exception):
    """The text cannot be parsed, for the reason given; it is cut by lines instead."""


@dataclass(slots=True)
class Grammar:
    """A parser and a compiled query for one language."""

    row: Language
    parser: "Parser"
    query: "Query | None"
    cursor: "type[QueryCursor]"
    lock: Lock = field(default_factory=Lock)
    trees: "OrderedDict[bytes, Tree]" = field(default_factory=OrderedDict)
    """The trees of the most recently used texts."""
    kept_bytes: int = 0

    def read(self, text: bytes, expired: "Callable[[], bool] | None" = None) -> "tuple[list[Match], bool]":
        """Return the query's matches and whether the text holds syntax errors."""
        with self.lock:
            root = self._parse(text, expired).root_node
            matches = self._matches(root)
            if self.row.lines:
                known = {node.start_byte for _, captures in matches for node in captures.get("name", ())}
                matches += declared(root, text, re.compile(self.row.lines.encode(), re.MULTILINE), known)
            return matches, root.has_error

    def parse(self, text: bytes) -> "Tree":
        """Return the tree of a text, from the cache if possible; the caller must hold the lock while using it.

        The cache helps, because the next page, name or question is often about the same files.
        """
        if (tree := self.trees.get(text)) is not None:
            self.trees.move_to_end(text)
            return tree
        tree = self.parser.parse(without_macros(text) if self.row.macros else text)
        self.trees[text] = tree
        self.kept_bytes += len(text)
        while self.kept_bytes > KEPT_BYTES:
            self.kept_bytes -= len(self.trees.popitem(last=False)[0])
        return tree

    def named(self, root: "Node", spans: "Sequence[tuple[int, int]]") -> set[tuple[int, int]]:
        """Return the spans of names that get defined, of those that touch the given spans."""
        return {
            node.byte_range
            for span in spans
            for _, captures in self._matches(root, span)
            if any(key.startswith("definition.") for key in captures)
            for node in captures.get("name", ())
        }

    def _matches(self, root: "Node", span: tuple[int, int] | None = None) -> "list[Match]":
        """Return the query's matches, of the whole tree or around a span; declarators become names."""
        if self.query is None:
            return []
        cursor = self.cursor(self.query)
        if span:
            cursor.set_byte_range(*span)
        elif self.row.depth:
            cursor.set_max_start_depth(self.row.depth)
        matches = cursor.matches(root)
        for _, captures in matches if self.row.macros else ():
            if "declarator" in captures:
                resolve_declarator(captures)
        return matches

    def _parse(self, text: bytes, expired: "Callable[[], bool] | None") -> "Tree":
        """Parse; the binding's progress callback crashes in 0.26.0, so we stop the parser by ending its input."""
        text = without_macros(text) if self.row.macros else text
        if expired is None or len(text) <= CALM_BYTES:
            return self.parser.parse(text)
        given_up = False

        def chunk(offset: int, _: object) -> bytes:
            nonlocal given_up
            given_up = given_up or expired()
            return b"" if given_up else text[offset : offset + READ_BYTES]

        tree = self.parser.parse(chunk)
        if given_up:
            self.parser.reset()
            raise GaveUp("index.gave_up")
        return tree


@cache
def load_grammar(name: str) -> Grammar | None:
    """Return the grammar of a language, or None when it has none or it cannot be loaded."""
    row = language_row(name)
    if not row.grammar:
        return None
    module, _, function = row.grammar.partition(":")
    try:
        binding = import_module("tree_sitter")
        with catch_warnings():
            simplefilter("ignore", DeprecationWarning)  # older wheels pass a pointer as an integer
            language = binding.Language(getattr(import_module(f"tree_sitter_{module}"), function)())
        source = query_source(row)
        query = binding.Query(language, source) if source else None
        return Grammar(row, binding.Parser(language), query, binding.QueryCursor)
    except (ImportError, AttributeError, ValueError, TypeError, OSError):
        return None


def query_source(row: Language) -> str:
    """Return the text of the language's query file, empty when there is none; ``; include NAME`` inserts another."""
    folder = files("shirube.engine.parse") / "queries"
    try:
        own = (folder / f"{row.query or row.name}.scm").read_text(encoding="utf-8")
    except (FileNotFoundError, ModuleNotFoundError):
        return ""
    return _INCLUDE.sub(lambda match: (folder / f"{match[1]}.scm").read_text(encoding="utf-8"), own)


MINIFIED_BYTES = 20_000
MINIFIED_LINE = 500
"""A text larger than the first number, with lines longer on average than the second, is generated."""


def is_minified(text: bytes) -> bool:
    """Tell whether a text is generated: it defines nothing of interest, and may stall or crash a parser."""
    return len(text) > MINIFIED_BYTES and (text.count(b"\n") + 1) * MINIFIED_LINE < len(text)
