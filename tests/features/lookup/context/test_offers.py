"""Offers: each piece once, reasons that add up, tags in the seed's order."""

import pytest

from shirube.engine.search.signals import FILE_SIGNALS, SITUATION
from shirube.features.lookup.context.fit import MOST_TAGS, Offers
from shirube.types import Chunk, Reason

PIECE = Chunk(0, 9, 3, 7, "Cart.total", "method")


def test_what_speaks_for_a_piece_twice_adds_up_and_the_same_reason_counts_once():
    offers = Offers()
    offers.add("a.py", PIECE, [Reason("text:words", 0.5)])
    offers.add("a.py", PIECE, [Reason("artifact:diff", 1.5), Reason("text:words", 0.25)], focus=5)
    (offer,) = offers
    assert offer.score == 2.0
    assert offer.focus == 5
    assert (offer.path, offer.start, offer.end, offer.symbol) == ("a.py", 3, 7, "Cart.total")


@pytest.mark.requirement("001-BUNDLE-05")
def test_tags_come_in_the_order_of_the_seed_and_only_what_speaks_for_it():
    names = ["boost:implementation", "dep:b.py", "text:words", "near:src", "artifact:diff", "phrase:page-agent"]
    offers = Offers()
    offer = offers.add("a.py", PIECE, [*(Reason(name, 0.1) for name in names), Reason("path-keyword", -0.2)])
    assert offer.why == ("artifact:diff", "phrase:page-agent", "text:words", "dep:b.py", "near:src")


def test_every_signal_of_the_ranking_is_shown():
    for name in {one.name for one in (*FILE_SIGNALS, *SITUATION)}:
        assert Offers().add("a.py", PIECE, [Reason(name, 1.0)]).why == (name,)


def test_tags_are_few():
    offer = Offers().add("a.py", PIECE, [Reason(f"phrase:{number}", 1.0) for number in range(20)])
    assert len(offer.why) == MOST_TAGS


def test_offers_are_ranked_with_ties_by_place_and_without_what_is_worth_nothing():
    offers = Offers()
    for path, points in (("b.py", 1.0), ("a.py", 1.0), ("c.py", 2.0), ("d.py", 0.0)):
        offers.add(path, PIECE, [Reason("text:words", points)])
    assert [offer.path for offer in offers.ranked()] == ["c.py", "a.py", "b.py"]
    assert {offer.path for offer in offers} == {"a.py", "b.py", "c.py", "d.py"}
    assert [offer.path for offer in offers.of("b.py")] == ["b.py"]
