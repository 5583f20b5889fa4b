"""Our HTTP stack under a server of the caller's choice: ``python -m tests.conformance.stack product|everything ROOT``.

The suite cannot send a token, so every request is given one on its way in; Host, Origin and everything else are
checked as always.
"""

import sys
from pathlib import Path
from typing import Any

from shirube.doors.loopback import App, Seat, serve_local
from shirube.doors.mcp.serve import Guarded
from shirube.doors.mcp.server import Door, build_server
from shirube.engine.repo.process import kill_all
from tests.conformance.everything import everything


def with_token(app: App, token: str) -> App:
    """Return an application that takes every request as one with the token."""

    async def passing(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]}
        await app(scope, receive, send)

    return passing


def main(which: str, root: Path) -> None:
    """Serve until a signal comes; the address is the only line on stdout."""
    door = Door(root, {"serve.toolsets": "all"})
    server = build_server(door) if which == "product" else everything()

    def made(seat: Seat) -> App:
        print(f"{seat.address}/mcp", flush=True)
        return with_token(Guarded(server.streamable_http_app(), seat.port, seat.token), seat.token)

    try:
        serve_local(door.config, 0, made, kill_all)
    finally:
        door.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
