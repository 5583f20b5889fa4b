"""A Deadline travels through the synchronous rooms; cancellation and time-outs are seen between steps.

Who waits for something that is no step of ours, such as another program, is told at once (``when_cancelled``). The
deadline of a whole call need not be handed down to there: it is the ``current`` one while the call runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic

from shirube.errors import Cancelled


class Deadline:
    """A point in time after which work is given up, and a switch to give it up earlier."""

    def __init__(self, seconds: float | None = None, outer: "Deadline | None" = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self._outer = outer
        self._cancelled = False
        self._told: list[Callable[[], None]] = []
        self._lock = Lock()

    def within(self, seconds: float) -> "Deadline":
        """Return a deadline that ends after so many seconds, or with this one."""
        return Deadline(seconds, self)

    def cancel(self) -> None:
        """Give up at the next check; may be called from another thread."""
        with self._lock:
            self._cancelled = True
            told, self._told = self._told, []
        for tell in told:
            tell()

    def when_cancelled(self, tell: Callable[[], None]) -> None:
        """Call this when the caller gives up, in the thread that does; at once where that has happened."""
        with self._lock:
            if not self._cancelled:
                self._told.append(tell)
                return
        tell()

    def no_matter(self, tell: Callable[[], None]) -> None:
        """Take back what ``when_cancelled`` was told."""
        with self._lock:
            if tell in self._told:
                self._told.remove(tell)

    @contextmanager
    def governing(self) -> Iterator[None]:
        """Make this the current deadline of this thread for a while."""
        before = _current.set(self)
        try:
            yield
        finally:
            _current.reset(before)

    @property
    def passed(self) -> bool:
        """Tell whether there is no time left."""
        late = self._end is not None and monotonic() >= self._end
        return late or self._cancelled or (self._outer is not None and self._outer.passed)

    @property
    def cancelled(self) -> bool:
        """Tell whether the caller gave up."""
        return self._cancelled or (self._outer is not None and self._outer.cancelled)

    def left(self, most: float) -> float:
        """Return how many seconds are left, at most so many."""
        if self.cancelled:
            return 0.0
        own = most if self._end is None else min(most, max(0.0, self._end - monotonic()))
        return own if self._outer is None else self._outer.left(own)

    def check(self) -> None:
        """Raise when there is no time left."""
        if self.cancelled:
            raise Cancelled("request.cancelled")
        if self.passed:
            raise Cancelled("request.late")


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline:
    """Return the deadline of the call that this thread is at; one without an end when it is at none."""
    return _current.get() or Deadline()
