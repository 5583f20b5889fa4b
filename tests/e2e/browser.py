"""A site in a process of its own, and a real browser that looks at it."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shirube import open_workspace
from tests.conftest import StateDirs
from tests.doors.web.story import Story, tell

AXE = Path(__file__).resolve().parents[2] / "build" / "e2e" / "node_modules" / "axe-core" / "axe.min.js"
LOCALES = {"en": "en-US", "ja": "ja-JP"}


def chromium() -> str:
    """Return where the browser is, or nothing."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), "")


@dataclass
class Served:
    """A running site."""

    entrance: str
    address: str


@contextmanager
def served(root: Path, dirs: StateDirs, story: Story) -> Iterator[Served]:
    """Index a project, let its story happen, and serve it."""
    with open_workspace(root) as project:
        project.sync_index()
        tell(project, story)
    with running(root, dirs) as site:
        yield site


@contextmanager
def running(root: Path, dirs: StateDirs) -> Iterator[Served]:
    """Serve a project as it is."""
    command = [sys.executable, "-m", "shirube", "--root", str(root), "ui", "--no-open"]
    environ = {**dirs.environ(), "SHIRUBE_EMBED_MODEL": os.environ["SHIRUBE_EMBED_MODEL"]}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    assert process.stderr is not None
    told = process.stderr.readline() + process.stderr.readline()
    found = re.search(r"open (http://[^/]+)(/enter\S+)", told)
    assert found, told
    try:
        yield Served(found[1] + found[2], found[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


@contextmanager
def browser() -> Iterator[Any]:
    """Start a browser; as root it cannot have its sandbox."""
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium(), args=options)
        yield running
        running.close()


def enter(running: Any, site: Served, theme: str = "light", language: str = "en", width: int = 1280) -> Any:
    """Return a page that was let in."""
    size = {"width": width, "height": 900}
    context = running.new_context(viewport=size, color_scheme=theme, locale=LOCALES[language], timezone_id="UTC")
    page = context.new_page()
    page.goto(site.entrance)
    page.wait_for_url(f"{site.address}/search")
    return page
