"""What the gate remembers of one client's session: the tree as last accepted, and what it has said already.

One file for each client, private to the user, in the state directory: nothing in a repository leads there.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from shirube.gate.entry import Entry

FORM = 2
KEPT = 24
"""Clients whose memory is kept; the oldest goes first."""


class Memory:
    """What is remembered; ``files`` is the tree, ``told`` and ``stopped`` what was complained of, by path and state."""

    def __init__(
        self,
        files: dict[str, Entry] | None = None,
        told: dict[str, str] | None = None,
        stopped: dict[str, str] | None = None,
    ) -> None:
        self.files, self.told, self.stopped = files or {}, told or {}, stopped or {}
        self.touched = False
        """Whether anything was accepted since it was read."""

    def accept(self, path: str, now: Entry | None) -> None:
        """Take a change as made rightly."""
        if now is None:
            self.files.pop(path, None)
        else:
            self.files[path] = now
        self.told.pop(path, None)
        self.stopped.pop(path, None)
        self.touched = True


def memory_file(folder: Path, client: str) -> Path:
    """Return where the memory of a client is kept; its name is made of a digest, whatever the client calls itself."""
    return folder / f"{sha256(client.encode('utf-8', 'replace')).hexdigest()[:32]}.json"


def recall(file: Path) -> Memory | None:
    """Return what is remembered, or None when nothing is, or it cannot be read."""
    try:
        held = json.loads(file.read_text("utf-8"))
        tables = [held[name] for name in ("files", "told", "stopped")]
        if held["form"] == FORM and all({*map(type, table.values())} <= {str} for table in tables):
            return Memory(*tables)
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(file: Path, memory: Memory) -> None:
    """Keep what is remembered."""
    keep(file, {"form": FORM, "files": memory.files, "told": memory.told, "stopped": memory.stopped})


def keep(file: Path, body: Mapping[str, Any]) -> None:
    """Write a file whole or not at all, for nobody else to read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = file.with_name(f".{file.name}.{os.urandom(4).hex()}")
    opened = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(opened, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(body, separators=(",", ":")))
        aside.replace(file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def forget_old(folder: Path) -> None:
    """Keep the memory of the clients that were here last."""
    with contextlib.suppress(OSError):
        files: Iterable[Path] = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in list(files)[KEPT:]:
            file.unlink(missing_ok=True)
