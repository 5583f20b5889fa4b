"""``shirube gate`` for people."""

from pathlib import Path

import pytest

from tests.doors.conftest import Runner


def test_it_tells_what_it_does_here(fresh_cli: Runner, sample_repo: Path):
    told = fresh_cli("gate")
    assert told.code == 0
    assert "mode: advise" in told.out
    assert ".shirube/agreements/**" in told.out


def test_it_tells_it_in_japanese(fresh_cli: Runner, sample_repo: Path):
    assert "通すコマンド: 読む・ビルドする・テストするもの" in fresh_cli("--lang", "ja", "gate").out
    assert fresh_cli("--lang", "ja", "gate", "--try", "ls").out == "読むだけなので通ります\n"


@pytest.mark.parametrize(("command", "code"), [("git log | head", 0), ("pytest -q", 0), ("git commit -m x", 1)])
def test_it_tells_whether_a_command_passes(fresh_cli: Runner, sample_repo: Path, command: str, code: int):
    assert fresh_cli("gate", "--try", command).code == code


def test_a_mode_nobody_knows_is_refused(fresh_cli: Runner, sample_repo: Path):
    assert "'blok'" in fresh_cli("gate", "--hook", "before", "--mode", "blok").err
