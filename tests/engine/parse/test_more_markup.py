"""Symbols and imports of HTML, CSS and SCSS."""

import pytest
from tests.cases import for_each
from tests.engine.parse.samples import check_broken, check_doc, imported, placed, read

from shirube.engine.parse.file import parse_file

HTML = """\
<!DOCTYPE html>
<!-- 案内 -->
<html>
<head>
  <link rel="stylesheet" href="site.css">
  <link rel="canonical" href="https://example.com/">
  <script src="app.js" defer></script>
</head>
<body id="top">
  <h1>Welcome <b>back</b></h1>
  <div class="x" id=main>
    <img src="x.png" id='logo'/>
  </div>
  <h2 id="news">News</h2>
  <script id="boot">const x = 1;</script>
</body>
</html>
"""

CSS = """\
@import "base.css";
@import url("print.css") print;
@import url(plain.css);
/* 配色 */
:root { --main: #fff; color: red; }
.card,
#menu > a:hover {
  --local: 1;
  .inner { color: blue; }
}
@media screen and (max-width: 600px) {
  .card { color: blue }
}
@keyframes spin { from { left: 0 } to { left: 1px } }
@font-face { font-family: X }
@layer base { a { color: red } }
@supports (display: grid) { b { color: red } }
"""

SCSS = """\
@use "sass:math";
@use "theme/color" as c;
@import "one", "two";
// 配色
$primary: #0d6efd !default;
@mixin respond($name) {
  $local: 1;
  @content;
}
@function rem($px) {
  @return $px;
}
.card {
  $pad: 1rem;
  &__title { color: $primary; }
}
@media print { .x { color: red; } }
"""

SYMBOLS = {
    "html": [
        ("element", "top", 9, 16),
        ("section", "top.Welcome", 10, 10),
        ("element", "top.main", 11, 13),
        ("element", "top.main.logo", 12, 12),
        ("element", "top.news", 14, 14),
        ("element", "top.boot", 15, 15),
    ],
    "css": [
        ("rule", ":root", 5, 5),
        ("variable", ":root.--main", 5, 5),
        ("rule", ".card, #menu > a:hover", 6, 10),
        ("rule", ".card, #menu > a:hover..inner", 9, 9),
        ("at_rule", "screen and (max-width: 600px)", 11, 13),
        ("rule", "screen and (max-width: 600px)..card", 12, 12),
        ("at_rule", "spin", 14, 14),
        ("at_rule", "@font-face", 15, 15),
        ("at_rule", "base", 16, 16),
        ("rule", "base.a", 16, 16),
        ("at_rule", "(display: grid)", 17, 17),
        ("rule", "(display: grid).b", 17, 17),
    ],
    "scss": [
        ("variable", "$primary", 5, 5),
        ("macro", "respond", 6, 9),
        ("function", "rem", 10, 12),
        ("rule", ".card", 13, 16),
        ("rule", ".card.&__title", 15, 15),
        ("at_rule", "print", 17, 17),
        ("rule", "print..x", 17, 17),
    ],
}

IMPORTS = {
    "html": [("site.css", 5), ("app.js", 7)],
    "css": [("base.css", 1), ("print.css", 2), ("plain.css", 3)],
    "scss": [("sass:math", 1), ("theme/color", 2), ("one", 3), ("two", 3)],
}

SAMPLES = {"html": HTML, "css": CSS, "scss": SCSS}

BROKEN = {
    "html": ('<p id="ok">x</p>\n<div id="open"><<span', "ok"),
    "css": (".ok { color: red }\n.bad { color: ; { }\n", ".ok"),
    "scss": (".ok { color: red; }\n@mixin {{ \n", ".ok"),
}

# the wheel of the SCSS grammar hands over an address where a capsule is wanted
pytestmark = pytest.mark.filterwarnings("ignore:int argument support:DeprecationWarning")


@pytest.mark.requirement("003-CHUNK-07")
@for_each("language", SYMBOLS)
def test_definitions_are_named_scoped_and_placed(language):
    assert placed(read(SAMPLES[language], language)) == SYMBOLS[language]


@for_each("language", IMPORTS)
def test_loaded_files_are_imports(language):
    assert [found[:2] for found in imported(read(SAMPLES[language], language))] == IMPORTS[language]


@for_each("language", BROKEN)
def test_a_syntax_error_costs_only_its_own_place(language):
    check_broken(language, *BROKEN[language])


@for_each(("language", "name"), [("css", ":root"), ("scss", "$primary")])
def test_a_japanese_comment_documents_what_follows(language, name):
    check_doc(language, SAMPLES[language], name, "配色")


def test_an_element_is_signed_by_its_opening_tag():
    parsed = parse_file(HTML.encode(), "html")
    assert parsed.symbols[0].signature == '<body id="top">'


def test_a_mixin_the_grammar_cannot_read_keeps_its_name():
    text = b"@mixin make-row($gutter) {\n  --#{$prefix}gutter-x: #{$gutter};\n  --#{$prefix}gutter-y: 0;\n}\n"
    assert ("macro", "make-row") in [(one.kind, one.name) for one in parse_file(text, "scss").symbols]


def test_use_with_a_configuration_is_still_an_import():
    parsed = parse_file(b'@use "config" with ($a: 1);\n', "scss")
    assert [one.module for one in parsed.imports] == ["config"]
