"""Reads and writes other programs' files: links are followed, modes are kept, a reader never sees half a file."""

import os
import stat
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from shirube.errors import ConfigError
from shirube.messages import say

MAX_BYTES = 32 << 20
"""Claude Code's own file grows to some megabytes; more than this is no settings file."""


class File(Struct, frozen=True):
    """A file as it was found; ``data`` is None where there is none."""

    path: Path
    """Where it really is, links followed."""
    data: bytes | None

    @property
    def text(self) -> str:
        """Return the text; a byte-order mark and the line ends stay in it."""
        return (self.data or b"").decode("utf-8")


def digest(data: bytes | None) -> str:
    """Return what tells contents apart; of no file the empty string."""
    return "" if data is None else sha256(data).hexdigest()


def real_path(path: Path, within: Path | None = None) -> Path:
    """Return where a file really is; ``within`` is a project whose links may not lead out of it."""
    real = Path(os.path.realpath(path))
    if within is not None and not real.is_relative_to(os.path.realpath(within)):
        raise refused(path, say("install.link_out"))
    if real.is_symlink():
        raise refused(path, say("install.link_circle"))
    return real


def read(path: Path, within: Path | None = None) -> File:
    """Return a file that may be edited, or raise with the reason why it may not."""
    real = real_path(path, within)
    try:
        if not real.exists():
            return File(real, None)
        found = real.stat()
        if not stat.S_ISREG(found.st_mode):
            raise refused(path, say("install.not_file"))
        if found.st_size > MAX_BYTES:
            raise refused(path, say("install.too_large", most=MAX_BYTES >> 20))
        data = real.read_bytes()
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise refused(path, say("install.not_utf8")) from None
    except OSError as error:
        raise refused(path, error.strerror or str(error)) from None
    return File(real, data)


def check_writable(file: File) -> None:
    """Raise when a file is not meant to be written; a rename would not ask."""
    if file.data is None:
        return
    try:
        found = file.path.stat()
    except OSError as error:
        raise refused(file.path, error.strerror or str(error)) from None
    if not found.st_mode & 0o222 or not os.access(file.path, os.W_OK):
        raise refused(file.path, say("install.read_only"))
    if found.st_nlink > 1:
        raise refused(file.path, say("install.hard_link"))


def write(file: File, data: bytes) -> list[Path]:
    """Replace a file in one step, if it still is as it was found; return the directories that had to be made."""
    check_writable(file)
    made = _make_directories(file.path.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.path.name}.", dir=file.path.parent)
    except OSError as error:
        raise refused(file.path, error.strerror or str(error)) from None
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        _keep_manner(file, fresh)
        if digest(_now(file.path)) != digest(file.data):
            raise refused(file.path, say("install.changed_now"))
        fresh.replace(file.path)
    except OSError as error:
        raise refused(file.path, error.strerror or str(error)) from None
    finally:
        fresh.unlink(missing_ok=True)
    return made


def remove(file: File, directories: list[Path]) -> None:
    """Remove a file that was made here, and the directories made for it that are empty now."""
    check_writable(file)
    try:
        file.path.unlink(missing_ok=True)
    except OSError as error:
        raise refused(file.path, error.strerror or str(error)) from None
    for directory in sorted(directories, key=lambda place: len(place.parts), reverse=True):
        with suppress(OSError):
            directory.rmdir()


def refused(path: Path, why: str) -> ConfigError:
    """Return the error for a file that is left alone."""
    return ConfigError("install.left_alone", path=str(path), why=why)


def _make_directories(directory: Path) -> list[Path]:
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(directory, error.strerror or str(error)) from None
    return missing


def _keep_manner(file: File, fresh: Path) -> None:
    """Give the new file the mode and owner of the old one, or what a new file gets here."""
    if file.data is None:
        mask = os.umask(0)
        os.umask(mask)
        fresh.chmod(0o666 & ~mask)
        return
    found = file.path.stat()
    fresh.chmod(stat.S_IMODE(found.st_mode))
    with suppress(PermissionError):
        os.chown(fresh, found.st_uid, found.st_gid)


def _now(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
