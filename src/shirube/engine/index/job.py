"""Work in a thread of its own: it reports how far it is, keeps its error, and can be cancelled."""

from collections.abc import Callable
from secrets import token_hex
from threading import Event, Thread

from shirube.deadline import Deadline
from shirube.messages import Message, say
from shirube.types import Progress, SyncReport


class Job:
    """Work that runs in its own thread: a sync, which returns a report, or the computing of vectors."""

    def __init__(self, work: Callable[[Progress, Deadline], SyncReport | None]) -> None:
        self.id = token_hex(4)
        self.deadline = Deadline()
        self.step: tuple[Message, int, int] = (say("steps.starting"), 0, 0)
        self.report: SyncReport | None = None
        self.error: Exception | None = None
        self._done = Event()
        self._work = work
        self._thread = Thread(target=self._run, name="shirube-sync", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Tell whether the work is still going on."""
        return not self._done.is_set()

    def wait(self, seconds: float | None, progress: Progress | None = None, every: float = 0.1) -> bool:
        """Wait until the work ends and report progress; return False when ``seconds`` pass first (None: no limit)."""
        left = seconds
        while not self._done.wait(every if left is None else min(every, max(left, 0))):
            if progress is not None:
                progress(*self.step)
            left = None if left is None else left - every
            if left is not None and left <= 0:
                return False
        return True

    def ends(self, progress: Progress, deadline: Deadline) -> bool:
        """Wait for the end; cancel the work if the caller cancelled, return False if only the caller's time is up."""
        while not self.wait(0.1, progress):
            if deadline.passed:
                if deadline.cancelled:
                    self.cancel()
                    deadline.check()
                return False
        return True

    def cancel(self) -> None:
        """Stop the work after the current file, and wait until it has stopped."""
        self.deadline.cancel()
        self._thread.join()

    def _run(self) -> None:
        try:
            with self.deadline.governing():
                self.report = self._work(self._note, self.deadline)
        except Exception as error:  # noqa: BLE001 - kept for whoever waits
            self.error = error
        finally:
            self._done.set()

    def _note(self, what: Message, done: int, total: int) -> None:
        self.step = (what, done, total)
