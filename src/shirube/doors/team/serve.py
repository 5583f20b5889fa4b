"""Starts the server of a team: its port, the one for metrics, and the end when a signal comes."""

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from shirube.doors.loopback import MCP, App, Receive, Scope, Send, listen, make_token_file, same_secret
from shirube.doors.team.desk import Desk
from shirube.doors.team.pages import Pages
from shirube.doors.team.site import TeamDoor, build_mcp
from shirube.doors.team.turns import Turns
from shirube.errors import ConfigError, ShirubeError
from shirube.features.team.access import Gatekeeper
from shirube.features.team.audit import AuditLog
from shirube.features.team.issuer import Issuer
from shirube.features.team.tokens import LOOPBACK
from shirube.settings import Config
from shirube.shared import SharedIndex

if TYPE_CHECKING:
    import socket

    import uvicorn

HANDSHAKE_SECONDS, FAREWELL_SECONDS = 5.0, 1.0
"""How long a client may take to begin TLS, and to end it."""
MOST_FILES = 65_536
"""How many files and connections may be open, where the system allows that."""
ENDING_SECONDS = 20
"""How long requests that have begun may go on after a signal."""


def serve_team(config: Config, port: int, metrics_port: int) -> None:
    """Serve until a signal comes; print the addresses on stderr, but no secret."""
    import uvicorn

    check_settings(config)
    _allow_files()
    team, index = config.team, SharedIndex(config)
    try:
        index.check()
        issuer = Issuer(team) if team.issuer else None
        if issuer is not None:
            issuer.look()
        audit = AuditLog(Path(team.audit), team.audit_megabytes * 1_000_000, team.audit_files) if team.audit else None
        desk = Desk(index, Gatekeeper(index.access, issuer, team.most_repositories), audit)
        listener, side = listen(port, team.bind), listen(metrics_port, team.bind)
        own, others = listener.getsockname()[1], side.getsockname()[1]
        token, where = team.metrics_token, ""
        if not token:
            path = config.state_dir / f"team-metrics-{others}.token"
            token, where = make_token_file(path), f", token in {path}"
        app, address = build_app(desk, own), f"{team.scheme}://{team.bind}"
        sys.stderr.write(f"shirube: serving a team at {address}:{own}{MCP}, pages at {address}:{own}/\n")
        sys.stderr.write(f"shirube: metrics at {address}:{others}/metrics{where}\n")
        sys.stderr.flush()
        aside = uvicorn.Server(_settings(config, _Side(desk, token)))
        Thread(target=_run, args=(config, aside, side), daemon=True).start()
        server = uvicorn.Server(_settings(config, app))
        for number in (signal.SIGTERM, signal.SIGINT):  # one that comes before the loop has begun ends as well
            signal.signal(number, server.handle_exit)
        _run(config, server, listener)
    finally:
        index.close()


def build_app(desk: Desk, port: int) -> TeamDoor:
    """Return the application that listens at a port."""
    from mcp.server.transport_security import TransportSecuritySettings

    logging.getLogger("mcp.server.streamable_http").addFilter(_is_worth_a_line)
    turns = Turns(desk.index.config.team.connections)
    protocol = build_mcp(desk, turns).streamable_http_app(
        streamable_http_path=MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=desk.index.config.team.body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the door has looked
    )
    return TeamDoor(desk, protocol, Pages(desk), turns, port)


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    """Tell whether the protocol's failure is one; a client that hung up is none."""
    return record.exc_info is None or not isinstance(record.exc_info[1], ClientDisconnect)


def check_settings(config: Config) -> None:
    """Refuse settings under which a token could be read on its way."""
    team = config.team
    if bool(team.certificate) != bool(team.key):
        raise ConfigError("team_access.half_certificate")
    if team.bind not in LOOPBACK and not team.certificate and not team.behind_proxy:
        raise ConfigError("team_access.no_tls", bind=team.bind)
    if not team.hosts and team.bind not in LOOPBACK:
        raise ConfigError("team_access.no_hosts")


def _settings(config: Config, app: App) -> "uvicorn.Config":
    import uvicorn

    from shirube.doors.loopback_limits import limited

    team = config.team
    is_shared = team.behind_proxy or team.bind in LOOPBACK  # then many clients have one address
    return uvicorn.Config(
        app,
        http=limited(config.serve.request_seconds, team.clients, 0 if is_shared else max(1, team.clients // 2)),
        ws="none",
        log_level="error",
        lifespan="on",
        timeout_graceful_shutdown=ENDING_SECONDS,
        ssl_certfile=team.certificate or None,
        ssl_keyfile=team.key or None,
        proxy_headers=False,
        server_header=False,
    )


def _run(config: Config, server: "uvicorn.Server", listener: "socket.socket") -> None:
    """Serve in this thread."""
    with asyncio.Runner(loop_factory=_TlsLoop if config.team.certificate else None) as runner:
        runner.run(server.serve([listener]))


class _TlsLoop(asyncio.SelectorEventLoop):
    """Waits for no client that neither begins nor ends TLS; uvicorn has no setting for that."""

    async def create_server(self, *given: Any, **options: Any) -> Any:
        """Listen with limits of our own."""
        options |= {"ssl_handshake_timeout": HANDSHAKE_SECONDS, "ssl_shutdown_timeout": FAREWELL_SECONDS}
        return await super().create_server(*given, **options)


def _allow_files() -> None:
    """Let this process have as many connections as it may have: those that have not begun TLS are counted nowhere."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Side:
    """Metrics and health, for who holds their token."""

    def __init__(self, desk: Desk, token: str) -> None:
        self._desk, self._token = desk, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": f"{message['type']}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        kind, _, given = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not same_secret(given.strip(), self._token):
            answer = PlainTextResponse("", 401, {"www-authenticate": "Bearer"})
        else:
            answer = PlainTextResponse(*await asyncio.to_thread(self._page, scope["path"]))
        await answer(scope, receive, send)

    def _page(self, path: str) -> tuple[str, int]:
        if path == "/metrics":
            index = self._desk.index
            return self._desk.metrics.text(open_repositories=index.size, database_trips=index.trips), 200
        if path != "/health":
            return "", 404
        try:
            self._desk.index.check()
        except ShirubeError as error:
            return f"{error.code}\n", 503
        return "ok\n", 200
