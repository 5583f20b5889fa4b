from shirube.features.map.check import body_of, fingerprint, is_named, likeness, size
from shirube.types import Symbol
from tests.cases import for_each

BODY = """\
def charge_card(self, amount):
    if amount > MAX_AMOUNT:
        raise PaymentError("amount too large")
    receipt = self.bank.charge(amount)
    self.log.append(receipt)
    return receipt
"""


def test_name_indentation_and_line_breaks_do_not_matter():
    renamed = BODY.replace("charge_card", "take_money").replace("    ", "\t\t").replace("\n", "\r\n")
    assert fingerprint(BODY, "charge_card") == fingerprint(renamed, "take_money")


def test_everything_else_does():
    assert fingerprint(BODY, "charge_card").digest != fingerprint(BODY.replace(">", ">="), "charge_card").digest
    assert fingerprint(BODY, "charge_card").digest != fingerprint(BODY, "amount").digest


@for_each(("old", "new", "least"), [("large", "big", 0.8), ("receipt", "slip", 0.25)])
def test_a_small_change_leaves_the_code_alike(old: str, new: str, least: float):
    before, after = fingerprint(BODY, "charge_card"), fingerprint(BODY.replace(old, new), "charge_card")
    assert least < likeness(before.sketch, after.sketch) < 1.0


def test_other_code_is_not_alike():
    other = fingerprint("def walk(root):\n    for entry in os.scandir(root):\n        yield entry.path\n", "walk")
    assert likeness(fingerprint(BODY, "charge_card").sketch, other.sketch) < 0.1


def test_likeness_is_estimated_well_where_code_is_long():
    lines = [f"value_{number} = compute({number}, scale)" for number in range(200)]
    whole = fingerprint("\n".join(lines), "f")
    half = fingerprint("\n".join([*lines[:150], *(line.replace("value", "other") for line in lines[150:])]), "f")
    assert 0.45 < likeness(whole.sketch, half.sketch) < 0.95
    assert size(whole.sketch) == 32


def test_nothing_is_alike_to_nothing():
    assert likeness("", fingerprint(BODY, "x").sketch) == 0.0


def test_the_lines_of_a_symbol_are_cut_out():
    assert body_of("a\nb\nc\nd", Symbol("x", "x", "function", 2, 3)) == "b\nc"


@for_each(
    ("name", "meant"),
    [("start", True), ("Session.start", True), ("a.Session.start", True), ("tart", False), ("Other.start", False)],
)
def test_a_symbol_is_meant_by_any_part_of_its_qualified_name(name: str, meant: bool):
    assert is_named(Symbol("start", "a.Session.start", "method", 1, 2), name) is meant
