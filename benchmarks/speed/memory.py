"""The peak of the memory that a process and its children hold together.

PSS counts a page that several processes share by its share, so that the sum over a tree counts it once.
"""

import re
import time
from pathlib import Path
from subprocess import Popen
from typing import Any

import psutil

PAUSE_SECONDS = 0.05


def watch(process: "Popen[Any]") -> float:
    """Wait for a process to end and return the highest summed PSS of its tree in bytes."""
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, tree_pss(process.pid))
        time.sleep(PAUSE_SECONDS)
    return peak


def tree_pss(pid: int) -> float:
    """Return the summed PSS of a process and its descendants in bytes."""
    try:
        pids = [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    except psutil.NoSuchProcess:
        return 0.0
    return sum(_pss(one) for one in pids)


def _pss(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.M)
    return int(found[1]) * 1024.0 if found else 0.0
