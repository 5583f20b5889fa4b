from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from shirube.codec import replace
from shirube.features.map.agreement import CONVENTION, Agreement
from shirube.features.map.check import body_of, check, fingerprint
from shirube.features.map.states import State
from shirube.types import Symbol
from tests.cases import for_each

CHARGE = """\
def charge_card(gateway, amount):
    if amount > MAX_AMOUNT:
        raise PaymentError("amount too large")
    receipt = gateway.bank.charge(amount)
    gateway.log.append(receipt)
    return receipt
"""
OTHER = "def walk(root):\n    for entry in scandir(root):\n        yield entry.path, entry.name, entry.size\n"


@dataclass
class FakeCode:
    """Files with one symbol each block; blocks are divided by blank lines."""

    files: dict[str, str]
    then: dict[str, frozenset[str]] | None = field(default=None)

    def symbols(self, path: str) -> list[Symbol]:
        found, lines = [], self.files.get(path, "").split("\n")
        for start, line in enumerate(lines, 1):
            if line.startswith("def "):
                end = next((at for at in range(start, len(lines)) if not lines[at].startswith(" ")), len(lines))
                name = line[4:].partition("(")[0]
                found.append(Symbol(name, name, "function", start, end))
        return found

    def named(self, name: str) -> list[tuple[str, Symbol]]:
        return [(path, one) for path in self.files for one in self.symbols(path) if one.name == name]

    def text(self, path: str) -> str:
        return self.files[path]

    def before(self, path: str, commit: str) -> frozenset[str] | None:
        return None if self.then is None else self.then.get(path, frozenset())

    def elsewhere(self, path: str) -> Iterator[str]:
        return (other for other in self.files if other != path)


def agreed(code: FakeCode, name: str = "charge_card", path: str = "pay.py") -> Agreement:
    symbol = next(one for one in code.symbols(path) if one.name == name)
    made = fingerprint(body_of(code.text(path), symbol), name)
    return Agreement(
        "card", name, path=path, line=symbol.start_line, digest=made.digest, sketch=made.sketch, commit="c1"
    )


BEFORE = FakeCode({"pay.py": CHARGE + "\n" + OTHER, "walk.py": OTHER})


def after(**files: str | None) -> FakeCode:
    changed = {name.replace("_py", ".py"): text for name, text in files.items()}
    kept = {path: text for path, text in {**BEFORE.files, **changed}.items() if text is not None}
    then = {path: frozenset(one.qualified for one in BEFORE.symbols(path)) for path in BEFORE.files}
    return FakeCode(kept, then)


@pytest.mark.requirement("N004-STALE-01")
@for_each(
    ("code", "state", "path", "symbol", "holds"),
    [
        (after(), State.FRESH, "pay.py", "charge_card", True),
        (after(pay_py="import os\n\n" + CHARGE), State.FRESH, "pay.py", "charge_card", True),
        (after(pay_py=CHARGE.replace("large", "big")), State.CHANGED, "pay.py", "charge_card", False),
        (after(pay_py=OTHER), State.GONE, "", "", False),
        (after(pay_py=None), State.GONE, "", "", False),
        (after(pay_py=OTHER, bank_py=CHARGE), State.MOVED, "bank.py", "charge_card", True),
        (after(pay_py=None, bank_py=CHARGE), State.MOVED, "bank.py", "charge_card", True),
        (after(pay_py=OTHER, bank_py=CHARGE.replace("large", "big")), State.MOVED, "bank.py", "charge_card", False),
        (after(pay_py=CHARGE.replace("charge_card", "take")), State.MOVED, "pay.py", "take", False),
        (
            after(pay_py=CHARGE.replace("charge_card", "take").replace("large", "big")),
            State.MOVED,
            "pay.py",
            "take",
            False,
        ),
        (after(pay_py=OTHER, bank_py=CHARGE.replace("charge_card", "take")), State.MOVED, "bank.py", "take", False),
    ],
)
def test_what_became_of_the_code_is_told(code: FakeCode, state: State, path: str, symbol: str, holds: bool):
    found = check(agreed(BEFORE), code)
    assert (found.state, found.path, found.symbol, found.holds) == (state, path, symbol, holds)
    assert found.why


def test_a_copy_that_stood_beside_it_is_no_new_name_of_it():
    twin = CHARGE.replace("charge_card", "charge_twice")
    before = FakeCode({"pay.py": CHARGE + "\n" + twin})
    now = FakeCode({"pay.py": twin}, {"pay.py": frozenset({"charge_card", "charge_twice"})})
    assert check(agreed(before), now).state == State.GONE
    unknown = FakeCode({"pay.py": twin})  # without git nobody knows
    assert check(agreed(before), unknown).state == State.MOVED


def test_another_symbol_of_that_name_that_was_there_before_is_not_it():
    code = after(pay_py=OTHER)
    code.files["bank.py"] = CHARGE
    assert code.then is not None
    code.then["bank.py"] = frozenset({"charge_card"})
    found = check(agreed(BEFORE), code)
    assert found.state == State.GONE
    assert "bank.py" in found.why


def test_a_stub_left_behind_does_not_hide_where_the_code_went():
    stub = "def charge_card(gateway, amount):\n    return bank.charge_card(gateway, amount)\n"
    assert check(agreed(BEFORE), after(pay_py=stub, bank_py=CHARGE)).path == "bank.py"


def test_a_few_words_of_code_are_known_again_only_when_they_are_the_same():
    small = FakeCode({"pay.py": "def a(x):\n    return x\n"})
    made = agreed(small, "a")
    assert check(made, FakeCode({"pay.py": "def b(x):\n    return x\n"}, {})).symbol == "b"
    two = "def b(x):\n    return -x\n\ndef c(y):\n    return y + 1\n"
    assert check(made, FakeCode({"pay.py": two}, {})).state == State.GONE


def test_the_only_new_name_in_a_file_is_the_new_name_of_what_is_missing():
    small = FakeCode({"pay.py": "def a(x):\n    return x\n\n" + OTHER})
    now = "def b(x):\n    return -x\n\n" + OTHER
    known = {"pay.py": frozenset({"a", "walk"})}
    assert check(agreed(small, "a"), FakeCode({"pay.py": now}, known)).symbol == "b"
    assert check(agreed(small, "a"), FakeCode({"pay.py": now})).state == State.GONE


def test_one_that_was_never_bound_says_so():
    found = check(Agreement("card", "charge_card"), BEFORE)
    assert (found.state, found.path, found.holds) == (State.UNBOUND, "pay.py", False)
    two = FakeCode({**BEFORE.files, "bank.py": CHARGE})
    assert "2 definitions" in check(Agreement("card", "charge_card"), two).why
    assert check(replace(agreed(BEFORE), digest="", path="bank.py"), two).path == "bank.py"
    assert check(Agreement("card", "nowhere"), BEFORE).state == State.GONE


def test_a_convention_rests_on_no_code():
    assert check(Agreement("naming", doc_type=CONVENTION), FakeCode({})).holds


def test_code_that_changed_is_never_wholly_as_agreed():
    line = "    total = total + amount * rate - discount\n"
    long = "def sum_up(total, amount, rate, discount):\n" + line * 300
    made = agreed(FakeCode({"pay.py": long}), "sum_up")
    found = check(made, FakeCode({"pay.py": long + line}, {}))
    assert (found.state, str(found.why)) == (State.CHANGED, "99% of it is as agreed")
