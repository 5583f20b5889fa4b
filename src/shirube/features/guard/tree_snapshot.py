"""Snapshots the work tree and finds what changed since, by content, whoever changed it.

git lists the files, and its index has the digests of files unchanged since ``git add``; the other files are read.
``git status`` is not used, because it would run the repository's content filters. Without git, a directory walk lists
the files, and they are read up to a limit. An equal stat proves that nothing changed; otherwise digests decide.

Beside the files there is what git would run or hide: its hooks, its settings and ``info/exclude``, which hides nothing
from us. Submodules and other repositories inside the project are looked at like the project itself.
"""

import os
import re
import stat
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha1, sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shirube.engine.repo.git import common_dir, git_output, git_rules, own_dir, read_small, start_git
from shirube.engine.repo.process import Limits, Running
from shirube.errors import ToolFailed
from shirube.features.guard.gate_memory import Entry, digest_in, entry_of, is_unchanged

if TYPE_CHECKING:
    from shirube.features.guard.writes import WriteTarget

MOST_BYTES, MOST_SECONDS = 64 << 20, 2.0
"""How much of the files that git has no digest for is read, and until when after the begin of a snapshot.

Of the rest a changed stat counts as a change.
"""
MOST_REPOSITORIES = 100
"""How many repositories inside the project are looked at."""
SELF = frozenset({".claude", ".codex", ".gemini", ".cursor", ".git", ".shirube"})
"""Directories that configure hooks, git or shirube; the gate judges writes there even when git ignores them."""
_LIMITS = Limits(timeout_seconds=4.0, max_bytes=128 << 20)
_VERSIONS = (b"\0\0\0\2", b"\0\0\0\3", b"\0\0\0\4")
"""The forms of git's index."""
_FILES = (0o10, 0o12)
"""The kinds of entries with content of their own: files and links."""
_GITLINK = b"\x00\x00\xe0\x00"  # the mode of a submodule in the index
_SETTINGS = re.compile(r"(?:^|/)\.git/(?:modules/.+/)?config$")
_BRANCHES = re.compile(rb"(?m)^\[(?:branch|submodule) [^\n]*\n(?:[ \t][^\n]*\n?)*")
"""What ordinary commands write into git's settings: which branch follows which, and which submodules are used."""


Tree = Mapping[str, Entry]
Known = tuple[str, int, int, int]
"""A file in git's index: the digest of its content, and the size, mtime (ns) and inode it had then."""


class TreeListing:
    """The files that git tracks or would add; git lists them in the background while the caller continues."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self._root, self._env = root, env
        self._git: Running | None = None
        try:
            self._git = start_git(root, ["ls-files", "-z", "-c", "-o", *_hiding(root, env)], _LIMITS, env)
        except ToolFailed:
            return

    def paths(self) -> list[str]:
        """Return the paths that git lists, and what it would run; without git, those a directory walk finds."""
        answer = self._git.finish() if self._git else None
        if answer is not None and answer.ok:
            return [*self._listed(answer.stdout), *_run_by_git(self._root, self._root)]
        from shirube.engine.repo.walk import WalkOptions, walk

        options = WalkOptions(max_bytes=1 << 40, include_secrets=True, env=self._env)
        return [file.path for file in walk(self._root, options).files]

    def _listed(self, output: bytes) -> list[str]:
        """Return the paths in an answer of git, with the files of the repositories among them."""
        paths = os.fsdecode(output).split("\0")[:-1]
        is_inside = {path for path in paths if path.endswith("/")}
        own = own_dir(self._root)
        if own is not None and _GITLINK in _index(own / "index"):
            is_inside.update(path for path in paths if os.path.lexists(f"{self._root}/{path}/.git"))
        paths = [path for path in paths if path not in is_inside]
        for path in sorted(is_inside)[:MOST_REPOSITORIES]:
            top = self._root / path
            listing = ["ls-files", "-z", "-c", "-o", *_hiding(top, self._env)]
            nested = git_output(top, listing, _LIMITS, self._env) or b""
            paths += [os.path.normpath(f"{path}/{file}") for file in os.fsdecode(nested).split("\0")[:-1]]
            paths += _run_by_git(self._root, top)
        return [path for path in paths if not path.endswith("/")]


def _hiding(top: Path, env: Mapping[str, str]) -> list[str]:
    """Return git's options for the files to leave out: all rules but ``info/exclude``, which nobody reviews."""
    own = common_dir(top)
    if own is None or not re.search(rb"(?m)^[^#\s]", read_small(own / "info" / "exclude") or b""):
        return ["--exclude-standard"]
    everywhere = git_rules(top, True, env).excludes_file
    return ["--exclude-per-directory=.gitignore", *([f"--exclude-from={everywhere}"] if everywhere.is_file() else [])]


