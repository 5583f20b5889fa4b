"""Checks requests to a local port (Host, Origin and token) and serves on it; shared by every door that listens.

A page in the user's browser can send requests to any local port, and a stranger's domain name can resolve to this
machine (DNS rebinding). So the Host must be a local name, a browser's Origin must be our own, and every request must
carry a token that only this user can read.
"""

import errno
import hmac
import re
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec import Struct

from shirube.engine.store.disk import write_whole
from shirube.errors import BadArgument
from shirube.messages import Message, say
from shirube.settings import Config

MCP = "/mcp"
"""Where the protocol is spoken."""
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
TOKEN_BYTES = 32
PROBE_SECONDS = 0.5

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
"""Headers with lower-case names; a list of pairs can hold a header twice."""
ONCE = ("host", "origin", "authorization")
"""Headers that a request may have only once: of two, a proxy might trust one and we the other."""
OWN_SITES = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests that no other site caused; ``none`` is the address bar."""


def refusal(headers: Headers, port: int, token: str) -> tuple[int, Message] | None:
    """Return the HTTP status and the reason for refusing a request, or None to accept it."""
    sent = _pairs(headers)
    given = dict(sent)
    if foreign := stranger(sent, port):
        return foreign
    if given.get("sec-fetch-site", "none").lower() not in OWN_SITES:
        return 403, say("http.other_site")
    kind, _, secret = given.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not same_secret(secret.strip(), token):
        return 401, say("http.no_token")
    return None


def stranger(headers: Headers, port: int) -> tuple[int, Message] | None:
    """Return status and reason for refusing a request to a foreign name or from a foreign page; ignores tokens."""
    known = {f"{name}:{port}" for name in LOCAL_NAMES}  # compared whole, because parsing them could be tricked
    return foreign(headers, known, {f"http://{name}" for name in known})


def foreign(headers: Headers, hosts: Collection[str], origins: Collection[str]) -> tuple[int, Message] | None:
    """Return status and reason for refusing a request to none of these hosts, or from none of these origins."""
    sent = _pairs(headers)
    given = dict(sent)
    for name in ONCE:
        if sum(header == name for header, _ in sent) > 1:
            return 400, say("http.header_twice", name=name)
    if given.get("host", "").lower() not in hosts:
        return 421, say("http.local_only")
    origin = given.get("origin")
    if origin is not None and origin.lower() not in origins:
        return 403, say("http.other_origin")
    return None


def sent_headers(scope: MutableMapping[str, Any]) -> list[tuple[str, str]]:
    """Return the headers of a request as they were sent, including duplicates."""
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]


def _pairs(headers: Headers) -> list[tuple[str, str]]:
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def same_secret(given: str, known: str) -> bool:
    """Compare two secrets in constant time, so that timing reveals nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


def make_token_file(path: Path) -> str:
    """Write a fresh token where only its owner can read it, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    write_whole(path, f"{token}\n".encode(), 0o600)
    return token


def token_file(directory: Path, port: int) -> Path:
    """Return the token file of the server at a port."""
    return directory / f"http-{port}.token"


def drop_token_file(path: Path, token: str) -> None:
    """Delete the token file at the end, unless another server has replaced it by now."""
    try:
        if path.read_text().strip() == token:
            path.unlink()
    except OSError:
        return


def sweep_token_files(directory: Path) -> None:
    """Remove token files that killed servers left behind; they are harmless, but look like running servers."""
    for path in directory.glob("*http-*.token*"):
        name = re.fullmatch(r"\.?http-(\d{1,5})\.token(\.\w+)?", path.name)
        if name and not _is_listening(int(name[1])):
            path.unlink(missing_ok=True)


def _is_listening(port: int) -> bool:
    """Tell whether anything listens on a port; our servers listen before they write their token."""
    with socket.socket() as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            return probe.connect_ex((LOCAL_NAMES[0], port)) != errno.ECONNREFUSED
        except OverflowError:
            return False


HOST = "127.0.0.1"
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Seat(Struct, frozen=True):
    """Where a server listens, and the token it requires."""

    port: int
    token: str
    file: Path
    """The token file; only its owner can read it."""

    @property
    def address(self) -> str:
        """The base URL of this server."""
        return f"http://{HOST}:{self.port}"


def serve_local(config: Config, port: int, make: Callable[[Seat], App], leave: Callable[[], None]) -> None:
    """Serve the application that ``make`` returns for a port and a token, until a signal comes.

    Then ``leave`` aborts the work of open requests first, because the shutdown waits for those requests.
    """
    import uvicorn

    from shirube.doors.loopback_limits import limited

    sweep_token_files(config.state_dir)
    listener = listen(port)
    port = listener.getsockname()[1]
    path, token = token_file(config.state_dir, port), ""

    class Server(uvicorn.Server):
        ended_by = 0

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            self.ended_by = sig
            super().handle_exit(sig, frame)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            leave()
            await super().shutdown(sockets)

    protocol = limited(config.serve.request_seconds, config.serve.max_connections)
    settings = uvicorn.Config(
        _not_yet, http=protocol, ws="none", log_level="error", timeout_graceful_shutdown=1, lifespan="on"
    )
    server = Server(settings)
    for number in ENDING:  # noted from here on: an exception in the middle of something would leave half of it
        signal.signal(number, server.handle_exit)
    try:
        token = make_token_file(path)
        settings.app = make(Seat(port, token, path))
        if not server.should_exit:
            server.run(sockets=[listener])
        if server.ended_by:  # an exception, so that the token file is still removed
            raise KeyboardInterrupt if server.ended_by == signal.SIGINT else SystemExit(0)
    finally:
        drop_token_file(path, token)


async def _not_yet(scope: Scope, receive: Receive, send: Send) -> None:
    """Stand where the application will be."""


def listen(port: int, host: str = HOST) -> socket.socket:
    """Return a socket that listens, on the loopback interface only unless told otherwise; port 0 picks a free one."""
    if not 0 <= port < 65_536:
        raise BadArgument("http.no_port", port=port)
    # asyncio sets TCP_NODELAY only on sockets created as IPPROTO_TCP; without it every answer takes 40 ms longer.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise BadArgument("http.port_refused", port=port, error=error.strerror) from None
    return listener
