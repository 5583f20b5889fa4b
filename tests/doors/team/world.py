"""A team for tests: a database with four repositories, tokens of each kind, and a server over it."""

import json
import socket
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from uuid import uuid4

import uvicorn

from shirube.codec import replace
from shirube.config import load_config
from shirube.deadline import Deadline
from shirube.doors.team.desk import Desk
from shirube.doors.team.serve import build_app
from shirube.engine.store.access import Holder, Token
from shirube.features.team.access import Gatekeeper
from shirube.features.team.audit import AuditLog
from shirube.features.team.tokens import hash_of, new_secret
from shirube.shared import SharedIndex, open_access
from shirube.workspace import build_workspace
from tests.postgres import shared_server
from tests.teams import published

SECRETS = {"shop": "quincewood", "bank": "marlinspike", "mail": "oxbowlake", "game": "thistledown"}
"""The repositories, and a word that stands in their files, names, symbols and commits, and in no question."""
NAMES = tuple(SECRETS)
SOURCE = '''\
"""The {name} of zq{name}."""


def zq{name}_total(amount):
    """Count the zq{name} of {secret} together, as everybody does."""
    return amount


def zq{name}_twice(amount):
    return zq{name}_total(amount) + zq{name}_total(amount)


class {secret}:
    zq{name} = zq{name}_total(1)
'''


def full(name):
    return f"example.org/zq/{name}"


class World:
    """Repositories of one database, and what asks about them."""

    def __init__(self, place: Path, address: str):
        role = f"serving_{uuid4().hex[:8]}"
        shared_server().execute(f"CREATE ROLE {role} LOGIN")
        self.place, self.owner, self.serving = place, address, address.replace("postgres@", f"{role}@")
        for name in NAMES:
            self._index(name)
        self.access = open_access(self.config(self.owner))
        self.access.let_serve(role)
        self.index = SharedIndex(self.config(self.serving))
        self.audit = place / "audit.jsonl"
        self.gate = Gatekeeper(self.index.access, None, 8)
        self.desk = Desk(self.index, self.gate, AuditLog(self.audit, 10_000_000, 1))

    def config(self, address, **team):
        flags = {"store.backend": "postgres", "store.address": address, "index.workers": 1}
        config = load_config(None, flags | {f"team.{name}": value for name, value in team.items()})
        return replace(config, cache_dir=self.place / "cache", state_dir=self.place / "state")

    def _index(self, name):
        root = self.place / name
        (root / "src").mkdir(parents=True)
        (root / "src" / f"zq{name}.py").write_text(SOURCE.format(name=name, secret=SECRETS[name]))
        (root / f"{SECRETS[name]}.md").write_text(f"# About zq{name}\n\nWhat zq{name} of {SECRETS[name]} does.\n")
        (root / "src" / f"uses_{SECRETS[name]}.py").write_text(
            f"from zq{name} import zq{name}_total\n\nzq{name}_total(2)\n"
        )
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.place)}
        published(root, f"{full(name)}.git", f"Begin the zq{name}, {SECRETS[name]}", env)
        workspace = build_workspace(root, config=self.config(self.owner))
        workspace.keeper.sync(full=False, progress=lambda *step: None, deadline=Deadline())
        workspace.close()

    def token(self, *patterns, days=1.0, requests=1_000_000, words=1_000_000_000):
        """Make a token, and return its secret and its name."""
        secret, name = new_secret(), uuid4().hex[:8]
        self.access.make(Token(name, "ann", patterns, requests, words), hash_of(secret), days)
        return secret, name

    def holder(self, *patterns):
        return Holder(uuid4().hex[:8], "ann", 1_000_000, 1_000_000_000, patterns)

    def close(self):
        self.index.close()
        self.access.close()


@contextmanager
def serving(desk):
    """Serve the desk on a port of the loopback, and yield the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    from shirube.doors.loopback_limits import limited

    settings = uvicorn.Config(build_app(desk, port), http=limited(2.0, 64), ws="none", log_level="error", lifespan="on")
    server = uvicorn.Server(settings)
    thread = Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        sleep(0.01)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


def send(port, path="/mcp", body=None, method=None, **headers):
    """Send a request, and return the status, the headers and the body of the answer."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    given = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    given = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, given, method=method)
    try:
        with _OPENER.open(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given):
        return None


_OPENER = urllib.request.build_opener(_Stay)


def call(name, **arguments):
    """Return the request that calls a tool."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
