from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.impact import Changed, Impact, exercising, is_telling, weigh
from shirube.engine.store.store import Store
from shirube.messages import say
from shirube.types import Scope
from tests.engine.graph.conftest import store_of

FILES = {
    "shop/pay.py": "def charge_card(amount):\n    return amount\n",
    "shop/till.py": "from shop.pay import charge_card\n\n\ndef till():\n    return charge_card(1)\n",
    "shop/lazy.py": "import shop.pay\n",
    "shop/far.py": "def far(bank):\n    return bank.charge_card(1)\n",
    "tests/test_pay.py": "from shop.pay import charge_card\n\n\ndef test_it():\n    assert charge_card(1)\n",
    "tests/test_till.py": "from shop.till import till\n",
    "docs/guide.md": "# Paying\n\nCall `charge_card` first.\n",
    "shop/friend.py": "x = 1\n",
}


def role(path: str) -> str:
    return "test" if path.startswith("tests") else "doc" if path.startswith("docs") else "implementation"


def impact(store: Store, *files: str, symbols: tuple[str, ...] = (), share: float = 0.0) -> Impact:
    found = tuple(one for name in symbols for one in find_exact(store, read_name(name), Scope()))
    return weigh(
        store,
        Changed(
            files,
            found,
            role,
            {"shop/friend.py": (share, say("impact.together", share=f"{share:.0%}", count=7, day="2024-03-02"))},
        ),
    )


def test_a_changed_file_must_be_verified_by_its_callers_and_tests_and_should_be_by_the_rest():
    found = impact(store_of(FILES), "shop/pay.py", share=0.5)
    assert [(one.file, one.symbol) for one in found.must] == [
        ("shop/till.py", ""),
        ("shop/till.py", "till"),
        ("tests/test_pay.py", ""),
        ("tests/test_pay.py", "test_it"),
    ]
    assert {one.file: one.reasons for one in found.should} == {
        "shop/far.py": ("has the name charge_card (name only)",),
        "docs/guide.md": ("mentions charge_card",),
        "shop/lazy.py": ("imports shop/pay.py",),
        "tests/test_till.py": ("tests shop/till.py, which imports what changes",),
        "shop/friend.py": ("changed together 7 times, last 2024-03-02 (50% of the commits of either)",),
    }
    assert exercising([*found.must, *found.should]) == ("tests/test_pay.py", "tests/test_till.py")
    assert {one.file for one in found.callers} == {"shop/till.py", "tests/test_pay.py"}


def test_a_changed_symbol_touches_its_users():
    found = impact(store_of(FILES), symbols=("charge_card",))
    assert {one.file for one in found.must} == {"shop/till.py", "tests/test_pay.py"}
    assert "shop/lazy.py" not in {one.file for one in found.should}


def test_what_changed_together_rarely_is_left_out():
    assert "shop/friend.py" not in {one.file for one in impact(store_of(FILES), "shop/pay.py", share=0.1).should}


def test_names_that_every_class_has_say_nothing():
    assert [name for name in ("__init__", "__setitem__", "getUser", "with_retries", "get") if is_telling(name)] == [
        "getUser",
        "with_retries",
    ]


def test_a_common_word_says_nothing_by_itself():
    assert [is_telling(name) for name in ("charge_card", "getUser", "Session", "get", "run", "items")] == [
        *([True] * 3),
        *([False] * 3),
    ]


def test_too_many_symbols_are_said_to_be_too_many():
    store = store_of({"a.py": "".join(f"def name_{number}(): pass\n" for number in range(60))})
    assert impact(store, "a.py").notes == ["40 of 60 symbols were looked up: name symbols to see the others"]


COMMON = {
    "gw.py": "class Gateway:\n    def charge(self, n):\n        return n\n",
    "use.py": "def pay(gateway):\n    gateway.charge(5)\n",
    "table.py": 'ACTIONS = {"charge": 1}\n',
    "docs/guide.md": "# Paying\n\nThen charge the card.\n",
}


def test_whoever_names_a_symbol_sees_every_place_that_has_its_name_however_common_it_is():
    found = impact(store_of(COMMON), symbols=("Gateway.charge",))
    assert {one.file: one.reasons for one in found.should} == {
        "use.py": ("has the name charge (name only)",),
        "table.py": ("mentions charge",),
        "docs/guide.md": ("mentions charge",),
    }
    assert (found.must, found.unlisted) == ([], {})


def test_common_names_of_a_whole_file_are_counted_and_not_listed():
    found = impact(store_of(COMMON), "gw.py")
    assert (found.must, found.should, found.unlisted) == ([], [], {"charge": 3})
