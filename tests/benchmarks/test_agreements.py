"""The edits of the benchmark do what they say, or it would measure something else."""

import random
from pathlib import Path

import pytest
from benchmarks.agreements.edits import EDITS, Subject, can_touch

from shirube.types import Symbol

TEXT = """import os


def first(path):
    found = os.listdir(path)
    return sorted(found)


def second():
    return first('.')
"""


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/a.py").write_text(TEXT)
    return Subject(tmp_path, "lib/a.py", Symbol("first", "first", "function", 4, 6), 3)


@pytest.mark.parametrize(
    ("edit", "state", "path", "symbol"),
    [
        ("rename", "moved", "lib/a.py", "first_renewed"),
        ("rename and edit", "moved", "lib/a.py", "first_renewed"),
        ("move to a new file", "moved", "lib/moved3.py", "first"),
        ("move the file", "moved", "lib/elsewhere3/a.py", "first"),
        ("edit", "changed", "lib/a.py", "first"),
        ("delete", "gone", "", ""),
        ("delete the file", "gone", "", ""),
        ("change beside it", "fresh", "lib/a.py", "first"),
    ],
)
def test_an_edit_says_what_has_to_be_told(subject: Subject, edit: str, state: str, path: str, symbol: str):
    expected = EDITS[edit][0](subject, random.Random(1))
    assert (expected.state, expected.path, expected.symbol) == (state, path, symbol)
    if path:
        text = (subject.root / path).read_text()
        assert f"def {symbol}(" in text
        body = text[text.index(f"def {symbol}(") :].replace(symbol, "first")
        assert body.startswith("def first(path):\n    found = os.listdir(path)\n    return sorted(found)\n") is (
            "edit" not in edit
        )
    elif edit == "delete":
        assert "def first" not in (subject.root / subject.path).read_text()


def test_every_edit_is_tried():
    assert set(EDITS) >= {"rename", "move to a new file", "edit", "delete"}


def test_there_is_something_to_change(subject: Subject):
    assert can_touch(subject)
