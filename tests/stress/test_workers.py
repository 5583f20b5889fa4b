"""Two workers are killed one after the other while they index a team's repositories: all is there in the end, once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.conftest import StateDirs
from tests.stress.conftest import rounds
from tests.teams import Team, opened_team

PATIENCE_SECONDS = 120.0
"""When something that must happen has not happened for so long, the test gives up."""
IMPATIENT = """
import sys
from shirube.engine.store.postgres import queue
queue.BEAT_SECONDS, queue.STALLED_SECONDS, queue.TEND_SECONDS = 1, 4, 0.5
from shirube.__main__ import main
sys.argv[1:] = ["worker", "--directory", sys.argv[1]]
sys.exit(main())
"""
"""A worker that takes over after seconds what others have left."""


@pytest.fixture
def team(tmp_path: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    with opened_team(tmp_path, state_dirs, monkeypatch) as made:
        yield made


def start(team: Team) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", IMPATIENT, str(team.mirrors)]
    silence = subprocess.DEVNULL
    return subprocess.Popen(command, env=team.environ, cwd=team.base, stdout=silence, stderr=silence)


def until(condition, what: str):
    """Wait for a condition and return what it is then."""
    end = monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert monotonic() < end, what
        sleep(0.05)
    return found


def left(team: Team) -> list[str]:
    """Return the commands of processes that have this team's home, but for this one."""
    home, found = f"HOME={team.environ['HOME']}\0".encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if int(place.name) != os.getpid() and home in (place / "environ").read_bytes() + b"\0":
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended meanwhile
    return found


def test_killed_workers_lose_nothing_and_leave_nothing(team: Team):
    count = rounds(6, 30)
    for number in range(count):
        files = {f"p{at}/f{number}_{at}.py": f"def name_{number}_{at}():\n    return {at}\n" for at in range(150)}
        team.remote(f"r{number}", files)
        team.add(f"r{number}")
    workers = [start(team), start(team)]
    try:
        for number in range(rounds(3, 15)):
            victim = workers[number % 2]
            label = f":{victim.pid}"

            def is_due(label: str = label) -> bool:
                rows = team.branches().values()
                at_work = any(row.state == "working" and row.worker.endswith(label) for row in rows)
                return at_work or (all(row.state == "complete" for row in rows) and len(rows) == count)

            until(is_due, "no worker begins")
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            workers[number % 2] = start(team)
        until(lambda: [row.state for row in team.branches().values()] == ["complete"] * count, "not all are complete")
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        codes = [worker.wait(60) for worker in workers]
    assert codes == [0, 0]
    rows = team.branches()
    assert {name.split()[0]: row.files for name, row in rows.items()} == {f"r{number}": 150 for number in range(count)}
    print(f"begun {sum(row.runs for row in rows.values())} times for {count} branches")
    # Every file was written once, though some jobs were begun several times: they go on where the last one was.
    assert team.rows("SELECT count(*) FROM shirube.files") == [(150 * count,)]
    assert team.rows("SELECT count(*) FROM shirube.procrastinate_jobs") == [(0,)]
    until(lambda: left(team) == [], "processes are left")
    stray = [path for path in team.mirrors.rglob("*") if path.name.startswith("tmp_") or path.name == "index.lock"]
    assert stray == []


def test_workers_live_through_the_end_of_the_server(team: Team):
    """A server that ends every connection is waited for; nobody has to start the workers again."""
    team.remote("first")
    team.add("first")
    worker = start(team)
    try:
        until(lambda: any(row.state == "complete" for row in team.branches().values()), "nothing is indexed")
        team.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'shirube%' AND datname = current_database()"
        )
        team.remote("second")
        team.add("second")
        until(lambda: [row.state for row in team.branches().values()] == ["complete"] * 2, "the second is not indexed")
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0
