"""Reading whole files: what holds for every text in every language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.parse import file
from shirube.engine.parse.chunks import MAX_BYTES
from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import known_languages
from shirube.types import Parsed

WORDS = [
    *("def f(x):\n", "    return 1\n", "class A:\n", "class A {\n", "}\n", "{", "(", ")", "[", "]", "\n", "\n\n", " "),
    *("\t", "\r\n", "\u3000", "日本語", "// c\n", "/* x */", "# h\n", "## two\n", "```\n", "---\n", "import a\n", '"'),
    *("from a import b\n", "use a::{b};\n", "'", "function f() {\n", "const x = () => {\n", "fn a() {\n", "key: v\n"),
    *('<div id="a">\n', "</div>\n", "- a\n", "[t]\n", "a = 1\n", "@section('a')\n", "@endsection\n", "<x-a>\n"),
    *("</x-a>\n", "x" * 700, "y\n" * 400, "end\n", "module A\n", "namespace a {\n", "struct S {\n", "int a;\n"),
    *("public void m() { }\n", "#[a]\n", "@a\n", "é", "\x1c", "\x0b", "impl S {\n", "describe('a', () => {\n", "});\n"),
]
STEADY = [name for name in known_languages() if name != "kotlin"]
"""Languages whose grammar ends on any garbage; Kotlin's takes exponential time on some thirty lines of it."""

BROKEN = {
    "python": "def good():\n    pass\n\ndef bad(:\n    )))\n",
    "javascript": "function good() {}\nfunction ( {{{\n",
    "typescript": "function good(): void {}\nclass {{ x:\n",
    "php": "<?php\nfunction good() {}\nfunction ( {\n",
    "go": "package a\nfunc good() {}\nfunc ( {\n",
    "rust": "fn good() {}\nfn ( {{\n",
    "java": "class A { void good() {} }\nclass { ((\n",
    "c": "int good(void) { return 1; }\nint ) ( {\n",
    "cpp": "int good() { return 1; }\nclass : ) {\n",
    "csharp": "class A { void good() {} }\nclass { ((\n",
    "ruby": "def good\nend\ndef (\n",
    "kotlin": "fun good() {}\nfun ( {{\n",
}


def check(text: bytes, parsed: Parsed) -> None:
    """Assert everything that pieces, symbols and imports promise."""
    covered = bytearray(len(text))
    place = 0
    for piece in parsed.pieces:
        assert place <= piece.start < piece.end <= len(text)
        assert piece.end - piece.start <= MAX_BYTES
        assert text[piece.start : piece.end].decode().strip()
        assert piece.start_line == 1 + text.count(b"\n", 0, piece.start)
        assert piece.end_line == 1 + text.count(b"\n", 0, piece.end)
        covered[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
        place = piece.end
    left = bytes(byte for byte, seen in zip(text, covered, strict=True) if not seen)
    assert not left.decode().strip()
    lines = 1 + text.count(b"\n")
    for symbol in parsed.symbols:
        assert symbol.name
        assert symbol.qualified.endswith(symbol.name)
        assert 1 <= symbol.start_line <= symbol.end_line <= lines
        assert "\n" not in symbol.signature
    for one in parsed.imports:
        assert one.module
        assert 1 <= one.line <= lines


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from(STEADY))
def test_pieces_are_ordered_apart_and_complete(words: list[str], language: str) -> None:
    text = "".join(words).encode()
    check(text, parse_file(text, language))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.sampled_from(STEADY))
def test_any_text_in_any_language_is_read_without_error(text: str, language: str) -> None:
    check(text.encode(), parse_file(text.encode(), language))


@for_each("language", [*known_languages(), "klingon"])
@for_each("text", [b"", b"\n", b" \r\n\t"])
def test_an_empty_file_gives_nothing(language: str, text: bytes) -> None:
    assert parse_file(text, language) == Parsed(language, ())


@for_each("language", BROKEN)
def test_a_syntax_error_leaves_the_other_symbols(language: str) -> None:
    parsed = parse_file(BROKEN[language].encode(), language)
    assert parsed.notes == ("syntax errors",)
    assert "good" in [symbol.name for symbol in parsed.symbols]


@for_each("language", known_languages())
@for_each(("opening", "closing"), ["()", "[]", "{}"])
def test_five_thousand_nested_brackets_are_no_danger(language: str, opening: str, closing: str) -> None:
    text = b"x = " + opening.encode() * 5000 + closing.encode() * 5000 + b"\n"
    check(text, parse_file(text, language))


@for_each("language", known_languages())
def test_a_megabyte_on_one_line_is_cut_by_lines(language: str) -> None:
    text = b"x = 1; " * 150_000
    parsed = parse_file(text, language)
    assert b"".join(text[one.start : one.end] for one in parsed.pieces).replace(b" ", b"") == text.replace(b" ", b"")


def test_minified_code_says_that_it_was_not_parsed() -> None:
    assert parse_file(b"function a(){}" * 2000, "javascript").notes == ("split by lines: very long lines",)


def test_yaml_nested_too_deep_for_its_grammar_is_cut_by_lines() -> None:
    text = "".join(" " * depth + "a:\n" for depth in range(400)).encode()
    assert parse_file(text, "yaml").notes == ("split by lines: nested too deep",)


def test_a_parser_that_is_told_to_give_up_leaves_lines() -> None:
    text = b"def f():\n    pass\n" * 1000
    parsed = parse_file(text, "python", lambda: True)
    assert parsed.notes == ("split by lines: parser gave up",)
    assert parsed.symbols == ()
    check(text, parsed)


def test_a_grammar_that_is_missing_leaves_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "load_grammar", lambda name: None)
    parsed = parse_file(b"def f(): pass\n", "python")
    assert parsed.notes == ("split by lines: no grammar",)
    assert len(parsed.pieces) == 1


def test_the_same_bytes_give_the_same_answer() -> None:
    text = b"class A:\n    def f(self): pass\n"
    assert parse_file(text, "python") == parse_file(text, "python")
    assert parse_file(text * 500, "python") == parse_file(text * 500, "python", lambda: False)
