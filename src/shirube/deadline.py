"""A Deadline is passed through synchronous code, which checks for cancellation and time-outs between its steps.

Code that waits for something else, such as another program, registers a callback instead (``when_cancelled``). It
need not be handed the deadline of the call: that is the ``current`` one while the call runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from time import monotonic

from shirube.errors import Cancelled


class Deadline:
    """A point in time after which work stops, and a switch to stop it earlier."""

    def __init__(self, seconds: float | None = None, outer: "Deadline | None" = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self._outer = outer
        self._cancelled = False
        self._callbacks: list[Callable[[], None]] = []
        self._lock = RLock()

    def within(self, seconds: float) -> "Deadline":
        """Return a deadline that ends after so many seconds, or together with this one if that is earlier."""
        return Deadline(seconds, self)

    def cancel(self) -> None:
        """Make the next check raise; may be called from another thread."""
        with self._lock:
            self._cancelled = True
            callbacks, self._callbacks = self._callbacks, []
            for callback in callbacks:
                callback()

    def when_cancelled(self, callback: Callable[[], None]) -> None:
        """Register a callback that ``cancel`` runs in the thread that calls it; run it now if already cancelled."""
        with self._lock:
            if not self._cancelled:
                self._callbacks.append(callback)
                return
        callback()

    def no_matter(self, callback: Callable[[], None]) -> None:
        """Remove a callback that ``when_cancelled`` registered; when this returns, it does not run any more."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    @contextmanager
    def governing(self) -> Iterator[None]:
        """Make this the current deadline of this thread for the length of the ``with`` block."""
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
        """Return how many seconds are left, but no more than ``most``."""
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
    """Return the deadline of the call that this thread runs; one without an end when it runs none."""
    return _current.get() or Deadline()
