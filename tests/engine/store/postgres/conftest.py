"""A real server, and a network before it."""

from collections.abc import Iterator

import pytest
from tests.postgres import DatabaseServer, shared_server
from tests.proxy import Proxy


@pytest.fixture(scope="session")
def database_server() -> DatabaseServer:
    return shared_server()


@pytest.fixture
def proxy(database_server: DatabaseServer) -> Iterator[Proxy]:
    made = Proxy(database_server.port)
    yield made
    made.close()
