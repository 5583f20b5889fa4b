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

from tests.cases import for_each
from tests.conftest import make_state_dirs, write_sample
from tests.stubborn import RUN, commanded

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

    @property
    def token(self) -> str:
        return self.token_file.read_text().strip()

    def open(self, data: bytes = b"") -> socket.socket:
        """Open a connection and send what is to be sent, and no more."""
        made = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        made.sendall(data)
        return made

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)

    def post(self, message: object, **headers: str) -> tuple[int, str]:
        return self.send(json.dumps(message).encode(), **headers)

    def send(self, body: bytes, **changes: str) -> tuple[int, str]:
        headers = {**ACCEPT, "authorization": f"Bearer {self.token}"}
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


def start(root: Path, environ: dict[str, str], port: int = 0) -> Served:
    options = ["serve", "--http", "--toolsets", "all", "--port", str(port)]
    command = [sys.executable, "-m", "shirube", "--root", str(root), *options]
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


@pytest.mark.requirement("N002-WIRE-01")
@for_each(("changes", "status"), [({}, 400), ({"mcp_session_id": "gone"}, 404)])
def test_a_request_outside_a_session_is_told_what_to_send(served, changes, status):
    answered, text = served.post({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}}, **changes)
    message = json.loads(text)["error"]["message"]
    assert answered == status
    assert "'initialize' must be the first request" in message
    (told,) = re.findall(r"\{.*\}", message)
    assert served.post(json.loads(told))[0] == 200


@for_each(
    ("changes", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "127.0.0.1:1@evil.example"}, 421),
        ({"origin": "http://127.0.0.1:1@evil.example"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
    ],
)
def test_strangers_are_refused_before_anything_is_read(served, changes, status):
    assert served.post(HELLO, **changes)[0] == status


METHODS = {
    "initialize": HELLO["params"],
    "tools/list": {},
    "tools/call": {"name": "search", "arguments": {"query": "retry"}},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "shirube://file/README.md"},
    "prompts/list": {},
    "prompts/get": {"name": "x"},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "file", "value": ""}},
}


@for_each("method", METHODS)
@for_each(
    ("changes", "status"),
    [({"authorization": ""}, 401), ({"host": "evil.example"}, 421), ({"origin": "http://evil.example"}, 403)],
)
def test_the_same_rules_hold_for_every_method(served, method, changes, status):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": METHODS[method]}
    got, text = served.post(message, **changes)
    assert got == status
    assert "shirube-" not in text
    assert served.token not in text


