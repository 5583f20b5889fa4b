from shirube.cli.outlines import at_text, impact_text, outline_text
from shirube.cli.show import Paint

from shirube.graph.found import Verify
from shirube.operations.results.symbols import (
    FunctionText,
    ImpactResult,
    LineResult,
    StructureElement,
    StructureFile,
    StructureResult,
)
from shirube.types import Answer

PLAIN = Paint(False)


def test_an_outline_is_indented_by_depth():
    inner = StructureElement("go", "method", 3, 4, "def go(self)", ())
    outer = StructureElement("A", "class", 2, 10, "class A", (inner,))
    file = StructureFile("a.py", "python", 12, (outer,))
    text = outline_text(StructureResult("a.py", (file,), 1, Answer.FOUND, False, "", {}, ()), PLAIN)
    assert text.splitlines() == [
        "a.py  python, 12 lines",
        "   2-10  class      class A",
        "    3-4    method     def go(self)",
    ]


def test_the_line_that_was_asked_for_is_marked():
    function = FunctionText("f", 9, 10, "def f():\n    pass", "f", "function", "def f()", "", True)
    text = at_text(LineResult("a.py", 10, function, (), "python", 20, Answer.FOUND, ()), PLAIN)
    assert text.splitlines() == ["a.py:9-10  function f", "   9  def f():", "> 10      pass", "  … up to line 10"]


def test_an_impact_names_places_and_reasons():
    totals = dict.fromkeys(("must_verify", "should_verify", "callers", "tests"), 1)
    must = Verify("tests/t.py", 3, "test_f", "test", ("uses f (import_resolved)",))
    result = ImpactResult(("a.py",), (), (must,), (), (), ("tests/t.py",), (), (), totals, False, Answer.FOUND, {}, ())
    text = impact_text(result, PLAIN)
    assert "  tests/t.py:3  test_f test  uses f (import_resolved)" in text
    assert text.endswith("1 sure use, 1 test file: tests/t.py")
