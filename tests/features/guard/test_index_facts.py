import pytest

from shirube import Project
from shirube.features.guard.evidence import Facts
from tests.cases import for_each


@pytest.fixture
def facts(shop: Project) -> Facts:
    return Facts(shop.workspace, ["search"])


@for_each(
    ("name", "paths"),
    [
        ("charge_card", ("src/shop/payment.py",)),
        ("PaymentGateway.charge_card", ("src/shop/payment.py",)),
        ("shop.payment.PaymentGateway::charge_card()", ("src/shop/payment.py",)),
        ("formatPrice", ("web/price.ts",)),
        ("formatprice", ()),
        ("PaymentGateway.explode", ()),
        ("WarpDrive.charge_card", ()),
        ("", ()),
    ],
)
def test_a_name_is_known_by_where_it_is_defined_and_by_what_it_is_in(facts: Facts, name, paths):
    assert facts.defined(name) == paths


def test_files_texts_edges_and_totals_are_those_of_the_index(facts: Facts):
    assert facts.known(["web/cart.ts", "cart.ts"]) == {"web/cart.ts"}
    assert facts.known([]) == frozenset()
    assert facts.written("OSError", ["web/cart.ts", "src/shop/retry.py"])
    assert not facts.written("OSError", ["web/cart.ts"])
    assert ("src/shop/payment.py", "src/shop/retry.py") in {
        (edge.source, edge.target) for edge in facts.around(["src/shop/retry.py"])
    }
    assert facts.files == facts._workspace.store.totals().files
    assert facts.operations == {"search"}
    assert facts.symbols > 5
