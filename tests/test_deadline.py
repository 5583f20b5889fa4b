from threading import Event, Thread, Timer

import pytest

from shirube import deadline as module
from shirube.deadline import Deadline
from shirube.errors import Cancelled
from tests.refusals import refusal


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a clock that stands until the test moves it."""
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def test_without_a_limit_time_never_runs_out(clock: list[float]):
    deadline = Deadline()
    clock[0] += 1e9
    assert not deadline.passed
    deadline.check()


def test_time_runs_out_exactly_at_the_limit(clock: list[float]):
    deadline = Deadline(5.0)
    clock[0] = 104.999
    assert not deadline.passed
    deadline.check()
    clock[0] = 105.0
    assert deadline.passed
    with refusal(Cancelled, "request.late") as caught:
        deadline.check()
    assert caught.value.hint == "ask again, for less if that happens twice"


def test_no_time_at_all_has_passed_at_once(clock: list[float]):
    assert Deadline(0).passed


@pytest.mark.parametrize("seconds", [None, 5.0, 0.0])
def test_giving_up_ends_any_deadline_and_says_so(clock: list[float], seconds: float | None):
    deadline = Deadline(seconds)
    deadline.cancel()
    assert deadline.passed
    with refusal(Cancelled, "request.cancelled"):
        deadline.check()


def test_a_deadline_within_another_ends_with_whichever_ends_first(clock: list[float]):
    outer = Deadline(10.0)
    short, long = outer.within(2.0), outer.within(60.0)
    assert (short.left(most=30.0), long.left(most=30.0), long.left(most=3.0)) == (2.0, 10.0, 3.0)
    clock[0] += 2.0
    assert (short.passed, long.passed, outer.passed) == (True, False, False)
    clock[0] += 8.0
    assert long.passed
    assert long.left(most=30.0) == 0.0
    assert not long.cancelled


def test_giving_up_ends_what_is_within(clock: list[float]):
    outer = Deadline()
    inner = outer.within(60.0)
    assert inner.left(most=30.0) == 30.0
    outer.cancel()
    assert inner.passed
    assert inner.cancelled
    assert inner.left(most=30.0) == 0.0
    with refusal(Cancelled, "request.cancelled"):
        inner.check()


def test_who_waits_is_told_once_when_the_caller_gives_up():
    deadline, told = Deadline(), []
    deadline.when_cancelled(lambda: told.append("first"))
    deadline.cancel()
    deadline.cancel()
    assert told == ["first"]
    deadline.when_cancelled(lambda: told.append("late"))
    assert told == ["first", "late"]


def test_who_waits_no_longer_is_not_told():
    deadline, told = Deadline(), []

    def tell() -> None:
        told.append(1)

    deadline.when_cancelled(tell)
    deadline.no_matter(tell)
    deadline.no_matter(tell)
    deadline.cancel()
    assert told == []


def test_who_waits_no_longer_is_not_being_told_either():
    deadline, begun, go, told = Deadline(), Event(), Event(), []

    def tell() -> None:
        begun.set()
        go.wait(30)
        told.append(1)

    deadline.when_cancelled(tell)
    giving_up = Thread(target=deadline.cancel)
    giving_up.start()
    assert begun.wait(30)
    Timer(0.01, go.set).start()
    deadline.no_matter(tell)
    assert told == [1], "it was waited for"
    giving_up.join()


def test_the_current_deadline_is_that_of_the_call_at_hand():
    outer, inner = Deadline(), Deadline()
    assert module.current() not in (outer, inner)
    with outer.governing():
        with inner.governing():
            assert module.current() is inner
        assert module.current() is outer
    assert module.current() not in (outer, inner)
