"""Who may speak to a local port: Host, Origin and token checks, shared by every door that listens.

A page in the user's browser can send requests to any local port, and a name under a stranger's control can be made
to point at this machine. So the name asked for must be a local one, a browser's origin must be our own, and every
request must carry a token that only this user can read.
"""

import errno
import hmac
import re
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from shirube.engine.store.disk import write_whole
from shirube.errors import BadArgument
from shirube.messages import Message, say
from shirube.settings import Config

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
TOKEN_BYTES = 32
PROBE_SECONDS = 0.5


Headers = Mapping[str, str] | Iterable[tuple[str, str]]
"""Headers with lower-case names; as pairs, one may come twice."""
ONCE = ("host", "origin", "authorization")
"""Headers that a request has at most once: of two, a proxy and we might each believe another."""
OWN_SITES = ("same-origin", "none")
"""What a browser says in Sec-Fetch-Site of a request that no other site caused; ``none`` is the address bar."""


def refusal(headers: Headers, port: int, token: str) -> tuple[int, Message] | None:
    """Return an HTTP status and why a request is refused, or None."""
    sent = _pairs(headers)
    given = dict(sent)
    if told := stranger(sent, port):
        return told
    if given.get("sec-fetch-site", "none").lower() not in OWN_SITES:
        return 403, say("http.other_site")
    kind, _, secret = given.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not same_secret(secret.strip(), token):
        return 401, say("http.no_token")
    return None


def stranger(headers: Headers, port: int) -> tuple[int, Message] | None:
    """Return why a request is refused whatever it carries: asked for under a foreign name, or by a foreign page."""
    sent = _pairs(headers)
    given = dict(sent)
    for name in ONCE:
        if sum(one == name for one, _ in sent) > 1:
            return 400, say("http.header_twice", name=name)
    if given.get("host", "").lower() not in _authorities(port):
        return 421, say("http.local_only")
    origin = given.get("origin")
    if origin is not None and origin.lower() not in {f"http://{name}" for name in _authorities(port)}:
        return 403, say("http.other_origin")
    return None


def sent_headers(scope: MutableMapping[str, Any]) -> list[tuple[str, str]]:
    """Return the headers of a request as it was sent, one that came twice twice."""
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]


def _pairs(headers: Headers) -> list[tuple[str, str]]:
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _authorities(port: int) -> set[str]:
    """Return how this server may be called, compared letter by letter: nothing is taken apart, so nothing misleads."""
    return {f"{name}:{port}" for name in LOCAL_NAMES}


def same_secret(given: str, known: str) -> bool:
    """Compare in a time that tells nothing about the secret."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


def make_token_file(path: Path) -> str:
    """Write a fresh token where only its owner can read it, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    write_whole(path, f"{token}\n".encode(), 0o600)
    return token


def token_file(directory: Path, port: int) -> Path:
    """Return where the server at a port keeps its token."""
    return directory / f"http-{port}.token"


def drop_token_file(path: Path, token: str) -> None:
    """Take a token away at the end, unless another server has its own there by now."""
    try:
        if path.read_text().strip() == token:
            path.unlink()
    except OSError:
        return


def sweep_token_files(directory: Path) -> None:
    """Remove what servers that were killed left behind: no door opens to it, but it reads as if one did."""
    for path in directory.glob("*http-*.token*"):
        name = re.fullmatch(r"\.?http-(\d{1,5})\.token(\.\w+)?", path.name)
        if name and not _is_listening(int(name[1])):
            path.unlink(missing_ok=True)


def _is_listening(port: int) -> bool:
    """Tell whether anybody is at a port; a server listens before it writes its token."""
    with socket.socket() as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            return probe.connect_ex((LOCAL_NAMES[0], port)) != errno.ECONNREFUSED
        except OverflowError:
            return False


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

    from shirube.doors.loopback_limits import limited

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
