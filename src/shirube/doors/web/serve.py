"""Starts the site for one project, and opens it in the browser."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from shirube.doors.loopback import App, Seat, serve_local
from shirube.engine.repo.process import kill_all
from shirube.errors import ShirubeError
from shirube.operation import Call
from shirube.operations import run

if TYPE_CHECKING:
    from shirube.workspace import Workspace

FLAGS = {"index.first_answer_seconds": 0.15}
"""Show progress instead of waiting: pages should appear within 0.3 s."""


def serve_ui(root: Path, flags: Mapping[str, Any], port: int, opened: Callable[[str], object] | None) -> None:
    """Serve the site until a signal comes; ``opened`` shows an address in a browser, None leaves that to the user."""
    from shirube.workspace import build_workspace

    workspace, stop = build_workspace(root, {**FLAGS, **flags}), Event()
    workspace.keeper.follow(always=True)

    def make_app(seat: Seat) -> App:
        from shirube.doors.web.site import build_site

        site = build_site(workspace, seat)
        sys.stderr.write(f"shirube: {workspace.root}\nshirube: open {seat.address}/enter?key={seat.token}\n")
        sys.stderr.flush()
        Thread(target=_look_after, args=(workspace, stop), name="shirube-ui", daemon=True).start()
        if opened is not None:
            # Other users can read the browser's command line, so the key in it works only once.
            address = f"{seat.address}/enter?key={site.once()}"
            Thread(target=opened, args=(address,), name="shirube-browser", daemon=True).start()
        return site

    try:
        serve_local(workspace.config, port or workspace.config.web.port, make_app, kill_all)
    finally:
        stop.set()
        workspace.close()


def _look_after(workspace: "Workspace", stop: Event) -> None:
    """In the background: load what the first search needs, and update the index; the search begins the following."""
    from shirube.doors.web.rendering import compile_templates

    try:
        # This search loads both the lexical index and the model.
        run(workspace, "search", {"query": "shirube", "mode": "hybrid"}, Call(patient=False))
        if workspace.config.index.sync_on_start:
            workspace.keeper.refresh(lambda *step: None, patient=False)
        compile_templates()
    except ShirubeError as error:
        if not stop.is_set():
            sys.stderr.write(f"shirube: the index could not be brought up to date: {error}\n")
