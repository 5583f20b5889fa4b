"""A team of each test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StateDirs
from tests.postgres import shared_server
from tests.teams import Team, make_team


@pytest.fixture
def team(tmp_path: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    with shared_server().database() as address:
        made = make_team(tmp_path, shared_server(), address, state_dirs.environ())
        for name in ("HOME", "SHIRUBE_STORE_ADDRESS", "SHIRUBE_TEAM_PROTOCOLS"):
            monkeypatch.setenv(name, made.environ[name])
        yield made
