"""A project under git, and what the gate's environment looks like."""

import shutil
import subprocess
from pathlib import Path

import pytest

from shirube.config import child_environment
from tests.conftest import StateDirs, write_sample


def git(root: Path, *words: str) -> None:
    """Run git in a directory as somebody."""
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=root, check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path: Path, state_dirs: StateDirs) -> Path:
    """Return the sample project, committed."""
    if shutil.which("git") is None:
        pytest.skip("git is missing")
    root = write_sample(tmp_path / "shop").resolve()
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(root, *words)
    return root


@pytest.fixture
def env(state_dirs: StateDirs) -> dict[str, str]:
    """Return what git is started with."""
    return child_environment()
