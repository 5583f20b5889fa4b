import pytest

from tests.cases import for_each
from tests.engine.graph.conftest import store_of, told, uses

PYTHON = {
    "shop/__init__.py": "from .pay import charge\n",
    "shop/pay.py": (
        "def charge(amount):\n    return amount\n\n\ndef twice(x):\n    # charge it twice\n"
        "    return charge(x) + charge(x)\n"
    ),
    "shop/till.py": "from shop import charge as take\n\n\ndef till():\n    return take(1)\n",
    "shop/whole.py": "from shop import pay\n\n\ndef whole():\n    return pay.charge(1)\n",
    "shop/other.py": (
        "def other(charge):\n    return charge\n\n\ndef more(bank):\n    return bank.charge(2, charge=3)\n"
    ),
    "docs/guide.rst": "Call charge() to take money.\n",
}


@pytest.mark.requirement("003-REFS-01", "003-REFS-02", "003-REFS-03")
def test_every_use_says_how_it_was_found_and_the_surest_come_first():
    found = uses(store_of(PYTHON), "charge")
    assert told(found) == [
        ("shop/pay.py:7", "code", "same_file"),
        ("shop/pay.py:7", "code", "same_file"),
        ("shop/__init__.py:1", "code", "import_resolved"),
        ("shop/till.py:1", "code", "import_resolved"),
        ("shop/till.py:1", "code", "import_resolved"),
        ("shop/till.py:5", "code", "import_resolved"),
        ("shop/whole.py:5", "code", "import_resolved"),
        ("shop/other.py:6", "code", "name_only"),
        ("shop/other.py:6", "code", "name_only"),
        ("shop/pay.py:6", "comment", "name_only"),
        ("docs/guide.rst:1", "text", "name_only"),
    ]
    assert (found.definitions, found.locals, found.unparsed) == (1, 2, {"rst": 1})
    sure = [one.confidence for one in found.items]
    assert sure == sorted(sure, reverse=True)
    assert {one.definition for one in found.items if one.how != "name_only"} == {"shop/pay.py:1"}
    assert found.items[0].symbol == "twice"


def test_pages_put_together_are_the_whole():
    store = store_of(PYTHON)
    whole = told(uses(store, "charge"))
    pages, after = [], None
    for _ in range(20):
        found = uses(store, "charge", limit=2, after=after)
        assert len(found.items) <= 2
        pages += told(found)
        after = found.next
        if after is None:
            break
    assert pages == whole


def test_without_prose_there_is_only_code():
    assert {where for _, where, _ in told(uses(store_of(PYTHON), "charge", prose=False))} == {"code"}


@for_each(
    ("files", "name", "wanted"),
    [
        (
            {"a/x.go": "package a\nfunc Area() {}\n", "a/y.go": "package a\nfunc f() { Area() }\n"},
            "Area",
            [("a/y.go:2", "code", "import_resolved")],
        ),
        (
            {
                "a/A.java": "class A { void run() { help(); } void help() {} }\n",
                "a/B.java": "class B { A a = new A(); }\n",
            },
            "A.help",
            [("a/A.java:1", "code", "same_file")],
        ),
        (
            {"p.ts": "export default class Price {}\n", "q.ts": "import Price from './p';\nnew Price();\n"},
            "Price",
            [("q.ts:1", "code", "import_resolved"), ("q.ts:2", "code", "import_resolved")],
        ),
        (
            {"n.ts": "export const deep = 1;\n", "m.ts": "import * as n from './n';\nn.deep;\nz.deep;\n"},
            "deep",
            [("m.ts:2", "code", "import_resolved"), ("m.ts:3", "code", "name_only")],
        ),
        (
            {"日本.py": "def 検索(): pass\n", "b.py": "from 日本 import 検索\n検索()\n"},
            "検索",
            [("b.py:1", "code", "import_resolved"), ("b.py:2", "code", "import_resolved")],
        ),
    ],
)
def test_other_languages_resolve_by_their_own_rules(files, name, wanted):
    assert told(uses(store_of(files), name)) == wanted


def test_a_name_that_nothing_defines_is_found_all_the_same():
    store = store_of({"a.py": "import numpy\nnumpy.linalg()\n"})
    assert told(uses(store, "linalg")) == [("a.py:2", "code", "name_only")]
    assert told(uses(store, "nothing")) == []


def test_a_file_in_which_a_name_is_only_defined_needs_no_parser(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("it was parsed")

    store = store_of(
        {"a.py": "import x\n\n\n@x.mark\ndef alone():\n    pass\n\n\nclass A:\n    def alone(self): ...\n"}
    )
    monkeypatch.setattr("shirube.engine.graph.references.mentions_in", refuse)
    found = uses(store, "alone")
    assert (found.items, found.definitions, found.files) == ([], 2, 1)


def test_a_name_that_stands_beside_its_definition_is_still_found():
    store = store_of({"a.py": "def twice(): return twice\n", "b.py": "# later\n@later\ndef later(): ...\n"})
    assert told(uses(store, "twice")) == [("a.py:1", "code", "same_file")]
    assert told(uses(store, "later")) == [("b.py:2", "code", "same_file"), ("b.py:1", "comment", "name_only")]


def test_a_cast_is_no_other_name():
    store = store_of(
        {
            "pay.ts": "export function pay() {}\n",
            "use.ts": "import { pay as take } from './pay'\ntake()\n",
            "cast.ts": "import { pay } from './pay'\nconst x = pay as Money\nlet y: Money\n",
        }
    )
    assert told(uses(store, "pay", prose=False)) == [
        ("cast.ts:1", "code", "import_resolved"),
        ("cast.ts:2", "code", "import_resolved"),
        ("use.ts:1", "code", "import_resolved"),
        ("use.ts:1", "code", "import_resolved"),
        ("use.ts:2", "code", "import_resolved"),
    ]
