"""Keeps the past changes in the store up to date, in the background: no question waits for a long reading."""

from contextlib import suppress
from pathlib import Path
from threading import RLock

from shirube.deadline import Deadline, current
from shirube.engine.history.commits import GitHistory
from shirube.engine.history.reading import LACKS, Notes, bring_up_to_date, forget, is_current, trouble
from shirube.engine.index.job import Job
from shirube.engine.store.disk import locked
from shirube.engine.store.lexical import kept_note
from shirube.engine.store.store import Store
from shirube.errors import Cancelled, MovedIndex, NoAccess, NoPermission, told
from shirube.messages import Message, say
from shirube.types import Progress, SyncReport

LOCK = "history.lock"
LOCK_SECONDS = 0.5
"""How long to wait for the lock before checking whether the reading was cancelled."""
LOOK_SECONDS = 0.3
"""How long a question waits for a reading that it has started: enough for some new commits."""


class HistoryKeeper:
    """Reads the history of one project when git's files have changed."""

    def __init__(self, store: Store, git: GitHistory, directory: Path, local: Notes | None = None) -> None:
        """``local`` notes what is true on this machine only; without it the store does."""
        self._store, self._git, self._directory, self._local = store, git, directory, local or store
        self._guard = RLock()
        self._job: Job | None = None
        self._tried = ""
        """The stamp for which the last job began."""
        self._told: tuple[Message, ...] = ()
        self._told_before: tuple[Message, ...] = ()
        self._told_to = Deadline()
        """The call that was told last; it may ask again, and only its last answer is seen."""

    def start(self) -> Job | None:
        """Start reading, or return the running job; None when there is nothing new, or git failed on the same."""
        with self._guard:
            stamp = self._git.stamp()
            if self._running() is None and (self._is_done(stamp) or (self._error and stamp == self._tried)):
                return None
            return self._begin(stamp)

    def _is_done(self, stamp: str) -> bool:
        """Tell whether nothing is to be read. What git refused to another process is tried once: it may be mended."""
        is_refused = self._job is None and trouble(self._local).code == "history.left_out"
        return is_current(self._store, stamp, self._local) and not is_refused

    def look(self) -> None:
        """Start reading if there is anything new, and wait a moment for it."""
        before = self._job
        if (job := self.start()) is not None and job is not before:
            job.wait(LOOK_SECONDS)

    def complete(self, full: bool, progress: Progress, deadline: Deadline) -> int:
        """Wait until everything is read, or the deadline has passed; try again what failed, or ``full``, everything.

        Return how many commits were read.
        """
        if full:
            self.cancel()
        with self._guard:
            stamp = self._git.stamp()
            is_needed = full or self.problems() or not is_current(self._store, stamp, self._local)
            job = self._begin(stamp, full) if is_needed or self._running() else None
        if job is not None:
            job.ends(progress, deadline)
        return job.report.commits if job is not None and job.report else 0

    def _begin(self, stamp: str, full: bool = False) -> Job:
        if (running := self._running()) is not None:
            return running
        self._tried, self._job = stamp, Job(lambda progress, deadline: self._read(full, progress, deadline))
        return self._job

    def _running(self) -> Job | None:
        return self._job if self._job is not None and self._job.running else None

    @property
    def _error(self) -> Exception | None:
        """Why the last job failed; one that was cancelled has not failed."""
        error = self._job.error if self._job is not None else None
        return None if isinstance(error, Cancelled) else error

    def cancel(self) -> None:
        """Stop reading; what was read is kept."""
        if (job := self._job) is not None:
            job.cancel()

    def pending(self) -> tuple[Message, ...]:
        """Say how far the reading is while it goes on."""
        if (job := self._running()) is None:
            return ()
        _, done, total = job.step
        return (say("history.behind", done=done, total=total) if total else say("history.begun"),)

    def notes(self) -> tuple[Message, ...]:
        """Say how far the reading is while it goes on, and once what went wrong."""
        if pending := self.pending():
            return pending
        if (call := current()) is not self._told_to:
            self._told_to, self._told_before = call, self._told
        self._told = self.problems()
        return tuple(problem for problem in self._told if problem not in self._told_before)

    def problems(self) -> tuple[Message, ...]:
        """Say why history, or a part of it, is left out."""
        error = self._error
        if error is not None and not isinstance(error, NoPermission | NoAccess):  # what a read-only index holds is used
            return (say("history.left_out", error=told(error)),)
        problem = trouble(self._local)
        return (problem,) if problem else ()

    def lacks(self) -> tuple[Message, ...]:
        """Say what a shallow or partial clone does not have."""
        return tuple(filter(None, [kept_note(self._local.noted(LACKS))]))

    def _read(self, full: bool, progress: Progress, deadline: Deadline) -> SyncReport | None:
        """Read; one process at a time, so wait for another that is at work."""
        wait_seconds = 0.0
        while full or self.problems() or not is_current(self._store, self._git.stamp(), self._local):
            with locked(self._directory / LOCK, wait_seconds) as mine:
                deadline.check()
                if mine:
                    if full:
                        forget(self._store, self._local)
                    with suppress(MovedIndex):  # then it is read for the new one
                        read = bring_up_to_date(self._store, self._git, progress, deadline, self._local)
                        return SyncReport(commits=read)
                self._store.forget()
                wait_seconds = LOCK_SECONDS
        return None
