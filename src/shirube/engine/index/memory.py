"""Giving memory that is free back to the system.

Large texts come and go by the thousand, and the C library keeps what they leave behind: without this a worker on
a kernel-sized tree holds half a gigabyte of nothing.
"""

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> bool:
    """Ask the C library to return free memory; tell whether it can be asked (glibc only)."""
    trim = _trim()
    if trim is None:
        return False
    trim(0)
    return True


@cache
def _trim() -> Any:
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
