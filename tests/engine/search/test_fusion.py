import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.engine.search.evidence import K, fuse


def test_the_constant_is_the_one_of_the_seeds_and_the_paper():
    assert K == 60


def test_shares_are_those_computed_by_hand():
    shares = fuse({"bm25": ["a", "b", "c"], "dense": ["c", "a", "d"]})
    assert shares == {
        "a": {"bm25": 1 / 61, "dense": 1 / 62},
        "b": {"bm25": 1 / 62},
        "c": {"bm25": 1 / 63, "dense": 1 / 61},
        "d": {"dense": 1 / 63},
    }


def test_the_fused_order_is_the_one_computed_by_hand():
    """a: 0.016393 + 0.016129 = 0.032522; c: 0.015873 + 0.016393 = 0.032266; b: 0.016129; d: 0.015873."""
    shares = fuse({"bm25": ["a", "b", "c"], "dense": ["c", "a", "d"]})
    totals = {key: sum(legs.values()) for key, legs in shares.items()}
    assert sorted(totals, key=lambda key: -totals[key]) == ["a", "c", "b", "d"]
    assert totals["a"] == pytest.approx(0.032522, abs=1e-6)
    assert totals["c"] == pytest.approx(0.032266, abs=1e-6)


def test_nothing_fuses_to_nothing():
    assert fuse({}) == {}
    assert fuse({"bm25": [], "dense": []}) == {}


@given(st.lists(st.integers(), unique=True, max_size=30), st.lists(st.integers(), unique=True, max_size=30))
def test_no_two_lists_can_give_more_than_two_first_places(one: list[int], two: list[int]):
    for legs in fuse({"one": one, "two": two}).values():
        assert 0 < sum(legs.values()) <= 2 / 61


@given(st.lists(st.integers(), unique=True, max_size=30))
def test_a_single_list_keeps_its_order(keys: list[int]):
    shares = fuse({"only": keys})
    assert sorted(shares, key=lambda key: -shares[key]["only"]) == keys
