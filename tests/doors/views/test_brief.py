"""What a model reads about symbols: each path once, no columns, and whole blocks within a budget."""

from shirube import Project
from shirube.codec import replace
from shirube.doors.views import symbols as views
from shirube.doors.views.compose import compose
from shirube.doors.views.index import index_status
from shirube.doors.views.screen import Paint, Screen
from shirube.doors.views.search import files_search, past_changes
from shirube.engine.graph.closure import Direction, Link, Node
from shirube.engine.graph.found import How, Reference, Verify
from shirube.engine.text.budget import tokens_of
from shirube.features.lookup.results import EarlierChange, EarlierFile, PastChangesResult
from shirube.features.lookup.symbol_results import (
    Defined,
    DefinedCode,
    DefinitionsResult,
    DepsResult,
    FileUses,
    FunctionText,
    ImpactResult,
    LineResult,
    LineUse,
    ReferencesResult,
    StructureElement,
    StructureFile,
    StructureResult,
    SymbolResult,
    SymbolsResult,
    Together,
)
from shirube.messages import Speech, say
from shirube.types import Answer
from tests.cases import for_each

MODEL = Screen(Paint(False), Speech("en"), model=True)
CODE = "def pay(x):\n    return x"
PAY = DefinedCode("pay", "src/a.py", 3, "function", "", "def pay(x)", "pay", 3, 4, "python", "", CODE)
OTHER = DefinedCode("pay", "src/b.py", 7, "method", "Shop", "def pay(self)", "Shop.pay", 7, 9, "python")
USES = (
    FileUses("src/c.py", "import_resolved", (LineUse(1, "", "from a import pay"), LineUse(9, "Shop.f", "x = pay(1)"))),
    FileUses("src/d.py", "name_only", (LineUse(2, "", "pay()"),)),
    FileUses("README.md", "text", (LineUse(5, "", "pay the bill"),)),
)
FOUND = SymbolResult(
    "pay", (PAY, OTHER), USES, 2, 4, 3, Answer.FOUND, "exact", (), False, "", {"secret": 1}, degraded=()
)


def shown(view, result, tokens: int = 0) -> str:
    screen = replace(MODEL, tokens=tokens)
    return compose(view(result, screen), screen).text


def test_a_symbol_is_its_code_then_its_uses_by_how_sure_they_are():
    assert shown(views.symbol, FOUND).splitlines() == [
        "src/a.py:3-4 function pay",
        "def pay(x):",
        "    return x",
        "src/b.py:7-9 def pay(self) in Shop",
        "4 uses in 3 files:",
        "src/c.py (imported 1)",
        " 9 Shop.f: x = pay(1)",
        "same name, perhaps another symbol:",
        "src/d.py",
        " 2: pay()",
        "in comments, strings and documents:",
        "README.md",
        " 5: pay the bill",
    ]


def test_within_a_budget_uses_become_rows_of_lines():
    many = tuple(LineUse(line, "Shop.f", f"result = pay({'x' * 60})") for line in (9, 12, 40))
    result = replace(
        FOUND, definitions=(PAY,), uses=(FileUses("src/c.py", "same_file", (*many, LineUse(50, "", "y"))),)
    )
    assert shown(views.symbol, result, 60).splitlines()[-2:] == ["4 uses in 1 file:", "src/c.py: 9,12,40 f, 50"]


@for_each("tokens", [12, 20, 30, 45, 60, 80, 120])
def test_a_symbol_never_takes_more_than_its_budget(tokens: int):
    long = replace(PAY, content="\n".join(f"    line_{number} = {number}" for number in range(40)), end_line=42)
    assert tokens_of(shown(views.symbol, replace(FOUND, definitions=(long, OTHER)), tokens)) <= tokens


def test_code_that_is_too_long_is_cut_and_says_which_lines_are_left():
    long = replace(PAY, content="\n".join(f"    line_{number} = {number}" for number in range(40)), end_line=42)
    text = shown(views.symbol, replace(FOUND, definitions=(long,), uses=()), 100)
    cut = text.splitlines()
    assert cut[1] == "    line_0 = 0"
    assert cut[-1] == f"… {3 + len(cut) - 2}-42"


def test_a_long_class_is_shown_by_its_members():
    members = tuple(
        StructureElement(f"step_{n}", "method", n, n + 3, f"def step_{n}(self)", ()) for n in range(5, 40, 5)
    )
    text = "\n".join(f"    step = {number}" for number in range(200))
    long = replace(PAY, kind="class", doc="Pays.", content=text, end_line=203, members=members)
    lines = shown(views.symbol, replace(FOUND, definitions=(long,), uses=()), 200).splitlines()
    assert lines[:3] == ["src/a.py:3-203 class pay", "Pays.", "5-8 def step_5(self)"]
    assert len(lines) == 2 + len(members)


