"""Read one file of the project, and only of the project.

Every directory on the way is opened from the one before it without following links, so a path that is
changed while we look still cannot lead out. Only regular files are read, and never more than was agreed.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Self

from shirube.errors import BadArgument, NotReadable, OutsideRoot
from shirube.messages import say, verbatim

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FILE_FLAGS = _FLAGS | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
_FOLDER_FLAGS = _FLAGS | _NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd
LONGEST_NAME = 255
"""Bytes of a name that any file system we know can have."""
LONGEST_PATH = 4095
"""Bytes of a whole path that the systems we know open."""
_LINK_ERRORS = (errno.ELOOP, errno.EMLINK)


def read_bytes(root: Path, path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file below the root; no link is followed, so resolve the path first."""
    with Shelf(root) as shelf:
        return shelf.read(path, max_bytes)


class Shelf:
    """Reads many files one after another; the directories on the way stay open, so that neighbours cost less."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts: list[str] = []
        self._folders: list[int] = []
        """Descriptors: of the root, then of each part."""

    def read(self, path: str, max_bytes: int) -> bytes:
        """Return the bytes of a regular file below the root, as ``read_bytes`` does."""
        parts = path.split("/")
        if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise OutsideRoot("repo.not_plain", path=repr(path))
        try:
            return slurp(self._open(parts), max_bytes)
        except NotReadable as error:
            raise NotReadable(path, error.reason, error.detail) from None
        except OSError as error:
            reason = "outside_link" if error.errno in _LINK_ERRORS else "unreadable"
            raise NotReadable(path, reason, verbatim(error.strerror or "")) from error
        except ValueError as error:
            raise NotReadable(path, "odd_name", say("repo.no_name")) from error

    def close(self) -> None:
        """Let go of the directories."""
        while self._folders:
            os.close(self._folders.pop())
        self._parts = []

    def _open(self, parts: list[str]) -> int:
        if not _BY_DESCRIPTOR:
            return _open_by_name(self._root, "/".join(parts))
        return os.open(parts[-1], _FILE_FLAGS, dir_fd=self._folder(parts[:-1]))

    def _folder(self, parts: list[str]) -> int:
        """Return the descriptor of a directory, opened from the nearest one above that is open."""
        if not self._folders:
            self._folders.append(os.open(self._root, _FLAGS | getattr(os, "O_DIRECTORY", 0)))
        if parts != self._parts:
            same = 0
            while same < min(len(parts), len(self._parts)) and parts[same] == self._parts[same]:
                same += 1
            while len(self._parts) > same:
                os.close(self._folders.pop())
                self._parts.pop()
            for part in parts[same:]:
                self._folders.append(os.open(part, _FOLDER_FLAGS, dir_fd=self._folders[-1]))
                self._parts.append(part)
        return self._folders[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def resolve_inside(root: Path, path: str) -> str:
    """Turn a path somebody typed into the path of the same file below the root, links resolved.

    ``"src/../a.py"`` and ``"/project/a.py"`` become ``"a.py"``, the root itself ``"."``. The file need not
    exist. What leaves the root, by ``..``, by an absolute path or through a link, is refused.
    """
    if not path or "\0" in path:
        raise BadArgument("repo.no_path")
    try:
        home = Path(os.path.realpath(root))
        encoded = path.encode("utf-8")
        if len(os.fsencode(home)) + len(encoded) >= LONGEST_PATH or max(map(len, encoded.split(b"/"))) > LONGEST_NAME:
            raise BadArgument("repo.long_path")
        real = Path(os.path.realpath(home / path))
    except (OSError, ValueError) as error:
        raise BadArgument("repo.no_use") from error
    if not real.is_relative_to(home):
        raise OutsideRoot("repo.outside", path=repr(path), root=str(home))
    return real.relative_to(home).as_posix()


def slurp(handle: int, max_bytes: int) -> bytes:
    """Read an open descriptor to its end and close it; special and too large files are refused."""
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadable("", "special", say("repo.not_regular"))
        if status.st_size > max_bytes:
            raise NotReadable("", "too_large", say("repo.bytes", count=status.st_size))
        data = _read_up_to(handle, status.st_size, max_bytes + 1)
    finally:
        os.close(handle)
    if len(data) > max_bytes:
        raise NotReadable("", "too_large", say("repo.grew"))
    return data


def _read_up_to(handle: int, expected: int, most: int) -> bytes:
    parts: list[bytes] = []
    left = most
    # one byte more than expected, so that a second, empty read is all it takes to see the end
    while left and (data := os.read(handle, min(left, expected + 1))):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)


def _open_by_name(root: Path, path: str) -> int:
    """Open where descriptors of directories cannot be used: compare the real path first."""
    if resolve_inside(root, path) != path:
        raise NotReadable(path, "outside_link", say("repo.link"))
    return os.open(root / path, _FILE_FLAGS)
