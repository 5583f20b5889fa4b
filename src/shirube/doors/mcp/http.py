"""The protocol over streamable HTTP on the loopback interface."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shirube.doors.loopback import refusal
from shirube.doors.loopback.ports import App, Receive, Scope, Seat, Send, serve_local
from shirube.doors.mcp.server import Door, build_server
from shirube.engine.repo import children


class Guarded:
    """An ASGI application that refuses strangers before anything else sees the request."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._port, self._token = app, port, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason for the refusal."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing else is spoken here
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        refused = refusal(headers, self._port, self._token)
        if refused is None:
            await self._app(scope, receive, send)
            return
        await _answer(send, *refused)


async def _answer(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": {"code": "refused", "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def serve_http(root: Path, flags: Mapping[str, Any], port: int, watch: bool = False) -> None:
    """Serve over HTTP until a signal comes; the address and the token's file are told on stderr."""
    door = Door(root, flags)

    def made(seat: Seat) -> App:
        app = Guarded(build_server(door).streamable_http_app(), seat.port, seat.token)
        sys.stderr.write(f"shirube: serving {root} at {seat.address}/mcp, token in {seat.file}\n")
        sys.stderr.flush()
        door.start(watch)
        return app

    try:
        serve_local(door.config, port, made, children.kill_all)
    finally:
        door.close()
