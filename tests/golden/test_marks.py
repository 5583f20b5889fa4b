"""What is replaced by marks, and what is left as it is."""

from datetime import UTC, datetime
from pathlib import Path

from tests.golden.marks import Marks, as_json


def test_handles_and_plans_are_numbered_in_the_order_they_appear():
    marks = Marks(Path("/nowhere"))
    assert marks.text("s_0123456789ab outcome_s_ba9876543210_1 s_0123456789ab") == (
        "<session 1> outcome_<session 2>_1 <session 1>"
    )
    plan = "0f8fad5b-d9cb-469f-a165-70867728950e"
    assert marks.text(f"{plan} 0f8fad5b") == "<plan 1> <plan 1, short>"


def test_moments_of_today_are_marked_and_those_of_the_project_are_not():
    now = datetime.now(UTC)
    assert Marks(Path("/nowhere")).text(f"{now:%Y-%m-%dT%H:%M:%SZ} 2026-01-05T09:00:00Z") == (
        "<moment> 2026-01-05T09:00:00Z"
    )


def test_only_what_is_measured_is_hidden_and_floats_are_rounded():
    value = {"seconds": 0.12, "score": 1.23456789, "count": 7, "at": "/tmp/x/a.py", "text": '{"seconds": 3}'}
    assert Marks(Path("/tmp/x")).value(value) == {
        "seconds": "<seconds>",
        "score": 1.23457,
        "count": 7,
        "at": "<base>/a.py",
        "text": {"<document>": {"seconds": "<seconds>"}},
    }


def test_half_a_character_can_be_written():
    assert as_json(["\ud83d"]) == '[\n "\\ud83d"\n]\n'
