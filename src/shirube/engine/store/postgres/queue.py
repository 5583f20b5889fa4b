"""The queue of a team's jobs: procrastinate, on the same server, with its tables in our schema.

One job of a repository runs at a time (``lock``), and none waits twice (``queueing_lock``). A job that is to be tried
again is put anew, behind the others, and not by procrastinate's own retry: while a retried job waits for its time it
keeps all other jobs of its repository waiting, and when the same job was put meanwhile the retry fails and the job
counts as running for ever. What a worker leaves that was killed is put anew by the others (``take_over``).
"""

import asyncio
import logging
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.resources import files
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from shirube.deadline import Deadline
from shirube.engine.store.postgres.schema import LOCK
from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.engine.store.team_records import KINDS, QueueState, TeamJob
from shirube.errors import ShirubeError, Unreachable

if TYPE_CHECKING:
    import procrastinate
    import psycopg
    from procrastinate.connector import BaseConnector
    from procrastinate.jobs import Job, Status
    from procrastinate.manager import JobManager

QUEUE = "shirube"
BEAT_SECONDS, STALLED_SECONDS = 5, 30
"""How often a worker says that it is alive, and after how long without that its jobs are taken over."""
POLL_SECONDS = 0.5
"""How often a worker with nothing to begin looks again: nobody tells it that the lock of a repository became free."""
TEND_SECONDS = 5.0
"""How often a worker looks for what is due and for jobs of others that were killed."""
AGAIN_SECONDS = (1.0, 30.0)
"""How long a worker waits when the server went away: at first, and at most."""
MOST_STUCK_SECONDS = 120
"""How much longer than its limit a job may count as running before it is taken over."""
KEPT_DAYS = 14
"""How long dead jobs are kept."""
_log = logging.getLogger("shirube")
_PATH = "shirube, pg_catalog"
"""Where procrastinate's functions and triggers find its tables."""


