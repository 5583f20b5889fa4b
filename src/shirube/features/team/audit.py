"""Writes who asked what of which repository: one JSON line a call, never a question, an answer or code."""

import json
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from msgspec import Struct

from shirube.engine.store.disk import locked
from shirube.errors import NoPermission


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
    """A file that begins anew when it is too large; the old ones are kept beside it, ``.1`` the newest.

    Several servers may write into the same one.
    """

    def __init__(self, path: Path, most_bytes: int, files: int) -> None:
        self._path, self._most, self._files = path, most_bytes, files
        self._lock, self._is_torn = Lock(), False
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._handle = _opened(path)

    def write(self, row: AuditRow) -> bool:
        """Write a row at once; tell whether that worked."""
        names = AuditRow.__struct_fields__
        line = json.dumps({name: getattr(row, name) for name in names}, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            with suppress(OSError, NoPermission):  # where no new file can be made, the old one goes on
                self._follow(len(line))
            try:
                text = b"\n" + line if self._is_torn else line
                self._is_torn = (written := os.write(self._handle, text)) not in (0, len(text))
            except OSError:
                return False
            return written == len(text)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            os.close(self._handle)

    def _follow(self, more: int) -> None:
        """Write into the file of today: one that another server has begun, or one that is begun now."""
        if not self._is_current():
            self._take(_opened(self._path))
        if os.fstat(self._handle).st_size + more <= self._most:
            return
        with locked(self._path.with_name(f"{self._path.name}.lock")) as is_held:
            if not (is_held and self._is_current()):
                return
            new = self._path.with_name(f"{self._path.name}.new")
            new.unlink(missing_ok=True)
            handle = _opened(new)  # before anything is moved: it may fail
            names = [self._path, *(self._path.with_name(f"{self._path.name}.{n}") for n in range(1, self._files + 1))]
            for older, newer in zip(reversed(names), reversed(names[:-1]), strict=False):
                if newer.exists():
                    newer.replace(older)
            new.replace(self._path)
            self._take(handle)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._handle))
        except FileNotFoundError:
            return False

    def _take(self, handle: int) -> None:
        before, self._handle = self._handle, handle
        os.close(before)


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
