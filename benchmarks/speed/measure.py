"""Seconds of wall and of CPU, and what to say about several of them."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

CPU_CLOCK_OF_PROCESS = 2
"""The kernel's ``CPUCLOCK_SCHED``: with a process number it makes the clock of another process's CPU time."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one measurement took."""

    wall: float
    cpu: float


def spend(work: Callable[[], object]) -> Spent:
    """Run something; its CPU time holds the children that ended meanwhile and those still alive."""
    children = _children_cpu()
    own, started = time.process_time(), time.perf_counter()
    work()
    wall, own_after = time.perf_counter() - started, time.process_time()
    return Spent(wall, own_after - own + _children_cpu() - children)


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a living process, finer than the ticks of ``/proc/PID/stat``."""
    return time.clock_gettime((~pid << 3) | CPU_CLOCK_OF_PROCESS)


def summary(values: Sequence[float]) -> dict[str, float]:
    """Return the best, the median and the worst, and how many there were.

    >>> summary([3.0, 1.0, 2.0])
    {'best': 1.0, 'median': 2.0, 'worst': 3.0, 'count': 3}
    """
    return {"best": min(values), "median": median(values), "worst": max(values), "count": len(values)}


def summaries(spent: Sequence[Spent]) -> dict[str, dict[str, float]]:
    """Return the summary of wall and of CPU."""
    return {"wall": summary([one.wall for one in spent]), "cpu": summary([one.cpu for one in spent])}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of all values does not exceed.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _children_cpu() -> float:
    ended = getrusage(RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(_alive_cpu())


def _alive_cpu() -> list[float]:
    import psutil

    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            found.append(cpu_of(child.pid))
        except OSError:
            continue
    return found
