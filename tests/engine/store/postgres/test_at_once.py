"""What happens at the same time: threads of one process, machines on one branch, a database that changes below them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from tests.contracts.test_store import entry, waiting, words, write
from tests.postgres import DatabaseServer, postgres_store, seen, shared_server

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.store.port import Ask, PastChange, StoreChange, TouchedFile
from shirube.engine.store.postgres import store as store_module
from shirube.engine.store.postgres.moment import RefPlace
from shirube.engine.store.postgres.server import Server
from shirube.engine.store.postgres.store import PostgresStore
from shirube.engine.store.store import Store
from shirube.errors import BrokenIndex, Cancelled, IndexBusy
from shirube.types import Edge, RawImport

PAST = PastChange("a" * 40, 1_700_000_000, "Ada", "Fix the parser", "", (TouchedFile("a.py", ("run",)),))
DIRECTION = entry("a.py", "alpha").vectors


@pytest.fixture
def repository() -> str:
    return f"example.org/{uuid4().hex}"


@pytest.fixture
def opened(repository: str) -> Iterator[Callable[..., Store]]:
    made: list[Store] = []

    def open_one(place: Callable[[], RefPlace] | None = None, **options: Any) -> Store:
        if place is None:
            made.append(postgres_store(repository=repository, **options))
        else:
            server = Server(shared_server().address(), busy_seconds=10.0)
            made.append(Store(PostgresStore(server, place, 256, "")))
        return made[-1]

    yield open_one
    for store in made:
        store.close()


@contextmanager
def meanwhile(monkeypatch: pytest.MonkeyPatch, backend: Any, name: str, work: Callable[[], None]) -> Iterator[None]:
    """Let another thread work just before a method runs for the first time."""
    real, is_first = getattr(backend, name), True

    def late(*args: Any, **options: Any) -> Any:
        nonlocal is_first
        if is_first:
            is_first = False
            thread = Thread(target=work)
            thread.start()
            thread.join()
        return real(*args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(backend, name, late)
        yield
    assert not is_first


def test_a_question_between_a_write_and_its_end_spoils_nothing(opened, monkeypatch):
    store = opened()
    write(store, entry("a.py", "alpha"))
    with meanwhile(monkeypatch, store.backend, "_known_layer", store.files):
        write(store, entry("b.py", "beta"))
    assert set(store.imports()) == {"a.py", "b.py"}
    assert words(store, "beta") == ["b.py:1"]


def test_what_is_merged_is_whole_though_another_machine_writes_and_is_seen(opened, repository, monkeypatch):
    store, other = opened(), opened()
    for number in range(5):
        made = replace(entry(f"{number}.py", f"alpha {number}"), imports=(RawImport(f"m{number}", 1, ()),))
        store.write(StoreChange((made,), edges={f"{number}.py": [Edge(f"{number}.py", f"p{number}", "package")]}))

    def write_and_look() -> None:
        write(other, replace(entry("2.py", "beta"), imports=(RawImport("new", 1, ()),)))
        assert words(store, "beta") == ["2.py:1"]

    with meanwhile(monkeypatch, store.backend, "_allotted", write_and_look):
        store.compact()
    fresh = opened()
    assert {path: found[0].module for path, found in fresh.imports().items()} == {
        **{f"{number}.py": f"m{number}" for number in (0, 1, 3, 4)},
        "2.py": "new",
    }
    assert fresh.check() == ()


def test_vectors_are_all_there_though_a_question_comes_while_they_are_stored(opened, monkeypatch):
    store = opened()
    store.write(StoreChange(tuple(waiting(f"{number}.py", "alpha") for number in range(6))))

    def near() -> list[str]:
        return [item.path for item in store.candidates(Ask(vector=DIRECTION, limit=50)).items]

    first, second = store.unembedded(0, 3), store.unembedded(store.unembedded(0, 3)[-1].number, 3)
    store.embed({one.number: DIRECTION for one in first})
    assert len(near()) == 3
    with meanwhile(monkeypatch, store.backend, "_change", near):
        store.embed({one.number: DIRECTION for one in second})
    assert len(near()) == 6
    assert store.coverage() == (6, 6) == opened().coverage()
    assert seen(opened()).shown.layers[0].models, "a layer whose files all have vectors says so"


def test_files_that_were_replaced_before_they_had_vectors_cost_no_count_in_every_question(opened):
    store = opened()
    store.write(StoreChange((waiting("a.py", "alpha"), waiting("b.py", "alpha"))))
    store.write(StoreChange((waiting("b.py", "beta"),)))
    store.embed({one.number: DIRECTION for one in store.unembedded(0, 9)})
    for one in (store, opened()):
        assert one.coverage() == (2, 2)
        before = one.backend.server.trips
        with Deadline().governing():
            one.state()
        assert one.backend.server.trips == before + 1
    assert store.unembedded(0, 9) == ()


def test_the_past_can_be_asked_while_more_of_it_is_read(opened, monkeypatch):
    store = opened()
    write(store, entry("a.py", "alpha"))
    store.write_changes([PAST])
    newer = replace(PAST, commit="b" * 40, body="It failed.")
    with meanwhile(monkeypatch, store.backend._reader, "read", lambda: store.write_changes([newer])):
        assert PAST in store.past_changes()
    assert store.past_changes() == (PAST, newer)


def test_a_commit_that_was_read_otherwise_is_another_one_for_all(opened):
    """The end of a shallow clone seems to have made everything, until the clone is deepened."""
    store, other = opened(), opened()
    write(store, entry("a.py", "alpha"))
    store.write_changes([replace(PAST, weight=0.0)])
    assert other.busy(["a.py"]) == {"a.py": 0.0}
    store.write_changes([], [PAST.commit])
    store.write_changes([PAST])
    for one in (store, other, opened()):
        assert one.past_changes() == (PAST,)
        assert one.busy(["a.py"]) == {"a.py": 1.0}
        assert [similar.change for similar in one.similar_changes({"parser": 1.0}, 5)] == [PAST]
    store.write_changes([replace(PAST, files=(TouchedFile("z.py"),))])
    assert [change.files[0].path for change in other.past_changes()] == ["z.py"]


# --- two machines on one branch --------------------------------------------------------------------------------


def test_a_sync_is_refused_when_the_branch_was_written_since_it_looked(opened):
    store, other = opened(), opened()
    write(store, entry("a.py", "alpha"))
    with Deadline().governing():
        store.state()
        write(other, entry("b.py", "beta"))
        with pytest.raises(IndexBusy) as caught:
            write(store, entry("a.py", "gamma"))
        assert caught.value.message.code == "store.written_elsewhere"
        store.forget()
        store.state()
        write(store, entry("a.py", "gamma"))
        write(store, entry("c.py", "gamma"))
    assert sorted(words(other, "gamma")) == ["a.py:1", "c.py:1"]


def test_the_end_of_a_sync_does_not_end_that_of_another_machine(opened):
    store, other, third = opened(), opened(), opened()
    store.write(StoreChange((entry("a.py", "alpha"),), notes={"state": "building"}))
    for notes in ({"state": "complete"}, {"state": "building"}):
        with pytest.raises(IndexBusy):
            other.write(StoreChange(notes=notes))
    other.note("history_read", "1")
    assert third.state().writer
    with pytest.raises(IndexBusy):
        write(third, entry("b.py", "beta"))
    store.note("state", "complete")
    write(third, entry("b.py", "beta"))


def test_a_sync_that_is_given_up_holds_nobody_up(opened):
    store, other = opened(), opened()
    store.write(StoreChange((entry("a.py", "alpha"),), notes={"state": "building"}))
    assert other.state().writer
    store.close()
    other.forget()
    assert not other.state().writer
    write(other, entry("b.py", "beta"))


def test_a_sync_does_not_write_to_a_branch_that_was_checked_out_meanwhile(opened, repository):
    now = ["main"]
    store = opened(lambda: RefPlace(repository, now[0]))
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    with Deadline().governing():
        store.state()
        now[0] = "feature"
        with pytest.raises(IndexBusy):
            store.write(StoreChange((entry("a.py", "gamma"),), ("b.py",), notes={"state": "complete"}))
    assert set(store.files()) == {"a.py", "b.py"}
    assert words(store, "gamma") == []


def test_programs_of_two_versions_have_each_their_own(opened, repository):
    older, newer = (opened(lambda form=form: RefPlace(repository, "main", form)) for form in ("1", "2"))
    write(older, entry("a.py", "alpha"))
    older.write_changes([PAST])
    assert (newer.files(), newer.past_changes()) == ({}, ())
    write(newer, entry("b.py", "beta"))
    newer.write_changes([PAST])
    assert (set(older.files()), set(newer.files())) == ({"a.py"}, {"b.py"})
    assert older.past_changes() == newer.past_changes() == (PAST,)


def test_refs_that_nobody_comes_back_to_go(opened, repository, database_server: DatabaseServer, monkeypatch):
    detached = opened(ref="@0123456789ab")
    write(detached, entry("a.py", "alpha"))
    detached.write_changes([PAST])
    store = opened()
    write(store, entry("b.py", "beta"))
    store.compact()
    assert set(detached.files()) == {"a.py"}
    database_server.execute(
        f"UPDATE shirube.refs SET updated = now() - interval '31 days' WHERE repo = {seen(store).repo}"
    )
    monkeypatch.setattr(store_module, "GRACE_SECONDS", 0)
    store.compact()
    store.compact()
    refs = database_server.execute(f"SELECT ref FROM shirube.refs WHERE repo = {seen(store).repo}")
    assert refs == [("main",)]
    assert set(store.files()) == {"a.py", "b.py"}
    assert store.check() == ()


# --- a database that changes -----------------------------------------------------------------------------------


@pytest.fixture
def own_database(database_server: DatabaseServer) -> Iterator[str]:
    with database_server.database() as address:
        yield address


def test_a_database_that_was_made_anew_is_another_one(own_database: str, database_server: DatabaseServer):
    name = own_database.rpartition("/")[2]
    mine, theirs = (postgres_store(own_database, f"example.org/{one}") for one in ("mine", "theirs"))
    write(mine, entry("mine.py", "alpha"))
    assert set(mine.files()) == {"mine.py"}
    database_server.execute(f"DROP DATABASE {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    write(theirs, entry("mine.py", "theirs"))
    assert mine.files() == {}
    assert mine.text("mine.py") == ""
    write(mine, entry("new.py", "alpha"))
    assert (set(mine.files()), set(theirs.files())) == ({"new.py"}, {"mine.py"})
    mine.close()
    theirs.close()


def test_tables_that_were_dropped_are_made_again(own_database: str, database_server: DatabaseServer):
    store = postgres_store(own_database, "example.org/one")
    write(store, entry("a.py", "alpha"))
    database_server.execute("DROP SCHEMA shirube CASCADE", database=own_database.rpartition("/")[2])
    assert store.files() == {}
    write(store, entry("b.py", "beta"))
    assert words(store, "beta") == ["b.py:1"]
    store.close()


@pytest.mark.parametrize("table", ["files", "layers"])
def test_an_index_that_lacks_parts_is_told_and_begins_anew(opened, database_server: DatabaseServer, table: str):
    writer = opened()
    write(writer, entry("a.py", "alpha", names=("run",)))
    database_server.execute(f"DELETE FROM shirube.{table} WHERE repo = {seen(writer).repo}")
    store = opened()
    with Deadline().governing(), pytest.raises(BrokenIndex):
        store.text("a.py")
    store.reset()
    assert store.files() == {}
    write(store, entry("a.py", "alpha"))
    assert store.text("a.py") == "alpha"


def test_a_question_that_took_longer_than_what_it_saw_is_kept_is_refused(opened, monkeypatch):
    monkeypatch.setattr(store_module, "GRACE_SECONDS", 0)
    store, reader = opened(), opened()
    for number in range(3):
        write(store, entry(f"{number}.py", "alpha"))
    with Deadline().governing():
        assert len(reader.files()) == 3
        store.compact()
        with pytest.raises(IndexBusy) as caught:
            reader.imports()
    assert caught.value.message.code == "store.written_elsewhere"
    assert set(reader.imports()) == {"0.py", "1.py", "2.py"}


def test_a_call_that_is_cancelled_does_not_wait_for_the_server(opened, database_server: DatabaseServer):
    store, ended = opened(), Event()
    write(store, entry("a.py", "alpha"))
    call, found = Deadline(), list[BaseException]()

    def change() -> None:
        try:
            with call.governing():
                store.write_changes([PAST])
        except Cancelled as error:
            found.append(error)
        ended.set()

    with psycopg.connect(database_server.address()) as holder:
        holder.execute(f"SELECT FROM shirube.counters WHERE repo = {seen(store).repo} FOR UPDATE")
        thread = Thread(target=change)
        thread.start()
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        give_up = monotonic() + 30
        while not database_server.execute(waits)[0][0] and monotonic() < give_up:
            pass
        call.cancel()
        assert ended.wait(30), "though the row is still locked"
    thread.join()
    assert [error.message.code for error in found] == ["request.cancelled"]
    assert store.past_changes() == ()


# --- what is hostile or rare -----------------------------------------------------------------------------------


def test_names_with_a_part_are_found_in_whichever_layer_they_are(opened):
    store = opened()
    for number, name in enumerate(("go", "gob", "goc", "god", "goe", "gof")):
        write(store, entry(f"{number}.py", name, names=("go", name)))
    assert store.names("go", 6) == ("go", "gob", "goc", "god", "goe", "gof")


def test_a_nul_in_a_name_does_not_shift_the_others(opened):
    store = opened()
    write(store, entry("a.py", "alpha", "beta", names=("o\0ne", "two")))
    assert [item.symbol for item in store.candidates(Ask({"content": {"beta": 1.0}})).items] == ["two"]


def test_long_words_and_names_are_kept(opened):
    store, name = opened(), "n" * 5_000
    write(store, entry("a.py", name, names=(name,)))
    assert store.candidates(Ask({"content": {name: 1.0}}, names=(name,))).definitions
