"""The queue: its tables, and which jobs wait, run and are refused."""

import threading
from collections.abc import Iterator
from functools import partial
from importlib.resources import files

import psycopg
import pytest
from tests.postgres import DatabaseServer

from shirube.engine.store.postgres import queue as queue_module
from shirube.engine.store.postgres import schema
from shirube.engine.store.postgres.queue import TeamQueue
from shirube.engine.store.postgres.server import Server, Statement
from shirube.engine.store.team_records import INDEX, LOOK, TeamJob
from shirube.errors import Unreachable


@pytest.fixture
def address(database_server: DatabaseServer) -> Iterator[str]:
    with database_server.database() as address:
        yield address


@pytest.fixture
def team_queue(address: str) -> Iterator[TeamQueue]:
    server = server_of(address)
    yield TeamQueue(server, address)
    server.close()


def server_of(address: str) -> Server:
    server = Server(address, 10.0)

    def prepare(connection: psycopg.Connection) -> None:
        schema.prepare(server, connection)
        queue_module.prepare(connection)

    server.prepare = prepare
    return server


def done(team_queue: TeamQueue, do=lambda job: None, jobs: int = 1) -> list[TeamJob]:
    found: list[TeamJob] = []

    def work(job: TeamJob) -> None:
        found.append(job)
        do(job)

    team_queue.work(work, lambda: None, jobs, once=True)
    return found


def test_jobs_are_done_in_turn_and_none_waits_twice(team_queue: TeamQueue):
    assert team_queue.put(TeamJob(LOOK, "a"))
    assert not team_queue.put(TeamJob(LOOK, "a"))
    assert team_queue.put(TeamJob(INDEX, "a", "main"))
    assert team_queue.put(TeamJob(INDEX, "a", "dev"))
    assert not team_queue.put(TeamJob(INDEX, "a", "main", attempt=3))
    assert done(team_queue) == [TeamJob(LOOK, "a"), TeamJob(INDEX, "a", "main"), TeamJob(INDEX, "a", "dev")]
    assert team_queue.state() == queue_module.QueueState()


def test_one_job_of_a_repository_runs_at_a_time(team_queue: TeamQueue):
    for name in ("a", "b"):
        for ref in ("1", "2", "3"):
            team_queue.put(TeamJob(INDEX, name, ref))
    running, most, guard, both = list[str](), list[int](), threading.Lock(), threading.Barrier(2)

    def work(job: TeamJob) -> None:
        with guard:
            assert job.name not in running
            running.append(job.name)
            most.append(len(running))
        if job.ref == "1":
            both.wait(30)  # the first jobs of both repositories do run at once
        with guard:
            running.remove(job.name)

    assert len(done(team_queue, work, jobs=4)) == 6
    assert max(most) == 2


def test_a_slow_repository_holds_up_no_other(team_queue: TeamQueue):
    team_queue.put(TeamJob(INDEX, "slow", "main"))
    for ref in ("1", "2", "3"):
        team_queue.put(TeamJob(INDEX, "quick", ref))
    others = threading.Event()

    def work(job: TeamJob) -> None:
        if job.name == "slow":
            assert others.wait(30)
        elif job.ref == "3":
            others.set()

    assert len(done(team_queue, work, jobs=3)) == 4  # one of the three finds nothing while the first two work
    assert team_queue.state().dead == 0


def test_what_becomes_due_while_a_worker_does_what_is_left_is_not_waited_for(team_queue: TeamQueue):
    tended: list[int] = []

    def tend() -> None:
        tended.append(len(tended))
        if len(tended) < 5:  # so that it ends without the mend, too
            team_queue.put(TeamJob(LOOK, "a"))

    team_queue.work(lambda job: None, tend, 1, once=True)
    assert tended == [0]


def test_a_job_that_waits_for_its_time_holds_up_no_other_of_its_repository(team_queue: TeamQueue):
    team_queue.put(TeamJob(INDEX, "a", "main"), after_seconds=600)
    team_queue.put(TeamJob(INDEX, "a", "dev"))
    assert done(team_queue) == [TeamJob(INDEX, "a", "dev")]
    assert team_queue.state("a").waiting == 1
    assert team_queue.put(TeamJob(INDEX, "a", "main"), now=True)
    assert done(team_queue) == [TeamJob(INDEX, "a", "main")]


def test_a_job_that_is_put_again_while_it_runs_runs_again(team_queue: TeamQueue):
    team_queue.put(TeamJob(INDEX, "a", "main"))
    again = [TeamJob(INDEX, "a", "main", attempt=1)]
    found = done(team_queue, lambda job: team_queue.put(again.pop()) if again else None)
    assert [job.attempt for job in found] == [0, 1]


def test_a_job_that_fails_is_dead_until_it_is_put_again(team_queue: TeamQueue):
    team_queue.put(TeamJob(LOOK, "a"))

    def fail(job: TeamJob) -> None:
        raise Unreachable("team.no_queue")

    done(team_queue, fail)
    assert team_queue.state("a").dead == 1
    team_queue.put(TeamJob(LOOK, "a"))
    assert (team_queue.state("a").dead, team_queue.state("a").waiting) == (0, 1)
    team_queue.cancel("a")
    assert team_queue.state("a").waiting == 0


def test_a_job_that_should_have_ended_long_ago_is_taken_over_from_a_living_worker(team_queue: TeamQueue, address: str):
    team_queue.put(TeamJob(INDEX, "a", "main"))
    with psycopg.connect(address, autocommit=True, options="-c search_path=shirube,pg_catalog") as connection:
        (worker,) = connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id").fetchone()
        connection.execute("UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s", (worker,))
        assert team_queue.take_over(10.0) == []
        connection.execute("UPDATE procrastinate_events SET at = at - interval '10 min' WHERE type = 'started'")
        assert team_queue.take_over(10.0) == [TeamJob(INDEX, "a", "main")]
    assert [job.attempt for job in done(team_queue)] == [1]


def test_tables_are_made_once_by_whoever_comes_first(address: str):
    servers = [server_of(address) for _ in range(4)]
    wrong: list[Exception] = []

    def come(server: Server) -> None:
        try:
            TeamQueue(server, address).state()
        except Exception as error:  # noqa: BLE001 - it is told below
            wrong.append(error)

    threads = [threading.Thread(target=partial(come, server)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.close()
    assert wrong == []


def test_tables_of_an_older_procrastinate_are_brought_up_to_date(address: str):
    old, path = "03.03.99", "-c search_path=shirube,pg_catalog"
    first = Server(address, 10.0)
    first.prepare = lambda connection: schema.prepare(first, connection)
    first.ask([Statement("SELECT 1")])
    first.close()
    with psycopg.connect(address, autocommit=True, options=path) as connection:
        steps = sorted(files("procrastinate.sql.migrations").iterdir(), key=lambda step: step.name)
        for step in steps:
            if step.name.endswith(".sql") and step.name < old:
                connection.execute(step.read_bytes())
        connection.execute("INSERT INTO team_queue VALUES (%s)", (old,))
        server = server_of(address)
        newer = TeamQueue(server, address)
        newer.put(TeamJob(LOOK, "a"))
        assert connection.execute("SELECT migration FROM team_queue").fetchone()[0] > old
        assert connection.execute("SELECT to_regproc('procrastinate_retry_job_v2')").fetchone()[0]
        assert done(newer) == [TeamJob(LOOK, "a")]
        server.close()
