from tests.cases import for_each

from shirube.engine.parse.mentions import mentions_in

PYTHON = '''\
from shop import start, other as o
# start here
LABEL = "start"
class A:
    def start(self, start=1):
        """start doc"""
        return self.start(start) + f"{start} start"
    def go(self):
        start()
        obj.start(start=2)
        return [start for start in y]
def f():
    start = 3
    return start
def g():
    global start
    start = 4
'''

TYPESCRIPT = """\
import { start } from "./a";
export { start as begin } from "./b";
const f = (start: number) => start + 1;
class K { start() { this.start(); start(); return { start: 1 }; } }
function h({ start }: X) { return start }
type T = ns.start;
const s = `a ${start} start`; // start
"""


def seen(text: str, language: str, name: str = "start") -> list[tuple[int, str, str]]:
    return [(one.line, one.where, one.role) for one in mentions_in(text, language, name)[0]]


def test_python_tells_code_comments_strings_members_keys_locals_and_definitions_apart():
    assert seen(PYTHON, "python") == [
        (1, "code", "import"),
        (2, "comment", "bare"),
        (3, "string", "bare"),
        (5, "code", "definition"),
        (5, "code", "local"),
        (6, "string", "bare"),
        (7, "code", "member"),
        (7, "code", "local"),
        (7, "code", "local"),
        (7, "string", "bare"),
        (9, "code", "bare"),
        (10, "code", "member"),
        (10, "code", "key"),
        (11, "code", "local"),
        (11, "code", "local"),
        (13, "code", "local"),
        (14, "code", "local"),
        (16, "code", "bare"),
        (17, "code", "bare"),
    ]


def test_typescript_tells_them_apart_too():
    assert seen(TYPESCRIPT, "typescript") == [
        (1, "code", "import"),
        (2, "code", "import"),
        (3, "code", "local"),
        (3, "code", "local"),
        (4, "code", "definition"),
        (4, "code", "member"),
        (4, "code", "bare"),
        (4, "code", "key"),
        (5, "code", "local"),
        (5, "code", "local"),
        (6, "code", "member"),
        (7, "code", "bare"),
        (7, "string", "bare"),
        (7, "comment", "bare"),
    ]


@for_each(
    ("language", "text", "receiver"),
    [
        ("python", "self.start()", "self"),
        ("python", "a.b.start", "b"),
        ("python", "f(x).start()", ")"),
        ("cpp", "void f() { Foo::start(); }", "Foo"),
        ("c", "int f(p *q) { return q->start; }", "q"),
        ("typescript", "a?.start()", "a"),
        ("go", "package a\nfunc f() { pkg.start() }", "pkg"),
        ("rust", "fn f() { Foo::start() }", "Foo"),
        ("ruby", "foo.start", "foo"),
        ("javascript", "f(...start)", ""),
    ],
)
def test_what_stands_before_the_dot_is_told(language: str, text: str, receiver: str):
    (found,), parsed = mentions_in(text, language, "start")
    assert (found.receiver, parsed) == (receiver, True)


@for_each(
    ("language", "text"),
    [
        ("go", "package a\nfunc f(start int) int { return start }"),
        ("c", "int f(int start) { return start; }"),
        ("java", "class A { int f(int start) { return start; } }"),
        ("rust", "fn f(start: u8) -> u8 { start }"),
        ("csharp", "class A { int F(int start) { return start; } }"),
        ("javascript", "function f() { const start = 1; return start }"),
        ("php", "<?php function f($start) { return $start; }"),
        ("ruby", "def f(start)\n  start\nend"),
    ],
)
def test_parameters_and_local_variables_are_locals(language: str, text: str):
    found, _ = mentions_in(text, language, "start")
    assert {one.role for one in found} == {"local"}


def test_a_local_of_one_function_is_nothing_to_the_next():
    found, _ = mentions_in("def f(start):\n    return start\ndef g():\n    return start\n", "python", "start")
    assert [one.role for one in found] == ["local", "local", "bare"]


def test_japanese_may_touch_a_name_and_letters_may_not():
    text = "# getUserを呼ぶ\ngetUsers = getUser2 = 1\n検索 = 1\n再検索 = 2\n"
    assert seen(text, "python", "getUser") == [(1, "comment", "bare")]
    assert seen(text, "python", "検索") == [(3, "code", "definition")]
    (found,), _ = mentions_in("x = '日本語', start", "python", "start")
    assert (found.column, found.where) == (12, "code")


def test_a_dollar_is_a_letter_where_the_language_says_so():
    assert seen("$start(); start()", "javascript") == [(1, "code", "bare")]
    assert len(seen("<?php $start = 1;", "php")) == 1


@for_each("language", ["rst", "text", "markdown", "no such language"])
def test_a_text_without_a_grammar_is_searched_and_said_to_be_plain(language: str):
    found, parsed = mentions_in("call start()\nto start", language, "start")
    assert [(one.line, one.where) for one in found] == [(1, "text"), (2, "text")]
    assert not parsed


def test_a_minified_text_is_not_given_to_a_parser():
    assert mentions_in("start;" * 10_000, "javascript", "start")[1] is False


def test_nothing_is_found_of_an_empty_name_or_in_an_empty_text():
    assert mentions_in("", "python", "start") == mentions_in("start", "python", "") == ((), True)


def test_the_size_of_an_array_is_no_local_variable():
    mentions, _ = mentions_in("int f(void) {\n  char name[SIZE];\n  return SIZE;\n}\n", "c", "SIZE")
    assert [one.role for one in mentions] == ["bare", "bare"]


def test_a_tag_is_told_from_a_variable_of_its_name():
    mentions, _ = mentions_in("void f(struct node *node) {\n  node = 0;\n}\n", "c", "node")
    assert [(one.role, one.receiver) for one in mentions] == [("bare", "struct"), ("local", ""), ("local", "")]


def test_what_is_required_is_an_import():
    mentions, _ = mentions_in("const { a } = require('m');\nrequire('m').a;\na;\nm.a;\n", "javascript", "a")
    assert [one.role for one in mentions] == ["import", "import", "bare", "member"]


def test_the_own_name_of_a_function_expression_is_its_alone():
    mentions, _ = mentions_in("app.handle = function handle() { handle(); };\nhandle();\n", "javascript", "handle")
    assert [one.role for one in mentions] == ["definition", "local", "local", "bare"]
