import pytest
from benchmarks.requests.__main__ import is_right, read_requests

from shirube.features.plan.frame import SLOTS, Intent
from shirube.features.plan.slots import MOST_UNITS, cut_units, features_of, read_slots, row_of, same, words_of
from tests.cases import for_each


@for_each(
    ("text", "units"),
    [
        ("Fix `a b` now.", ["Fix", "`a b`", "now", "."]),
        ("src/net/retry.py hangs", ["src/net/retry.py", "hangs"]),
        ("「保存」が消える", ["「保存」", "が", "消", "え", "る"]),
        ("データ転送", ["データ", "転送"]),
    ],
)
def test_a_request_is_cut_into_words_names_and_quotations(text, units):
    assert [unit.text for unit in cut_units(text)] == units
    assert all(text[unit.start : unit.end] == unit.text for unit in cut_units(text))


def test_what_follows_a_long_request_is_not_read():
    assert len(cut_units("word " * 10_000)) == MOST_UNITS


def test_every_unit_has_features_and_every_feature_a_row():
    text = "When it rains, the pump stops."
    units = cut_units(text)
    features = features_of(text, units, Intent.MODIFY)
    assert len(features.first) == len(features.last) == len(features.inside) == len(units)
    assert features == features_of(text, units, Intent.MODIFY)
    assert row_of(features.whole[0]) == row_of(features.whole[0])


def test_values_that_share_half_of_their_words_say_the_same():
    assert same(words_of("the login form"), words_of("login form"))
    assert not same(words_of("保存ボタン"), words_of("検索画面"))


@pytest.mark.requirement("003-FRAME-04")
@for_each("part", ["development", "test", "fresh"])
def test_the_words_of_requests_tell_their_slots(part):
    rows = [row for row in read_requests() if row["half"] == part]
    found = [read_slots(row["request"], Intent(row["intent"])) for row in rows]
    right = [is_right(row[slot], read.get(slot, "")) for row, read in zip(rows, found, strict=True) for slot in SLOTS]
    assert sum(right) / len(right) > 0.8
