"""Rows in, rows out."""

import sqlite3

import pytest
from tests.contracts.test_store import entry

from shirube.engine.store import bodies as texts_module
from shirube.engine.store import catalog
from shirube.engine.store.lexical import key_of
from shirube.engine.store.migrations import migrate
from shirube.engine.store.port import Ask, StoreChange


@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    yield connection
    connection.close()


def apply(db, *entries) -> list[int]:
    """Write files and return the numbers of the new ones."""
    return [number for number, made in catalog.apply(db, StoreChange(entries=entries)).items() if made is not None]


def test_a_changed_file_gets_a_new_number_and_the_old_one_is_for_dropping(db):
    (first,) = catalog.apply(db, StoreChange(entries=(entry("a.py", "alpha"),)))
    moved = catalog.apply(db, StoreChange(entries=(entry("a.py", "beta"),)))
    assert moved[first] is None
    (second,) = (number for number, made in moved.items() if made is not None)
    assert second > first
    assert [number for _, number in catalog.waiting(db)] == [first, first, second]


def test_numbers_are_never_used_again_even_after_everything_is_removed(db):
    (first,) = catalog.apply(db, StoreChange(entries=(entry("a.py", "alpha"),)))
    catalog.apply(db, StoreChange(removed=("a.py",)))
    moved = catalog.apply(db, StoreChange(entries=(entry("a.py", "alpha"),)))
    assert first not in moved


def test_the_generation_counts_changes_of_content_only(db):
    catalog.apply(db, StoreChange(entries=(entry("a.py", "alpha"),)))
    assert catalog.noted(db, "generation") == "1"
    catalog.apply(db, StoreChange())
    catalog.note(db, "key", "value")
    assert catalog.noted(db, "generation") == "1"


def test_many_keys_are_described_at_once_and_missing_ones_left_out(db):
    many = tuple(entry(f"{number}.py", "x") for number in range(1200))
    moved = catalog.apply(db, StoreChange(entries=many))
    keys = [number << 20 for number in moved]
    found = catalog.Descriptions().of(db, dict.fromkeys(keys[:700], 2.0), dict.fromkeys([*keys, 1 << 60], 0.5))
    assert len(found) == 1200
    assert {candidate.path for candidate in found} == {made.record.path for made in many}
    assert sum(candidate.lexical for candidate in found) == 1400.0
    assert {candidate.cosine for candidate in found} == {0.5}


def test_descriptions_are_read_again_after_the_cache_was_full(db, monkeypatch):
    monkeypatch.setattr(catalog.Descriptions, "MOST", 2)
    keys = [number << 20 for number in apply(db, entry("a", "x"), entry("b", "y"), entry("c", "z"))]
    descriptions = catalog.Descriptions()
    for wanted in (keys, keys[:1], keys):
        found = descriptions.of(db, dict.fromkeys(wanted, 1.0), {})
        assert {candidate.path for candidate in found} == {"abc"[place] for place in range(len(wanted))}


def number_of(db, path: str) -> int:
    return db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()[0]


def test_definitions_are_listed_by_path_and_line_with_their_chunks(db):
    apply(db, entry("b.py", "x", "y", names=("run", "Run")), entry("a.py", "z", names=("RUN",)))
    found = catalog.definitions(db, Ask(names=("run", "none"), limit=9))
    assert [(one.path, one.symbol.name, one.key - key_of(number_of(db, one.path), 0)) for one in found] == [
        ("a.py", "RUN", 0),
        ("b.py", "run", 0),
        ("b.py", "Run", 1),
    ]
    assert catalog.definitions(db, Ask(names=("run",), limit=2)) == found[:2]


def test_a_word_that_may_be_a_name_is_looked_up_among_what_files_are_about(db):
    apply(db, entry("a.py", "x", names=("session",), kind="class"), entry("b.py", "y", names=("session",)))
    assert [one.path for one in catalog.topics(db, Ask(topics=("session",)))] == ["a.py"]
    assert [one.path for one in catalog.definitions(db, Ask(names=("session",)))] == ["a.py", "b.py"]


def test_definitions_are_looked_up_by_an_index_and_not_by_reading_every_symbol(db):
    asked = []
    db.set_trace_callback(asked.append)
    catalog.definitions(db, Ask(names=("run",), limit=9))
    db.set_trace_callback(None)
    plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {asked[0]}"))
    assert "symbols_by_lower_name" in plan


def test_bodies_give_the_text_of_a_file_and_nothing_for_one_that_is_gone(db):
    (number,) = apply(db, entry("a.py", "日本語\n"))
    bodies = texts_module.Bodies()
    assert bodies.of(db, number) == "日本語\n".encode()
    assert bodies.of(db, number + 1) == b""


def test_a_body_is_read_once(db):
    (number,) = apply(db, entry("a.py", "alpha"))
    bodies = texts_module.Bodies()
    bodies.of(db, number)
    db.execute("DELETE FROM bodies")
    assert bodies.of(db, number) == b"alpha"


def test_after_a_change_bodies_give_the_new_content_under_the_new_number(db):
    bodies = texts_module.Bodies()
    for text in ("alpha", "beta"):
        apply(db, entry("a.py", text))
        number = number_of(db, "a.py")
        assert bodies.of(db, number) == text.encode()
        assert texts_module.texts(db, [key_of(number, 0)], bodies, {}) == {key_of(number, 0): text}


def test_bodies_keep_no_more_than_their_share_and_forget_what_was_shown_longest_ago(db, monkeypatch):
    monkeypatch.setattr(texts_module.Bodies, "MOST_BYTES", 25)
    first, second, third = apply(db, *(entry(f"{letter}.py", letter * 10) for letter in "abc"))
    bodies = texts_module.Bodies()
    for number in (first, second, first, third):
        bodies.of(db, number)
    db.execute("DELETE FROM bodies")
    assert [bodies.of(db, number) for number in (first, second, third)] == [b"a" * 10, b"", b"c" * 10]


def test_a_body_larger_than_the_whole_share_is_kept_alone(db, monkeypatch):
    monkeypatch.setattr(texts_module.Bodies, "MOST_BYTES", 25)
    small, large = apply(db, entry("a.py", "a"), entry("b.py", "b" * 100))
    bodies = texts_module.Bodies()
    for number in (small, large):
        bodies.of(db, number)
    db.execute("DELETE FROM bodies")
    assert [bodies.of(db, number) for number in (large, small)] == [b"b" * 100, b""]


def test_a_chunk_is_cut_by_bytes_and_one_that_is_gone_is_left_out(db):
    (number,) = apply(db, entry("a.py", "日本", "語"))
    keys = [key_of(number, place) for place in range(3)]
    assert texts_module.texts(db, keys, texts_module.Bodies(), {}) == {keys[0]: "日本", keys[1]: "語"}
