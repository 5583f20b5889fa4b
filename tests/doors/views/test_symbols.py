from shirube.codec import replace
from shirube.doors.cli.screen import speech_for
from shirube.doors.views import brief
from shirube.doors.views.screen import Paint, Screen, columns, lit
from shirube.doors.views.symbols import (
    analyze_impact,
    analyze_structure,
    deps_closure,
    find_definitions,
    find_references,
    get_function_at_line,
)
from shirube.engine.graph.closure import Direction, Link, Node
from shirube.engine.graph.found import How, Reference, Verify
from shirube.features.lookup.symbol_results import (
    Defined,
    DefinitionsResult,
    DepsResult,
    FunctionText,
    ImpactResult,
    LineResult,
    ReferencesResult,
    StructureElement,
    StructureFile,
    StructureResult,
    Together,
)
from shirube.messages import Speech, say
from shirube.operation import OPERATIONS
from shirube.types import Answer

PLAIN = Screen(Paint(False), speech_for(OPERATIONS["find_references"], "en"))
COLOUR = Screen(Paint(True), PLAIN.speech)
JAPANESE = Screen(Paint(False), speech_for(OPERATIONS["deps_closure"], "ja"))
DEFINED = Defined("pay", "src/a.py", 3, "function", "", "def pay(x)", "pay", 3, 9, "python")
LONGER = Defined("pay", "src/日本.py", 12, "method", "Shop", "def pay(self, " + "x" * 200, "Shop.pay", 12, 19, "python")
USE = Reference("src/b.py", 4, 9, 12, "    x = pay(1)", "code", How.IMPORT_RESOLVED, 0.97, "f", "src/a.py:3")
EVIL = Reference("e.py", 1, 1, 4, "pay \x1b[31m", "string", How.NAME_ONLY, 0.1, "", "")
RESULT = ReferencesResult(
    "pay", (USE, EVIL), (), 2, {}, Answer.FOUND, True, "abc", 2, {}, {"secret": 1}, {}, (), degraded=()
)
FOUND = DefinitionsResult("pay", (DEFINED, LONGER), 2, Answer.FOUND, "exact", (), False, "", {}, degraded=())


def test_places_are_aligned_and_long_signatures_cut():
    first, second = find_definitions(FOUND, PLAIN).text.splitlines()
    assert columns(first.partition("function")[0]) == columns(second.partition("method")[0])
    assert second.endswith("…  in Shop")


def test_the_name_is_lit_in_the_line_that_uses_it():
    assert "x = \x1b[1;31mpay\x1b[0m(1)" in find_references(RESULT, COLOUR).text
    assert find_references(RESULT, PLAIN).text.splitlines()[0] == "src/b.py:4  import  x = pay(1)"


def test_rows_fit_a_terminal_around_the_name_that_is_used():
    text = "    result = first(second(" + "x" * 80 + "), pay(1), " + "y" * 80 + ")"
    at = text.index("pay") + 1
    long = replace(USE, content=text, column=at, end_column=at + 3)
    wide = find_references(replace(RESULT, references=(long,)), replace(PLAIN, tty=True)).text
    assert columns(wide) <= 80
    assert "…pay(1), yyy" in wide
    assert find_references(replace(RESULT, references=(long,)), PLAIN).text.endswith("y)")


def test_what_a_repository_holds_cannot_steer_the_terminal():
    assert "\x1b[31m" not in find_references(RESULT, PLAIN).text
    assert lit("def \x1b pay", "pay", Paint(False)) == "def � pay"


def test_notes_tell_of_more_and_of_what_was_not_searched():
    assert find_references(RESULT, PLAIN).notes == ("more: --cursor abc", "not searched: 1 secret")


def test_an_outline_is_indented_by_depth():
    inner = StructureElement("go", "method", 3, 4, "def go(self)", ())
    outer = StructureElement("A", "class", 2, 10, "class A", (inner,))
    file = StructureFile("a.py", "python", 12, (outer,))
    text = analyze_structure(StructureResult("a.py", (file,), 1, Answer.FOUND, False, "", {}, degraded=()), PLAIN).text
    assert text.splitlines() == [
        "a.py  python, 12 lines",
        "   2-10  class      class A",
        "    3-4    method     def go(self)",
    ]


def test_the_line_that_was_asked_for_is_marked():
    function = FunctionText("f", 5, 12, "    go()\n    pass", 9, "f", "function", "def f()", "", True)
    text = get_function_at_line(
        LineResult("a.py", 10, function, (), "python", 20, Answer.FOUND, degraded=()), PLAIN
    ).text
    shown = ["a.py:5-12 function f", "  … 5-8", "   9      go()", "> 10      pass", "  … 11-12"]
    assert text.splitlines() == shown


