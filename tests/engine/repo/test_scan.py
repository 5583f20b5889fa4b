import sys

import pytest

from shirube.deadline import Deadline
from shirube.engine.repo.grep_scan import scan
from shirube.engine.repo.regex import Spelling, compile_pattern


def lines(text: str, *patterns: str, **spelling: bool) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return each line that matches with its first match and the patterns."""
    data = text.encode()
    compiled = [compile_pattern(pattern, Spelling(**spelling)) for pattern in patterns]
    return [
        (data[item.start :].decode().split("\n")[0], data[item.at : item.end].decode(), item.patterns)
        for item in scan(data, compiled, Deadline()).found
    ]


@pytest.fixture(params=["whole", "windows"])
def windows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at a text in one piece, or in pieces of a few bytes: nothing may differ."""
    if request.param == "windows":
        monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "MIN_WINDOW", 1)
        monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "WINDOW_WORK", 1)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_line_is_told_once_with_its_first_match(end: str):
    assert lines(f"foo foo\nbar\n  foo{end}", "foo") == [("foo foo", "foo", (0,)), ("  foo", "foo", (0,))]


@pytest.mark.usefixtures("windows")
def test_several_patterns_share_a_line_and_the_first_match_counts():
    assert lines("b a\nb\nc\na", "a", "b") == [("b a", "b", (0, 1)), ("b", "b", (1,)), ("a", "a", (0,))]


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("text", "wanted"), [("", 0), ("\n", 1), ("a", 0), ("a\n", 0), ("a\n\n", 1), ("\n\na\n\n", 3), ("a\n\nb", 1)]
)
def test_empty_lines_are_lines_and_the_end_of_a_text_is_none(text: str, wanted: int):
    assert len(lines(text, "^$", regex=True)) == wanted


@pytest.mark.usefixtures("windows")
def test_a_match_of_nothing_is_in_every_line():
    assert [line for line, *_ in lines("a\n\nb", "x*", regex=True)] == ["a", "", "b"]


@pytest.mark.usefixtures("windows")
def test_edges_of_lines_hold_at_the_edges_of_windows():
    text = "abc\n" * 50
    assert len(lines(text, "^abc$", regex=True)) == 50
    assert len(lines(text, "abc", word=True)) == 50


def test_time_that_is_up_is_told():
    done = scan(b"abc\n", [compile_pattern("abc", Spelling())], Deadline(0.0))
    assert (done.found, done.whole) == ((), False)


def test_a_line_that_would_cost_too_much_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "MIN_WINDOW", 8)
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "WINDOW_WORK", 8)
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "LINE_WORK", 1000)
    data = b"needle\n" + b"x" * 1000 + b"needle\nneedle\n"
    done = scan(data, [compile_pattern("needle", Spelling())], Deadline())
    assert ([item.start for item in done.found], done.whole) == ([0, 1014], False)
