"""One team for all tests of this door: it takes seconds to make."""

import pytest

from tests.doors.team.world import World, serving
from tests.postgres import shared_server


@pytest.fixture(name="world", scope="session")
def _world(tmp_path_factory):
    with shared_server().database() as address:
        world = World(tmp_path_factory.mktemp("team"), address)
        yield world
        world.close()


@pytest.fixture(name="port", scope="session")
def _port(world):
    with serving(world.desk) as port:
        yield port
