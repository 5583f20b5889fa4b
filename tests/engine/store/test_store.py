"""What stands between the program and a backend: each thing is asked once a request, many things at once."""

import pytest
from tests.contracts.test_store import entry, fields
from tests.counting import FarBackend

from shirube.deadline import Deadline
from shirube.engine.store import store as store_module
from shirube.engine.store.lookups import FileRecords, FileSymbols, FileTexts, NamesWith, StateNow
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import Ask, StoreChange
from shirube.engine.store.store import Store


@pytest.fixture
def far() -> FarBackend:
    made = MemoryStore(256)
    made.write(StoreChange(tuple(entry(f"{name}.py", f"text of {name}", names=(name,)) for name in "abc")))
    return FarBackend(made)


@pytest.fixture
def store(far: FarBackend) -> Store:
    return Store(far)


def test_a_request_asks_for_each_thing_once_and_for_the_state_on_the_way(store: Store, far: FarBackend):
    with Deadline().governing():
        assert store.text("a.py") == "text of a"
        assert store.text("a.py") == "text of a"
        assert store.size() == 3
        assert store.state().files == 3
        assert store.names("b", 5) == store.names("b", 5) == ("b",)
    assert far.trips == ["look FileTexts StateNow", "look NamesWith"]


def test_what_is_not_there_is_not_asked_for_again_either(store: Store, far: FarBackend):
    with Deadline().governing():
        assert [store.text("gone.py"), store.text("gone.py"), store.symbols("gone.py")] == ["", "", ()]
        assert store.files(["gone.py", "a.py"]).keys() == store.files(["a.py", "gone.py"]).keys() == {"a.py"}
    assert far.trips == ["look FileTexts StateNow", "look FileSymbols"]


def test_only_the_part_that_is_missing_is_asked_for(store: Store, far: FarBackend):
    asked = []
    look = far._backend.look
    far._backend.look = lambda *wanted, likely=(): asked.append(wanted) or look(*wanted)
    with Deadline().governing():
        store.symbols_in(["a.py", "b.py"])
        assert set(store.symbols_in(["b.py", "c.py", "c.py"])) == {"b.py", "c.py"}
    assert asked == [(FileSymbols(("a.py", "b.py")), StateNow()), (FileSymbols(("c.py",)),)]


def test_what_is_expected_comes_in_one_trip_and_is_then_there(store: Store, far: FarBackend):
    with Deadline().governing():
        store.expect(FileTexts(("a.py", "b.py")), FileRecords(("c.py",)), FileTexts(("a.py", "b.py")))
        assert (store.text("b.py"), set(store.files(["c.py"]))) == ("text of b", {"c.py"})
    assert far.trips == ["look FileRecords StateNow FileTexts"]


def test_what_is_intended_goes_along_with_the_next_trip_whatever_that_is_for(store: Store, far: FarBackend):
    with Deadline().governing():
        store.intend(lambda: [NamesWith("a", 3)])
        store.intend(lambda: [FileTexts(("c.py",))])
        assert far.trips == []
        store.state()
        assert (store.names("a", 3), store.text("c.py")) == (("a",), "text of c")
        store.text("a.py")
    assert far.trips == ["look StateNow NamesWith FileTexts", "look FileTexts"]


def test_a_backend_that_is_no_trip_away_is_asked_for_nothing_beforehand():
    near = FarBackend(MemoryStore(256))
    near.remote = False
    store = Store(near)
    with Deadline().governing():
        store.intend(lambda: pytest.fail("a look-up was made up for nothing"))
        store.expect(FileTexts(("a.py",)))
        store.look(StateNow(), likely=[FileTexts(("b.py",))])
    assert near.trips == ["look StateNow"]


def test_two_requests_and_what_runs_outside_of_one_know_nothing_of_each_other(store: Store, far: FarBackend):
    first, second = Deadline(), Deadline()
    with first.governing():
        store.state()
        with second.governing():
            store.state()
        store.state()
    store.state()
    store.state()
    assert len(far.trips) == 4


def test_after_a_write_everything_is_asked_anew(store: Store):
    with Deadline().governing():
        assert store.text("a.py") == "text of a"
        epoch = store.epoch
        store.write(StoreChange(entries=(entry("a.py", "other"),)))
        assert (store.text("a.py"), store.epoch) == ("other", epoch + 1)
        store.note("key", "value")
        assert store.noted("key") == "value"
        store.write(StoreChange(removed=("a.py",)))
        assert store.text("a.py") == ""
        store.reset()
        assert store.files() == {}


def test_equal_questions_of_different_kinds_are_different(store: Store, far: FarBackend):
    with Deadline().governing():
        assert store.texts([]) == {}
        assert far.trips == []
        found = store.candidates(Ask(fields("text")))
        assert store.candidates(Ask(fields("text"))) is found
        assert store.busy(["a.py"]) == store.changed_together(["a.py"], 1)[1] == {}
    assert [trip.split()[1] for trip in far.trips] == ["Ask", "Busy", "ChangedTogether"]


def test_long_texts_are_not_remembered_without_limit(store: Store, far: FarBackend, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store_module, "MOST_CHARACTERS", 20)
    with Deadline().governing():
        for name in "abcabc":
            assert store.text(f"{name}.py") == f"text of {name}"
    assert 3 < len(far.trips) <= 6
