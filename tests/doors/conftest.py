"""Running the command line, in this process or in one of its own."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from shirube import Project
from shirube.doors.cli import main
from tests.conftest import StateDirs, isolate, make_state_dirs
from tests.doors.agents.house import house

__all__ = ["house"]


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


Runner = Callable[..., Ran]


@pytest.fixture
def cli(shop: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Run a command in this process, inside a project that is indexed and shared: for tests that only ask."""
    isolate(make_state_dirs(shop.workspace.config.cache_dir.parent), monkeypatch)
    monkeypatch.chdir(shop.workspace.root)
    return _runner(capsys)


@pytest.fixture
def fresh_cli(sample_repo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Run a command in this process, inside a project of the test's own."""
    (sample_repo / ".shirube").mkdir()
    monkeypatch.chdir(sample_repo)
    return _runner(capsys)


def _runner(capsys: pytest.CaptureFixture[str]) -> Runner:
    def run(*arguments: str) -> Ran:
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def child(sample_repo: Path, state_dirs: StateDirs) -> Runner:
    """Run a command in a process of its own, with buffers as a user has them."""

    def run(*arguments: str, **options) -> Ran:
        environ = {**state_dirs.environ(), **options.pop("env", {})}
        environ.pop("PYTHONUNBUFFERED", None)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("cwd", sample_repo)
        done = subprocess.run(
            [sys.executable, "-m", "shirube", *arguments],
            env=environ,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
            **options,
        )
        return Ran(done.returncode, done.stdout or "", done.stderr)

    return run