def test_code_that_was_sent_before_is_named():
    screen = replace(MODEL, sent=lambda path, start, end, text: (path, start, end, text) == ("src/a.py", 3, 4, CODE))
    assert views.symbol(FOUND, screen).blocks[0] == f"src/a.py:3-4 function pay {MODEL.words('view.sent_before')}"


def test_a_line_that_uses_a_name_twice_is_shown_once():
    twice = FileUses("src/c.py", "same_file", (LineUse(5, "f", "pay(pay(1))"), LineUse(5, "f", "pay(pay(1))")))
    text = shown(views.symbol, replace(FOUND, uses=(twice,)))
    assert text.splitlines()[-3:] == ["2 uses in 1 file:", "src/c.py", " 5 f: pay(pay(1))"]


def test_of_many_definitions_the_first_are_named_and_the_others_counted():
    others = tuple(replace(OTHER, file=f"src/{letter}.py") for letter in "bcdefgh")
    text = shown(views.symbol, replace(FOUND, definitions=(PAY, *others), uses=()))
    assert text.splitlines()[-1] == "and 2 further definitions"


def test_a_constructor_is_not_named_beside_its_class():
    inside = replace(PAY, kind="constructor", qualified="pay.pay", start_line=4)
    assert "constructor" not in shown(views.symbol, replace(FOUND, definitions=(PAY, inside), uses=()))


def test_an_unknown_symbol_says_what_that_means():
    absent = say("symbols.unknown", count=3, hint=say("symbols.near", names=["pray"]))
    result = replace(FOUND, definitions=(), uses=(), answer=Answer.NONE, next=absent)
    assert shown(views.symbol, result) == "none: no symbol of 3 files has this name; did you mean pray?"
    assert not views.symbol(result, MODEL).found


def test_more_uses_name_the_cursor_and_stale_files_are_said():
    result = replace(
        FOUND, truncated=True, next_cursor="abc", freshness=replace(FOUND.freshness, stale_files=("src/a.py",))
    )
    text = shown(views.symbol, result)
    assert "the first 4 uses, in 3 files:" in text
    assert text.endswith("changed since indexed: src/a.py\nmore: cursor abc")


def test_uses_that_go_on_are_not_called_all_of_them_where_the_cursor_is_left_out():
    text = shown(views.symbol, replace(FOUND, truncated=True, next=say("symbols.more_uses")))
    assert "the first 4 uses, in 3 files:" in text
    assert "next_cursor" not in text


def test_definitions_name_each_path_once():
    second = replace(OTHER, file="src/a.py")
    result = DefinitionsResult("pay", (PAY, second), 2, Answer.FOUND, "exact", (), False, "", {}, degraded=())
    assert shown(views.find_definitions, result) == "src/a.py:3-4 def pay(x)\n 7-9 def pay(self) in Shop"


def test_references_stand_below_their_file():
    first = Reference("src/b.py", 4, 9, 12, "    x = pay(1)", "code", How.IMPORT_RESOLVED, 0.97, "f", "src/a.py:3")
    again = replace(first, line=8, content="pay(2)", symbol="")
    result = ReferencesResult("pay", (first, again), (), 2, {}, Answer.FOUND, False, "", 1, {}, {}, {}, (), degraded=())
    assert shown(views.find_references, result) == "2 uses in 1 file:\nsrc/b.py\n 4 f: x = pay(1)\n 8: pay(2)"


INNER = StructureElement("go", "method", 3, 4, "def go(self)", ())
OUTER = StructureElement("A", "class", 2, 10, "class A", (INNER,))
FILE = StructureFile("a.py", "python", 12, (OUTER, StructureElement("_b", "function", 11, 12, "def _b()", ())), 400)
STRUCTURE = StructureResult("a.py", (FILE,), 1, Answer.FOUND, False, "", {}, degraded=())


def test_an_outline_is_a_line_for_each_symbol():
    assert shown(views.analyze_structure, STRUCTURE) == "a.py\n2-10 class A\n 3-4 def go(self)\n11-12 def _b()"


def test_a_file_without_symbols_says_so():
    empty = replace(STRUCTURE, files=(replace(FILE, symbols=()),))
    assert shown(views.analyze_structure, empty) == "1 file defines no symbol"


WHOLE = "2-10 class A\n 3-4 def go(self)\n11-12 def _b()"


@for_each(
    ("tokens", "text"),
    [
        (0, f"a.py\n{WHOLE}\nb.py\n{WHOLE}"),
        (22, "a.py: 2 A, 11 _b +1\nb.py: 2 A, 11 _b +1"),
        (14, "a.py: 2 A +2\nb.py: 2 A +2"),
        (11, "a.py: +3\nb.py: +3"),
    ],
)
def test_several_files_tell_as_much_of_each_as_fits(tokens: int, text: str):
    both = replace(STRUCTURE, files=(FILE, replace(FILE, file="b.py")), total=2)
    assert shown(views.analyze_structure, both, tokens) == text


