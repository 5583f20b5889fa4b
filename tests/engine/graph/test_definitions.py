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
