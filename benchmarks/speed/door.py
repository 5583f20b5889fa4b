"""What the first ``tools/list`` of a server costs, from its start to the reply."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks.speed.measure import Spent, cpu_of, summaries
from benchmarks.speed.spawn import HERE, environment

PROTOCOL = "2025-06-18"
HELLO = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}


def first_lists(root: Path, cache: Path, repeats: int) -> dict[str, Any]:
    """Measure our server and a bare one in turn."""
    ours = [sys.executable, "-m", "shirube", "serve", "--root", str(root)]
    bare = [sys.executable, "-m", "benchmarks.speed.bare"]
    spent: dict[str, list[Spent]] = {"shirube": [], "bare": []}
    tools = {}
    for _ in range(repeats + 1):
        for name, command in (("shirube", ours), ("bare", bare)):
            one, tools[name] = first_list(command, cache)
            spent[name].append(one)
    # The first of each pays for reading the libraries from disk.
    return {"tools": tools} | {name: summaries(each[1:]) for name, each in spent.items()}


def first_list(command: Sequence[str], cache: Path) -> tuple[Spent, int]:
    """Start a server, ask what it offers, and return the cost until the reply and the number of tools."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE, env=environment(cache, {})
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        send(server.stdin, {"id": 1, "method": "initialize", "params": HELLO})
        reply(server.stdout, 1)
        send(server.stdin, {"method": "notifications/initialized"})
        send(server.stdin, {"id": 2, "method": "tools/list", "params": {}})
        listed = reply(server.stdout, 2)
        spent = Spent(time.perf_counter() - started, cpu_of(server.pid))
        server.kill()
    return spent, len(listed["result"]["tools"])


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message."""
    stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stream.flush()


def reply(stream: IO[bytes], number: int) -> dict[str, Any]:
    """Return the reply to a request; skip what comes before it."""
    for line in stream:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            return message
    raise EOFError("the server ended without a reply")
