"""A project, a home and the command line, kept apart from this machine's own agents."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from shirube.doors.cli import main
from tests.conftest import StateDirs

AGENT_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME")


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class House:
    """Where an agent's files would be."""

    root: Path
    home: Path
    state: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> Ran:
        """Run a command in the project."""
        self.capsys.readouterr()
        code = main(("--root", str(self.root), *arguments))
        return Ran(code, *self.capsys.readouterr())

    def files(self) -> dict[str, bytes | str]:
        """Return every file and link below project and home, with its content."""
        found: dict[str, bytes | str] = {}
        for base in (self.root, self.home):
            for path in sorted(base.rglob("*")):
                name = path.relative_to(base.parent).as_posix()
                if path.is_symlink():
                    found[name] = f"-> {path.readlink()}"
                else:
                    found[name] = path.read_bytes() if path.is_file() else "directory"
        return found


@pytest.fixture
def house(
    tmp_path: Path,
    state_dirs: StateDirs,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> House:
    """Return a project and a home without any agent's files."""
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    root = (tmp_path / "project").resolve()
    root.mkdir()
    return House(root, state_dirs.home, state_dirs.state, capsys)
