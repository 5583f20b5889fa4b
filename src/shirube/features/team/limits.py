"""How much each token may ask: a bucket for calls and one for text, both of a minute.

They are kept by the serving process: of several servers, each lets the whole rate through.
"""

from threading import Lock
from time import monotonic

MINUTE = 60.0
MOST_KEPT = 10_000
"""How many buckets are kept before the full ones are forgotten, which are as good as new ones."""


class RateLimits:
    """Counts what was used, by token and kind; safe to share between threads."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}
        """(token, kind) → what is left, and when that was so."""
        self._lock = Lock()

    def wait(self, token: str, kind: str, a_minute: int, amount: int = 0) -> float:
        """Take an amount if anything is left; return 0, or how many seconds later something will be.

        What is taken may be more than is left: how long an answer is shows when it was made.
        """
        now = monotonic()
        with self._lock:
            left, at = self._buckets.get((token, kind), (float(a_minute), now))
            left = min(float(a_minute), left + (now - at) * a_minute / MINUTE)
            need = float(amount)
            is_open = left >= need
            self._buckets[token, kind] = (left - amount if is_open else left), now
            if len(self._buckets) > MOST_KEPT:
                self._forget(now)
            return 0.0 if is_open else max(0.001, (need - left) * MINUTE / a_minute)

    def spend(self, token: str, kind: str, a_minute: int, amount: int) -> None:
        """Take an amount that was used, whatever is left."""
        now = monotonic()
        with self._lock:
            left, at = self._buckets.get((token, kind), (float(a_minute), now))
            self._buckets[token, kind] = min(float(a_minute), left + (now - at) * a_minute / MINUTE) - amount, now

    def _forget(self, now: float) -> None:
        """Forget buckets that were not used for a minute and were not overdrawn: they are full again."""
        self._buckets = {key: (left, at) for key, (left, at) in self._buckets.items() if now - at < MINUTE or left < 0}
