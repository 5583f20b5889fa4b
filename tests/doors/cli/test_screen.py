import io

import pytest

from shirube.doors.cli.screen import paint_for
from shirube.doors.views.screen import Paint, printable
from tests.cases import for_each


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@for_each(
    ("text", "wanted"),
    [("plain", "plain"), ("決済 ¥", "決済 ¥"), ("a\tb", "a\tb"), ("\x1b[31m", "�[31m"), ("a\rb", "a�b"), ("\x9b", "�")],
)
def test_printable_keeps_letters_and_replaces_what_steers(text: str, wanted: str):
    assert printable(text) == wanted


def test_colours_are_for_a_terminal_and_can_be_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert not paint_for(no_color=False).on
    monkeypatch.setattr("sys.stdout", Terminal())
    assert paint_for(no_color=False).on
    assert not paint_for(no_color=True).on


def test_paint_wraps_text_only_when_on():
    assert Paint(True)("bold", "x") == "\x1b[1mx\x1b[0m"
    assert Paint(False)("bold", "x") == "x"


def test_the_end_of_a_line_from_windows_is_no_foreign_sign():
    assert printable("def f():\r") == "def f():"
    assert printable("a\rb") == "a�b"
