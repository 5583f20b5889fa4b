"""Programs under stress: a project, the command line on it in processes of their own, and what must hold after."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from shirube import open_workspace
from shirube.features.lookup.results import SearchResult
from shirube.workspace import Workspace, build_workspace
from tests.conftest import StateDirs, isolate, make_state_dirs
from tests.engine.index.test_incremental import picture

SOURCE = Path(__file__).with_name("faults.c")


@dataclass
class Stressed:
    """A project of many small files, and where its index is kept."""

    root: Path
    dirs: StateDirs

    def write(self, word: str, count: int = 40) -> None:
        """Give every file a new content that holds the word."""
        for number in range(count):
            place = self.root / f"pkg{number % 4}" / f"f{number}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"from pkg0 import f0\n\n\ndef {word}_{number}():\n    return '{word}'\n")

    def command(self, *arguments: str) -> list[str]:
        """Return a command line on this project."""
        return [sys.executable, "-m", "shirube", "--root", str(self.root), *arguments]

    def start(self, *arguments: str, **environ: str) -> "subprocess.Popen[str]":
        """Start a command."""
        env = {**self.dirs.environ(), "SHIRUBE_INDEX_BATCH_FILES": "4", **environ}
        pipe = subprocess.PIPE
        return subprocess.Popen(self.command(*arguments), stdout=pipe, stderr=pipe, text=True, env=env)

    def run(self, *arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        process = self.start(*arguments, **environ)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def found(self, query: str) -> SearchResult:
        """Return the answer to a question, asked in this process."""
        with open_workspace(self.root) as project:
            return project.search(query, limit=100)

    def opened(self) -> Workspace:
        """Open the project in this process."""
        return build_workspace(self.root)

    def assert_equal_to_a_rebuild(self) -> None:
        """The index as it is holds what an index made from scratch holds."""
        with closing(self.opened()) as workspace:
            workspace.keeper.refresh(lambda *step: None, patient=True)
            assert workspace.store.check() == ()
            ours = picture(workspace.store)
        other = make_state_dirs(self.root.parent / "fresh")
        with pytest.MonkeyPatch.context() as patch:
            isolate(other, patch)
            with closing(self.opened()) as workspace:
                workspace.keeper.refresh(lambda *step: None, patient=True)
                assert ours == picture(workspace.store)
        shutil.rmtree(self.root.parent / "fresh")


@pytest.fixture
def stressed(tmp_path: Path, state_dirs: StateDirs) -> Stressed:
    """Return a project that is not indexed yet."""
    root = tmp_path / "project"
    root.mkdir()
    return Stressed(root.resolve(), state_dirs)


@pytest.fixture(scope="session")
def faulty_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return a library that makes writes fail when it is preloaded."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler on Linux")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return str(library)


def rounds(short: int, long: int) -> int:
    """Return how often to repeat: a few times in the suite, many times under ``make soak``."""
    return long if os.environ.get("SOAK") else short
