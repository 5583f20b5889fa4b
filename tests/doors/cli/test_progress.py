import io

import pytest

from shirube.doors.cli import command as progress
from shirube.doors.cli.command import EVERY_SECONDS, ProgressLine, progress_text
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import columns
from shirube.messages import say
from tests.cases import for_each


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [50.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_shows_how_far_the_work_is():
    assert progress_text("indexing", 1200, 4000, 3.2) == "indexing " + "█" * 7 + "░" * 17 + " 1,200/4,000 files  3 s"


def test_a_line_for_work_of_unknown_length_shows_the_time():
    assert progress_text("looking", 0, 0, 2.0) == "looking … 2 s"


@for_each(("done", "filled"), [(0, 0), (5, 12), (10, 24)])
def test_the_bar_is_empty_at_the_start_and_full_at_the_end(done: int, filled: int):
    assert progress_text("x", done, 10, 0).count("█") == filled


def test_nobody_watching_means_nothing_written(clock: list[float]):
    stream = io.StringIO()
    line = ProgressLine(stream)
    line("indexing", 1, 2)
    line.finish()
    assert stream.getvalue() == ""


def test_quiet_means_nothing_written_even_to_a_terminal(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream, quiet=True)
    line("indexing", 1, 2)
    line.finish()
    assert stream.getvalue() == ""


def test_a_terminal_sees_the_line_rewritten_in_place(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream)
    line("indexing", 1, 2)
    clock[0] += 1
    line("indexing", 2, 2)
    first, second = stream.getvalue().split("\r")[1:]
    assert "1/2 files  0 s" in first
    assert "2/2 files  1 s" in second
    assert "\n" not in stream.getvalue()


def test_steps_in_quick_succession_are_shown_once(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream)
    for done in range(100):
        line("indexing", done, 100)
    assert stream.getvalue().count("\r") == 1
    clock[0] += EVERY_SECONDS
    line("indexing", 100, 100)
    assert stream.getvalue().count("\r") == 2


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream)
    line("a long description", 1, 2)
    clock[0] += 1
    line("b", 0, 0)
    long, short = stream.getvalue().split("\r")[1:]
    assert len(short) == len(long)


def test_finishing_clears_the_line(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream)
    line("indexing", 1, 2)
    shown = len(stream.getvalue()) - 1
    line.finish()
    assert stream.getvalue().endswith("\r" + " " * shown + "\r")


def test_finishing_what_never_began_writes_nothing(clock: list[float]):
    stream = Terminal()
    ProgressLine(stream).finish()
    assert stream.getvalue() == ""


def test_progress_goes_to_stderr_unless_told_otherwise(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    ProgressLine()("indexing", 1, 2)
    assert "indexing" in stream.getvalue()
    assert capsys.readouterr().out == ""


def test_a_japanese_line_is_cleared_by_its_columns(clock: list[float]):
    stream = Terminal()
    line = ProgressLine(stream, speech=speech_for(None, "ja"))
    line(say("steps.indexing"), 1, 2)
    line.finish()
    first, second = stream.getvalue().split("\r")[1:3]
    assert first.startswith("索引を作成中 █")
    assert first.endswith("1/2 ファイル  0 秒")
    assert second == " " * columns(first)
