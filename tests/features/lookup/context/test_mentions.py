"""What tools print, as they really printed it (``outputs/``), and what is read out of it."""

from pathlib import Path

import pytest

from shirube.features.lookup.context.mentions import ASIDE, FRAME, SURE, OutputPlace, Report, Sort, read_report
from tests.cases import for_each

OUTPUTS = Path(__file__).with_name("outputs")
HOME = "/home/user/shop/"


def locate(path: str) -> tuple[str, ...]:
    """Take relative paths and those below the project's own directory for files of the project."""
    inside = path.removeprefix(HOME).removeprefix("./")
    return () if inside.startswith(("/", "<")) or "site-packages" in inside else (inside,)


def read(name: str) -> Report:
    return read_report((OUTPUTS / name).read_text("utf-8"), locate)


def places(report: Report) -> dict[str, float]:
    return {f"{one.path}:{one.line}": one.weight for one in report.mentions}


PYTEST = {
    "app/cart.py:18": SURE,
    "app/cart.py:14": FRAME,
    "tests/test_cart.py:15": SURE,
    "tests/test_cart.py:11": FRAME,
}
TYPES_2 = {"src/bad.ts:2": SURE}
READ = {
    "pytest.txt": (Sort.TEST, PYTEST, ("TestTotal.test_discount", "test_empty")),
    "pytest-short.txt": (Sort.TEST, PYTEST, ("TestTotal.test_discount", "test_empty")),
    "pytest-native.txt": (Sort.TEST, PYTEST, ("TestTotal.test_discount", "test_empty")),
    "jest.txt": (
        Sort.TEST,
        {"src/cart.js:3": SURE, "src/cart.js:8": FRAME, "src/cart.test.js:5": FRAME},
        ("cart total › takes the discount off", "cart total › refuses a rate above one"),
    ),
    "vitest.txt": (
        Sort.TEST,
        {"src/cart.ts:2": SURE, "src/cart.test.ts:6": SURE, "src/cart.test.ts:9": FRAME},
        ("cart total > takes the discount off", "cart total > refuses"),
    ),
    "go-test.txt": (
        Sort.TEST,
        {"cart/cart.go:8": SURE, "cart_test.go:8": SURE, "cart/cart_test.go:14": FRAME},
        ("TestTotal", "TestEmpty"),
    ),
    "cargo-test.txt": (
        Sort.TEST,
        {"src/cart.rs:2": SURE, "src/cart.rs:11": SURE, "src/cart.rs:16": FRAME},
        ("cart.tests.empty_is_nothing", "cart.tests.adds_up"),
    ),
    "traceback.txt": (Sort.FAULT, {"app/cart.py:18": SURE, "app/cart.py:14": FRAME}, ()),
    "python-chained.txt": (Sort.FAULT, {"app/stock.py:6": SURE, "app/stock.py:11": FRAME, "app/stock.py:13": SURE}, ()),
    "node.txt": (Sort.FAULT, {"src/stock.js:3": SURE, "src/stock.js:12": FRAME, "src/stock.js:10": FRAME}, ()),
    "java-cause.txt": (Sort.FAULT, {"com/shop/Stock.java:5": SURE, "com/shop/Stock.java:12": FRAME}, ()),
    "rust-panic.txt": (Sort.FAULT, {"src/stock.rs:2": SURE, "src/stock.rs:6": FRAME}, ()),
    "java.txt": (Sort.FAULT, {"com/shop/Boom.java:5": SURE, "com/shop/Boom.java:8": FRAME}, ()),
    "gcc.txt": (Sort.FAULT, {"c/main.c:4": SURE, "c/util.h:2": ASIDE, "c/main.c:3": ASIDE}, ()),
    "clang.txt": (Sort.FAULT, {"c/main.c:4": SURE, "c/util.h:2": ASIDE, "c/main.c:1": ASIDE}, ()),
    "ld.txt": (Sort.FAULT, {"l.c:0": FRAME}, ()),
    "go-build.txt": (Sort.FAULT, {"cart/cart.go:12": SURE}, ()),
    "rustc.txt": (Sort.TYPES, {"src/cart.rs:20": SURE, "src/cart.rs:1": FRAME}, ()),
    "javac.txt": (Sort.TYPES, {"java/com/shop/Cart.java:5": SURE, "java/com/shop/Cart.java:8": SURE}, ()),
    "tsc.txt": (Sort.TYPES, TYPES_2, ()),
    "tsc-pretty.txt": (Sort.TYPES, TYPES_2, ()),
    "mypy.txt": (Sort.TYPES, {"app/bad.py:5": SURE}, ()),
    "mypy-pretty.txt": (Sort.TYPES, {"app/bad.py:5": SURE}, ()),
    "pyright.txt": (Sort.TYPES, {"app/price.py:5": SURE}, ()),
}


@pytest.mark.requirement("001-BUNDLE-01")
@for_each("name", READ)
def test_real_output_names_places_and_tests(name: str):
    sort, wanted, tests = READ[name]
    report = read(name)
    assert report.sort == sort
    found = places(report)
    assert {place: found.get(place) for place in wanted} == wanted
    assert report.tests == tests


