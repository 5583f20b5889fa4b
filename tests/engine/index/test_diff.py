"""What has to be read again."""

from shirube.engine.index.sync import RACY_NS, compare
from shirube.engine.store.stamps import Stamp
from shirube.types import FileRecord, Found, Listing, Stat

LATER = 10 * RACY_NS
PLAIN = Stat(1, 5, 5, 7)


def record(path: str, digest: str = "digest") -> dict[str, FileRecord]:
    return {path: FileRecord(path, digest, 1, "python", 1)}


def stamp(path: str, stat: Stat = PLAIN) -> dict[str, Stamp]:
    return {path: Stamp.of("digest", stat, LATER)}


def listing(path: str, stat: Stat = PLAIN) -> Listing:
    return Listing((Found(path, stat),))


def test_a_file_with_the_same_stat_read_long_after_it_was_written_is_trusted():
    plan = compare(record("a"), stamp("a"), listing("a"), full=False)
    assert (plan.read, plan.removed) == ((), ())


def test_any_difference_in_the_stat_means_reading():
    for other in (Stat(2, 5, 5, 7), Stat(1, 6, 5, 7), Stat(1, 5, 6, 7), Stat(1, 5, 5, 8)):
        plan = compare(record("a"), stamp("a"), listing("a", other), full=False)
        assert [found.path for found in plan.read] == ["a"]


def test_a_stamp_close_to_the_reading_proves_nothing():
    stat = Stat(1, 5, LATER - RACY_NS, 7)
    plan = compare(record("a"), stamp("a", stat), listing("a", stat), full=False)
    assert [found.path for found in plan.read] == ["a"]


def test_a_stamp_of_other_content_than_the_index_holds_proves_nothing():
    """Another machine wrote the index, or a sync was killed between its two writes."""
    for records, stamps in ((record("a", "other"), stamp("a")), (record("a"), {}), ({}, stamp("a"))):
        plan = compare(records, stamps, listing("a"), full=False)
        assert [found.path for found in plan.read] == ["a"]


def test_new_files_are_read_and_missing_ones_removed():
    plan = compare(record("old"), stamp("old"), listing("new"), full=False)
    assert [found.path for found in plan.read] == ["new"]
    assert plan.removed == ("old",)


def test_full_reads_everything():
    seen = listing("a")
    assert compare(record("a"), stamp("a"), seen, full=True).read == seen.files