def test_symbols_read_as_an_outline_does():
    outer = Defined("A", "a.py", 2, "class", "", "class A", "A", 2, 60, "python")
    inner = Defined("go", "a.py", 3, "method", "A", "def go(self)", "A.go", 3, 4, "python")
    result = SymbolsResult("a.py", (outer, inner), 2, Answer.FOUND, False, "", {}, degraded=())
    assert shown(views.get_symbols, result) == "a.py\n2-60 class A\n 3-4 def go(self)"


def test_the_function_around_a_line_is_its_text_alone():
    function = FunctionText("f", 9, 10, "def f():\n    pass", 9, "f", "function", "def f()", "", False)
    result = LineResult("a.py", 10, function, (), "python", 20, Answer.FOUND, degraded=())
    assert shown(views.get_function_at_line, result) == "a.py:9-10 function f\ndef f():\n    pass"
    assert shown(views.get_function_at_line, result, 14) == "a.py:9-10 function f\n… 9-10"


def test_dependencies_go_from_near_to_far_and_packages_are_one_line():
    nodes = (
        Node("path", "a.py", 0, Direction.BOTH),
        Node("path", "b.py", 1, Direction.OUTBOUND),
        Node("path", "c.py", 2, Direction.OUTBOUND),
        Node("package", "os", 1, Direction.OUTBOUND),
        Node("path", "z.py", 1, Direction.INBOUND),
    )
    links = (("a.py", "b.py", 1, 3), ("b.py", "c.py", 2, 1), ("a.py", "os", 1, 1), ("z.py", "a.py", 1, 7))
    edges = tuple(Link(one, other, "path", "import", depth, line) for one, other, depth, line in links)
    together = (Together("t.py", 0.5, 0.0, False, 7, "2024-03-02"),)
    result = DepsResult("a.py", Direction.BOTH, nodes, edges, Answer.FOUND, False, 2, "", together, degraded=())
    assert shown(views.deps_closure, result).splitlines() == [
        "a.py uses:",
        "b.py",
        "through b.py: c.py",
        "packages: os",
        "a.py used by:",
        "z.py:7",
        "changed with it 7 times, last 2024-03-02 (50%) t.py  (no import leads there)",
    ]


def test_an_impact_groups_places_by_file_and_reason():
    uses = (say("impact.uses", name="pay", how=say("impact.import_resolved")),)
    must = (
        Verify("b.py", 4, "f", "implementation", uses),
        Verify("c.py", 1, "", "implementation", uses),
        Verify("b.py", 9, "g", "implementation", uses),
    )
    should = (
        Verify("d.py", 0, "", "implementation", (say("impact.together", count=2, day="2026-01-01", share="9%"),)),
    )
    totals = {"must_verify": 3, "should_verify": 1, "callers": 3, "tests": 0}
    result = ImpactResult(("a.py",), (), must, should, (), (), (), (), totals, False, Answer.FOUND, {}, degraded=())
    assert shown(views.analyze_impact, result).splitlines() == [
        "changing a.py",
        "3 sure uses, 0 test files: none",
        "must verify (3):",
        "b.py: 4 f, 9 g: pay",
        "c.py: 1: pay",
        "should verify (1):",
        "d.py: changed together 2 times",
    ]


def test_files_are_a_line_each_and_the_cursor_is_named_as_agents_spell_it(shop: Project):
    result = shop.files_search("retry", limit=1, compact=False)
    (first,) = result.results
    lines = shown(files_search, result).splitlines()
    assert lines[0].startswith(f"{first.path}:{first.matchLine} ")
    assert lines[1:] == [f"more: cursor {result.next_cursor}"]


def test_the_status_of_the_index_has_no_columns(shop: Project):
    status = shop.index_status()
    lines = shown(index_status, status).splitlines()
    assert lines[0] == f"root: {status.root}"
    assert not any(line.startswith(" ") for line in lines)


def test_a_commit_is_a_line_some_of_its_message_and_its_files():
    file = EarlierFile("src/a.py", "lib/a.py", True, ("pay",))
    message = "one\ntwo\nthree\nfour"
    change = EarlierChange("49615cb", "49615cb0", "2026-11-15", "text: cut", message, "", (file,), 0, 1.0, ("cut",))
    result = PastChangesResult("cut", (change,), Answer.FOUND, (), say("symbols.then"))
    assert shown(past_changes, result).splitlines()[:-1] == [
        "49615cb 2026-11-15 text: cut",
        " one",
        " two",
        " three",
        " src/a.py  pay",
    ]
