"""A file as it was."""

from typing import NamedTuple


class Entry(NamedTuple):
    """The stat of a file, and the digest of its content ("" when nobody read it)."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str = ""

    def stands(self, other: "Entry") -> bool:
        """Tell whether the stat proves that nothing changed."""
        return self[:4] == other[:4]
