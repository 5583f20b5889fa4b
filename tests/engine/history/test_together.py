"""What was changed lately, and what changes together."""

import pytest

from shirube.codec import replace
from shirube.engine.history.together import LEAST_TOGETHER, RECENT_DAYS, Companion, companions, recency
from shirube.engine.store.port import PastChange, TouchedFile
from shirube.engine.store.store import Store
from tests.stores import memory_store

DAY = 86_400
NOW = 2_000_000_000


def days_ago(days: float, *paths: str, **symbols: str) -> PastChange:
    files = [TouchedFile(path, tuple(symbols.get(path, "").split())) for path in (*paths, *symbols)]
    return PastChange("", NOW - int(days * DAY), "Ada", "change", files=tuple(files))


def holding(*changes: PastChange) -> Store:
    store = memory_store(256)
    store.write_changes(replace(change, commit=f"{number:040x}") for number, change in enumerate(changes, 1))
    return store


def shares(store: Store, *paths: str) -> dict[str, float]:
    return {path: found.share for path, found in companions(store, paths).items()}


def test_what_was_changed_just_now_is_wholly_recent_and_after_two_weeks_not_at_all():
    store = holding(
        days_ago(0, "a"), days_ago(RECENT_DAYS / 2, "b"), days_ago(RECENT_DAYS + 0.1, "c"), days_ago(99, "d")
    )
    assert recency(store, NOW) == {"a": 1.0, "b": pytest.approx(0.5)}


def test_the_latest_change_of_a_file_counts():
    assert recency(holding(days_ago(7, "a"), days_ago(0, "a")), NOW) == {"a": 1.0}


def test_a_clock_that_went_wrong_makes_nothing_more_recent_than_now():
    assert recency(holding(days_ago(-30, "a")), NOW) == {"a": 1.0}


def test_a_sweep_over_the_code_says_nothing():
    sweep = replace(days_ago(0, "a", "b"), weight=0.0)
    store = holding(*[sweep] * LEAST_TOGETHER)
    assert recency(store, NOW) == {}
    assert companions(store, ["a"]) == {}


def test_what_changes_together_is_a_jaccard_computed_by_hand():
    """a with b three times; a four times, b four times: 3 / (4 + 4 - 3)."""
    changes = [days_ago(n, "a", "b") for n in range(3)] + [days_ago(4, "a", "x"), days_ago(5, "b", "x")]
    assert companions(holding(*changes), ["a"]) == {"b": Companion(3, 3 / 5, NOW)}


def test_once_together_is_chance():
    assert shares(holding(days_ago(0, "a", "b")), "a") == {}


def test_several_files_at_hand_count_as_one():
    changes = [days_ago(0, "a", "c"), days_ago(1, "b", "c"), days_ago(2, "a", "b")]
    assert shares(holding(*changes), "a", "b") == {"c": pytest.approx(2 / 3)}


def test_nothing_at_hand_changes_with_nothing():
    assert shares(holding(*[days_ago(0, "a", "b")] * 3)) == {}


def test_the_last_time_and_what_was_touched_most_often_are_told():
    changes = [days_ago(5, a="one", b="x y"), days_ago(3, a="one", b="y"), days_ago(4, a="two", b="z")]
    assert companions(holding(*changes), ["a"])["b"] == Companion(3, 1.0, NOW - 3 * DAY, ("y", "x", "z"))


def test_with_symbols_only_changes_that_touched_one_of_them_count():
    changes = [days_ago(1, a="one", b="x"), days_ago(2, a="one", b="y"), days_ago(3, a="two", b="z", c="one")]
    store = holding(*changes)
    found = companions(store, ["a"], ["one"])
    assert (found["b"].times, found["b"].symbols) == (2, ("x", "y"))
    assert companions(store, ["a"], ["two"]) == {}


def test_two_files_with_one_path_today_are_one():
    files = (TouchedFile("a"), TouchedFile("b", (), "old"), TouchedFile("b", (), "older"))
    change = PastChange("", NOW, "Ada", "change", files=files)
    assert companions(holding(change, change), ["a"]) == {"b": Companion(2, 1.0, NOW)}