@for_each("verb", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
@for_each("path", ["/mcp", "/", "/mcp/", "/other", "//mcp", "/mcp/../x", "http://evil.example/mcp"])
def test_the_same_rules_hold_for_every_path_and_verb(served, verb, path):
    for headers, status in (
        (f"host: 127.0.0.1:{served.port}", b"401"),
        (f"host: evil.example\r\nauthorization: Bearer {served.token}", b"421"),
        (f"host: 127.0.0.1:{served.port}\r\norigin: null\r\nauthorization: Bearer {served.token}", b"403"),
    ):
        asked = f"{verb} {path} HTTP/1.1\r\n{headers}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        assert read_to_the_end(served.open(asked.encode())).split()[1] == status


def test_two_hosts_or_two_origins_in_one_request_are_refused(served):
    good = f"authorization: Bearer {served.token}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    local = f"127.0.0.1:{served.port}"
    for twice in (f"host: {local}\r\nhost: evil.example", f"host: {local}\r\norigin: http://{local}\r\norigin: null"):
        answer = read_to_the_end(served.open(f"POST /mcp HTTP/1.1\r\n{twice}\r\n{good}".encode()))
        assert answer.split()[1] == b"400"


def test_half_a_surrogate_pair_gets_an_error_and_the_server_lives_on(served):
    arguments = {"name": "search", "arguments": {"query": "\ud800"}}
    status, text = served.post({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": arguments})
    assert status in (200, 400), text
    assert served.post(HELLO)[0] == 200


def test_a_body_over_the_limit_is_refused(served):
    status, _ = served.send(b'{"x": "' + b"x" * 5_000_000 + b'"}')
    assert status == 413


@for_each("body", [b"{bad", b"[]", b"\xff\xfe", b"[" * 10_000, b'"text"', b""])
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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_and_takes_the_token_away(number, code, tmp_path):
    made = start(write_sample(tmp_path / "shop"), make_state_dirs(tmp_path / "own").environ())
    assert made.token_file.exists()
    assert made.token_file.stat().st_mode & 0o777 == 0o600
    made.process.send_signal(number)
    _, told = made.process.communicate(timeout=30)
    assert made.process.returncode == code
    assert "Traceback" not in str(told)
    assert not made.token_file.exists()


def test_what_a_killed_server_leaves_behind_opens_nothing(tmp_path):
    root, environ = write_sample(tmp_path / "shop"), make_state_dirs(tmp_path / "own").environ()
    first = start(root, environ)
    stale = first.token
    first.kill()
    assert first.token_file.exists()
    again = start(root, environ, first.port)
    assert again.token_file == first.token_file
    assert again.token != stale
    assert again.post(HELLO, authorization=f"Bearer {stale}")[0] == 401
    assert again.post(HELLO)[0] == 200
    again.kill()
    elsewhere = start(root, environ)
    assert [path.name for path in elsewhere.token_file.parent.glob("http-*")] == [elsewhere.token_file.name]
    elsewhere.kill()


def test_a_request_that_is_only_half_sent_is_given_up_and_others_are_answered(tmp_path):
    dirs = make_state_dirs(tmp_path / "own")
    slow = start(write_sample(tmp_path / "shop"), {**dirs.environ(), "SHIRUBE_SERVE_REQUEST_SECONDS": "1"})
    head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{slow.port}\r\nauthorization: Bearer {slow.token}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in ACCEPT.items())
    sent = [b"", head.encode(), head.encode() + b'content-length: 100\r\n\r\n{"jsonrpc"']
    connections = [slow.open(data) for data in sent]
    answers = [read_to_the_end(one) for one in connections]
    assert [b"408" in answer for answer in answers] == [True, True, False]
    assert slow.post(HELLO)[0] == 200
    slow.kill()


def test_one_connection_too_many_is_refused_until_another_goes(tmp_path):
    dirs = make_state_dirs(tmp_path / "own")
    crowded = start(write_sample(tmp_path / "shop"), {**dirs.environ(), "SHIRUBE_SERVE_MAX_CONNECTIONS": "3"})
    held = [crowded.open() for _ in range(3)]
    assert b"200" not in read_to_the_end(crowded.open())
    for one in held:
        one.close()
    while status_or_none(crowded) != 200:  # the server learns a little later that they went
        assert crowded.process.poll() is None
    crowded.kill()


def read_to_the_end(connection: socket.socket) -> bytes:
    """Return what the server says until it closes the connection."""
    with connection:
        try:
            return b"".join(iter(lambda: connection.recv(4096), b""))
        except ConnectionError:
            return b""


def status_or_none(served: Served) -> int | None:
    """Return the status of a good request, or None when it was not let in."""
    try:
        return served.post(HELLO)[0]
    except (ConnectionError, http.client.HTTPException):
        return None


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_cannot_be_is_an_error_with_a_next_step(port, tmp_path):
    environ = make_state_dirs(tmp_path / "own").environ()
    command = [sys.executable, "-m", "shirube", "--root", str(tmp_path), "serve", "--http", f"--port={port}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, timeout=60)
    assert done.returncode == 2
    assert "65535" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_command_outlives_the_server(tmp_path: Path, number: signal.Signals):
    root, environ, runner = commanded(tmp_path)
    one = start(root, environ)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**RUN, "_meta": meta}}
    headers = {
        **ACCEPT,
        "authorization": f"Bearer {one.token}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": RUN["name"],
    }
    connection = http.client.HTTPConnection("127.0.0.1", one.port, timeout=30)
    connection.request("POST", "/mcp", json.dumps(call), headers)
    try:
        runner.wait_until_both_run()
        one.process.send_signal(number)
        runner.wait_until_both_are_gone()
        one.process.communicate(timeout=30)
    finally:
        connection.close()
        one.kill()
        runner.close()
