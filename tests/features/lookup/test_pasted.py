"""Tool output pasted as a question: the frames of this project come first, the one nearest the fault before all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.features.lookup.context.clues import LONGEST_GOAL, read_pasted
from shirube.features.lookup.query_building import SearchInput
from shirube.types import Answer, Hit
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs

OUTPUTS = Path(__file__).parent / "context" / "outputs"
FILES = {
    "app/stock.py": '''class OutOfStock(Exception):
    """Nothing is left."""


def take(stock, name):
    return stock[name]


def reserve(stock, name):
    try:
        return take(stock, name)
    except KeyError as missing:
        raise OutOfStock(f"no {name} is left in the warehouse") from missing


def order(stock, name):
    return reserve(stock, name)
''',
    "src/stock.js": """function take(stock, name) {
  if (!(name in stock)) {
    throw new Error(`no ${name} is left in the warehouse`);
  }
  return stock[name];
}

function reserve(stock, name) {
  try {
    return take(stock, name);
  } catch (missing) {
    throw new Error("the order cannot be shipped", { cause: missing });
  }
}

reserve({}, "tea");
""",
    "com/shop/Stock.java": """package com.shop;

public class Stock {
    static int take(int[] stock, int at) {
        return stock[at];
    }

    static int reserve(int[] stock, int at) {
        try {
            return take(stock, at);
        } catch (RuntimeException missing) {
            throw new IllegalStateException("the order cannot be shipped", missing);
        }
    }

    public static void main(String[] args) {
        reserve(new int[0], 3);
    }
}
""",
    "src/stock.rs": """fn take(stock: &[u32], at: usize) -> u32 {
    *stock.get(at).expect("no tea is left in the warehouse")
}

fn reserve(stock: &[u32]) -> u32 {
    take(stock, 3)
}

fn main() {
    reserve(&[]);
}
""",
    "src/bad.ts": "export const one = (): string => {\n  const wrong: string = total(3);\n  return wrong;\n};\n",
    "c/main.c": '#include "util.h"\nint main(void) {\n    int *p = scale(3);\n    return undeclared_name + p;\n}\n',
    "c/util.h": "int scale(int x);\nstatic int twice(int x) { return missing(x) * 2; }\n",
    "cart/cart.go": "package cart\n\nfunc Total(items []int) int {\n\tif len(items) == 0 {\n"
    '\t\tpanic("an empty cart has no total")\n\t}\n\treturn items[0]\n}\n\n'
    "func Pay() int {\n\treturn Total(nil)\n}\n",
    "lib/cart.rb": "class Cart\n  def total(items)\n    items.first.price\n  end\n\n"
    "  def pay\n    total([])\n  end\nend\n",
    "app/cart.py": "".join(f"# {number}\n" for number in range(1, 12))
    + "class Cart:\n    def total(self, rate):\n        return round(sum(self.items) * self.discount(rate))\n\n"
    "    def discount(self, rate):\n        if rate > 1:\n"
    '            raise ValueError(f"rate {rate} is above 1")\n        return 1 - rate\n',
    "tests/test_cart.py": "".join(f"# {number}\n" for number in range(1, 10))
    + "def test_discount(cart, rate):\n    assert cart.total(rate) == 50\n\n\n"
    "def test_empty():\n    assert Cart().total(0)\n",
    "docs/errors.md": "# Errors\n\nNo tea is left in the warehouse: the order cannot be shipped. A KeyError is raised\n"
    "by the stock when it has no tea. An empty cart has no total. The rate is above 1: ValueError.\n",
}
GO = """panic: an empty cart has no total

goroutine 1 [running]:
example.com/shop/cart.Total(...)
	/home/user/shop/cart/cart.go:5
example.com/shop/cart.Pay()
	/home/user/shop/cart/cart.go:11 +0x1d
main.main()
	/home/user/go/pkg/mod/example.com/run@v1.0.0/run.go:9 +0x13
exit status 2
"""
RUBY = """/home/user/shop/lib/cart.rb:3:in `total': undefined method `price' for nil:NilClass (NoMethodError)
	from /home/user/shop/lib/cart.rb:7:in `pay'
	from /usr/lib/ruby/3.1.0/irb.rb:1:in `<main>'
