from shirube.engine.graph.definitions import Spelled, find_alike, find_exact, nearest_names, read_name
from shirube.types import Scope
from tests.cases import for_each
from tests.engine.graph.conftest import store_of

STORE = store_of(
    {
        "src/shop/payment.py": (
            "class Session:\n    def start(self): pass\ndef start(): pass\ndef withRetries(): pass\n"
        ),
        "src/shop/__init__.py": "def begin(): pass\n",
        "web/session.ts": "export class Session { start() {} }\n",
        "lib/foo.h": "int area(int);\n",
        "lib/foo.c": "int area(int x) {\n  return x;\n}\n",
    }
)


@for_each(
    ("text", "wanted"),
    [
        ("start", Spelled("start")),
        ("Session.start", Spelled("start", ("Session",))),
        ("Foo::bar()", Spelled("bar", ("Foo",))),
        ("a.b.C#run", Spelled("run", ("a", "b", "C"))),
        (r"App\Models\User", Spelled("User", ("App", "Models"))),
        ("  `start`  ", Spelled("start")),
        ("::", Spelled("")),
        ("", Spelled("")),
    ],
)
def test_a_name_is_read_however_it_is_spelled(text: str, wanted: Spelled):
    assert read_name(text) == wanted


def places(text: str, **scope) -> list[str]:
    return [f"{one.path}:{one.symbol.qualified}" for one in find_exact(STORE, read_name(text), Scope(**scope))]


def test_a_bare_name_finds_every_definition():
    assert places("start") == [
        "src/shop/payment.py:Session.start",
        "src/shop/payment.py:start",
        "web/session.ts:Session.start",
    ]


def test_a_qualified_name_narrows_it():
    assert places("Session.start", path="src") == ["src/shop/payment.py:Session.start"]
    assert places("shop.payment.start") == ["src/shop/payment.py:start"]
    assert places("shop.begin") == ["src/shop/__init__.py:begin"]
    assert places("Nobody.start") == []


def test_capitals_count_for_an_exact_name_and_not_for_a_similar_one():
    assert places("SESSION") == []
    assert {one.symbol.name for one in find_alike(STORE, Spelled("SESSION"), Scope())} == {"Session"}
    assert [one.symbol.name for one in find_alike(STORE, Spelled("retries"), Scope())] == ["withRetries"]


def test_what_has_a_body_comes_before_its_prototype():
    assert places("area") == ["lib/foo.c:area", "lib/foo.h:area"]


def test_the_nearest_names_are_offered_for_one_that_nobody_knows():
    assert nearest_names(STORE, "Sesion")[0] == "Session"
    assert nearest_names(STORE, "with_retries")[0] == "withRetries"
    assert nearest_names(STORE, "zzzzqqq") == ()


def test_a_name_inside_of_a_test_is_found_by_its_whole_name():
    store = store_of(
        {"a.test.js": "describe('app.use()', () => {\n  it('a/b', () => {\n    function fn() {}\n  })\n})\n"}
    )
    symbol = next(one for one in store.symbols("a.test.js") if one.name == "fn")
    assert [one.symbol for one in find_exact(store, read_name(symbol.qualified), Scope())] == [symbol]


def test_a_test_with_the_name_of_what_it_tests_defines_it_only_where_nothing_else_does():
    store = store_of(
        {
            "a.test.js": "describe('pay', () => {\n  it('rounds up', () => {})\n})\n",
            "pay.js": "export function pay() {}\n",
        }
    )

    def found(name: str) -> list[str]:
        return [one.path for one in find_exact(store, Spelled(name), Scope())]

    assert found("pay") == ["pay.js"]
    assert found("rounds up") == ["a.test.js"]
    assert [one.path for one in find_exact(store, Spelled("pay"), Scope(path="a.test.js"))] == ["a.test.js"]


@for_each(
    ("path", "text", "wanted"),
    [
        ("a.rs", "impl Till {}\nimpl Ring for Till {}\npub struct Till;\n", [3, 1, 2]),
        ("a.rs", "mod a {\n  struct Till;\n}\npub(crate) struct Till;\n", [4, 2]),
        ("a.rs", "fn till() {}\npub fn till() {}\n", [2, 1]),
        ("A.java", "class B {\n  void Till() {}\n}\nclass Till {\n  Till() {}\n}\n", [4, 2, 5]),
        ("a.ts", "class A {\n  private till() {}\n}\nfunction till() {}\nexport function till() {}\n", [5, 4, 2]),
        ("a.c", "static int till(void);\nint till(void) {\n  return 1;\n}\n", [2, 1]),
        ("a.py", "class _Own:\n    def till(self): pass\ndef till(): pass\n", [3, 2]),
    ],
)
def test_types_come_before_members_what_is_public_before_what_is_not_and_impl_blocks_last(
    path: str, text: str, wanted: list[int]
):
    found = find_alike(store_of({path: text}), Spelled("Till"), Scope())
    assert [one.symbol.start_line for one in found] == wanted
