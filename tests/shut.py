"""Directories that cannot be entered or written, by root either: its right to pass over modes is dropped meanwhile."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VERSION = 0x20080522
_OVERRIDE = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


@contextmanager
def shut(path: Path, mode: int = 0o500) -> Iterator[None]:
    """Let nobody write into a directory, or enter it with mode 0."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        with _common_rights():
            yield
    finally:
        path.chmod(before)


@contextmanager
def _common_rights() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, sets) == 0
    effective = sets[0]
    sets[0] = effective & ~_OVERRIDE
    assert libc.capset(header, sets) == 0
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0
