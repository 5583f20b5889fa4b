"""``python -m benchmarks.team_server --tree PATH``: throughput and waiting of one server, of two, and of one killed."""

import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil
from tests.postgres import DatabaseServer, find_binaries
from tests.teams import published

SHIRUBE = [sys.executable, "-m", "shirube"]
NAME = "bench.example.org/team/{}"


class Team:
    """A database with some repositories, and servers over it."""

    def __init__(self, place: Path, trees: list[Path]) -> None:
        self._place, self.database = place, DatabaseServer(find_binaries())
        self.database.execute("CREATE ROLE serving LOGIN", "CREATE DATABASE team ENCODING 'UTF8' TEMPLATE template0")
        self.names = [NAME.format(tree.name) for tree in trees]
        for tree, name in zip(trees, self.names, strict=True):
            self._index(tree, name)
        self.run("team", "role", "serving")
        made = self.run(*("team", "token", "create", "bench", "--repo", NAME.format("*"), "--json"), *RATES)
        self.token = json.loads(made)["secret"]

    def environment(self, user: str = "postgres") -> dict[str, str]:
        """Return what a command needs to find the database, and nothing of whoever measures."""
        home = {f"SHIRUBE_{kind}_DIR": str(self._place / kind) for kind in ("CACHE", "STATE", "CONFIG")}
        store = {"SHIRUBE_STORE_BACKEND": "postgres", "SHIRUBE_STORE_ADDRESS": self.database.address("team", user)}
        tried = {name: value for name, value in os.environ.items() if name.startswith("SHIRUBE_TEAM_")}
        return {"PATH": os.environ["PATH"], "HOME": str(self._place), **home, **store, **tried}

    def run(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run a command of shirube, and return what it prints."""
        done = subprocess.run(
            [*SHIRUBE, *arguments], env=self.environment(), cwd=cwd, check=True, capture_output=True, text=True
        )
        return done.stdout

    def _index(self, tree: Path, name: str) -> None:
        copy = self._place / "trees" / tree.name
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__"))
        published(copy, name)
        print(self.run("index", cwd=copy).strip(), flush=True)

    def places(self) -> dict[str, list[str]]:
        """Return of each repository some words that are asked about: a path, then names of definitions."""
        found = {}
        for name in self.names:
            copy = self._place / "trees" / name.rpartition("/")[2]
            files = sorted(path for path in copy.rglob("*.py") if 2_000 < path.stat().st_size < 40_000)[::7][:60]
            defined = [re.findall(r"(?:def|class) (\w{14,})", path.read_text("utf-8", "replace"))[:3] for path in files]
            found[name] = [files[0].relative_to(copy).as_posix(), *(word for words in defined for word in words)]
        return found

    @contextmanager
    def server(self) -> Iterator[tuple[subprocess.Popen[str], int]]:
        """Start a server, and yield it with its port."""
        command = [*SHIRUBE, "serve", "--team", "--port", "0"]
        process = subprocess.Popen(command, env=self.environment("serving"), stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            yield process, int(re.findall(r":(\d+)/mcp", line)[0])
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)


RATES = ("--requests", "100000000", "--words", "1000000000")


def measure(team: Team, servers: int, clients: int, seconds: float, kill: bool = False) -> dict[str, Any]:
    """Let the clients ask for a while, and return what they saw."""
    with team.server() as (first, port), team.server() as (second, other):
        ports, processes = ([port, other], [first, second]) if servers == 2 else ([port], [first])
        asked = {"ports": ports, "token": team.token, "clients": clients, "places": team.places(), "warm": 10}
        _load(asked | {"clients": 4, "seconds": asked["warm"]}, [], None)  # so that what is loaded once does not count
        return _load(asked | {"seconds": seconds}, processes, second if kill else None)


def _load(asked: dict[str, Any], servers: list[subprocess.Popen[str]], victim: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.team_server.clients"]
    load = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert load.stdin is not None
    assert load.stdout is not None
    load.stdin.write(json.dumps(asked) + "\n")
    load.stdin.flush()
    began, memory, killed = time.monotonic(), list[list[float]](), False
    while (spent := time.monotonic() - began) < asked["seconds"]:
        if victim is not None and spent > asked["seconds"] / 2 and not killed:
            victim.send_signal(signal.SIGKILL)
            killed = True
        memory.append([_memory(server) for server in servers])
        time.sleep(min(2.0, asked["seconds"] / 10))
    told = json.loads(load.stdout.read())
    load.wait()
    return _summary(told, asked, memory)


def _memory(server: subprocess.Popen[str]) -> float:
    try:
        return psutil.Process(server.pid).memory_info().rss / 1e6 if server.poll() is None else 0.0
    except psutil.Error:
        return 0.0


def _summary(told: dict[str, Any], asked: dict[str, Any], memory: list[list[float]]) -> dict[str, Any]:
    times = sorted(seconds * 1000 for _, seconds, _ in told["seconds"])
    cuts = quantiles(times, n=100)
    by_name: dict[str, list[float]] = {}
    for _, seconds, name in told["seconds"]:
        by_name.setdefault(name, []).append(seconds * 1000)
    own = [row[0] for row in memory if row]
    quarter = max(1, len(own) // 4)
    return {
        "servers": len(asked["ports"]),
        "clients": asked["clients"],
        "seconds": asked["seconds"],
        "calls": len(times),
        "calls_a_second": round(len(times) / asked["seconds"], 1),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "p99_ms": round(cuts[98], 1),
        "p50_ms_by_tool": {name: round(median(some), 1) for name, some in sorted(by_name.items())},
        "most_ms_by_tool": {name: round(max(some)) for name, some in sorted(by_name.items())},
        "failed_calls": sum(told["failed"].values()),
        "most_failed_of_a_client": max(told["failed"].values(), default=0),
        "errors": sorted(set(told["errors"]))[:5],
        "memory_mb": [round(own[at]) for at in range(0, len(own), quarter)] if own else [],
    }


def main() -> None:
    """Measure, and write results.json and results.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.team_server", description=__doc__)
    parser.add_argument("--tree", type=Path, action="append", required=True, help="a tree to serve; repeatable")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long one server is asked")
    parser.add_argument("--short", type=float, default=60.0, help="how long the other parts take")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="only this part; repeatable")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--note", default="", help="what else is to be known, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    file = options.out / "results.json"
    results: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    results |= {"note": options.note} if options.note else {}
    results |= {"date": options.date, "trees": [tree.name for tree in options.tree]}
    results["machine"] = f"{os.cpu_count()} cores for clients, servers and database, python {platform.python_version()}"
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder), options.tree)
        for name, servers, clients, seconds, kill in (
            ("alone", 1, 1, options.short, False),
            ("one", 1, options.clients, options.seconds, False),
            ("two", 2, options.clients, options.short, False),
            ("killed", 2, options.clients, options.short, True),
        ):
            if options.only and name not in options.only:
                continue
            results[name] = measure(team, servers, clients, seconds, kill)
            print(name, json.dumps(results[name]), flush=True)
        team.database.remove()
    file.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (options.out / "results.md").write_text(report(results), "utf-8")


