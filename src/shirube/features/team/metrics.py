"""Counts what a server does, as Prometheus reads it. No label names a person, a token or a repository."""

from collections import Counter
from threading import Lock

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds; the buckets of the histogram."""


class CallMetrics:
    """Counters and one histogram; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._refused: Counter[str] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._words = self._lost = 0

    def answered(self, operation: str, outcome: str, seconds: float, words: int) -> None:
        """Count a call of an operation."""
        with self._lock:
            self._calls[operation, outcome] += 1
            self._seconds[operation] += seconds  # type: ignore[assignment]
            self._words += words
            bound = next((bound for bound in BOUNDS if seconds <= bound), float("inf"))
            self._buckets[operation, bound] += 1

    def refused(self, status: int) -> None:
        """Count a request that was refused before it reached an operation."""
        with self._lock:
            self._refused[str(status)] += 1

    def lost(self) -> None:
        """Count a row of the audit log that could not be written."""
        with self._lock:
            self._lost += 1

    def text(self, **gauges: float) -> str:
        """Return everything in the text format of Prometheus; ``gauges`` are values of this moment."""
        with self._lock:
            lines = ["# TYPE shirube_calls_total counter"]
            for (operation, outcome), count in sorted(self._calls.items()):
                lines.append(f'shirube_calls_total{{operation="{operation}",outcome="{outcome}"}} {count}')
            lines.append("# TYPE shirube_refused_total counter")
            lines += [f'shirube_refused_total{{status="{key}"}} {n}' for key, n in sorted(self._refused.items())]
            lines.append("# TYPE shirube_call_seconds histogram")
            for operation in sorted(self._seconds):
                total = 0
                for bound in (*BOUNDS, float("inf")):
                    total += self._buckets[operation, bound]
                    shown = "+Inf" if bound == float("inf") else f"{bound:g}"
                    lines.append(f'shirube_call_seconds_bucket{{operation="{operation}",le="{shown}"}} {total}')
                lines.append(f'shirube_call_seconds_sum{{operation="{operation}"}} {self._seconds[operation]:.6f}')
                lines.append(f'shirube_call_seconds_count{{operation="{operation}"}} {total}')
            lines += ["# TYPE shirube_answer_tokens_total counter", f"shirube_answer_tokens_total {self._words}"]
            lines += ["# TYPE shirube_audit_lost_total counter", f"shirube_audit_lost_total {self._lost}"]
        for name, value in gauges.items():
            lines += [f"# TYPE shirube_{name} gauge", f"shirube_{name} {value:g}"]
        return "\n".join(lines) + "\n"
