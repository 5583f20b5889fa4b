"""The benchmark of history measures everything it promises, and leaves the repository as it was."""

from pathlib import Path

import pytest
from benchmarks.history.__main__ import LIMITS, machine, measure, table
from tests.conftest import needs_git
from tests.engine.history.repository import Repository


@needs_git
def test_everything_is_measured_in_a_copy(tmp_path: Path, state_dirs, monkeypatch: pytest.MonkeyPatch):
    repository = Repository(tmp_path / "project", state_dirs.home).init()
    for number in range(3):
        repository.more("a.py", f"{number}.py", message=f"fix number {number}")
    before = repository.git("status", "--porcelain"), repository.head()
    for name in ("SHIRUBE_CACHE_DIR", "SHIRUBE_STATE_DIR", "SHIRUBE_CONFIG_DIR", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "")  # restored after the test
    found = measure(repository.root, tmp_path / "scratch")
    assert found["commits"] == 3
    assert LIMITS.keys() <= found.keys()
    assert all(value >= 0 for name, value in found.items() if "disk" not in name)  # a clock may not tick
    page = table(found, "x", machine(), (0.0, 0.0))
    assert all(f"| {name} |" in page for name in found)
    assert (repository.git("status", "--porcelain"), repository.head()) == before