def _run_by_git(root: Path, top: Path) -> list[str]:
    """Return the files of a repository that say what git runs and hides, relative to the project."""
    own, shared = own_dir(top), common_dir(top)
    if own is None or shared is None:
        return []
    files = [shared / "config", own / "config.worktree", shared / "info" / "exclude", shared / "info" / "attributes"]
    with suppress(OSError):
        files += (file for file in (shared / "hooks").iterdir() if file.suffix != ".sample")
    return [os.path.relpath(file, root) for file in files if os.path.lexists(file)]


def take_snapshot(root: Path, env: Mapping[str, str]) -> dict[str, Entry]:
    """Return every file that git does not ignore, with the digest of its content.

    The digest is git's where the stat proves it current, else computed, for up to ``MOST_BYTES`` in all.
    """
    until = time.monotonic() + MOST_SECONDS
    listing = TreeListing(root, env)  # git lists while we read its index
    added = _added(root)
    files: dict[str, Known | None] = {**dict.fromkeys(listing.paths()), **added}
    snapshot, spent = dict[str, Entry](), 0
    for path, known in files.items():
        try:
            status = os.lstat(f"{root}/{path}")
        except (OSError, ValueError):
            continue
        digest = ""
        # git's index stores only the low 32 bits of an inode number.
        if known is not None and known[1:] == (status.st_size, status.st_mtime_ns, status.st_ino & 0xFFFFFFFF):
            digest = known[0]
        elif spent + status.st_size <= MOST_BYTES and time.monotonic() < until:
            spent += status.st_size
            digest = digest_like(root, path, known[0] if known else "")
        snapshot[path] = entry_of(status, digest)
    return snapshot


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
    above = (root / path).parents
    top = next((folder for folder in above if folder == root or os.path.lexists(folder / ".git")), root)
    name = os.path.relpath(root / path, top)
    words = ["ls-files", "-z", "-c", "-o", *_hiding(top, env), "--", f":(literal){name}"]
    return git_output(top, words, _LIMITS, env) == b""


def target_on_disk(root: Path, path: str) -> "WriteTarget":
    """Return a path of the project with its current state on disk."""
    from shirube.features.guard.looks import digest_of
    from shirube.features.guard.writes import WriteTarget

    real = root / path
    above = next((folder for folder in real.parents if folder.is_dir()), root)
    folder = above.relative_to(root).as_posix() if above.is_relative_to(root) else "."
    return WriteTarget(path, os.path.lexists(real), folder, real.is_dir(), digest_of(real))


def digest_like(root: Path, path: str, like: str) -> str:
    """Return a file's git digest, of the same kind (SHA-1 or SHA-256) as ``like``; "" when it cannot be read."""
    place = root / path
    try:
        data = os.fsencode(place.readlink()) if place.is_symlink() else _content(place)
    except OSError:
        return ""
    if _SETTINGS.search(path):
        data = _BRANCHES.sub(b"", data)
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


def _added(root: Path) -> dict[str, Known]:
    """Return the data of git's index for each file, read from the index itself; empty where there is none.

    A form of index that is not known here costs only time: the files that it would vouch for are read.
    """
    own, shared = own_dir(root), common_dir(root)
    data = _index(own / "index") if own else b""
    if shared is None or data[:4] != b"DIRC" or data[4:8] not in _VERSIONS:
        return {}
    entry = struct.Struct(
        ">8xIIxxxxII8xI32sH" if b"sha256" in (read_small(shared / "config") or b"") else ">8xIIxxxxII8xI20sH"
    )
    rows, at, packed, name = {}, 12, data[7] == 4, b""
    try:
        for _ in range(int.from_bytes(data[8:12])):
            seconds, rest, inode, mode, size, digest, flags = entry.unpack_from(data, at)
            begin = at + entry.size + (2 if flags & 0x4000 else 0)
            kept, begin = _varint(data, begin) if packed else (len(name), begin)
            end = data.index(b"\0", begin)
            name = name[: len(name) - kept] + data[begin:end]
            at = end + 1 if packed else at + (end - at + 8) // 8 * 8
            if mode >> 12 in _FILES:
                rows[os.fsdecode(name)] = (digest.hex(), size, seconds * 1_000_000_000 + rest, inode)
    except (struct.error, ValueError):
        return {}
    return rows


def _index(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of the packed index, and where it ends."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 127)
    return value, at + 1
