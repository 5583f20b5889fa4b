"""Expanding: what is imported and who imports it, the parts that are taken, and neighbours of what was named."""

import pytest

from shirube.features.lookup.context.fit import Offers
from shirube.features.lookup.context.gather import expand
from shirube.types import Reason
from tests.features.lookup.context.conftest import tools_for


def expanded(store, path: str, line: int, reason: str, question: str = "charge the card"):
    tools = tools_for(store, question)
    offers = Offers()
    offers.add(path, tools.pages.piece_at(path, line), [Reason(reason, 1.0)])
    expand(offers, tools)
    return {(one.path, one.symbol): one for one in offers.ranked()}


@pytest.mark.requirement("001-BUNDLE-02")
def test_what_is_used_and_who_uses_it_comes_in_two_steps_away_for_less(store):
    offers = expanded(store, "tests/test_payment.py", 5, "text:words")
    payment = next(one for (path, _), one in offers.items() if path == "src/shop/payment.py")
    retry = next(one for (path, _), one in offers.items() if path == "src/shop/retry.py")
    assert "dep:tests/test_payment.py" in payment.why
    assert "dep:src/shop/payment.py" in retry.why
    assert 0 < retry.score < payment.score < 1


def test_who_uses_it_is_told_as_such(store):
    offers = expanded(store, "src/shop/retry.py", 10, "text:words")
    payment = next(one for (path, _), one in offers.items() if path == "src/shop/payment.py")
    assert payment.why == ("dep:uses src/shop/retry.py",)


def test_the_part_that_is_imported_is_the_one_shown(store):
    offers = expanded(store, "src/shop/payment.py", 27, "text:words", "zyzzyva")
    assert ("src/shop/retry.py", "with_retries") in offers


@pytest.mark.requirement("001-BUNDLE-02")
def test_neighbours_of_what_was_named_come_in_by_their_words(store):
    offers = expanded(store, "src/shop/__init__.py", 1, "artifact:diff", "trying again with retries")
    retry = next(one for (path, _), one in offers.items() if path == "src/shop/retry.py")
    assert "near:src/shop" in retry.why


def test_what_was_merely_found_brings_no_neighbours(store):
    offers = expanded(store, "src/shop/__init__.py", 1, "text:words", "trying again with retries")
    assert {path for path, _ in offers} == {"src/shop/__init__.py"}
