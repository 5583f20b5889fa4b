"""Keeps the past changes in the store up to date, in the background: no question waits for a long reading."""

from pathlib import Path
from threading import RLock

from shirube.deadline import Deadline
from shirube.engine.history.commits import GitHistory
from shirube.engine.history.reading import bring_up_to_date, is_current, trouble
from shirube.engine.index.job import Job
from shirube.engine.store.disk import locked
from shirube.engine.store.port import Store
from shirube.errors import Cancelled, told
from shirube.messages import Message, say
from shirube.types import Progress

LOCK = "history.lock"
LOCK_SECONDS = 0.5
"""How long to wait for the lock before checking whether the reading was cancelled."""
LOOK_SECONDS = 0.3
"""How long a question waits for a reading that it has started: enough for some new commits."""


class HistoryKeeper:
    """Reads the history of one project when git's files have changed."""

    def __init__(self, store: Store, git: GitHistory, directory: Path) -> None:
        self._store, self._git, self._directory = store, git, directory
        self._guard = RLock()
        self._job: Job | None = None
        self._is_told = False

    def start(self) -> Job | None:
        """Start reading, or return the running job; None when there is nothing new."""
        with self._guard:
            if self._job is not None and self._job.running:
                return self._job
            if is_current(self._store, self._git):
                return None
            self._job = Job(self._read)
            return self._job

    def look(self) -> None:
        """Start reading if there is anything new, and wait a moment for it."""
        before = self._job
        if (job := self.start()) is not None and job is not before:
            job.wait(LOOK_SECONDS)

    def complete(self, progress: Progress, deadline: Deadline) -> None:
        """Wait until everything is read, or the deadline has passed."""
        job = self.start()
        while job is not None and not job.wait(0.1, progress):
            if deadline.passed:
                break
        if deadline.cancelled:
            self.cancel()
            deadline.check()

    def cancel(self) -> None:
        """Stop reading; what was read is kept."""
        if (job := self._job) is not None:
            job.cancel()

    def notes(self) -> tuple[Message, ...]:
        """Say how far the reading is while it goes on, and once what went wrong."""
        job = self._job
        if job is not None and job.running:
            _, done, total = job.step
            return (say("history.behind", done=done, total=total) if total else say("history.begun"),)
        if self._is_told:
            return ()
        self._is_told = True
        return self.problems()

    def problems(self) -> tuple[Message, ...]:
        """Say why history, or a part of it, is left out."""
        error = self._job.error if self._job is not None else None
        if error is not None and not isinstance(error, Cancelled):
            return (say("history.left_out", error=told(error)),)
        problem = trouble(self._store)
        return (problem,) if problem else ()

    def _read(self, progress: Progress, deadline: Deadline) -> None:
        """Read; one process at a time, so wait for another that is at work."""
        wait_seconds = 0.0
        while not is_current(self._store, self._git):
            with locked(self._directory / LOCK, wait_seconds) as mine:
                deadline.check()
                if mine:
                    bring_up_to_date(self._store, self._git, progress, deadline)
                    return
                wait_seconds = LOCK_SECONDS
