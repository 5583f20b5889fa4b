"""The tests see nothing above their own directories and write nothing there, wherever they run."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import settings

from shirube.config import MARKS
from tests.architecture.house import ROOT

TOUCHY = [
    "tests/test_root.py",
    "tests/test_config.py",
    "tests/doors/cli/test_install.py",
    "tests/engine/repo/test_git.py",
]
"""Tests that look for a project, a home or a repository, or write into one."""


def test_a_project_and_a_home_around_the_tests_are_neither_seen_nor_touched(tmp_path: Path) -> None:
    around, home = tmp_path / "around", tmp_path / "somebody"
    (around / "tmp").mkdir(parents=True)
    home.mkdir()
    for mark in MARKS:
        (around / mark).mkdir()
    config = around / ".shirube" / "config.toml"
    config.write_text("this is no TOML and would be refused")
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "GIT_"))},
        **{"TMPDIR": str(around / "tmp"), "HOME": str(home), "XDG_STATE_HOME": str(home / "state")},
        **{"SHIRUBE_ROOT": str(around), "CLAUDE_CODE_SESSION_ID": "another", "CODEX_HOME": str(home / "codex")},
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TOUCHY]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    left = {path for path in around.rglob("*") if around / "tmp" not in path.parents}
    assert left == {around / "tmp", config, *(around / mark for mark in MARKS)}
    assert [path.name.startswith("pytest-of-") for path in (around / "tmp").iterdir()] == [True]
    assert list(home.iterdir()) == []


def test_examples_are_the_same_everywhere_and_every_time() -> None:
    assert settings().derandomize
    assert settings().database is None
