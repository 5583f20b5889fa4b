"""A lock between processes that dies with its holder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from shirube.errors import NoPermission

try:
    import fcntl
except ImportError:  # Windows; untested there
    fcntl = None  # type: ignore[assignment]

POLL_SECONDS = 0.02


@contextmanager
def locked(path: Path, wait_seconds: float = 0.0) -> Iterator[bool]:
    """Hold the lock at ``path`` and yield True, or yield False when another process has it until the end."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise NoPermission("store.no_lock", path=str(path.parent), error=str(error.strerror)) from error
    try:
        yield _take(handle, monotonic() + wait_seconds)
    finally:
        os.close(handle)


def _take(handle: int, deadline: float) -> bool:
    while True:
        if _try(handle):
            return True
        if monotonic() >= deadline:
            return False
        sleep(POLL_SECONDS)


def _try(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
