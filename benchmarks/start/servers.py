"""How soon a server answers its first requests, beside a server that has the SDK and one tool.

Both are started in turns by a client that sends a request as soon as the answer to the one before is there: the
greeting of an era of the protocol, ``tools/list``, and the first question (the bare server answers with two words).
CPU is what all threads of the server have used when the answer is there.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

BARE = """
import asyncio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def on_list(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="search", description="y", input_schema={"type": "object"})])

async def on_call(context, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text="no match")])

async def main():
    server = Server("bare", on_list_tools=on_list, on_call_tool=on_call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
CLIENT = {"name": "bench", "version": "1"}
OLD, NEW = "2025-06-18", "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
QUESTION = {"name": "search", "arguments": {"query": "where are retries decided"}}
ERAS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    OLD: (
        ("initialize", {"protocolVersion": OLD, "capabilities": {}, "clientInfo": CLIENT}),
        ("notifications/initialized", {}),
        ("tools/list", {}),
        ("tools/call", QUESTION),
    ),
    NEW: (
        ("server/discover", {"_meta": META}),
        ("tools/list", {"_meta": META}),
        ("tools/call", {"_meta": META, **QUESTION}),
    ),
}
TIMES = 15
Moment = tuple[float, float]
"""Seconds since the start by the clock, and of CPU."""


def measure_servers(project: Path) -> list[str]:
    """Return the rows of a table: each answer of each server in each era."""
    servers = {
        "bare SDK": [sys.executable, "-c", BARE],
        "shirube": [sys.executable, "-m", "shirube", "--root", str(project), "serve"],
    }
    rows = ["", "| era, answer | server | s, least | median | CPU s, least | median |", "|---|---|---|---|---|---|"]
    for era, requests in ERAS.items():
        taken: dict[str, list[dict[str, Moment]]] = {name: [] for name in servers}
        for number in range(TIMES + 1):
            for name, command in servers.items():
                moments = answers(command, requests)
                taken[name] += [moments] if number else []  # the first fills caches
        rows += _rows(era, taken)
    return rows


def _rows(era: str, taken: dict[str, list[dict[str, Moment]]]) -> list[str]:
    rows = []
    for what in taken["shirube"][0]:
        for name, runs in taken.items():
            clock, cpu = ([run[what][kind] for run in runs] for kind in (0, 1))
            figures = (min(clock), median(clock), min(cpu), median(cpu))
            rows.append(f"| {era} {what} | {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |")
    return rows


def answers(command: list[str], requests: tuple[tuple[str, dict[str, Any]], ...]) -> dict[str, Moment]:
    """Start a server, send it the requests and return when each was answered, and how long the last one took."""
    begun = time.perf_counter()
    moments: dict[str, Moment] = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, (method, params) in enumerate(requests):
            request = {"jsonrpc": "2.0", "method": method, "params": params}
            notice = method.startswith("notifications/")
            process.stdin.write(json.dumps(request if notice else {**request, "id": number}).encode() + b"\n")
            process.stdin.flush()
            if notice:
                continue
            while json.loads(line := process.stdout.readline()).get("id") != number:
                pass
            assert b'"error"' not in line[:60], line
            moments[method] = (time.perf_counter() - begun, _cpu_of(process.pid))
        process.kill()
    *_, before, last = moments.values()
    moments["first question alone"] = (last[0] - before[0], last[1] - before[1])
    return moments


def _cpu_of(pid: int) -> float:
    """Return the CPU seconds of all threads of a process."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