"""


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    base = tmp_path_factory.mktemp("pasted")
    for path, text in FILES.items():
        (base / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (base / "shop" / path).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        project = open_workspace(base / "shop")
        project.sync_index()
    with project:
        yield project


def output(name: str) -> str:
    return (OUTPUTS / name).read_text("utf-8")


def frame(hit: Hit) -> str:
    """Return the place that pasted output names, by the reason of a hit; empty without such a reason."""
    names = [reason.name for reason in hit.why if reason.name.startswith("frame")]
    return f"{hit.path}{names[0].removeprefix('frame')}" if names else ""


PASTED = [
    (output("traceback.txt"), ["app/cart.py:18"]),
    (output("pytest-short.txt"), ["app/cart.py:18"]),
    (output("pytest.txt"), ["app/cart.py:18"]),
    (output("node.txt"), ["src/stock.js:3", "src/stock.js:12"]),
    (output("tsc.txt"), ["src/bad.ts:2"]),
    (output("tsc-pretty.txt"), ["src/bad.ts:2"]),
    (output("rust-panic.txt"), ["src/stock.rs:2", "src/stock.rs:6"]),
    (output("java-cause.txt"), ["com/shop/Stock.java:5"]),
    (output("gcc.txt"), ["c/main.c:4"]),
    (GO, ["cart/cart.go:5", "cart/cart.go:11"]),
    (RUBY, ["lib/cart.rb:3"]),
]


@for_each(("text", "places"), PASTED)
def test_the_frames_of_this_project_come_first_and_the_nearest_to_the_fault_before_all(
    stock: Project, text: str, places: list[str]
):
    result = stock.search(text)
    assert [frame(hit) for hit in result.forest_hits[: len(places)]] == places
    assert result.answer == Answer.FOUND
    assert stock.files_search(text).results[0].path == places[0].partition(":")[0]


def test_both_faults_of_a_chained_traceback_come_before_the_frames_on_the_way(stock: Project):
    first, second, third = (frame(hit) for hit in stock.search(output("python-chained.txt")).forest_hits[:3])
    assert {first, second} == {"app/stock.py:6", "app/stock.py:13"}
    assert third == "app/stock.py:17"


@for_each(("text", "places"), PASTED)
def test_the_preview_shows_the_line_of_the_frame(stock: Project, text: str, places: list[str]):
    path, _, line = places[0].partition(":")
    hit = stock.search(text).forest_hits[0]
    shown = range(hit.preview_line, hit.preview_line + len(hit.preview.split("\n")))
    assert hit.start_line <= int(line) <= hit.end_line
    assert FILES[path].split("\n")[int(line) - 1] == hit.preview.split("\n")[int(line) - shown.start]


def test_the_line_of_a_frame_is_the_middle_of_the_preview_of_a_long_place(tmp_path: Path, state_dirs):
    (tmp_path / "long.py").write_text("def long():\n" + "".join(f"    step_{n}()\n" for n in range(60)), "utf-8")
    with open_workspace(tmp_path) as project:
        hit = project.search('  File "long.py", line 40, in long\n    step_38()\nValueError: step 3').forest_hits[0]
    assert "step_38()" in hit.preview.split("\n")[len(hit.preview.split("\n")) // 2]


@for_each(
    ("question", "place"),
    [
        ("app/cart.py:18", "app/cart.py:18"),
        ("why does stock.js:10 throw", "src/stock.js:10"),
        ("app/cart.py:14: error: Incompatible return value type [return-value]", "app/cart.py:14"),
        ("c/main.c(3,5): error C2065: undeclared identifier", "c/main.c:3"),
    ],
)
def test_a_place_in_one_line_is_a_frame_too(stock: Project, question: str, place: str):
    assert frame(stock.search(question).forest_hits[0]) == place


def test_the_user_s_own_words_and_the_messages_are_searched_for(stock: Project):
    text = f"the checkout fails since monday\n\n{output('python-chained.txt')}\nwho reserves the tea?"
    result = stock.search(text)
    assert result.query == (
        "the checkout fails since monday who reserves the tea? KeyError: 'tea'; no tea is left in the warehouse"
    )


def test_filters_count_in_the_user_s_own_words_only(stock: Project):
    trace = output("traceback.txt")
    assert stock.search(f"lang:rust what is this\n{trace}").forest_hits[0].path == "src/stock.rs"
    logged = f"ERROR kind:network path:/etc lang:klingon could not connect\n{trace}"
    assert frame(stock.search(logged).forest_hits[0]) == "app/cart.py:18"


def test_what_a_message_quotes_does_not_come_before_the_frame(stock: Project):
    text = output("traceback.txt").replace("rate 3 is above 1", 'Cannot take "the order cannot be shipped" as a rate')
    assert frame(stock.search(text).forest_hits[0]) == "app/cart.py:18"


def test_what_the_user_quotes_comes_first(stock: Project):
    text = f'where is "the order cannot be shipped" said\n{output("traceback.txt")}'
    assert "the order cannot be shipped" in stock.search(text).forest_hits[0].preview


def test_frames_of_libraries_are_counted_only(stock: Project):
    trace = output("traceback.txt").replace("/home/user/shop/app/", "/usr/lib/python3.12/site-packages/other/")
    result = stock.search(trace)
    assert not any(frame(hit) for hit in result.forest_hits)
    assert [str(note) for note in result.degraded] == [
        "3 places of the output lead to no indexed file (libraries, generated code)"
    ]
    assert result.forest_hits[0].path == "app/cart.py"


def test_a_long_log_is_read_for_what_it_says(stock: Project):
    lines = [f"2024-05-03 12:00:{n % 60:02} INFO [worker] orders: processed tea order {n} in 3 ms" for n in range(1400)]
    fault = ["2024-05-03 12:01:00 ERROR [worker] orders: request failed", *output("traceback.txt").splitlines()]
    log = "\n".join([*lines[:700], *fault, *lines[700:]])
    assert len(log) > 100_000
    result = stock.search(log)
    assert result.query == "rate 3 is above 1"
    assert frame(result.forest_hits[0]) == "app/cart.py:18"
    assert frame(stock.search(log.replace("\n", "\\n")).forest_hits[0]) == "app/cart.py:18"


def test_of_a_long_text_that_is_no_output_both_ends_are_searched_for(stock: Project):
    result = stock.search("tea warehouse " + "unrelated filler " * 6000 + "reserve")
    assert len(result.query) < LONGEST_GOAL + 10
    assert result.query.startswith("tea warehouse")
    assert result.query.endswith("reserve")


@for_each(
    "question",
    [
        "how is the order reserved",
        "connect to localhost:8080",
        "what does round(3) give",
        "the first line of a question\nand its second line",
        "meeting at 10:30\nabout the cart",
    ],
)
def test_a_question_without_output_is_asked_as_it_is(stock: Project, question: str):
    asked = SearchInput(question, 5)
    assert asked.said() == question
    assert not any(frame(hit) for hit in stock.search(question).forest_hits)


def test_an_ordinary_question_is_not_even_read_for_output():
    assert SearchInput("how is the order reserved", 5).pasted() is None


@for_each(
    ("text", "question"),
    [
        ("panic: no tea\n\nmain.main()\n\t/x/main.go:3 +0x1d", "no tea"),
        ("Error: 3 left\nError: 4 left\nError: none left", "3 left; none left"),
        ("=== FAILURES ===\n____ test_empty ____\nE   KeyError: no tea\nx.py:3: KeyError", "test_empty no tea"),
        ("$ make\nmain.c: In function 'main':\nmain.c:3:5: error: expected ';' before '}'", "expected ';' before '}'"),
        ("src/a.py:3\nsrc/b.py:4", "src/a.py:3\nsrc/b.py:4"),
    ],
)
def test_what_output_says_is_searched_for_without_its_wrapping(text: str, question: str):
    assert read_pasted(text).question == question


def test_a_bundle_reads_its_goal_itself(stock: Project):
    bundle = stock.context_bundle(goal=f"fix this\n{output('traceback.txt')}")
    assert bundle.context[0].path == "app/cart.py"
    assert any(tag.startswith("artifact:") for tag in bundle.context[0].why)
    assert not any(tag.startswith("frame") for item in bundle.context for tag in item.why)
