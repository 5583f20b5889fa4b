"""The protocol over streamable HTTP on the loopback interface."""

import json
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from shirube.errors import BadArgument
from shirube.loopback import drop_token_file, make_token_file, refusal, sweep_token_files, token_file
from shirube.mcp.server import Door, build_server

HOST = "127.0.0.1"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guarded:
    """An ASGI application that refuses strangers before anything else sees the request."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._port, self._token = app, port, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason for the refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
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
    import uvicorn

    from shirube.mcp.limits import limited

    door = Door(root, flags)
    config = door.config.serve
    sweep_token_files(door.config.state_dir)
    listener = _listen(port)
    port = listener.getsockname()[1]
    path, token = token_file(door.config.state_dir, port), ""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        token = make_token_file(path)
        app = Guarded(build_server(door).streamable_http_app(), port, token)
        protocol = limited(config.request_seconds, config.max_connections)
        server = uvicorn.Server(
            uvicorn.Config(app, http=protocol, ws="none", log_level="error", timeout_graceful_shutdown=2, lifespan="on")
        )
        sys.stderr.write(f"shirube: serving {root} at http://{HOST}:{port}/mcp, token in {path}\n")
        sys.stderr.flush()
        door.start(watch)
        server.run(sockets=[listener])
    finally:
        drop_token_file(path, token)
        door.close()


def _leave(*_: object) -> None:
    """End at a signal that comes before or after the server proper runs, so that the token's file goes too."""
    raise SystemExit(0)


def _listen(port: int) -> socket.socket:
    if not 0 <= port < 65_536:
        raise BadArgument(f"there is no port {port}", "choose one from 1 to 65535, or 0 for a free one")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise BadArgument(f"port {port} cannot be used: {error.strerror}", "choose another with --port, or 0") from None
    return listener
