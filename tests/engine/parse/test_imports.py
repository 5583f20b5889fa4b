"""Reading import statements."""

from tests.cases import for_each

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.imports import READERS


@for_each(
    ("language", "statement", "taken"),
    [
        ("python", "import a", [("a", ())]),
        ("python", "import a.b as c, d", [("a.b", ()), ("d", ())]),
        ("python", "from . import a", [(".", ("a",))]),
        ("python", "from ...a.b import (\n  c,  # x\n  d as e,\n)", [("...a.b", ("c", "d"))]),
        ("python", "from a import b, \\\n  c", [("a", ("b", "c"))]),
        ("python", "from important import x", [("important", ("x",))]),
        ("python", "from a.important import x", [("a.important", ("x",))]),
        ("python", "from .import x", [(".", ("x",))]),
        ("python", "from a import*", [("a", ("*",))]),
        ("javascript", "import 'a';", [("a", ())]),
        ("javascript", "import a from 'x'", [("x", ("default",))]),
        ("javascript", "import a, * as b from 'x'", [("x", ("default",))]),
        ("javascript", "import {\n a, // one\n b as c } from 'x'", [("x", ("a", "b"))]),
        ("javascript", "export * as ns from 'x'", [("x", ())]),
        ("javascript", "export { default } from 'https://x.y/z'", [("https://x.y/z", ("default",))]),
        ("javascript", "import a from './from'", [("./from", ("default",))]),
        ("javascript", "import j from './a.json' with { type: 'json' }", [("./a.json", ("default",))]),
        ("typescript", "import type A from 'x'", [("x", ("default",))]),
        ("typescript", "import { type A, B } from 'x'", [("x", ("A", "B"))]),
        ("typescript", "import a = require('x')", [("x", ())]),
        ("java", "import a.b.C;", [("a.b.C", ())]),
        ("java", "import static a.B.*;", [("a.B", ("*",))]),
        ("kotlin", "import a.b.C as D", [("a.b.C", ())]),
        ("scala", "import a.b.{C => D, _}", [("a.b", ("C",)), ("a.b", ("*",))]),
        ("csharp", "using static A.B;", [("A.B", ())]),
        ("csharp", "using X = A.B<C>;", [("A.B<C>", ())]),
        ("ruby", "require_relative '../a'", [("../a", ())]),
        ("ruby", "autoload :A, 'a/b'", [("a/b", ())]),
        ("ruby", 'require "#{x}/a"', []),
        ("rust", "use a;", [("a", ())]),
        ("rust", "pub(crate) use a::b;", [("a", ("b",))]),
        ("rust", "extern crate serde as s;", [("serde", ())]),
        ("rust", "#[cfg(test)] mod tests;", [("mod tests", ())]),
        ("php", "use function A\\{b, c};", [("A\\b", ()), ("A\\c", ())]),
        ("php", "use A\\B, C\\D;", [("A\\B", ()), ("C\\D", ())]),
        ("php", "include 'a/b.php'", [("a/b.php", ())]),
        ("php", "require $x", []),
        ("php", "require dirname(__FILE__) . '/a.php'", [("./a.php", ())]),
    ],
)
def test_a_statement_names_modules_and_what_is_taken(
    language: str, statement: str, taken: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert list(READERS[language](statement)) == taken


@for_each("language", READERS)
@for_each("statement", ["", " ", "import", "use {", "from", "'", "using =", "{{{{", "import {a"])
def test_half_a_statement_is_no_error(language: str, statement: str) -> None:
    list(READERS[language](statement))


def test_names_taken_in_two_matches_are_one_import() -> None:
    parsed = parse_file(b"use a::{b, c};\n\nuse a::d;\n", "rust")
    assert [(one.module, one.line, one.names) for one in parsed.imports] == [("a", 1, ("b", "c")), ("a", 3, ("d",))]


@for_each("language", ["javascript", "typescript"])
def test_what_is_taken_out_of_a_module_of_commonjs(language: str):
    text = "const whole = require('./a');\nconst { b, c: d } = require('./b');\nrequire('./e').f();\nrequire('./g');\n"
    found = parse_file(text.encode(), language)
    assert [(one.module, one.names) for one in found.imports] == [
        ("./a", ("default",)),
        ("./b", ("b", "c")),
        ("./e", ("f",)),
        ("./g", ()),
    ]
    assert found.symbols == (), "what is required is imported, not defined"


def test_what_is_made_of_a_required_module_is_defined():
    text = "const app = require('./app')();\nlet later;\nexports.size = 3;\nexports.go = () => 1;\nexports.app = app;\n"
    found = parse_file(text.encode(), "javascript").symbols
    assert [(one.kind, one.qualified) for one in found] == [
        ("constant", "app"),
        ("variable", "later"),
        ("constant", "size"),
        ("function", "go"),
    ]
