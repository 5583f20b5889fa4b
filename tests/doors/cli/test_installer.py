from shirube.doors.agents.changes import Row
from shirube.doors.cli.installer import InstallResult, rows_text
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import Paint, Screen
from shirube.messages import say, verbatim

ENGLISH, JAPANESE = (Screen(Paint(on=False), speech_for(None, language)) for language in ("en", "ja"))


def test_rows_are_lines_with_their_reason_below():
    rows = (Row("zed", "mcp", "/p\x1b[31m", "added"), Row("zed", "hooks", "", "skipped", verbatim("why")))
    text = rows_text(InstallResult("project", False, rows, ()), ENGLISH)
    assert text.splitlines()[0].startswith("added    zed")
    assert "\x1b" not in text
    assert text.splitlines()[-1].strip() == "why"


def test_no_rows_are_told_in_words():
    assert rows_text(InstallResult("user", False, (), ()), ENGLISH) == "nothing of ours is there"


def test_japanese_takes_the_same_columns():
    rows = (Row("zed", "mcp", "/p", "kept", say("install.not_ours")),)
    lines = rows_text(InstallResult("project", False, rows, ()), JAPANESE).splitlines()
    assert lines == ["維持     zed          mcp           /p", "         shirube が入れたものではありません"]
