"""Files beside the databases: folder names, locks between processes, and folders of Markdown pages.

The write hook imports this module for a folder's name, so it must not load anything slow.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from shirube.errors import NoPermission, OutsideRoot, StateFault

try:
    import fcntl
except ImportError:  # Windows; untested there
    fcntl = None  # type: ignore[assignment]

JOURNAL, PROJECTS = "journal.sqlite", "projects"
SESSION, GATE = "session", "gate"
"""Kinds of journal documents that more than one feature reads: sessions, and decisions of the gate."""
POLL_SECONDS = 0.02
PAGE_INDEX = "index.json"
LONGEST_NAME = 60
"""Characters of a topic used in a file name: at three bytes each this stays below the usual limit of 255 bytes."""


def own_name(root: Path) -> str:
    """Return the folder name of a work tree: readable, and unique for each real path."""
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in root.name)[:40]
    return f"{name}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def project_directory(state: Path, root: Path) -> Path:
    """Return the directory that holds everything recorded about a work tree."""
    return state / PROJECTS / own_name(root)


def stream_of(handle: str) -> str:
    """Return the name of a session's stream of events."""
    return f"{SESSION}:{handle}"


@contextmanager
def locked(path: Path, wait_seconds: float = 0.0) -> Iterator[bool]:
    """Take the lock at ``path`` and yield True; yield False when another process holds it for all of ``wait_seconds``.

    The operating system releases the lock when its process ends.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise NoPermission("store.no_lock", path=str(path.parent), error=str(error.strerror)) from error
    try:
        deadline = monotonic() + wait_seconds
        while not (held := _try_lock(handle)) and monotonic() < deadline:
            sleep(POLL_SECONDS)
        yield held
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def write_whole(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file atomically: a reader sees the old or the new content. Without a mode the umask decides.

    A symbolic link at ``path`` is replaced, never followed.
    """
    draft = path.with_name(f".{path.name[:40]}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if mode is not None:
            draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def page_name(topic: str) -> str:
    """Return a file name for a topic, in any script: ``"認証の流れ"`` → ``"認証の流れ-2c1d9f0e"``.

    Only letters, digits, ``-`` and ``_`` are kept, so no topic can leave the folder; the digest of the whole topic
    gives different names to topics that would look the same.
    """
    from shirube.engine.text.tokens import normalise

    safe = "".join(char if char.isalnum() or char in "-_" else "-" for char in normalise(topic))
    short = "-".join(part for part in safe.split("-") if part)[:LONGEST_NAME] or "topic"
    return f"{short}-{sha256(topic.encode('utf-8', 'replace')).hexdigest()[:8]}"


class PageFolder:
    """A folder of Markdown pages, one for each topic, and an index of them.

    ``inside`` is the directory that must contain the folder, when a project chose its path.
    """

    def __init__(self, folder: Path, inside: Path | None = None) -> None:
        self._folder = folder
        if inside is not None and not folder.resolve().is_relative_to(inside.resolve()):
            raise OutsideRoot("store.pages_outside", path=str(folder))

    def write(self, topic: str, text: str, entry: Mapping[str, Any], name: str = "") -> Path:
        """Write or replace the page of a topic, add it to the index, and return its path.

        ``name`` is the name of its file, where it shall not follow from the topic.
        """
        path = self._folder / (name or f"{page_name(topic)}.md")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
            entries = self.entries()
            entries[path.name] = {"topic": topic, **entry}
            index = json.dumps(entries, ensure_ascii=False, indent=1, sort_keys=True)
            write_whole(self._folder / PAGE_INDEX, f"{index}\n".encode())
        except OSError as error:
            raise StateFault("store.page_not_written", path=str(path), error=str(error)) from None
        return path

    def entries(self) -> dict[str, Any]:
        """Return the index: file name → the page's topic and entry; an unreadable index counts as empty."""
        try:
            entries = json.loads((self._folder / PAGE_INDEX).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return entries if isinstance(entries, dict) else {}
