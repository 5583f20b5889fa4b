"""What the gate remembers about one client's session: the last accepted tree, and the complaints it already made.

Each client has one file, private to the user, in the state directory; nothing in a repository can point to it. Its
first line changes from hook to hook. Its second line is an earlier snapshot of the tree, which is usually copied as it
is. The gate's settings are cached beside it, because loading the whole configuration takes longer than most answers.
"""

import contextlib
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shirube.config import fingerprint, load_config
from shirube.engine.store.disk import write_whole

if TYPE_CHECKING:
    from os import stat_result

Entry = str
"""A file's recorded state: the stat fields that reveal a change, then the digest of its content ("" when unread).

It is a line of text and not an object, because a hook loads thousands of them and examines only a few.
"""
FORM = 2
CONTEXT = "context"
"""The file whose age tells when a conversation of the project last lost what it had read."""
KEPT = 24
"""How many clients' memories are kept; the oldest is deleted first."""
LOOKS, MOST_LOOKS = ".looks", 500
"""The ending of the file with what a conversation has read so far, and how many files it holds."""
MOST_ACCEPTED = 500
"""How many changes are stored beside the tree; with more, the tree is encoded again with the changes included."""


def entry_of(found: "stat_result", digest: str = "") -> Entry:
    """Return the entry of a file, from its stat and digest."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {digest}"


def is_unchanged(was: Entry, unread: Entry) -> bool:
    """Tell whether the stat proves that nothing changed; an entry without digest is a prefix of the full entry."""
    return was.startswith(unread)


def digest_in(entry: Entry) -> str:
    """Return the digest of the content; empty when the file was not read."""
    return entry.rpartition(" ")[2]


def state_in(entry: Entry | None) -> str:
    """Return a short key for a file's state, so that the gate complains once about each state."""
    return ":".join(entry.split(" ", 2)[:2]) if entry else "gone"


class Memory:
    """The memory; ``files`` is the tree, ``told`` and ``stopped`` map paths to the states already complained about."""

    def __init__(
        self,
        files: dict[str, Entry] | None = None,
        told: dict[str, str] | None = None,
        stopped: dict[str, str] | None = None,
    ) -> None:
        self.files, self.told, self.stopped = files or {}, told or {}, stopped or {}
        self.accepted: dict[str, Entry | None] = {}
        """The changes that lead from ``tree`` to ``files``; None for a deleted file."""
        self.tree = ""
        """The encoded tree, as the memory file has it."""
        self.touched = False
        """Whether a change was accepted since the memory was loaded."""

    def accept(self, path: str, now: Entry | None) -> None:
        """Accept a change as permitted."""
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

    @classmethod
    def unpacked(cls, text: str) -> "Memory | None":
        """Decode a memory file; None when the format differs. A damaged file raises whatever its decoding raises."""
        first, _, tree = text.partition("\n")
        head, files = json.loads(first), json.loads(tree)
        told, stopped, accepted = (head[name] for name in ("told", "stopped", "accepted"))
        if head["form"] != FORM or _kinds(files, told, stopped) - {str} or _kinds(accepted) - {str, type(None)}:
            return None
        memory = cls(files, told, stopped)
        memory.tree = tree
        for path, now in accepted.items():
            memory._set(path, now)
        return memory


def memory_file(folder: Path, client: str) -> Path:
    """Return the path of a client's memory; its name is a digest, so any client name gives a safe file name."""
    return folder / f"{sha256(client.encode('utf-8', 'replace')).hexdigest()[:32]}.json"


def add_looks(memory: Path, seen: dict[str, str]) -> None:
    """Keep what a conversation has read before it started a session: files by path, with their digests."""
    known = _looks(memory)
    if seen.items() - known.items():
        write_private(memory.with_suffix(LOOKS), _dumped(dict([*known.items(), *seen.items()][-MOST_LOOKS:])))


def take_looks(memory: Path) -> dict[str, str]:
    """Return what a conversation has read before it started a session, and forget it."""
    seen = _looks(memory)
    memory.with_suffix(LOOKS).unlink(missing_ok=True)
    return seen


def _looks(memory: Path) -> dict[str, str]:
    try:
        seen = json.loads(memory.with_suffix(LOOKS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return seen if isinstance(seen, dict) and not _kinds(seen) - {str} else {}


def recall(file: Path) -> Memory | None:
    """Load a memory; None when there is none, or it cannot be read."""
    try:
        return Memory.unpacked(file.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(file: Path, memory: Memory) -> None:
    """Save a memory."""
    if not memory.tree or len(memory.accepted) > MOST_ACCEPTED:
        memory.tree, memory.accepted = _dumped(memory.files), {}
    head = {"form": FORM, "told": memory.told, "stopped": memory.stopped, "accepted": memory.accepted}
    write_private(file, f"{_dumped(head)}\n{memory.tree}")


def write_private(file: Path, text: str) -> None:
    """Write a file atomically, readable by its owner only."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, text.encode(), 0o600)


def forget_old(folder: Path) -> None:
    """Delete all memories but those of the latest ``KEPT`` clients."""
    for pattern in ("*.json", f"*{LOOKS}"):
        with contextlib.suppress(OSError):
            files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime_ns, reverse=True)
            for file in files[KEPT:]:
                file.unlink(missing_ok=True)


def mark_new_context(folder: Path) -> None:
    """Note that a conversation in this project lost what it had read: it was compacted, cleared or resumed.

    One mark serves all clients: a running server may know its client by an older name than the hooks do.
    """
    write_private(folder / CONTEXT, "")


def context_mark(folder: Path) -> tuple[int, int]:
    """Return what changes whenever a conversation lost what it had read."""
    try:
        found = (folder / CONTEXT).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _kinds(*tables: Any) -> set[type]:
    """Return the types of the values in tables; a value of a wrong type would otherwise fail much later."""
    return set().union(*(map(type, table.values()) for table in tables))


class GateSettings(NamedTuple):
    """The settings the gate uses."""

    mode: str
    exempt: list[str]
    commands: list[str]
    expire_hours: float
    busy_seconds: float


def read_rules(root: Path, kept: Path | None) -> GateSettings:
    """Return the settings of a project; ``kept`` is their cache file, None when that place cannot be trusted.

    The cache holds a digest of every byte the settings were read from, so it is never older than those files.
    """
    key = fingerprint(root)
    if kept and key:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            cached = json.loads(kept.read_text("utf-8"))
            if cached["key"] == key:
                return GateSettings(*cached["rules"])
    config = load_config(root)
    rules = GateSettings(
        config.gate.mode,
        list(config.gate.exempt),
        list(config.gate.commands),
        config.session.expire_hours,
        config.store.busy_seconds,
    )
    if kept and key:
        with contextlib.suppress(OSError):  # without the cache the next call loads them again
            write_private(kept, json.dumps({"key": key, "rules": rules}))
    return rules
