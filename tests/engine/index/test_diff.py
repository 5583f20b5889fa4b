"""What has to be read again."""

from shirube.engine.index.sync import RACY_NS, compare
from shirube.types import FileRecord, Found, Listing, Stat

LATER = 10 * RACY_NS


def record(path: str, stat: Stat, checked_ns: int = LATER) -> FileRecord:
    return FileRecord(path, "digest", stat, "python", 1, checked_ns)


def listing(*found: Found) -> Listing:
    return Listing(tuple(found))


def test_a_file_with_the_same_stat_read_long_after_it_was_written_is_trusted():
    stat = Stat(1, 5, 5, 7)
    plan = compare({"a": record("a", stat)}, listing(Found("a", stat)), full=False)
    assert (plan.read, plan.removed) == ((), ())


def test_any_difference_in_the_stat_means_reading():
    stat = Stat(1, 5, 5, 7)
    for other in (Stat(2, 5, 5, 7), Stat(1, 6, 5, 7), Stat(1, 5, 6, 7), Stat(1, 5, 5, 8)):
        plan = compare({"a": record("a", stat)}, listing(Found("a", other)), full=False)
        assert [found.path for found in plan.read] == ["a"]


def test_a_stamp_close_to_the_reading_proves_nothing():
    stat = Stat(1, 5, LATER - RACY_NS, 7)
    plan = compare({"a": record("a", stat)}, listing(Found("a", stat)), full=False)
    assert [found.path for found in plan.read] == ["a"]


def test_new_files_are_read_and_missing_ones_removed():
    stat = Stat(1, 5, 5, 7)
    plan = compare({"old": record("old", stat)}, listing(Found("new", stat)), full=False)
    assert [found.path for found in plan.read] == ["new"]
    assert plan.removed == ("old",)


def test_full_reads_everything():
    stat = Stat(1, 5, 5, 7)
    records, seen = {"a": record("a", stat)}, listing(Found("a", stat))
    assert compare(records, seen, full=True).read == seen.files
