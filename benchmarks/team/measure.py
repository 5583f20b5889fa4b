"""Workers that are started, killed and replaced, and what they have made."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.teams import HOST, Team

from shirube.features.team.results import BranchRow
from shirube.workspace import build_workspace

LOOK_SECONDS = 0.5


class Crew:
    """Workers, each a process."""

    def __init__(self, team: Team, size: int, chance: random.Random, kill: float) -> None:
        self._team, self._size, self._chance, self._kill = team, size, chance, kill
        self._workers: list[subprocess.Popen[bytes]] = []
        self.kills = self.at_work = 0
        """How many workers were killed, and how many of them while they were at a branch."""

    def run_until_done(self, patience: float) -> float:
        """Return how many seconds it took until every branch was complete."""
        began = time.monotonic()
        self._workers = [self._start() for _ in range(self._size)]
        due = began + self._kill if self._kill else float("inf")
        try:
            while not self._is_done():
                now = time.monotonic()
                if now - began > patience:
                    raise TimeoutError([row for row in self._rows() if row.state != "complete"])
                if now >= due:
                    due += self._kill
                    self._replace_one()
                time.sleep(LOOK_SECONDS)
            return time.monotonic() - began
        finally:
            for worker in self._workers:
                worker.send_signal(signal.SIGTERM)
            for worker in self._workers:
                worker.wait(60)

    def left(self) -> int:
        """Return how many processes of this team there are still."""
        home, count = f"HOME={self._team.environ['HOME']}\0".encode(), 0
        time.sleep(1)  # what a killed worker had started is ended by its watcher
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                count += int(place.name) != os.getpid() and home in (place / "environ").read_bytes() + b"\0"
        return count

    def _rows(self) -> list[BranchRow]:
        return list(self._team.branches().values())

    def _is_done(self) -> bool:
        rows = self._rows()
        return len(rows) == len(self._team.names) and all(row.state in ("complete", "dead") for row in rows)

    def _replace_one(self) -> None:
        at = self._chance.randrange(self._size)
        victim = self._workers[at]
        self.at_work += any(row.state == "working" and row.worker.endswith(f":{victim.pid}") for row in self._rows())
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        self.kills += 1
        self._workers[at] = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "shirube", "worker", "--directory", str(self._team.mirrors)]
        silence = subprocess.DEVNULL
        return subprocess.Popen(command, env=self._team.environ, cwd=self._team.base, stdout=silence, stderr=silence)


def differing(team: Team) -> int:
    """Return how many repositories have an index that is not what a fresh clone has."""
    count = 0
    for name in team.names:
        place = team.base / "clones" / name
        team.git(team.base, "clone", "-q", f"{HOST}/{name}", str(place))
        workspace = build_workspace(place, {"store.backend": "postgres", "history.read": False})
        count += workspace.keeper.is_behind()
        workspace.close()
    return count
