"""A site to look at: the sample shop with a story, and something that asks for its pages."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from shirube import Project, open_workspace
from shirube.doors.loopback import Seat
from shirube.doors.web.guard import Guard
from shirube.doors.web.site import build_site
from shirube.doors.web.visit import Visit
from shirube.doors.web.words import Words
from tests.conftest import isolate, make_state_dirs, write_sample
from tests.doors.web.story import SHOP, tell

PORT = 7777
TOKEN = "only-for-tests"
OWN = {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-origin"}


@dataclass
class Site:
    """The site and a browser that was let in."""

    project: Project
    guard: Guard
    client: TestClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = TestClient(
            self.guard, f"http://127.0.0.1:{PORT}", raise_server_exceptions=False, follow_redirects=False
        )
        self.client.get("/enter", params={"key": TOKEN})

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers={"accept-language": "en", **headers})

    def post(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Any:
        sent = {"form_key": self.guard.form_key, **(form or {})}
        return self.client.post(path, data=sent, headers={**OWN, **headers})

    def visit(self, language: str = "en", **sent: str) -> Visit:
        given = {name: (value,) for name, value in sent.items()}
        return Visit(self.project.workspace, Words(language), given, self.guard.form_key)


def make_site(project: Project, base: Path) -> Site:
    """Return the site of a project, without a port."""
    return Site(project, build_site(project.workspace, Seat(PORT, TOKEN, base / "token")))


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The shop with its story; nobody may change it."""
    base = tmp_path_factory.mktemp("web")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        with open_workspace(write_sample(base / "shop")) as project:
            project.sync_index()
            tell(project, SHOP)
            yield make_site(project, base)


@pytest.fixture
def own_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A shop of one's own, to change."""
    isolate(make_state_dirs(tmp_path / "own"), monkeypatch)
    with open_workspace(write_sample(tmp_path / "shop")) as project:
        project.sync_index()
        yield make_site(project, tmp_path)
