"""Feeding the lexical index, and answering when it cannot be fed."""

import pytest
from tests.contracts.test_store import entry, words, write

import shirube.store.tantivy as tantivy_module
from shirube.store import Ask, Change
from shirube.store.embedded import EmbeddedStore
from shirube.store.lock import locked
from shirube.store.projection import DIRECTORY as PROJECTION


@pytest.fixture
def place(tmp_path):
    return tmp_path / "index"


def test_what_was_written_but_not_published_is_published_by_the_next_one_who_asks(place):
    first = EmbeddedStore(place, 256)
    first.write(Change(entries=(entry("a.py", "alpha"),)))
    first.close()
    second = EmbeddedStore(place, 256)
    assert second.totals().waiting == 1
    assert words(second, "alpha") == ["a.py:1"]
    assert second.totals().waiting == 0
    second.close()


def test_a_reader_answers_from_the_last_state_while_another_process_publishes_and_says_so(place):
    store = EmbeddedStore(place, 256, busy_seconds=0.05)
    write(store, entry("a.py", "alpha"))
    store.write(Change(entries=(entry("b.py", "beta"),)))
    with locked(place / "projection.lock"):
        found = store.candidates(Ask(("alpha",), {"content": 1.0}))
        assert [item.path for item in found.items] == ["a.py"]
        assert any("1 changed files" in line for line in found.degraded)
    assert words(store, "beta") == ["b.py:1"]
    store.close()


@pytest.mark.parametrize("harm", ["deleted", "damaged"])
def test_a_deleted_or_damaged_projection_is_made_again(place, harm):
    store = EmbeddedStore(place, 256)
    write(store, entry("a.py", "alpha"))
    store.close()
    meta = place / PROJECTION / "meta.json"
    meta.unlink() if harm == "deleted" else meta.write_text("{")
    again = EmbeddedStore(place, 256)
    assert words(again, "alpha") == ["a.py:1"]
    assert again.check() == ()
    again.close()


@pytest.mark.requirement("001-FTS-02")
@pytest.mark.requirement("N001-DEGRADE-01")
def test_without_tantivy_the_answer_says_so_and_with_it_again_it_does_not(place, monkeypatch):
    store = EmbeddedStore(place, 256)
    with monkeypatch.context() as patch:
        patch.setattr(tantivy_module, "_tantivy", lambda: (_ for _ in ()).throw(ImportError("gone")))
        write(store, entry("a.py", "alpha"))
        found = store.candidates(Ask(("alpha",), {"content": 1.0}))
        assert [item.path for item in found.items] == ["a.py"]
        assert any("tantivy" in line for line in found.degraded)
    found = store.candidates(Ask(("alpha",), {"content": 1.0}))
    assert [item.path for item in found.items] == ["a.py"]
    assert found.degraded == ()
    store.close()


def test_what_a_killed_process_left_in_the_projection_is_cleared_away(place):
    store = EmbeddedStore(place, 256)
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
