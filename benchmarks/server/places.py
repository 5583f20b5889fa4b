"""The server that is measured, and projects whose index is here, there, or there behind a slow network."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

from tests.postgres import DatabaseServer, find_binaries

from benchmarks.speed.measure import cpu_of, percentile
from shirube.deadline import Deadline
from shirube.engine.store.postgres.server import Server, Statement
from shirube.workspace import Workspace, build_workspace

SETTINGS = {"fsync": "on", "shared_buffers": "512MB"}
"""Everything else is as PostgreSQL comes."""
DELAY_SECONDS = 0.0022
"""Each way; timer and proxy add to it, so that a round trip takes about 5 ms (it is measured)."""


class Places:
    """A server of its own, with a proxy before it, and a folder for what is kept on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = DatabaseServer(find_binaries(), **SETTINGS)
        command = [sys.executable, "-m", "benchmarks.server.slow_network"]
        arguments = [str(self.server.port), str(DELAY_SECONDS)]
        self._network = subprocess.Popen([*command, *arguments], stdin=PIPE, stdout=PIPE, text=True)
        assert self._network.stdout is not None
        self._slow_port = int(self._network.stdout.readline())

    def settings(self, place: str) -> dict[str, Any]:
        """Return the settings of ``here``, ``anew``, ``there``, ``elsewhere``, ``far``, ``overlay``."""
        if place in ("here", "anew"):
            return {}
        port = self._slow_port if place == "far" else 0
        backend = "overlay" if place == "overlay" else "postgres"
        return {"store.backend": backend, "store.address": self.server.address(port=port)}

    def open(self, root: Path, place: str, **settings: Any) -> Workspace:
        """Open a project; what a machine keeps for itself is apart for each place."""
        with environment(self.folder / place):
            return build_workspace(root, {"history.read": False, **self.settings(place), **settings})

    def cpu(self) -> float:
        """Return the CPU seconds of the processes of the server that answer somebody."""
        import psutil

        number = int((self.server.data / "postmaster.pid").read_text().split()[0])
        answering = [one for one in psutil.Process(number).children() if "127.0.0.1(" in " ".join(one.cmdline())]
        return sum(cpu_of(one.pid) for one in answering)

    def round_trip(self, place: str) -> float:
        """Return how many milliseconds the shortest question takes, half of the time at most."""
        server = Server(self.settings(place)["store.address"], 1.0)
        walls = []
        for _ in range(100):
            began = time.perf_counter()
            server.ask([Statement("SELECT 1")])
            walls.append((time.perf_counter() - began) * 1000)
        server.close()
        return percentile(walls, 0.5)

    def version(self) -> str:
        """Return the version of the server."""
        return str(self.server.execute("SHOW server_version")[0][0])

    def bytes(self, database: str = "postgres") -> int:
        """Return how large all tables are, with their indexes."""
        self.server.execute("CHECKPOINT", database=database)
        sql = (
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'shirube'::regnamespace"
        )
        return int(self.server.execute(sql, database=database)[0][0] or 0)

    def close(self) -> None:
        """Stop the server and throw away what it has."""
        self._network.communicate()
        self.server.remove()


def bring_up_to_date(workspace: Workspace) -> None:
    """Look at the tree once."""
    workspace.keeper.sync(full=False, progress=lambda *step: None, deadline=Deadline())


@contextmanager
def environment(folder: Path, more: Mapping[str, str] = {}) -> Iterator[None]:
    """Let what this machine keeps be below a folder for a while."""
    names = {f"SHIRUBE_{name}_DIR": str(folder / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
    before = dict(os.environ)
    os.environ.update({**names, **more})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
