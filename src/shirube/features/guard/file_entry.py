"""A file as it was, on one line: what of its stat tells a change, then the digest of its content ("" when unread).

A line and not an object, because a hook reads thousands of them and looks into hardly any.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import stat_result

Entry = str


def entry_of(found: "stat_result", digest: str = "") -> Entry:
    """Return the line of a file."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {digest}"


def stands(was: Entry, unread: Entry) -> bool:
    """Tell whether the stat proves that nothing changed; a line without a digest is how the whole one begins."""
    return was.startswith(unread)


def digest_in(entry: Entry) -> str:
    """Return the digest of the content, as far as it is known."""
    return entry.rpartition(" ")[2]


def state_in(entry: Entry | None) -> str:
    """Return what tells two states of a file apart that were both complained of."""
    return ":".join(entry.split(" ", 2)[:2]) if entry else "gone"