def report(results: dict[str, Any]) -> str:
    """Return the results as a page."""
    rows = [
        "# A server for a team",
        "",
        f"{results['date']}, {results['machine']}. Repositories: {', '.join(results['trees'])}.",
        "The load takes a part of the same cores; each client asks again as soon as it is answered.",
        results.get("note", ""),
        "",
        "| | servers | clients | seconds | calls | calls/s | p50 ms | p95 ms | p99 ms | failed | most of a client |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    labels = {"alone": "one client", "one": "one server", "two": "two servers", "killed": "two, one killed half-way"}
    for name, label in labels.items():
        one = results[name]
        keys = ("servers", "clients", "seconds", "calls", "calls_a_second", "p50_ms", "p95_ms", "p99_ms")
        figures = [one[key] for key in (*keys, "failed_calls", "most_failed_of_a_client")]
        rows.append(f"| {label} | " + " | ".join(f"{figure:,g}" for figure in figures) + " |")
    tools = ", ".join(f"`{name}` {value} ms" for name, value in results["alone"]["p50_ms_by_tool"].items())
    rows += ["", f"One client alone waits, at the median: {tools}."]
    memory = ", ".join(f"{value} MB" for value in results["one"]["memory_mb"])
    rows += [f"Memory of the one server, at equal steps of its {results['one']['seconds']:g} seconds: {memory}."]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