class TeamQueue:
    """The jobs of a team."""

    def __init__(self, server: Server, address: str) -> None:
        """Check that procrastinate is installed; its tables are made by ``prepare``."""
        try:
            import procrastinate
        except ImportError as error:
            raise Unreachable("team.no_queue") from error
        for name in ("procrastinate", "psycopg.pool", "asyncio"):  # their errors come to us, and jobs tell their own
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        self._server, self._address = server, address
        self._app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector())

    # --- putting jobs ----------------------------------------------------------------------------------------

    def put(self, job: TeamJob, *, after_seconds: int = 0, now: bool = False) -> bool:
        """Put a job; tell whether it did not wait already. ``now`` takes the place of one that waits."""
        return self._server.change(lambda connection: self._put(connection, job, after_seconds, now))

    def _put(self, connection: "psycopg.Connection[Row]", job: TeamJob, after_seconds: int, now: bool) -> bool:
        from procrastinate.exceptions import AlreadyEnqueued

        waiting = f"{job.kind}:{job.name}:{job.ref}"
        past = ["failed", "todo"] if now else ["failed"]
        sql = "DELETE FROM procrastinate_jobs WHERE queueing_lock = %s AND status::text = ANY(%s)"
        connection.execute(sql, (waiting, past))
        deferrer = self._app.configure_task(
            job.kind,
            queue=QUEUE,
            lock=job.name,
            queueing_lock=waiting,
            priority=-1 if after_seconds else 0,  # one that waits for its time must not hold up the others
            schedule_in={"seconds": after_seconds} if after_seconds else None,
            connection=connection,
        )
        try:
            with connection.transaction():
                deferrer.defer(name=job.name, ref=job.ref, attempt=job.attempt)
        except AlreadyEnqueued:
            return False
        return True

    def cancel(self, name: str) -> None:
        """Delete the waiting and the dead jobs of a repository."""
        sql = "DELETE FROM shirube.procrastinate_jobs WHERE lock = %s AND status IN ('todo', 'failed') RETURNING id"
        self._server.ask([Statement(sql, (name,))])

    # --- looking ---------------------------------------------------------------------------------------------

    def state(self, name: str = "") -> QueueState:
        """Return how many jobs wait, run and are dead, of all repositories or of one, and how many workers live."""
        jobs = "SELECT status::text, count(*) FROM shirube.procrastinate_jobs WHERE %s IN ('', lock) GROUP BY status"
        alive = "SELECT count(*) FROM shirube.procrastinate_workers WHERE last_heartbeat > now() - %s * interval '1 s'"
        rows, ((workers,),) = self._server.ask([Statement(jobs, (name,)), Statement(alive, (STALLED_SECONDS,))])
        counts = {str(status): int(count) for status, count in rows}
        return QueueState(counts.get("todo", 0), counts.get("doing", 0), counts.get("failed", 0), int(workers))

    def take_over(self, most_seconds: float) -> list[TeamJob]:
        """Put the jobs anew that nobody does any more: their worker was killed, or they should have ended long ago."""
        started = "(SELECT max(at) FROM shirube.procrastinate_events WHERE job_id = j.id AND type = 'started')"
        rows = self._server.ask(
            [
                Statement(
                    "SELECT j.id, j.task_name, j.args->>'name', j.args->>'ref', (j.args->>'attempt')::int"
                    " FROM shirube.procrastinate_jobs AS j LEFT JOIN shirube.procrastinate_workers AS w"
                    " ON w.id = j.worker_id WHERE j.status = 'doing' AND j.queue_name = %s AND (w.id IS NULL"
                    f" OR w.last_heartbeat < now() - %s * interval '1 s' OR {started} < now() - %s * interval '1 s')",
                    (QUEUE, STALLED_SECONDS, most_seconds + MOST_STUCK_SECONDS),
                ),
                Statement(
                    "DELETE FROM shirube.procrastinate_workers WHERE last_heartbeat < now() - %s * interval '1 s'"
                    " RETURNING id",
                    (10 * STALLED_SECONDS,),
                ),
                Statement(
                    "DELETE FROM shirube.procrastinate_jobs AS j WHERE status = 'failed' AND NOT EXISTS (SELECT FROM"
                    " shirube.procrastinate_events WHERE job_id = j.id AND at > now() - %s * interval '1 d')"
                    " RETURNING id",
                    (KEPT_DAYS,),
                ),
            ]
        )[0]
        found = [(number, TeamJob(kind, name, ref or "", attempt or 0)) for number, kind, name, ref, attempt in rows]
        return [job for number, job in found if self._server.change(partial(self._left, number=number, job=job))]

    def _left(self, connection: "psycopg.Connection[Row]", number: int, job: TeamJob) -> bool:
        """End a job that its worker left, and put it anew; False if it ended meanwhile."""
        sql = "DELETE FROM shirube.procrastinate_jobs WHERE id = %s AND status = 'doing' RETURNING id"
        if connection.execute(sql, (number,)).fetchone() is None:
            return False
        again = TeamJob(job.kind, job.name, job.ref, job.attempt + 1)
        self._put(connection, again, 0, False)
        return True

    # --- working ---------------------------------------------------------------------------------------------

    def work(self, do: Callable[[TeamJob], None], tend: Callable[[], None], jobs: int, *, once: bool) -> None:
        """Do jobs, several at once, until SIGTERM or SIGINT; ``once``: until none is left that could be done now.

        ``do`` runs in threads under a deadline that is cancelled when the worker stops. ``tend`` is called before, and
        every few seconds meanwhile; with ``once`` only before, else what it puts might never end.
        """
        asyncio.run(_Worker(self._address, do, tend, jobs).run(once))


