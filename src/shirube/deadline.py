"""A Deadline travels through the synchronous rooms; cancellation and time-outs are seen between steps."""

from time import monotonic

from shirube.errors import Cancelled


class Deadline:
    """A point in time after which work is given up, and a switch to give it up earlier."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self._cancelled = False

    def cancel(self) -> None:
        """Give up at the next check; may be called from another thread."""
        self._cancelled = True

    @property
    def passed(self) -> bool:
        """Tell whether there is no time left."""
        return self._cancelled or (self._end is not None and monotonic() >= self._end)

    @property
    def cancelled(self) -> bool:
        """Tell whether the caller gave up."""
        return self._cancelled

    def check(self) -> None:
        """Raise when there is no time left."""
        if self._cancelled:
            raise Cancelled("the request was cancelled", "ask again; what was done so far is kept")
        if self.passed:
            raise Cancelled("the time for this request is up", "ask again; what was done so far is kept")
