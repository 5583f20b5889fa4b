"""Is the tree as the last walk saw it? Answered without walking.

Whatever changes a listing leaves another time behind: a name that came or went on its directory, an edit on the
file, another rule on the ignore file. When all that was looked at has the times it had, and none is as young as the
walk, a walk would list the same. What cannot be seen so (settings that git includes from elsewhere) is left to the
walk, which still comes.
"""

import os
from array import array
from pathlib import Path

from shirube.types import Listing

VERSION_CONTROL = "repo.version"
"""Says that a directory is a version control's own; it changes with every command and tells nothing."""
MISSING, YOUNG = 0, -1
"""What is said of a path that is not there, and of one whose times prove nothing."""


class Witness:
    """What one walk looked at; ``before_ns`` is the last time stamp that surely came before it."""

    def __init__(self, root: Path, listing: Listing, before_ns: int) -> None:
        self._base, self._before = f"{root}/", before_ns
        self._rules = {path: self._seen(path) for path in listing.rules or ()}
        left_out = (skip.path for skip in listing.skipped if skip.detail.code != VERSION_CONTROL)
        others = (*listing.folders, *left_out)
        self._paths = (*others, *(found.path for found in listing.files))
        self._stamps = array("q", (self._seen(self._base + path) for path in others))
        stats = (found.stat for found in listing.files)
        self._stamps.extend(self._stamp(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode) for stat in stats)
        self._whole = listing.rules is not None and YOUNG not in self._stamps and YOUNG not in self._rules.values()

    def stands(self) -> bool:
        """Tell whether a walk would surely list the same files, with the same content."""
        if not self._whole or any(self._seen(path) != was for path, was in self._rules.items()):
            return False
        base, seen = self._base, self._seen
        return all(seen(base + path) == was for path, was in zip(self._paths, self._stamps, strict=True))

    def _seen(self, path: str) -> int:
        try:
            now = os.lstat(path)
        except (OSError, ValueError):
            return MISSING
        return self._stamp(now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)

    def _stamp(self, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> int:
        """Return one number for what the file system says of a path."""
        if mtime_ns >= self._before or ctime_ns >= self._before:
            return YOUNG
        return hash((size, mtime_ns, ctime_ns, inode))
