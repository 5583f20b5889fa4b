"""What has to be read again: a pure comparison of the tree with the index."""

from collections.abc import Mapping

from msgspec import Struct

from shirube.types import FileRecord, Found, Listing

RACY_NS = 2_000_000_000
"""A time stamp this close to the moment of reading proves nothing: the coarsest file systems count in 2 s."""


class Plan(Struct, frozen=True):
    """What a sync has to do."""

    read: tuple[Found, ...]
    """New files, and files that may have changed; only their content decides."""
    removed: tuple[str, ...]
    unchanged: int


def compare(records: Mapping[str, FileRecord], listing: Listing, *, full: bool, trust_stat: bool = True) -> Plan:
    """Return what to read and what to forget; ``full`` reads everything."""
    read = []
    for found in listing.files:
        record = records.get(found.path)
        if full or not trust_stat or record is None or not _surely_same(record, found):
            read.append(found)
    present = {found.path for found in listing.files}
    removed = tuple(sorted(path for path in records if path not in present))
    return Plan(tuple(read), removed, len(listing.files) - len(read))


def _surely_same(record: FileRecord, found: Found) -> bool:
    """Tell whether the stat proves that the content is what was read.

    Size and modification time can be kept by an edit; the change time cannot, unless the edit came within the
    clock's grain of the reading.
    """
    newest = max(found.stat.mtime_ns, found.stat.ctime_ns)
    return record.stat == found.stat and newest + RACY_NS < record.checked_ns
