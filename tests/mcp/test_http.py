"""The protocol over HTTP: who is let in, and how it ends."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import make_state_dirs, write_sample

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}
ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Served:
    """A server in a process of its own."""

    process: "subprocess.Popen[str]"
    port: int
    token_file: Path

    def post(self, message: object, **headers: str) -> tuple[int, str]:
        return self.send(json.dumps(message).encode(), **headers)

    def send(self, body: bytes, **changes: str) -> tuple[int, str]:
        headers = {**ACCEPT, "authorization": f"Bearer {self.token_file.read_text().strip()}"}
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    base = tmp_path_factory.mktemp("http")
    made = start(write_sample(base / "shop"), make_state_dirs(base / "own").environ())
    yield made
    made.process.send_signal(signal.SIGTERM)
    made.process.communicate(timeout=30)


def start(root: Path, environ: dict[str, str]) -> Served:
    command = [sys.executable, "-m", "shirube", "--root", str(root), "serve", "--http", "--toolsets", "all"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp, token in (.+)$", line.strip())
    assert found, line
    return Served(process, int(found[1]), Path(found[2]))


def test_a_client_with_the_token_is_answered(served):
    status, text = served.post(HELLO)
    assert status == 200
    assert '"shirube"' in text


def test_the_modern_revision_is_answered_without_a_session(served):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    }
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
    status, text = served.send(json.dumps(message).encode(), **headers)
    assert status == 200
    assert "index_status" in text


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_strangers_are_refused_before_anything_is_read(served, changes, status):
    assert served.post(HELLO, **changes)[0] == status


def test_a_body_over_the_limit_is_refused(served):
    status, _ = served.send(b'{"x": "' + b"x" * 5_000_000 + b'"}')
    assert status == 413


@pytest.mark.parametrize("body", [b"{bad", b"[]", b"\xff\xfe", b"[" * 10_000, b'"text"', b""])
def test_nonsense_gets_a_client_error_and_the_server_lives_on(served, body):
    status, _ = served.send(body)
    assert 400 <= status < 500
    assert served.post(HELLO)[0] == 200


def test_it_listens_on_the_loopback_interface_only(served):
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.2", served.port)) != 0


def test_a_port_that_is_taken_is_an_error_with_a_next_step(served, tmp_path):
    environ = make_state_dirs(tmp_path / "own").environ()
    command = [sys.executable, "-m", "shirube", "--root", str(write_sample(tmp_path / "shop")), "serve", "--http"]
    done = subprocess.run(
        [*command, "--port", str(served.port)], capture_output=True, text=True, env=environ, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "--port" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_takes_the_token_away(number, tmp_path):
    made = start(write_sample(tmp_path / "shop"), make_state_dirs(tmp_path / "own").environ())
    assert made.token_file.exists()
    assert made.token_file.stat().st_mode & 0o777 == 0o600
    made.process.send_signal(number)
    made.process.communicate(timeout=30)
    assert not made.token_file.exists()


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_cannot_be_is_an_error_with_a_next_step(port, tmp_path):
    environ = make_state_dirs(tmp_path / "own").environ()
    command = [sys.executable, "-m", "shirube", "--root", str(tmp_path), "serve", "--http", f"--port={port}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, timeout=60)
    assert done.returncode == 2
    assert "65535" in done.stderr
