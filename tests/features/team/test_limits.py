"""How much a token may ask in a minute."""

import pytest

from shirube.features.team import limits
from shirube.features.team.limits import RateLimits


@pytest.fixture(name="clock")
def _clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(limits, "monotonic", lambda: now[0])
    return now


def test_calls_are_let_through_up_to_the_rate_and_then_as_time_goes_by(clock):
    some = RateLimits()
    assert [some.wait("t", "requests", 3, 1) for _ in range(3)] == [0, 0, 0]
    wait = some.wait("t", "requests", 3, 1)
    assert wait == pytest.approx(20.0)
    assert some.wait("other", "requests", 3, 1) == 0
    clock[0] += wait
    assert some.wait("t", "requests", 3, 1) == 0
    assert some.wait("t", "requests", 3, 1) > 0
    clock[0] += 3600
    assert [some.wait("t", "requests", 3, 1) > 0 for _ in range(4)] == [False, False, False, True]


def test_a_long_answer_is_paid_for_afterwards(clock):
    some = RateLimits()
    assert some.wait("t", "words", 100, 0) == 0
    some.spend("t", "words", 100, 250)
    assert some.wait("t", "words", 100, 0) == pytest.approx(90.0)
    clock[0] += 90.0
    assert some.wait("t", "words", 100, 0) == 0


def test_what_is_full_again_is_forgotten_and_what_is_overdrawn_is_not(clock, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT", 10)
    some = RateLimits()
    some.spend("greedy", "words", 10, 10_000)
    for number in range(10):
        some.wait(f"t{number}", "requests", 5, 1)
    clock[0] += 120
    some.wait("new", "requests", 5, 1)
    assert {token for token, _ in some._buckets} == {"greedy", "new"}
    assert some.wait("greedy", "words", 10, 0) > 0
