"""Listening on the loopback interface until a signal comes, with a token that goes when the server goes."""

import signal
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from shirube.doors.loopback.checks import drop_token_file, make_token_file, sweep_token_files, token_file
from shirube.errors import BadArgument
from shirube.settings import Config

HOST = "127.0.0.1"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Seat(Struct, frozen=True):
    """Where a server listens, and the token it lets people in by."""

    port: int
    token: str
    file: Path
    """Where the token is kept, for its owner alone."""

    @property
    def address(self) -> str:
        """The beginning of every address of this server."""
        return f"http://{HOST}:{self.port}"


def serve_local(config: Config, port: int, make: Callable[[Seat], App], leave: Callable[[], None]) -> None:
    """Serve the application that ``make`` returns for a port and a token, until a signal comes.

    Then ``leave`` gives up what requests are still waiting for, before anybody waits for the requests.
    """
    import uvicorn

    from shirube.doors.loopback.limits import limited

    sweep_token_files(config.state_dir)
    listener = listen(port)
    port = listener.getsockname()[1]
    path, token = token_file(config.state_dir, port), ""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        token = make_token_file(path)
        app = make(Seat(port, token, path))
        protocol = limited(config.serve.request_seconds, config.serve.max_connections)
        settings = uvicorn.Config(
            app, http=protocol, ws="none", log_level="error", timeout_graceful_shutdown=1, lifespan="on"
        )

        class Server(uvicorn.Server):
            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                leave()
                await super().shutdown(sockets)

        server = Server(settings)
        server.run(sockets=[listener])
    finally:
        drop_token_file(path, token)


def _leave(number: int, _: object) -> None:
    """End at a signal that comes before or after the server proper runs, so that the token's file goes too."""
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(0)


def listen(port: int) -> socket.socket:
    """Return a listening socket on this machine alone; port 0 is any free one."""
    if not 0 <= port < 65_536:
        raise BadArgument("http.no_port", port=port)
    # Named as TCP, or asyncio does not switch its delays off, and every answer takes 40 ms longer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise BadArgument("http.port_refused", port=port, error=error.strerror) from None
    return listener
