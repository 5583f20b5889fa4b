"""Writes who asked what of which repository: one JSON line a call, never a question, an answer or code."""

import json
import os
from pathlib import Path
from threading import Lock

from msgspec import Struct


class AuditRow(Struct, frozen=True):
    """One call."""

    time: str
    token: str
    """The name of the token, or ``oidc:`` and the subject."""
    operation: str
    repository: str
    """Empty for a call that was refused before one was chosen."""
    milliseconds: int
    outcome: str
    """``ok``, or the code of the error."""


class AuditLog:
    """A file that begins anew when it is too large; the old ones are kept beside it, ``.1`` the newest."""

    def __init__(self, path: Path, most_bytes: int, files: int) -> None:
        self._path, self._most, self._files = path, most_bytes, files
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._handle = self._opened()

    def write(self, row: AuditRow) -> bool:
        """Write a row at once; tell whether that worked."""
        names = AuditRow.__struct_fields__
        line = json.dumps({name: getattr(row, name) for name in names}, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            try:
                if os.fstat(self._handle).st_size + len(line) > self._most:
                    self._rotate()
                return os.write(self._handle, line) == len(line)
            except OSError:
                return False

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            os.close(self._handle)

    def _opened(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def _rotate(self) -> None:
        names = [self._path, *(self._path.with_name(f"{self._path.name}.{n}") for n in range(1, self._files + 1))]
        for older, newer in zip(reversed(names), reversed(names[:-1]), strict=False):
            if newer.exists():
                newer.replace(older)
        handle, self._handle = self._handle, self._opened()
        os.close(handle)
