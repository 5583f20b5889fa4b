"""The yardstick for suggested frames: its requests are whole, and its measure tells right from wrong."""

from benchmarks.requests.__main__ import HALVES, LANGUAGES, is_right, measures, read_requests
from tests.cases import for_each

from shirube.features.plan.frame import SLOTS, Intent


def test_every_slot_is_a_quotation_and_every_author_has_as_many_requests():
    rows = read_requests()
    assert all(row[slot] in row["request"] and row["intent"] in set(Intent) for row in rows for slot in SLOTS)
    assert len({row["id"] for row in rows}) == len({row["request"] for row in rows}) == len(rows) == 360
    for half in HALVES:
        for language in LANGUAGES:
            assert sum(row["half"] == half and row["language"] == language for row in rows) == 60


@for_each(
    ("expected", "given", "right"),
    [
        ("", "", True),
        ("login form", "", False),
        ("", "login form", False),
        ("the login form", "login form", True),
        ("login form of the shop", "login", False),
        ("保存ボタン", "保存ボタンを", True),
        ("保存ボタン", "検索画面", False),
    ],
)
def test_half_of_the_words_make_a_slot_right(expected, given, right):
    assert is_right(expected, given) is right


def test_a_share_tells_how_many_it_is_of():
    row = {"intent": "QUESTION", "request": "?", **dict.fromkeys(SLOTS, "")}
    assert measures([row]) == ["1.00 (4 of 4)", "–", "–", "1.00 (1 of 1)"]
