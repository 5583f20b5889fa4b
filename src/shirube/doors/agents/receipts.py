"""Reads and writes agents' files; remembers in the state directory what we put in, and keeps the original files."""

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from shirube.codec import pack, replace
from shirube.engine.store.disk import locked, write_whole
from shirube.errors import ConfigError, NotWritable, StateFault
from shirube.messages import say

MAX_BYTES = 32 << 20
"""Claude Code's own file grows to some megabytes; a file larger than this is not a settings file."""


class AgentFile(Struct, frozen=True):
    """A file as it was found; ``data`` is None where there is none."""

    path: Path
    """The real path, with links resolved."""
    data: bytes | None

    @property
    def text(self) -> str:
        """The text, with its byte-order mark and line endings unchanged."""
        return (self.data or b"").decode("utf-8")


def digest(data: bytes | None) -> str:
    """Return the SHA-256 of a file's content; the empty string for no file."""
    return "" if data is None else sha256(data).hexdigest()


def real_path(path: Path, within: Path | None = None) -> Path:
    """Return the real path of a file; it must be inside ``within``, the project, if that is given."""
    real = Path(os.path.realpath(path))
    if within is not None and not real.is_relative_to(os.path.realpath(within)):
        raise refused(path, say("install.link_out"))
    if real.is_symlink():
        raise refused(path, say("install.link_circle"))
    return real


def read(path: Path) -> AgentFile:
    """Return a file that may be edited, or raise with the reason why it may not."""
    real = real_path(path)
    with _refusing(path):
        if not real.exists():
            return AgentFile(real, None)
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            raise refused(path, say("install.not_file"))
        if status.st_size > MAX_BYTES:
            raise refused(path, say("install.too_large", most=MAX_BYTES >> 20))
        data = real.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise refused(path, say("install.not_utf8")) from None
    return AgentFile(real, data)


def check_writable(file: AgentFile) -> None:
    """Raise when a file is read-only or hard-linked; replacing it by a rename would ignore that."""
    if file.data is None:
        return
    with _refusing(file.path):
        status = file.path.stat()
    if not status.st_mode & 0o222 or not os.access(file.path, os.W_OK):
        raise refused(file.path, say("install.read_only"))
    if status.st_nlink > 1:
        raise refused(file.path, say("install.hard_link"))


def write(file: AgentFile, data: bytes) -> list[Path]:
    """Replace a file atomically, unless it changed since it was read; return the directories that were created."""
    check_writable(file)
    made = [place for place in file.path.parents if not place.exists()]
    with _refusing(file.path.parent):
        file.path.parent.mkdir(parents=True, exist_ok=True)
    with _refusing(file.path):
        handle, name = tempfile.mkstemp(prefix=f".{file.path.name}.", dir=file.path.parent)
        fresh = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if file.data is None:
                mask = os.umask(0)  # a file of ours gets what a new file gets here
                os.umask(mask)
                fresh.chmod(0o666 & ~mask)
            else:
                status = file.path.stat()
                fresh.chmod(stat.S_IMODE(status.st_mode))
                with suppress(PermissionError):
                    os.chown(fresh, status.st_uid, status.st_gid)
            if digest(file.path.read_bytes() if file.path.exists() else None) != digest(file.data):
                raise refused(file.path, say("install.changed_now"))
            fresh.replace(file.path)
        finally:
            fresh.unlink(missing_ok=True)
    return made


def remove(file: AgentFile, directories: list[Path]) -> None:
    """Remove a file that we created, and the directories we created for it that are now empty."""
    check_writable(file)
    with _refusing(file.path):
        file.path.unlink(missing_ok=True)
    for directory in sorted(directories, key=lambda place: len(place.parts), reverse=True):
        with suppress(OSError):
            directory.rmdir()


def refused(path: Path, why: str) -> ConfigError:
    """Return the error for a file that we leave unchanged."""
    return ConfigError("install.left_alone", path=str(path), why=why)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into a refusal to edit this file."""
    try:
        yield
    except OSError as error:
        raise refused(path, error.strerror or str(error)) from None


LOCK_SECONDS = 10.0


class Edit(Struct, frozen=True):
    """One piece that was put in: for which agents, its value, and how many containers were created for it."""

    agents: tuple[str, ...]
    value: Any
    made: int = 0


class Receipt(Struct, frozen=True):
    """What was done to one file."""

    path: str
    after: str
    """The digest of the file after our last edit."""
    existed: bool
    whole: bool = True
    """Whether nobody else changed the file between our edits, so that the original can be restored."""
    edits: Mapping[str, Edit] = {}


class Receipts:
    """The receipts of this user, one small file each, with the original beside it."""

    def __init__(self, state_dir: Path) -> None:
        self._home = state_dir / "agents"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock against other installers."""
        try:
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise NotWritable("install.state_dir", path=str(self._home), error=error.strerror) from None
        with locked(self._home / "lock", LOCK_SECONDS) as mine:
            if not mine:
                raise StateFault("install.busy")
            yield

    def get(self, path: Path) -> Receipt | None:
        """Return the receipt of a file."""
        place = self._place(path, ".json")
        if not place.is_file():
            return None
        try:
            stored = json.loads(place.read_text("utf-8"))
            edits = {
                key: Edit(tuple(edit["agents"]), edit["value"], edit["made"]) for key, edit in stored["edits"].items()
            }
            return Receipt(**{**stored, "edits": edits})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StateFault("install.receipt", path=str(place), error=str(error)) from None

    def has(self, path: Path) -> bool:
        """Tell whether anything was put into a file."""
        return self._place(path, ".json").is_file()

    def original(self, receipt: Receipt, now: bytes | None) -> tuple[bool, bytes | None]:
        """Return whether a file can be restored, and its original content (None: the file did not exist)."""
        place = self._place(Path(receipt.path), ".original")
        if not receipt.whole or digest(now) != receipt.after or (receipt.existed and not place.is_file()):
            return False, None
        return True, place.read_bytes() if receipt.existed else None

    def keep(self, path: Path, before: bytes | None) -> None:
        """Back up a file before the first edit; only its owner may read the copy."""
        if before is not None:
            write_whole(self._place(path, ".original"), before, 0o600)

    def put(self, receipt: Receipt) -> None:
        """Write a receipt."""
        packed = json.dumps(pack(receipt), indent=1).encode()
        write_whole(self._place(Path(receipt.path), ".json"), packed, 0o600)

    def drop(self, path: Path) -> None:
        """Forget a file."""
        for ending in (".json", ".original"):
            self._place(path, ending).unlink(missing_ok=True)

    def directories(self) -> list[Path]:
        """Return the directories that we created and that still exist."""
        place = self._home / "directories"
        names = place.read_text("utf-8", "surrogateescape").splitlines() if place.is_file() else []
        return [Path(name) for name in names if Path(name).is_dir()]

    def put_directories(self, directories: list[Path]) -> None:
        """Remember which directories we created."""
        names = "".join(f"{directory}\n" for directory in dict.fromkeys(directories) if directory.is_dir())
        write_whole(self._home / "directories", names.encode("utf-8", "surrogateescape"), 0o600)

    def _place(self, path: Path, ending: str) -> Path:
        return self._home / (sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:24] + ending)


def owners(edit: Edit | None, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the agents of an edit, and some more."""
    return tuple(dict.fromkeys([*(edit.agents if edit else ()), *more]))


def without(edit: Edit, agents: tuple[str, ...]) -> Edit | None:
    """Return an edit without some of its agents, or None when none is left."""
    left = tuple(agent for agent in edit.agents if agent not in agents)
    return replace(edit, agents=left) if left else None
