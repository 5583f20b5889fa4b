from shirube.agents.changes import Row
from shirube.cli.installer import InstallResult, rows_text
from shirube.cli.show import Paint


def test_rows_are_lines_with_their_reason_below():
    rows = (Row("zed", "mcp", "/p\x1b[31m", "added"), Row("zed", "hooks", "", "skipped", "why"))
    text = rows_text(InstallResult("project", False, rows, ()), Paint(on=False))
    assert text.splitlines()[0].startswith("added    zed")
    assert "\x1b" not in text
    assert text.splitlines()[-1].strip() == "why"


def test_no_rows_are_told_in_words():
    assert rows_text(InstallResult("user", False, (), ()), Paint(on=False)) == "nothing of ours is there"