def test_an_impact_names_places_and_reasons():
    totals = dict.fromkeys(("must_verify", "should_verify", "callers", "tests"), 1)
    must = Verify("tests/t.py", 3, "test_f", "test", (say("impact.uses", name="f", how=say("impact.import_resolved")),))
    result = ImpactResult(
        ("a.py",), (), (must,), (), (), ("tests/t.py",), (), (), totals, False, Answer.FOUND, {}, degraded=()
    )
    text = analyze_impact(result, PLAIN).text
    assert "  tests/t.py:3  test_f test  uses f (by import)" in text
    assert text.endswith("1 sure use, 1 test file: tests/t.py")


def test_reasons_that_are_too_long_for_a_row_stand_below_it():
    reason = say("impact.tests", path="src/" + "long/" * 10 + "a.py")
    must = Verify("tests/t.py", 3, "test_f", "test", (reason,))
    totals = dict.fromkeys(("must_verify", "should_verify", "callers", "tests"), 1)
    result = ImpactResult(("a.py",), (), (must,), (), (), (), (), (), totals, False, Answer.FOUND, {}, degraded=())
    assert f"  tests/t.py:3  test_f test\n      {reason}" in analyze_impact(result, PLAIN).text


def test_an_impact_reads_in_japanese():
    totals = dict.fromkeys(("must_verify", "should_verify", "callers", "tests"), 1)
    must = Verify("a.py", 3, "f", "implementation", (say("impact.uses", name="f", how=say("impact.same_file")),))
    result = ImpactResult(("b.py",), (), (must,), (), (), (), (), (), totals, False, Answer.FOUND, {}, degraded=())
    assert "  a.py:3  f  f を使用（同じファイル）" in analyze_impact(result, JAPANESE).text.splitlines()


GRAPH = DepsResult(
    root="a.py",
    direction=Direction.BOTH,
    nodes=(
        Node("path", "a.py", 0, Direction.BOTH),
        Node("path", "b.py", 1, Direction.OUTBOUND),
        Node("package", "os", 2, Direction.OUTBOUND),
    ),
    edges=(Link("a.py", "b.py", "path", "import", 1, 3), Link("b.py", "os", "package", "import", 2, 1)),
    answer=Answer.PARTIAL,
    truncated=True,
    whole_to=2,
    drawing="",
    changes_with=(Together("c.py", 0.5, 0.0, False, 7, "2024-03-02"),),
    degraded=(),
    next=say("deps.whole_to", depth=2),
)


def test_a_graph_is_a_tree_each_way():
    assert deps_closure(GRAPH, PLAIN).text.splitlines() == [
        "a.py",
        "uses:",
        "└─ b.py  line 3",
        "   └─ os package  line 1",
        "used by:",
        "  nothing that is indexed",
        "changed with it 7 times, last 2024-03-02 (50%)  c.py  (no import leads there)",
        "(partial: whole to depth 2; a smaller --max-depth, or a higher --limit, shows all)",
    ]


def test_a_graph_reads_in_japanese():
    lines = deps_closure(GRAPH, JAPANESE).text.splitlines()
    assert lines[1:3] == ["使うもの:", "└─ b.py  3 行目"]
    assert lines[-1].startswith("(partial: 2 段目までは全部です。")


def test_a_drawing_stands_alone_and_a_lone_file_is_nothing_found():
    drawn = deps_closure(replace(GRAPH, drawing="digraph {}", nodes=GRAPH.nodes[:1]), PLAIN)
    assert (drawn.text, drawn.found) == ("digraph {}", False)


def test_names_with_one_reason_share_its_words_at_a_terminal():
    by_import, same = say("impact.import_resolved"), say("impact.same_file")
    reasons = [
        say("impact.uses", name=name, how=how) for name, how in (("a", by_import), ("b", by_import), ("c", same))
    ]
    screen = Screen(Paint(False), Speech())
    assert brief.reasons_of(reasons, screen) == "uses a, b (by import); uses c (in the same file)"
    japanese = Screen(Paint(False), Speech("ja"))
    assert brief.reasons_of(reasons, japanese) == "a, b を使用（import で確認済み）; c を使用（同じファイル）"
    assert brief.reasons_of(reasons, replace(screen, model=True)) == "a, b, c"
