"""A Deadline travels through the synchronous rooms; cancellation and time-outs are seen between steps."""

from time import monotonic

from shirube.errors import Cancelled


class Deadline:
    """A point in time after which work is given up, and a switch to give it up earlier."""

    def __init__(self, seconds: float | None = None, outer: "Deadline | None" = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self._outer = outer
        self._cancelled = False

    def within(self, seconds: float) -> "Deadline":
        """Return a deadline that ends after so many seconds, or with this one."""
        return Deadline(seconds, self)

    def cancel(self) -> None:
        """Give up at the next check; may be called from another thread."""
        self._cancelled = True

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
