"""Snapshots the work tree and finds what changed since, by content, whoever changed it.

git lists the files, and its index has the digests of files unchanged since ``git add``; the other files are read.
``git status`` is not used, because it would run the repository's content filters. Without git, a directory walk lists
the files, and they are read up to a size limit. An equal stat proves that nothing changed; otherwise digests decide.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha1, sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shirube.engine.repo.git import run_git, start_git
from shirube.engine.repo.process import Limits, Running
from shirube.errors import ToolFailed
from shirube.features.guard.gate_memory import Entry, digest_in, entry_of, is_unchanged

if TYPE_CHECKING:
    from shirube.features.guard.writes import WriteTarget

MOST_BYTES = 64 << 20
"""How many bytes of files that git has no digest for are read; beyond that, a changed stat counts as a change."""
SELF = frozenset({".claude", ".codex", ".gemini", ".cursor", ".git", ".shirube"})
"""Directories that configure hooks, git or shirube; the gate judges writes there even when git ignores them."""
_LIMITS = Limits(timeout_seconds=6.0, max_bytes=128 << 20)
_ADDED = (
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n"
)
_MODULE = b"160000"  # the mode of a submodule, which has no content of its own


Tree = Mapping[str, Entry]
Known = tuple[str, int, int, int]
"""A file in git's index: the digest of its content, and the size, mtime (ns) and inode it had then."""


class TreeListing:
    """The files that git tracks or would add; git lists them in the background while the caller continues."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self._root, self._env = root, env
        self._git: Running | None = None
        try:
            self._git = start_git(root, ["ls-files", "-z", "-c", "-o", "--exclude-standard"], _LIMITS, env)
        except ToolFailed:
            return

    def paths(self) -> list[str]:
        """Return the paths that git lists; without git, those a directory walk finds."""
        answer = self._git.finish() if self._git else None
        if answer is not None and answer.ok:
            return os.fsdecode(answer.stdout).split("\0")[:-1]
        from shirube.engine.repo.walk import WalkOptions, walk

        options = WalkOptions(max_bytes=1 << 40, include_secrets=True, env=self._env)
        return [file.path for file in walk(self._root, options).files]


def take_snapshot(root: Path, env: Mapping[str, str]) -> dict[str, Entry]:
    """Return every file that git does not ignore, with the digest of its content."""
    listing = TreeListing(root, env)  # git lists while its index is read
    added = _added(root, env)
    return dict(_read_all(root, {**dict.fromkeys(listing.paths()), **added}))


def changes_since(root: Path, before: Tree, listing: TreeListing) -> dict[str, Entry | None]:
    """Return each changed path with its current entry; None when the file is gone."""
    changes: dict[str, Entry | None] = {}
    top = f"{root}/"
    for path, was in before.items():
        now = _now(top + path)
        digest = digest_in(was)
        if now is None or not (is_unchanged(was, now) or (digest and digest_like(root, path, digest) == digest)):
            changes[path] = now
    for path in listing.paths():
        if path not in before and (now := _now(top + path)):
            changes[path] = now
    return changes


def is_ignored(root: Path, path: str, env: Mapping[str, str]) -> bool:
    """Tell whether a file exists and git ignores it, like build output or local settings."""
    if SELF.intersection(path.split("/")) or not os.path.lexists(root / path):
        return False
    try:
        answer = run_git(
            root, ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--", f":(literal){path}"], _LIMITS, env
        )
    except ToolFailed:
        return False
    return answer.ok and not answer.stdout


def target_on_disk(root: Path, path: str) -> "WriteTarget":
    """Return a path of the project with its current state on disk."""
    from shirube.features.guard.writes import WriteTarget

    real = root / path
    above = next((folder for folder in real.parents if folder.is_dir()), root)
    folder = above.relative_to(root).as_posix() if above.is_relative_to(root) else "."
    return WriteTarget(path, os.path.lexists(real), folder, real.is_dir())


def digest_like(root: Path, path: str, like: str) -> str:
    """Return a file's git digest, of the same kind (SHA-1 or SHA-256) as ``like``; "" when it cannot be read."""
    place = root / path
    try:
        data = os.fsencode(place.readlink()) if place.is_symlink() else _content(place)
    except OSError:
        return ""
    make = sha256 if len(like) == 64 else sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _content(place: Path) -> bytes:
    """Read a regular file; return nothing for a pipe or device, where reading could block."""
    opened = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(opened, "rb") as stream:
        return stream.read() if stat.S_ISREG(os.fstat(opened).st_mode) else b""


def _now(place: str) -> Entry | None:
    try:
        return entry_of(os.lstat(place))
    except (OSError, ValueError):
        return None


def _read_all(root: Path, files: Mapping[str, Known | None]) -> Iterator[tuple[str, Entry]]:
    """Yield files with digests: git's where the stat proves it current, else computed, up to ``MOST_BYTES`` in all."""
    spent = 0
    for path, known in files.items():
        try:
            status = os.lstat(f"{root}/{path}")
        except (OSError, ValueError):
            continue
        digest = ""
        # git's index stores only the low 32 bits of an inode number.
        if known is not None and known[1:] == (status.st_size, status.st_mtime_ns, status.st_ino & 0xFFFFFFFF):
            digest = known[0]
        elif spent + status.st_size <= MOST_BYTES:
            spent += status.st_size
            digest = digest_like(root, path, known[0] if known else "")
        yield path, entry_of(status, digest)


def _added(root: Path, env: Mapping[str, str]) -> dict[str, Known]:
    """Return the data of git's index for each file; empty where there is no git."""
    import re

    try:
        answer = run_git(root, ["ls-files", "-z", "-s", "--debug"], _LIMITS, env)
    except ToolFailed:
        return {}
    rows = {}
    for mode, digest, _, path, seconds, rest, inode, size in re.findall(_ADDED, answer.stdout) if answer.ok else ():
        if mode != _MODULE:
            times = int(seconds) * 1_000_000_000 + int(rest)
            rows[os.fsdecode(path)] = (digest.decode(), int(size), times, int(inode))
    return rows
