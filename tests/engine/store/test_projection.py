"""Feeding the lexical index, and answering when it cannot be fed."""

import pytest
from tests.contracts.test_store import entry, words, write
from tests.stores import embedded_store

import shirube.engine.store.tantivy as tantivy_module
from shirube.engine.store.disk import locked
from shirube.engine.store.port import Ask, StoreChange
from shirube.engine.store.projection import DIRECTORY as PROJECTION
from shirube.engine.store.tantivy import remove_projection


@pytest.fixture
def place(tmp_path):
    return tmp_path / "index"


def test_what_was_written_but_not_published_is_published_by_the_next_one_who_asks(place):
    first = embedded_store(place, 256)
    first.write(StoreChange(entries=(entry("a.py", "alpha"),)))
    first.close()
    second = embedded_store(place, 256)
    assert second.totals().waiting == 1
    assert words(second, "alpha") == ["a.py:1"]
    assert second.totals().waiting == 0
    second.close()


def test_a_reader_answers_from_the_last_state_while_another_process_publishes_and_says_so(place):
    store = embedded_store(place, 256, busy_seconds=0.05)
    write(store, entry("a.py", "alpha"))
    store.write(StoreChange(entries=(entry("b.py", "beta"),)))
    with locked(place / "projection.lock"):
        found = store.candidates(Ask({"content": {"alpha": 1.0}}))
        assert [item.path for item in found.items] == ["a.py"]
        assert any("1 changed file is" in line for line in found.degraded)
    assert words(store, "beta") == ["b.py:1"]
    store.close()


@pytest.mark.parametrize("harm", ["deleted", "damaged"])
def test_a_deleted_or_damaged_projection_is_made_again(place, harm):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    store.close()
    meta = place / PROJECTION / "meta.json"
    meta.unlink() if harm == "deleted" else meta.write_text("{")
    again = embedded_store(place, 256)
    assert words(again, "alpha") == ["a.py:1"]
    assert again.check() == ()
    again.close()


@pytest.mark.requirement("001-FTS-02")
@pytest.mark.requirement("N001-DEGRADE-01")
def test_without_tantivy_the_answer_says_so_and_with_it_again_it_does_not(place, monkeypatch):
    store = embedded_store(place, 256)
    with monkeypatch.context() as patch:
        patch.setattr(tantivy_module, "_tantivy", lambda: (_ for _ in ()).throw(ImportError("gone")))
        write(store, entry("a.py", "alpha"))
        found = store.candidates(Ask({"content": {"alpha": 1.0}}))
        assert [item.path for item in found.items] == ["a.py"]
        assert any("tantivy" in line for line in found.degraded)
    found = store.candidates(Ask({"content": {"alpha": 1.0}}))
    assert [item.path for item in found.items] == ["a.py"]
    assert found.degraded == ()
    store.close()


def test_what_a_killed_process_left_in_the_projection_is_cleared_away(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    (segment,) = (place / PROJECTION).glob("*.store")
    for number in range(1000):  # the name of the next deletion, whatever its number will be
        (place / PROJECTION / f"{segment.stem}.{number}.del").touch()
    write(store, entry("a.py", "gamma"))
    assert words(store, "gamma") == ["a.py:1"]
    assert words(store, "alpha") == []
    assert words(store, "beta") == ["b.py:1"]
    assert store.check() == ()
    store.close()


def test_a_file_that_is_not_published_yet_is_found_by_words_path_and_phrase(place):
    store = embedded_store(place, 256, busy_seconds=0.05)
    write(store, entry("a.py", "alpha"))
    store.write(StoreChange(entries=(entry("late/b.py", "beta gamma"),)))
    with locked(place / "projection.lock"):
        assert words(store, "beta") == ["late/b.py:1"]
        by_path = store.candidates(Ask({"path": {"late": 1.0}}))
        assert [item.path for item in by_path.items] == ["late/b.py"]
        by_phrase = store.candidates(Ask(phrases=(("gamma", "beta"),)))
        assert [item.path for item in by_phrase.items] == ["late/b.py"]
    store.close()


def test_a_removed_file_has_no_phrase_before_its_removal_is_published(place):
    store = embedded_store(place, 256, busy_seconds=0.05)
    write(store, entry("a.py", "alpha beta"))
    store.write(StoreChange(removed=("a.py",)))
    with locked(place / "projection.lock"):
        found = store.candidates(Ask({"content": {"alpha": 1.0}}, phrases=(("alpha", "beta"),)))
    store.close()
    assert (found.items, found.phrases) == ((), ({},))


def test_an_index_that_another_process_removes_in_the_middle_of_a_question_is_no_obstacle(place, monkeypatch):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    honest = store.backend._lexical.search

    def removed_after(*searches):
        found = honest(*searches)
        remove_projection(place / PROJECTION)
        return found

    monkeypatch.setattr(store.backend._lexical, "search", removed_after)
    try:
        found = store.candidates(Ask({"path": {"a": 1.0}}))
    finally:
        store.close()
    assert [item.path for item in found.items] == ["a.py"]


def test_an_index_of_older_documents_is_not_asked_and_goes_away(place):
    older = place / "tantivy"
    older.mkdir(parents=True)
    (older / "meta.json").write_text("{}")
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    assert words(store, "alpha") == ["a.py:1"]
    assert [path.name for path in place.glob("tantivy*")] == [PROJECTION]
    store.close()


def test_a_new_index_is_fed_with_everything_that_was_published_to_an_older_one(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    store.close()
    (place / PROJECTION).rename(place / "tantivy-1")
    again = embedded_store(place, 256)
    assert words(again, "alpha") == ["a.py:1"]
    assert again.check() == ()
    assert not (place / "tantivy-1").exists()
    again.close()
