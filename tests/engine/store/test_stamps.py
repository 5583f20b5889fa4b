"""What is kept about the files of one work tree on one machine."""

from pathlib import Path

import pytest

from shirube.engine.store.stamps import Stamp, Stamps
from shirube.types import Stat

FIRST, SECOND = Stamp.of("a" * 64, Stat(1, 2, 3, 4), 5), Stamp.of("b" * 64, Stat(6, 7, 2**62, 2**63 - 1), 10)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "stamps.sqlite"


def test_stamps_come_back_as_they_were_stored_in_another_process_too(place: Path):
    stamps = Stamps(place, 1.0)
    stamps.update({"a.py": FIRST, "日本語\n.py": SECOND})
    stamps.close()
    again = Stamps(place, 1.0)
    assert again.every() == {"a.py": FIRST, "日本語\n.py": SECOND}
    assert again.of(["日本語\n.py", "gone.py"]) == {"日本語\n.py": SECOND}
    assert again.of([]) == {}
    again.close()


def test_a_new_stamp_replaces_the_old_one_and_removed_files_have_none(place: Path):
    stamps = Stamps(place, 1.0)
    stamps.update({"a.py": FIRST, "b.py": FIRST})
    stamps.update({"a.py": SECOND}, ["b.py", "never.py"])
    stamps.update({})
    assert stamps.every() == {"a.py": SECOND}
    stamps.close()


def test_a_damaged_file_is_replaced_and_one_that_cannot_be_made_holds_nothing(place: Path):
    place.parent.mkdir()
    place.write_bytes(b"not a database" * 1000)
    stamps = Stamps(place, 1.0)
    assert stamps.every() == {}
    stamps.update({"a.py": FIRST})
    assert stamps.of(["a.py"]) == {"a.py": FIRST}
    stamps.close()
    nowhere = Stamps(place / "below a file" / "stamps.sqlite", 1.0)
    nowhere.update({"a.py": FIRST})
    assert nowhere.every() == nowhere.of(["a.py"]) == {}
    nowhere.close()
