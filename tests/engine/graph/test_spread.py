"""Spreading: neighbours both ways, less with every step and with many neighbours."""

from math import sqrt

import pytest

from shirube.engine.graph.closure import MOST_USERS, Direction, spread
from tests.engine.graph.test_closure import project


def shares(store, seeds, **options):
    return {path: round(reach.share, 4) for path, reach in spread(store, seeds, **options).items()}


@pytest.mark.requirement("001-BUNDLE-02", "N001-BUNDLE-01")
def test_what_is_used_and_who_uses_it_is_reached_with_less_at_the_second_step():
    store = project("a.py > b.py", "b.py > c.py", "x.py > a.py", "y.py > x.py", "c.py > d.py", "a.py > numpy")
    found = spread(store, {"a.py": 1.0}, depth=2, decay=0.5)
    assert {path: (reach.direction, reach.depth, reach.source) for path, reach in found.items()} == {
        "b.py": (Direction.OUTBOUND, 1, "a.py"),
        "x.py": (Direction.INBOUND, 1, "a.py"),
        "c.py": (Direction.OUTBOUND, 2, "b.py"),
        "y.py": (Direction.INBOUND, 2, "x.py"),
    }
    assert {path: reach.share for path, reach in found.items()} == {"b.py": 1.0, "x.py": 1.0, "c.py": 0.5, "y.py": 0.5}


def test_a_hub_gives_each_of_its_users_little():
    store = project(*(f"u{number}.py > hub.py" for number in range(16)))
    assert set(shares(store, {"hub.py": 1.0}).values()) == {0.25}


def test_users_of_what_hundreds_use_are_left_alone():
    store = project("hub.py > base.py", *(f"u{number}.py > hub.py" for number in range(MOST_USERS + 1)))
    assert set(shares(store, {"hub.py": 1.0})) == {"base.py"}


def test_what_two_seeds_lead_to_gets_from_both():
    store = project("a.py > c.py", "b.py > c.py", "b.py > d.py")
    assert shares(store, {"a.py": 1.0, "b.py": 0.5}, depth=1) == {
        "c.py": round(1 + 0.5 / sqrt(2), 4),
        "d.py": round(0.5 / sqrt(2), 4),
    }


def test_seeds_are_not_reached_and_nothing_leads_nowhere():
    store = project("a.py > b.py", "b.py > a.py")
    assert shares(store, {"a.py": 1.0, "b.py": 1.0}) == {}
    assert shares(store, {}) == {}


def test_the_line_is_that_of_the_import():
    store = project("z.py > y.py", "a.py > b.py")
    assert spread(store, {"a.py": 1.0})["b.py"].line == 2
