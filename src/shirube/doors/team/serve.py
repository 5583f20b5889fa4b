"""Starts the server of a team: its port, the one for metrics, and the end when a signal comes."""

import asyncio
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from shirube.doors.loopback import App, Receive, Scope, Send, listen, make_token_file, same_secret
from shirube.doors.team.desk import Desk
from shirube.doors.team.pages import Pages
from shirube.doors.team.site import MCP, TeamDoor, build_mcp
from shirube.doors.team.turns import Turns
from shirube.errors import ConfigError, ShirubeError
from shirube.features.team.access import Gatekeeper
from shirube.features.team.audit import AuditLog
from shirube.features.team.issuer import Issuer
from shirube.settings import Config
from shirube.shared import SharedIndex

if TYPE_CHECKING:
    import socket

    import uvicorn

ENDING_SECONDS = 20
"""How long requests that have begun may go on after a signal."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve_team(config: Config, port: int, metrics_port: int) -> None:
    """Serve until a signal comes; print the addresses on stderr, but no secret."""
    import uvicorn

    check_settings(config)
    index = SharedIndex(config)
    try:
        index.check()
        desk = Desk(index, _gate(config, index), _audit(config))
        listener, side = listen(port, config.team.bind), listen(metrics_port, config.team.bind)
        own, others = listener.getsockname()[1], side.getsockname()[1]
        token, where = _metrics_token(config, others)
        app = build_app(desk, own)
        _tell(config, own, others, where)
        Thread(target=uvicorn.Server(_settings(config, _Side(desk, token))).run, args=([side],), daemon=True).start()
        _run(config, app, listener)
    finally:
        index.close()


def build_app(desk: Desk, port: int) -> TeamDoor:
    """Return the application that listens at a port."""
    from mcp.server.transport_security import TransportSecuritySettings

    turns = Turns(desk.index.config.team.connections)
    protocol = build_mcp(desk, turns).streamable_http_app(
        streamable_http_path=MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=desk.index.config.team.body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the door has looked
    )
    return TeamDoor(desk, protocol, Pages(desk), turns, port)


def check_settings(config: Config) -> None:
    """Refuse settings under which a token could be read on its way."""
    team = config.team
    if bool(team.certificate) != bool(team.key):
        raise ConfigError("team_access.half_certificate")
    if team.bind not in LOOPBACK and not team.certificate and not team.behind_proxy:
        raise ConfigError("team_access.no_tls", bind=team.bind)
    if not team.hosts and team.bind not in LOOPBACK:
        raise ConfigError("team_access.no_hosts")


def _gate(config: Config, index: SharedIndex) -> Gatekeeper:
    issuer = Issuer(config.team) if config.team.issuer else None
    if issuer is not None:
        issuer.look()
    return Gatekeeper(index.access, issuer, config.team.most_repositories)


def _audit(config: Config) -> AuditLog | None:
    team = config.team
    return AuditLog(Path(team.audit), team.audit_megabytes * 1_000_000, team.audit_files) if team.audit else None


def _metrics_token(config: Config, port: int) -> tuple[str, str]:
    """Return the token for metrics, and the file that has it; empty when it was configured."""
    if config.team.metrics_token:
        return config.team.metrics_token, ""
    path = config.state_dir / f"team-metrics-{port}.token"
    return make_token_file(path), str(path)


def _tell(config: Config, port: int, others: int, where: str) -> None:
    scheme, bind = "https" if config.team.certificate else "http", config.team.bind
    token = f", token in {where}" if where else ""
    sys.stderr.write(f"shirube: serving a team at {scheme}://{bind}:{port}{MCP}, pages at {scheme}://{bind}:{port}/\n")
    sys.stderr.write(f"shirube: metrics at {scheme}://{bind}:{others}/metrics{token}\n")
    sys.stderr.flush()


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


def _run(config: Config, app: App, listener: "socket.socket") -> None:
    """Serve in this thread."""
    import uvicorn

    server = uvicorn.Server(_settings(config, app))
    for number in (signal.SIGTERM, signal.SIGINT):  # one that comes before the loop has begun ends as well
        signal.signal(number, server.handle_exit)
    asyncio.run(server.serve([listener]))


class _Side:
    """Metrics and health, for who holds their token."""

    def __init__(self, desk: Desk, token: str) -> None:
        self._desk, self._token = desk, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
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


async def _lifespan(receive: Any, send: Any) -> None:
    while (message := await receive())["type"] != "lifespan.shutdown":
        await send({"type": f"{message['type']}.complete"})
    await send({"type": "lifespan.shutdown.complete"})