class _Worker:
    """The loop of a worker; a server that goes away ends procrastinate's, and it is begun anew."""

    def __init__(self, address: str, do: Callable[[TeamJob], None], tend: Callable[[], None], jobs: int) -> None:
        self._address, self._do, self._tend, self._jobs = address, do, tend, jobs
        self._stopping, self._running, self._guard = Event(), set[Deadline](), Lock()
        self._task: asyncio.Task[None] | None = None
        self._done = 0
        self._empty = False

    async def run(self, once: bool) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(self._jobs + 4))
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # a thread that is not the first one
                loop.add_signal_handler(number, self._stop)
        await asyncio.to_thread(self._tend)  # a server that is not there at first is an error, later it is waited for
        patience = AGAIN_SECONDS[0]
        tending = None if once else asyncio.create_task(self._keep_tending())
        while not self._stopping.is_set() and not self._empty:
            before = self._done
            failed = await self._work(once)
            if failed is not None and not self._stopping.is_set():
                if once:
                    raise failed
                _log.warning("%s", failed.message)
            if not once and not self._stopping.is_set():
                self._task = asyncio.create_task(asyncio.sleep(patience))
                with suppress(asyncio.CancelledError):
                    await self._task
                patience = min(AGAIN_SECONDS[1], AGAIN_SECONDS[0] if self._done > before else 2 * patience)
        if tending is not None:
            tending.cancel()
            with suppress(asyncio.CancelledError):
                await tending

    async def _work(self, once: bool) -> ShirubeError | None:
        """Run procrastinate's loop until it ends; return what ended it if that was the server."""
        import psycopg
        from procrastinate.exceptions import ConnectorException

        app = self._app()
        if once:
            app.job_manager = _manager_for_once(app.connector, self._end)
        try:
            async with app.open_async():
                self._task = asyncio.create_task(
                    app.run_worker_async(
                        queues=[QUEUE],
                        concurrency=self._jobs,
                        fetch_job_polling_interval=POLL_SECONDS,
                        delete_jobs="successful",
                        install_signal_handlers=False,
                        update_heartbeat_interval=BEAT_SECONDS,
                        stalled_worker_timeout=10 * STALLED_SECONDS,
                    )
                )
                if self._stopping.is_set():
                    self._task.cancel()
                with suppress(asyncio.CancelledError):
                    await self._task
        except (ConnectorException, psycopg.Error) as error:
            return Unreachable("team.queue_away", error=type(error.__cause__ or error).__name__)
        return None

    async def _keep_tending(self) -> None:
        while True:
            with suppress(ShirubeError):  # the server is away: the next time will tell
                await asyncio.to_thread(self._tend)
            await asyncio.sleep(TEND_SECONDS)

    def _end(self) -> None:
        """Note that nothing is left to do, and end the loop."""
        self._empty = True
        if self._task is not None:
            self._task.cancel()

    def _stop(self) -> None:
        self._stopping.set()
        with self._guard:
            running = list(self._running)
        for deadline in running:
            deadline.cancel()
        if self._task is not None:
            self._task.cancel()

    def _app(self) -> "procrastinate.App":
        import procrastinate
        from psycopg.conninfo import conninfo_to_dict, make_conninfo

        options = conninfo_to_dict(self._address).get("options") or ""
        conninfo = make_conninfo(
            self._address,
            options=f"{options} -c search_path={_PATH.replace(' ', '')}".strip(),
            application_name="shirube worker",
            client_encoding="utf8",
            connect_timeout=5,
        )
        connector = procrastinate.PsycopgConnector(
            conninfo=conninfo, min_size=1, max_size=self._jobs + 4, timeout=20.0, reconnect_timeout=20.0
        )
        app = procrastinate.App(connector=connector)
        for kind in KINDS:
            app.task(name=kind, queue=QUEUE)(self._doing(kind))
        # procrastinate sees a heartbeat that failed only while its loop of periodic tasks runs; this one does nothing.
        app.periodic(cron="0 0 1 1 *")(app.task(name="yearly", queue=QUEUE)(_nothing))
        return app

    def _doing(self, kind: str) -> Callable[..., None]:
        def task(name: str, ref: str, attempt: int) -> None:
            deadline = Deadline()
            with self._guard:
                self._running.add(deadline)
            try:
                if self._stopping.is_set():
                    deadline.cancel()
                with deadline.governing():
                    self._do(TeamJob(kind, name, ref, attempt))
            finally:
                with self._guard:
                    self._running.discard(deadline)
                    self._done += 1

        return task


def _nothing(timestamp: int) -> None:
    pass


def _manager_for_once(connector: "BaseConnector", end: Callable[[], None]) -> "JobManager":
    """Return a manager of jobs that calls ``end`` when it finds none while none runs.

    procrastinate's own ``wait=False`` begins nothing more as soon as it finds none, also while other jobs run.
    """
    from procrastinate.manager import JobManager

    class ForOnce(JobManager):
        """Counts the jobs that it gave to the worker."""

        running = 0

        async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> "Job | None":
            is_idle = self.running == 0
            job = await super().fetch_job(queues, worker_id)
            self.running += job is not None
            if job is None and is_idle:
                end()
            return job

        async def finish_job(self, job: "Job", status: "Status", delete_job: bool) -> None:
            try:
                await super().finish_job(job, status, delete_job)
            finally:
                self.running -= 1

    return ForOnce(connector)


def prepare(connection: "psycopg.Connection[Any]") -> None:
    """Let a connection find procrastinate's tables, made or brought to the form of the installed version."""
    from procrastinate.schema import SchemaManager

    connection.execute(f"SET search_path = {_PATH}")
    steps = sorted(path.name for path in files("procrastinate.sql.migrations").iterdir() if path.name.endswith(".sql"))
    known = connection.execute("SELECT migration FROM shirube.team_queue").fetchone()
    if known is not None and known[0] >= steps[-1]:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        known = connection.execute("SELECT migration FROM shirube.team_queue").fetchone()
        if known is None:
            connection.execute(SchemaManager.get_schema().encode())
            connection.execute("INSERT INTO shirube.team_queue VALUES (%s)", (steps[-1],))
            return
        for step in steps:
            if step > known[0]:
                connection.execute((files("procrastinate.sql.migrations") / step).read_bytes())
        connection.execute("UPDATE shirube.team_queue SET migration = greatest(migration, %s)", (steps[-1],))
