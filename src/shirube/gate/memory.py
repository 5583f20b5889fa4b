"""What the gate remembers of one client's session: the tree as last accepted, and what it has said already.

One file for each client, private to the user, in the state directory: nothing in a repository leads there.
"""

import contextlib
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from shirube.gate.entry import Entry

FORM = 1
KEPT = 24
"""Clients whose memory is kept; the oldest goes first."""


@dataclass(slots=True)
class Memory:
    """What is remembered; ``files`` is the tree, ``told`` and ``stopped`` what was complained of, by path and state."""

    files: dict[str, Entry] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    touched: bool = field(default=False, compare=False)
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
        if held["form"] != FORM:
            return None
        files = {path: Entry(*row) for path, row in held["files"].items()}
        return Memory(files, held["told"], held["stopped"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(file: Path, memory: Memory) -> None:
    """Write it whole or not at all, for nobody else to read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    body = {
        "form": FORM,
        "files": memory.files,
        "told": memory.told,
        "stopped": memory.stopped,
    }
    aside = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    opened = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(opened, "w", encoding="utf-8") as stream:
            json.dump(body, stream, separators=(",", ":"))
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
