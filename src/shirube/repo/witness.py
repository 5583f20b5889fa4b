"""Is the tree as the last walk saw it? Answered without walking.

Whatever changes a listing leaves a younger time behind: a name that came or went on its directory, an edit on the
file, another rule on the ignore file. When nothing that was looked at is younger than the walk, a walk would list
the same. What it cannot see (settings that git includes from elsewhere) is left to the walk, which still comes.
"""

import os
from array import array
from pathlib import Path

from shirube.types import Listing, Stat


class Witness:
    """What one walk looked at; ``before_ns`` is the last time stamp that surely came before it."""

    def __init__(self, root: Path, listing: Listing, before_ns: int) -> None:
        self._base = f"{root}/"
        self._before = before_ns
        self._folders = listing.folders
        self._left_out = tuple(skip.path for skip in listing.skipped if skip.detail != VERSION_CONTROL)
        self._rules = {path: os.path.lexists(path) for path in listing.rules or ()}
        self._whole = listing.rules is not None
        self._files = tuple(found.path for found in listing.files)
        self._stamps = array("q", (_stamp(found.stat) for found in listing.files))

    def stands(self) -> bool:
        """Tell whether a walk would surely list the same files, with the same content."""
        return self._whole and self._same_rules() and self._same_folders() and self._same_files()

    def _same_rules(self) -> bool:
        return all(self._is_old(path) if was else not os.path.lexists(path) for path, was in self._rules.items())

    def _same_folders(self) -> bool:
        """Directories must be there; what was left out may have any name, and is told of by its directory."""
        base = self._base
        if not all(self._is_old(base + path) for path in self._folders):
            return False
        return all(self._is_old(base + path, missing=True) for path in self._left_out)

    def _same_files(self) -> bool:
        base, before = self._base, self._before
        try:
            for path, stamp in zip(self._files, self._stamps, strict=True):
                now = os.lstat(base + path)
                if now.st_ctime_ns >= before or now.st_mtime_ns >= before:
                    return False
                if hash((now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)) != stamp:
                    return False
        except OSError:
            return False
        return True

    def _is_old(self, path: str, *, missing: bool = False) -> bool:
        try:
            now = os.lstat(path)
        except (OSError, ValueError):
            return missing
        return now.st_mtime_ns < self._before and now.st_ctime_ns < self._before


def _stamp(stat: Stat) -> int:
    return hash((stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode))


VERSION_CONTROL = "version control"
"""Why a version control's own directory is left out; it changes with every command and tells nothing."""
