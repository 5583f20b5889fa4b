"""A sync that runs beside its caller: watched, waited for, or given up."""

from collections.abc import Callable
from secrets import token_hex
from threading import Event, Thread

from shirube.deadline import Deadline
from shirube.engine.index.sync import Progress
from shirube.messages import Message, say
from shirube.types import SyncReport


class Job:
    """One piece of work in a thread: a sync, which has a report, or the making of vectors."""

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
        """Tell whether it is still at work."""
        return not self._done.is_set()

    def wait(self, seconds: float | None, progress: Progress | None = None, every: float = 0.1) -> bool:
        """Wait for the end, telling of progress meanwhile; return whether it came."""
        left = seconds
        while not self._done.wait(every if left is None else min(every, max(left, 0))):
            if progress is not None:
                progress(*self.step)
            left = None if left is None else left - every
            if left is not None and left <= 0:
                return False
        return True

    def cancel(self) -> None:
        """Ask it to stop after the file it is at, and wait until it has."""
        self.deadline.cancel()
        self._thread.join()

    def _run(self) -> None:
        try:
            with self.deadline.governing():
                self.report = self._work(self._note, self.deadline)
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            self.error = error
        finally:
            self._done.set()

    def _note(self, what: Message, done: int, total: int) -> None:
        self.step = (what, done, total)
