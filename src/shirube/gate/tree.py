"""What is in the work tree, and what has changed in it since: by content, whoever changed it.

git lists the files and knows the content of those that stand as they were added; the others are read. No content
filter of the repository is run, so ``git status`` is not asked. Without git the walk lists, and every file is read
while that is cheap. A stat that is the same proves that nothing changed; one that differs sends us to the content.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha1, sha256
from pathlib import Path

from shirube.errors import ToolFailed
from shirube.gate.entry import Entry
from shirube.repo.git import run_git
from shirube.repo.process import Limits

MOST_BYTES = 64 << 20
"""What is read of files whose content git does not know; beyond it, a changed stat counts as a change."""
SELF = frozenset({".claude", ".codex", ".gemini", ".cursor", ".git", ".shirube"})
"""Directories that say what hooks run; nothing in them is ever nobody's business."""
_LIMITS = Limits(timeout_seconds=6.0, max_bytes=128 << 20)
_ENTRY = re.compile(
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n"
)
_MODULE = b"160000"


Tree = Mapping[str, Entry]
Known = tuple[str, int, int, int]
"""What git's index says of a file: the digest of its content, and size, time and inode when that was made."""


def take(root: Path, env: Mapping[str, str]) -> dict[str, Entry]:
    """Return every file that counts, with its content's digest."""
    added = _added(root, env)
    if added is None:
        return dict(_read_all(root, dict.fromkeys(_walked(root, env))))
    files: dict[str, Known | None] = dict.fromkeys(_listed(root, env) or ())
    files.update(added)
    return dict(_read_all(root, files))


def changed(root: Path, before: Tree, env: Mapping[str, str]) -> dict[str, Entry | None]:
    """Return what is not as it was: each path with how it stands now, None when it is gone."""
    listed = _listed(root, env)
    paths = _walked(root, env) if listed is None else listed
    found: dict[str, Entry | None] = {}
    for path in {*paths, *before}:
        now, was = _stat(root, path), before.get(path)
        if now is None:
            if was is not None:
                found[path] = None
        elif was is None or not (was.stands(now) or _same(root, path, was)):
            found[path] = now
    return found


def is_ignored(root: Path, path: str, env: Mapping[str, str]) -> bool:
    """Tell whether a file is there and git was told to leave it alone: a build's output, local settings."""
    if SELF.intersection(path.split("/")) or not os.path.lexists(root / path):
        return False
    try:
        answer = run_git(
            root, ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--", f":(literal){path}"], _LIMITS, env
        )
    except ToolFailed:
        return False
    return answer.ok and not answer.stdout


def digest_like(root: Path, path: str, like: str) -> str:
    """Return the digest of a file as git would make it, in the length of another one; "" when it cannot be read."""
    place = root / path
    try:
        data = os.fsencode(place.readlink()) if place.is_symlink() else _content(place)
    except OSError:
        return ""
    make = sha256 if len(like) == 64 else sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _content(place: Path) -> bytes:
    """Read a regular file; anything else would make us wait."""
    opened = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(opened, "rb") as stream:
        return stream.read() if stat.S_ISREG(os.fstat(opened).st_mode) else b""


def _same(root: Path, path: str, was: Entry) -> bool:
    return bool(was.digest) and digest_like(root, path, was.digest) == was.digest


def _stat(root: Path, path: str) -> Entry | None:
    try:
        found = os.lstat(f"{root}/{path}")
    except (OSError, ValueError):
        return None
    return Entry(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _read_all(root: Path, files: Mapping[str, Known | None]) -> Iterator[tuple[str, Entry]]:
    """Yield files with their digests: git's where the stat proves it, else of what is there, while it is cheap."""
    spent = 0
    for path, known in files.items():
        entry = _stat(root, path)
        if entry is None:
            continue
        digest = ""
        if known is not None and known[1:] == (entry.size, entry.mtime_ns, entry.inode & 0xFFFFFFFF):
            digest = known[0]
        elif spent + entry.size <= MOST_BYTES:
            spent += entry.size
            digest = digest_like(root, path, known[0] if known else "")
        yield path, Entry(entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, digest)


def _added(root: Path, env: Mapping[str, str]) -> dict[str, Known] | None:
    """Return what git's index says of each file; None where there is no git."""
    try:
        answer = run_git(root, ["ls-files", "-z", "-s", "--debug"], _LIMITS, env)
    except ToolFailed:
        return None
    if not answer.ok:
        return None
    rows = {}
    for mode, digest, _, path, seconds, rest, inode, size in _ENTRY.findall(answer.stdout):
        if mode != _MODULE:
            times = int(seconds) * 1_000_000_000 + int(rest)
            rows[os.fsdecode(path)] = (digest.decode(), int(size), times, int(inode))
    return rows


def _listed(root: Path, env: Mapping[str, str]) -> list[str] | None:
    """Return the files git knows or would add; None where there is no git."""
    try:
        answer = run_git(root, ["ls-files", "-z", "-c", "-o", "--exclude-standard"], _LIMITS, env)
    except ToolFailed:
        return None
    return [os.fsdecode(path) for path in answer.stdout.split(b"\0")[:-1]] if answer.ok else None


def _walked(root: Path, env: Mapping[str, str]) -> list[str]:
    from shirube.repo.walk import WalkOptions, walk

    return [file.path for file in walk(root, WalkOptions(max_bytes=1 << 40, include_secrets=True, env=env)).files]
