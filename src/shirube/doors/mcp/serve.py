"""Starts and ends an MCP server, on stdio or on streamable HTTP on the loopback interface."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp.server.stdio import stdio_server

from shirube.codec import read_json
from shirube.doors.loopback import App, Receive, Scope, Seat, Send, refusal, sent_headers, serve_local
from shirube.doors.mcp.server import Door, build_server, hello
from shirube.doors.mcp.stdio import Wire
from shirube.engine.repo.process import kill_all
from shirube.messages import say

NO_SESSION = ("Bad Request: Missing session ID", "Session not found")
"""What the protocol's library says to a request outside a session."""
INTERRUPTED = 128 + signal.SIGINT


def serve_stdio(root: Path, flags: Mapping[str, Any], watch: bool = False) -> None:
    """Serve one client until it disconnects or a signal comes."""
    code = asyncio.run(_serve(Door(root, flags, watch)))
    # The thread that reads stdin may still block on input, so a normal exit could hang; everything else is closed.
    sys.stderr.flush()
    os._exit(code)


async def _serve(door: Door) -> int:
    """Serve and return the exit code: 130 after Ctrl-C, 0 for every other end."""
    wire = Wire(door.config.serve.max_line_bytes)
    server = build_server(door)
    stop, codes = asyncio.Event(), [0]

    def end(code: int) -> None:
        codes.append(code)
        stop.set()

    loop = asyncio.get_running_loop()
    for number, code in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, INTERRUPTED)):
        loop.add_signal_handler(number, end, code)
    door.start()
    async with stdio_server(stdin=wire, stdout=wire) as (incoming, outgoing):  # type: ignore[arg-type]
        serving = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        kill_all()
        await asyncio.to_thread(door.close)
        if not serving.done():
            os._exit(codes[-1])
        stopping.cancel()
    return codes[-1]


class Guarded:
    """An ASGI application that refuses foreign requests before the server sees them."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._port, self._token = app, port, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason for the refusal."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets
        refused = refusal(sent_headers(scope), self._port, self._token)
        await (_refused(*refused) if refused else self._app)(scope, receive, _hinting(send))


def _hinting(send: Send) -> Send:
    """Return how to send an answer: where the protocol's library misses a session, with what has to come first."""
    held: list[dict[str, Any]] = []

    async def hinted(message: Any) -> None:
        if message["type"] == "http.response.start" and message["status"] in (400, 404):
            held.append(message)
            return
        if held:
            start, body = held.pop(), message.get("body", b"")
            message = {**message, "body": _with_hint(body)}
            grown = len(message["body"]) - len(body)
            sized = [(name, name == b"content-length", value) for name, value in start["headers"]]
            headers = [(name, b"%d" % (int(value) + grown) if is_size else value) for name, is_size, value in sized]
            await send({**start, "headers": headers})
        await send(message)

    return hinted


def _with_hint(body: bytes) -> bytes:
    reply = read_json(body.decode("utf-8", "replace"))
    error = reply.get("error") if isinstance(reply, dict) else None
    if not isinstance(error, dict) or error.get("message") not in NO_SESSION:
        return body
    error["message"] = say("protocol.no_session", told=error["message"], hello=hello())
    return json.dumps(reply).encode()


def _refused(status: int, message: str) -> App:
    from starlette.responses import Response  # imported late: a server on stdio starts without it

    body = json.dumps({"error": {"code": "refused", "message": message}})
    return Response(body, status, {"www-authenticate": "Bearer"} if status == 401 else None, "application/json")


def serve_http(root: Path, flags: Mapping[str, Any], port: int, watch: bool = False) -> None:
    """Serve over HTTP until a signal comes; print the address and the token file on stderr."""
    door = Door(root, flags, watch)

    def make_app(seat: Seat) -> App:
        app = Guarded(build_server(door).streamable_http_app(), seat.port, seat.token)
        sys.stderr.write(f"shirube: serving {root} at {seat.address}/mcp, token in {seat.file}\n")
        sys.stderr.flush()
        door.start()
        return app

    try:
        serve_local(door.config, port, make_app, kill_all)
    finally:
        door.close()
