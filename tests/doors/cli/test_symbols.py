import json

from tests.cases import for_each
from tests.doors.conftest import Runner


def test_defs_gives_a_place_a_kind_and_a_signature(cli: Runner):
    ran = cli("defs", "charge_card")
    assert (ran.code, ran.out) == (
        0,
        "src/shop/payment.py:15  method  def charge_card(self, amount: int) -> str  in PaymentGateway\n",
    )


def test_refs_gives_a_line_for_each_use(cli: Runner):
    ran = cli("refs", "checkout", "--code")
    assert ran.out.splitlines() == [
        "tests/test_payment.py:1  import  from shop.payment import PaymentGateway, checkout",
        'tests/test_payment.py:5  import  assert checkout(PaymentGateway(), 5) == "receipt-5"',
    ]
    assert "not searched: 1 secret" in ran.err


def test_outline_is_indented_and_at_marks_the_line(cli: Runner):
    assert "    26-24" not in cli("outline", "src/shop/payment.py").out
    out = cli("outline", "src/shop/payment.py").out.splitlines()
    assert out[0].startswith("src/shop/payment.py  python,")
    assert out[4].endswith("  method     def charge_card(self, amount: int) -> str")
    assert "> 17  " in cli("at", "src/shop/payment.py:17").out


def test_at_shows_the_class_around_a_line_that_is_in_no_function(cli: Runner):
    ran = cli("at", "src/shop/payment.py:13")
    assert "class PaymentGateway" in ran.out.splitlines()[0]
    assert "> 13  " in ran.out


def test_impact_tells_what_must_be_looked_at(cli: Runner):
    out = cli("impact", "src/shop/payment.py").out
    assert "must verify (2)" in out
    assert "tests/test_payment.py:5  test_checkout_returns_a_receipt test" in out


@for_each(
    "arguments",
    [
        ("defs", "checkout"),
        ("refs", "checkout"),
        ("outline", "web"),
        ("at", "src/shop/payment.py:17"),
        ("impact", "-s", "checkout"),
    ],
)
def test_every_command_speaks_json(cli: Runner, arguments: tuple[str, ...]):
    ran = cli(*arguments, "--json")
    assert ran.code == 0
    assert "answer" in json.loads(ran.out)


@for_each(
    ("arguments", "said"),
    [
        (("defs", "PaymentGatway"), "did you mean PaymentGateway"),
        (("refs", "zyzzyva"), "none: no file of"),
        (("at", "src/shop/payment.py:3"), "none: line 3 is in no function"),
        (("impact", "-s", "refund"), "none: nothing in"),
    ],
)
def test_no_match_is_told_and_is_an_exit_of_its_own(cli: Runner, arguments: tuple[str, ...], said: str):
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


def test_a_place_without_a_line_is_refused(cli: Runner):
    ran = cli("at", "src/shop/payment.py")
    assert ran.code == 2
    assert "src/app.py:42" in ran.err
