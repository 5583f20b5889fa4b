"""Where an agent's files would be."""

from pathlib import Path

import pytest

from tests.agents.house import House, make_house
from tests.conftest import StateDirs


@pytest.fixture
def house(
    tmp_path: Path,
    state_dirs: StateDirs,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> House:
    """Return a project and a home without any agent's files."""
    return make_house(tmp_path, state_dirs, capsys, monkeypatch)
