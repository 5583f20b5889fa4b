"""Rows in, rows out."""

import sqlite3

import pytest
from tests.contracts.test_store import entry

from shirube.store import Change, catalog
from shirube.store.migrations import migrate


@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    yield connection
    connection.close()


def test_a_changed_file_gets_a_new_number_and_the_old_one_is_for_dropping(db):
    (first,) = catalog.apply(db, Change(entries=(entry("a.py", "alpha"),)))
    moved = catalog.apply(db, Change(entries=(entry("a.py", "beta"),)))
    assert moved[first] is None
    (second,) = (number for number, made in moved.items() if made is not None)
    assert second > first
    assert [number for _, number in catalog.waiting(db)] == [first, first, second]


def test_numbers_are_never_used_again_even_after_everything_is_removed(db):
    (first,) = catalog.apply(db, Change(entries=(entry("a.py", "alpha"),)))
    catalog.apply(db, Change(removed=("a.py",)))
    moved = catalog.apply(db, Change(entries=(entry("a.py", "alpha"),)))
    assert first not in moved


def test_the_generation_counts_changes_of_content_only(db):
    catalog.apply(db, Change(entries=(entry("a.py", "alpha"),)))
    assert catalog.get_meta(db, "generation") == "1"
    record = catalog.file_records(db)["a.py"]
    catalog.apply(db, Change(touched=(record,)))
    assert catalog.get_meta(db, "generation") == "1"


def test_many_keys_are_described_at_once_and_missing_ones_left_out(db):
    many = tuple(entry(f"{number}.py", "x") for number in range(1200))
    moved = catalog.apply(db, Change(entries=many))
    keys = [number << 20 for number in moved]
    found = catalog.described(db, dict.fromkeys(keys[:700], 2.0), dict.fromkeys([*keys, 1 << 60], 0.5))
    assert len(found) == 1200
    assert {candidate.path for candidate in found} == {made.record.path for made in many}
    assert sum(candidate.lexical for candidate in found) == 1400.0
    assert {candidate.cosine for candidate in found} == {0.5}
