"""A file on one line."""

from os import stat_result

from shirube.features.guard.gate_memory import digest_in, entry_of, is_unchanged, state_in
from tests.cases import for_each


def found(size: int = 1, mtime: int = 2, ctime: int = 3, inode: int = 4) -> stat_result:
    numbers = (0, inode, 0, 1, 0, 0, size, 0, 0, 0)
    return stat_result(numbers, {"st_mtime_ns": mtime, "st_ctime_ns": ctime})


def test_a_file_stands_when_its_stat_is_the_same_whatever_is_known_of_its_content():
    for was in (entry_of(found(), "digest"), entry_of(found())):
        assert is_unchanged(was, entry_of(found()))


@for_each("change", [{"size": 2}, {"mtime": 3}, {"ctime": 4}, {"inode": 5}, {"inode": 41}, {"size": 11}])
def test_a_file_does_not_stand_when_anything_of_its_stat_differs(change: dict[str, int]):
    assert not is_unchanged(entry_of(found(), "digest"), entry_of(found(**change)))
    assert not is_unchanged(entry_of(found(**change), "digest"), entry_of(found()))


def test_what_is_known_of_a_file_is_read_off_its_line():
    assert digest_in(entry_of(found(), "digest")) == "digest"
    assert digest_in(entry_of(found())) == ""
    assert state_in(entry_of(found(), "digest")) == "1:2"
    assert state_in(None) == "gone"
