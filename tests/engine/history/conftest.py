import shutil
from pathlib import Path

import pytest

from tests.engine.history.repository import Repository
from tests.stores import embedded_store


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty repository."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return Repository(tmp_path / "project", tmp_path / "home").init()


@pytest.fixture
def store(tmp_path: Path):
    made = embedded_store(tmp_path / "index", 256)
    yield made
    made.close()
