"""Loading grammars and giving up."""

import subprocess
import sys

import pytest
from tests.cases import for_each

from shirube.engine.parse import grammars
from shirube.engine.parse.grammars import GaveUp, load_grammar, query_source
from shirube.engine.parse.languages import Language, language_row, languages

WITH_GRAMMAR = [row.name for row in languages().values() if row.grammar]


@for_each("name", WITH_GRAMMAR)
def test_every_grammar_loads_with_its_query(name: str) -> None:
    grammar = load_grammar(name)
    assert grammar is not None
    assert query_source(language_row(name))
    assert grammar.query is not None


def test_a_grammar_is_loaded_once() -> None:
    assert load_grammar("python") is load_grammar("python")


def test_a_language_without_grammar_has_none() -> None:
    assert load_grammar("markdown") is None
    assert load_grammar("klingon") is None


def test_a_grammar_that_cannot_be_loaded_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "language_row", lambda name: Language(name, grammar="nowhere:language"))
    assert load_grammar.__wrapped__("gone") is None


def test_a_missing_query_is_an_empty_one() -> None:
    assert query_source(Language("nobody")) == ""


def test_a_long_text_can_be_given_up() -> None:
    grammar = load_grammar("python")
    assert grammar is not None
    text = b"def f():\n    pass\n" * 1000
    with pytest.raises(GaveUp, match=r"index\.gave_up"):
        grammar.read(text, lambda: True)
    matches, broken = grammar.read(text, lambda: False)
    assert len(matches) == 1000
    assert not broken


def test_reading_in_chunks_changes_nothing() -> None:
    grammar = load_grammar("python")
    assert grammar is not None
    text = "# 日本語の注釈\ndef 関数():\n    '説明'\n".encode() * 200
    whole, _ = grammar.read(text)
    chunks, _ = grammar.read(text, lambda: False)
    places = [[(m, [n.start_byte for n in c[k]]) for m, c in part for k in c] for part in (whole, chunks)]
    assert places[0] == places[1]


def test_importing_the_room_loads_no_parser() -> None:
    code = "import shirube.engine.parse.file, sys; sys.exit('tree_sitter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_text_that_was_looked_at_is_not_parsed_again_until_others_took_its_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grammars, "KEPT_BYTES", 20)
    grammar = load_grammar.__wrapped__("python")
    assert grammar is not None
    first, second, third = b"a = 1\n", b"b = 22\n", b"c = 333333\n"
    tree = grammar.parse(first)
    grammar.parse(second)
    assert grammar.parse(first) is tree
    grammar.parse(third)
    assert list(grammar.trees) == [first, third]
    assert grammar.kept_bytes == len(first) + len(third)
    assert grammar.parse(b"d = " + b"4" * 40).root_node.end_byte == 44
    assert not grammar.trees
    assert grammar.kept_bytes == 0
