from shirube.engine.graph.meaning import SourceFile, enclosing
from shirube.engine.parse.mentions import Mention
from shirube.types import Symbol
from tests.cases import for_each


def file_of(text: str, *symbols: Symbol, language: str = "python") -> SourceFile:
    return SourceFile("a", language, text, symbols)


@for_each(
    ("text", "receiver", "told"),
    [
        ("import pay\npay.go()\n", "pay", True),
        ("from shop import pay\npay.go()\n", "pay", True),
        ("import pay as p\np.go()\n", "p", True),
        ("import * as p from './lib/pay.js'\np.go()\n", "p", True),
        ("const p = require('./pay')\np.go()\n", "p", True),
        ("import bank as p\np.go()\n", "p", False),
        ("pay = 1\npay.go()\n", "pay", False),
        ("x[1].go()\n", "]", False),
    ],
)
def test_a_module_stands_before_a_dot_when_an_import_says_so(text: str, receiver: str, told: bool):
    assert file_of(text).imports(receiver, frozenset({"pay"})) is told


@for_each(
    ("text", "told"),
    [
        ("x = Till()\nx.ring()\n", True),
        ("x: Till\nx.ring()\n", True),
        ("Till *x;\nx->ring();\n", True),
        ("x := &Till{}\nx.ring()\n", True),
        ("x = Bell()\nx.ring()\n", False),
    ],
)
def test_a_file_may_say_of_which_class_a_variable_is(text: str, told: bool):
    place = Mention(text.index("ring"), 2, 3, "code", "member", "x")
    assert file_of(text).holds(place, "Till") is told


def test_the_innermost_symbol_encloses_a_line():
    symbols = [Symbol("A", "A", "class", 1, 9), Symbol("f", "A.f", "method", 2, 4)]
    assert [enclosing(symbols, line) for line in (3, 5, 10)] == ["A.f", "A", ""]