def test_every_output_is_looked_at():
    assert set(READ) == {path.name for path in OUTPUTS.glob("*.txt")}


def test_frames_of_libraries_are_left_out_and_counted():
    report = read("go-test.txt")
    assert report.elsewhere == 5
    assert not any("testing" in mention.path for mention in report.mentions)


@for_each(
    ("name", "message"),
    [
        ("pytest.txt", "ValueError: rate 2 is above 1"),
        ("jest.txt", "RangeError: rate 2 is above 1"),
        ("python-chained.txt", "KeyError: 'tea'"),
        ("node.txt", "Error: the order cannot be shipped"),
        ("rust-panic.txt", "no tea is left in the warehouse"),
        ("ld.txt", "undefined reference to `f'"),
        ("go-build.txt", "undefined: Totl"),
        ("gcc.txt", "‘undeclared_name’ undeclared (first use in this function)"),
        ("tsc.txt", "Type 'number' is not assignable to type 'string'."),
        ("java.txt", "java.lang.ArithmeticException: / by zero"),
    ],
)
def test_messages_are_what_was_said_and_not_the_counting_at_the_end(name: str, message: str):
    report = read(name)
    assert report.messages[0] == message
    assert not any("ld returned" in one or "could not compile" in one for one in report.messages)


@for_each(
    ("line", "path", "number"),
    [
        (r"C:\build\shop\Cart.cs(12,5): error CS0103: no such name", r"C:\build\shop\Cart.cs", 12),
        ("   at Shop.Cart.Total() in /src/Cart.cs:line 12", "/src/Cart.cs", 12),
        ("[ERROR] /src/main/java/A.java:[12,5] cannot find symbol", "/src/main/java/A.java", 12),
        ("    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1", "lib/shop/cart.ex", 12),
        ("app/models/cart.rb:12:in `total': undefined method (NoMethodError)", "app/models/cart.rb", 12),
        ("PHP Fatal error:  Uncaught TypeError in /srv/Cart.php:12", "/srv/Cart.php", 12),
        ("e: file:///src/Cart.kt:12:5 Unresolved reference: x", "///src/Cart.kt", 12),
        ("    at total (file:///src/cart.mjs:12:9)", "///src/cart.mjs", 12),
        ("app/[id]/page.tsx:12:5 - error TS2322: no", "app/[id]/page.tsx", 12),
        ('  File "/srv/my shop/カート.py", line 12, in total', "/srv/my shop/カート.py", 12),
        ("src/カート.py:12: エラー: 型が違う", "src/カート.py", 12),
    ],
)
def test_other_tools_write_places_in_the_same_few_ways(line: str, path: str, number: int):
    asked = []

    def remember(wanted: str) -> tuple[str, ...]:
        asked.append(wanted)
        return ("found",)

    report = read_report(line, remember)
    assert asked == [path]
    assert [(one.path, one.line) for one in report.mentions] == [("found", number)]


@for_each(
    "text",
    [
        "",
        "make the login faster",
        "see http://example.com/a.html:80 for 12:30:45.123",
        "version 1.2.3: released",
        "ログインを速くする",
        "\x00\x01 \ud800",
    ],
)
def test_what_is_no_report_has_nothing_in_it(text: str):
    assert read_report(text, lambda path: (path,)) == Report()


def test_a_place_that_may_be_several_files_counts_less_for_each():
    report = read_report("cart_test.go:8: wrong", lambda path: ("a/cart_test.go", "b/cart_test.go"))
    assert [mention.weight for mention in report.mentions] == [SURE / 2, SURE / 2]


def test_an_endless_log_is_read_from_both_ends():
    log = "\n".join(["a.py:1: error: first", *["noise"] * 50_000, "b.py:2: error: last"])
    assert list(places(read_report(log, lambda path: (path,)))) == ["a.py:1", "b.py:2"]


def test_a_place_named_again_keeps_its_larger_weight():
    report = read_report("  at f (a.ts:3:1)\na.ts:3:1 - error TS1: x", lambda path: (path,))
    assert report.mentions == (OutputPlace("a.ts", 3, SURE, "a.ts:3:1 - error TS1: x"),)


def test_causes_and_further_lines_belong_to_the_message():
    text = "error: Cannot start\n  Caused by: the port is taken\nValueError: No rate\nThe rate is too low.\nx = 1"
    report = read_report(text, lambda path: ())
    assert report.messages == (
        "Cannot start",
        "the port is taken",
        "ValueError: No rate The rate is too low.",
    )


def test_the_code_below_a_frame_tells_its_line_and_a_built_script_has_none():
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in go\n    run(it)\nKeyError: 1'
    assert [one.line for one in read_report(trace, lambda path: ("a.py",), lambda *asked: 30).mentions] == [30]
    built = "Error: no\n    at go (/srv/dist/cart.js:10:3)"
    assert [one.line for one in read_report(built, lambda path: ("src/cart.ts",)).mentions] == [0]
