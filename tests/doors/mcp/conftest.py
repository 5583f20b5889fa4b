"""Servers to talk to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shirube.engine.index import keeper
from tests.conftest import StateDirs, make_state_dirs, write_sample
from tests.doors.mcp.client import PATIENCE_SECONDS, Server


@pytest.fixture
def unhurried(state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let questions wait for the index as long as it takes: no answer depends on how busy the machine is."""
    monkeypatch.setenv("SHIRUBE_INDEX_FIRST_ANSWER_SECONDS", str(PATIENCE_SECONDS))
    for name in ("RESUME_SECONDS", "SEEN_SECONDS", "EMBED_SECONDS"):
        monkeypatch.setattr(keeper, name, PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StateDirs]:
    """Return a sample project and the directories its servers share."""
    base = tmp_path_factory.mktemp("mcp")
    return write_sample(base / "shop").resolve(), make_state_dirs(base / "own")


@pytest.fixture(scope="module")
def server(served: tuple[Path, StateDirs]) -> Iterator[Server]:
    """Return one server with every tool for all tests of a module; none may break it."""
    started = Server(*served, "--toolsets", "all")
    started.initialize()
    yield started
    started.close()


@pytest.fixture(scope="module")
def reader(served: tuple[Path, StateDirs]) -> Iterator[Server]:
    """Return one server with every tool that answers in text, as agents get it."""
    started = Server(*served, "--toolsets", "all", text=True)
    started.initialize()
    started.call("sync_index")
    yield started
    started.close()


@pytest.fixture
def start(served: tuple[Path, StateDirs]) -> Iterator[Callable[..., Server]]:
    """Return how to start a server of the test's own."""
    started: list[Server] = []

    def begin(*options: str, program: list[str] | None = None, text: bool = False) -> Server:
        started.append(Server(*served, *options, program=program, text=text))
        return started[-1]

    yield begin
    for one in started:
        one.close()
