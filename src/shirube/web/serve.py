"""Starting the site: one project, one port, one browser."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from shirube.errors import ShirubeError
from shirube.loopback.ports import App, Seat, serve_local
from shirube.operations.run import run

if TYPE_CHECKING:
    from shirube.workspace import Workspace

PATIENCE_SECONDS = 0.3
"""How long a page waits for an index that is being built: people rather see how far it is."""


def serve_ui(root: Path, flags: Mapping[str, Any], port: int, opened: Callable[[str], object] | None) -> None:
    """Serve the site until a signal comes; ``opened`` shows an address in a browser, None leaves that to the user."""
    from shirube.workspace import build_workspace

    workspace = build_workspace(root, {"index.first_answer_seconds": PATIENCE_SECONDS, **flags})

    def made(seat: Seat) -> App:
        from shirube.web.site import build_site

        site = build_site(workspace, seat)
        sys.stderr.write(f"shirube: {workspace.root}\nshirube: open {seat.address}/enter?key={seat.token}\n")
        sys.stderr.flush()
        Thread(target=_look_after, args=(workspace,), name="shirube-ui", daemon=True).start()
        if opened is not None:
            # Others can read the command line of a browser, so what stands there opens the door only once.
            address = f"{seat.address}/enter?key={site.once()}"
            Thread(target=opened, args=(address,), name="shirube-browser", daemon=True).start()
        return site

    try:
        serve_local(workspace.config, port or workspace.config.web.port, made)
    finally:
        workspace.close()


def _look_after(workspace: "Workspace") -> None:
    """Bring the index up to date beside the first page, and load what the first question needs."""
    try:
        if workspace.config.index.sync_on_start:
            workspace.keeper.refresh(lambda *step: None, patient=False)
        run(workspace, "search", {"query": "shirube"})
    except ShirubeError as error:
        sys.stderr.write(f"shirube: the index could not be brought up to date: {error}\n")
