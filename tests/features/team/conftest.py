"""A team of each test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StateDirs
from tests.teams import Team, opened_team


@pytest.fixture
def team(tmp_path: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    with opened_team(tmp_path, state_dirs, monkeypatch) as made:
        yield made
