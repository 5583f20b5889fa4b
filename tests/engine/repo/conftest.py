import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def make() -> Callable[[Path, Mapping[str, str | bytes]], Path]:
    """Write files, with their directories."""

    def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        root.mkdir(parents=True, exist_ok=True)
        return root

    return write


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment whose home is empty, so that the settings of whoever runs the tests do not matter."""
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)}


@pytest.fixture
def git(env: dict[str, str]) -> Git:
    """Run the real git, to set up what is tested."""
    if shutil.which("git", path=env["PATH"]) is None:
        pytest.skip("git is not installed")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]

    def call(root: Path, *args: str) -> str:
        argv = ["git", *identity, *args]
        done = subprocess.run(argv, cwd=root, env=env, check=True, capture_output=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    return call
