"""What the gate remembers of one client's session: the tree as last accepted, and what it has said already.

One file for each client, private to the user, in the state directory: nothing in a repository leads there. Its first
line is what changes from hook to hook, its second the tree as it once was, which is written again as it was read.
The settings of the gate are kept there too: reading all of them takes longer than most answers.
"""

import contextlib
import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shirube.config import fingerprint, load_config
from shirube.engine.store.disk import write_whole

if TYPE_CHECKING:
    from os import stat_result

Entry = str
"""A file as it was: what of its stat tells a change, then the digest of its content ("" when unread).

A line and not an object, because a hook reads thousands of them and looks into hardly any.
"""
FORM = 2
KEPT = 24
"""Clients whose memory is kept; the oldest goes first."""
MOST_ACCEPTED = 500
"""Changes that are kept beside the tree; with more of them it is written anew."""


def entry_of(found: "stat_result", digest: str = "") -> Entry:
    """Return the line of a file."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {digest}"


def is_unchanged(was: Entry, unread: Entry) -> bool:
    """Tell whether the stat proves that nothing changed; a line without a digest is how the whole one begins."""
    return was.startswith(unread)


def digest_in(entry: Entry) -> str:
    """Return the digest of the content, as far as it is known."""
    return entry.rpartition(" ")[2]


def state_in(entry: Entry | None) -> str:
    """Return what tells two states of a file apart that were both complained of."""
    return ":".join(entry.split(" ", 2)[:2]) if entry else "gone"


class Memory:
    """What is remembered; ``files`` is the tree, ``told`` and ``stopped`` what was complained of, by path and state."""

    def __init__(
        self,
        files: dict[str, Entry] | None = None,
        told: dict[str, str] | None = None,
        stopped: dict[str, str] | None = None,
    ) -> None:
        self.files, self.told, self.stopped = files or {}, told or {}, stopped or {}
        self.accepted: dict[str, Entry | None] = {}
        """What differs in ``files`` from …"""
        self.tree = ""
        """… the tree as its file has it."""
        self.touched = False
        """Whether anything was accepted since it was read."""

    def accept(self, path: str, now: Entry | None) -> None:
        """Take a change as made rightly."""
        self._set(path, now)
        self.told.pop(path, None)
        self.stopped.pop(path, None)
        self.touched = True

    def _set(self, path: str, now: Entry | None) -> None:
        self.accepted[path] = now
        if now is None:
            self.files.pop(path, None)
        else:
            self.files[path] = now

    def packed(self) -> str:
        """Return what is kept of it."""
        if not self.tree or len(self.accepted) > MOST_ACCEPTED:
            self.tree, self.accepted = _dumped(self.files), {}
        head = {"form": FORM, "told": self.told, "stopped": self.stopped, "accepted": self.accepted}
        return f"{_dumped(head)}\n{self.tree}"

    @classmethod
    def unpacked(cls, text: str) -> "Memory | None":
        """Return what was kept; None when it is of another form. Raises whatever rubbish leads to."""
        first, _, tree = text.partition("\n")
        head, files = json.loads(first), json.loads(tree)
        told, stopped, accepted = (head[name] for name in ("told", "stopped", "accepted"))
        if head["form"] != FORM or _kinds(files, told, stopped) - {str} or _kinds(accepted) - {str, type(None)}:
            return None
        held = cls(files, told, stopped)
        held.tree = tree
        for path, now in accepted.items():
            held._set(path, now)
        return held


def memory_file(folder: Path, client: str) -> Path:
    """Return where the memory of a client is kept; its name is made of a digest, whatever the client calls itself."""
    return folder / f"{sha256(client.encode('utf-8', 'replace')).hexdigest()[:32]}.json"


def recall(file: Path) -> Memory | None:
    """Return what is remembered, or None when nothing is, or it cannot be read."""
    try:
        return Memory.unpacked(file.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(file: Path, memory: Memory) -> None:
    """Keep what is remembered."""
    write_private(file, memory.packed())


def write_private(file: Path, text: str) -> None:
    """Write a file whole or not at all, for nobody else to read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, text.encode(), 0o600)


def forget_old(folder: Path) -> None:
    """Keep the memory of the clients that were here last."""
    with contextlib.suppress(OSError):
        files: Iterable[Path] = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in list(files)[KEPT:]:
            file.unlink(missing_ok=True)


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _kinds(*tables: Any) -> set[type]:
    """Return what tables are made of: anything that is no text would fail much later."""
    return set().union(*(map(type, table.values()) for table in tables))


class GateSettings(NamedTuple):
    """The settings that the gate goes by."""

    mode: str
    exempt: list[str]
    commands: list[str]
    expire_hours: float
    busy_seconds: float


def read_rules(root: Path, kept: Path | None) -> GateSettings:
    """Return the settings of a project; ``kept`` is where they may have been kept, if that place can be believed.

    They are kept beside a digest of every byte they were read from, so they are never older than the files.
    """
    key = fingerprint(root)
    held = _kept(kept, key) if kept and key else None
    if held is not None:
        return held
    config = load_config(root)
    rules = GateSettings(
        config.gate.mode,
        list(config.gate.exempt),
        list(config.gate.commands),
        config.session.expire_hours,
        config.store.busy_seconds,
    )
    if kept and key:
        with contextlib.suppress(OSError):  # then they are worked out again next time
            write_private(kept, json.dumps({"key": key, "rules": rules}))
    return rules


def _kept(file: Path, key: str) -> GateSettings | None:
    try:
        held = json.loads(file.read_text("utf-8"))
        return GateSettings(*held["rules"]) if held["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
