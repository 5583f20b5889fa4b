from shirube.engine.graph.definitions import around, name_line, nest
from shirube.engine.parse.file import parse_file
from shirube.types import Symbol
from tests.cases import for_each

TEXT = "@wraps(run)\n@other\ndef run():\n    def inner():\n        pass\n"
TEXT += "class A:\n    x = 1\n    def go(self):\n        pass\n"
SYMBOLS = parse_file(TEXT.encode(), "python").symbols


def test_symbols_are_nested_by_where_they_stand():
    tree = nest(SYMBOLS)
    assert [(one.symbol.name, [inner.symbol.name for inner in one.children]) for one in tree] == [
        ("run", ["inner"]),
        ("A", ["x", "go"]),
    ]


def test_symbols_that_share_their_lines_are_neighbours():
    pair = [Symbol("a", "a", "constant", 1, 1), Symbol("b", "b", "constant", 1, 1)]
    assert [branch.symbol.name for branch in nest(pair)] == ["a", "b"]


def test_the_innermost_symbol_comes_first():
    assert [one.qualified for one in around(SYMBOLS, 5)] == ["run.inner", "run"]
    assert around(SYMBOLS, 100) == []


def test_the_line_of_a_name_is_below_its_decorators():
    lines = TEXT.split("\n")
    assert [name_line(lines, one) for one in SYMBOLS] == [3, 4, 6, 7, 8]
    assert name_line([], SYMBOLS[0]) == SYMBOLS[0].start_line


@for_each(
    ("lines", "signature", "wanted"),
    [
        (["@command(", '    help="pay it"', ")", "def pay(amount):"], "def pay(amount)", 4),
        (["@Wide", "@interface pay {}"], "@interface pay", 2),
        (["static int", "pay(void)"], "static int pay(void)", 2),
        (['"pay": () => 1,'], '"pay": () =>', 1),
    ],
)
def test_the_line_of_a_name_is_where_the_signature_has_it(lines: list[str], signature: str, wanted: int):
    assert name_line(lines, Symbol("pay", "pay", "function", 1, len(lines), signature)) == wanted
