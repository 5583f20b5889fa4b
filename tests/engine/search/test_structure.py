import pytest

from shirube.engine.search.signals import likeness, outline
from shirube.types import Symbol
from tests.cases import for_each


def symbols(*names: str) -> list[Symbol]:
    """Return symbols from ``kind name``."""
    return [Symbol(name, name, kind, 1, 2) for kind, name in (one.split() for one in names)]


USERS = symbols("class UserRepository", "method find_user", "method save_user")
ORDERS = symbols("class OrderRepository", "method find_order", "method save_order")


def test_an_outline_counts_kinds_under_no_word_and_under_each():
    assert outline(symbols("method findUsers", "method save_user")) == {
        ("method", ""): 2,
        ("method", "find"): 1,
        ("method", "user"): 2,
        ("method", "save"): 1,
    }


def alike(one: list[Symbol], other: list[Symbol]) -> float:
    return likeness(outline(one), outline(other))


@pytest.mark.requirement("N001-RANK-04")
def test_likeness_is_a_jaccard_computed_by_hand():
    """Shared: class, Repository, method twice, find, save: 6. Each has 9, so 9 + 9 - 6 = 12 in either."""
    assert alike(USERS, ORDERS) == pytest.approx(6 / 12)


def test_the_same_outline_is_wholly_alike_and_an_other_is_not_at_all():
    assert alike(USERS, USERS) == 1.0
    assert alike(USERS, symbols("function parse", "constant LIMIT")) == 0.0


def test_the_same_words_for_other_kinds_are_not_alike():
    assert alike(symbols("function session"), symbols("class Session")) == 0.0


def test_likeness_goes_both_ways():
    less = symbols("class User")
    assert alike(USERS, less) == alike(less, USERS) > 0


@for_each(("one", "other"), [([], []), ([], USERS)])
def test_what_defines_nothing_is_unlike_everything(one: list[Symbol], other: list[Symbol]):
    assert alike(one, other) == 0.0
