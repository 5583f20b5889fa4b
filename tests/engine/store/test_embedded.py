"""What only the store on disk promises: survival, recovery, sharing."""

import os
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.contracts.test_store import defined, entry, words, write
from tests.stores import embedded_store, open_embedded_store

from shirube.codec import replace
from shirube.engine.store.catalog import MOST_MODELS
from shirube.engine.store.embedded import DATABASE
from shirube.engine.store.port import Ask
from shirube.engine.store.projection import DIRECTORY
from shirube.engine.store.store import Store
from shirube.errors import BrokenIndex, NoPermission


@pytest.fixture
def place(tmp_path):
    return tmp_path / "index"


def test_what_was_written_is_there_after_opening_again(place):
    first = embedded_store(place, 256)
    write(first, entry("a.py", "alpha"))
    first.close()
    second = embedded_store(place, 256)
    assert words(second, "alpha") == ["a.py:1"]
    second.close()


@pytest.mark.requirement("N001-STORE-03")
def test_two_stores_on_one_directory_see_each_other_s_writes(place):
    one, two = embedded_store(place, 256), embedded_store(place, 256)
    write(one, entry("a.py", "alpha"))
    assert words(two, "alpha") == ["a.py:1"]
    write(two, entry("a.py", "beta"))
    assert words(one, "alpha") == []
    assert words(one, "beta") == ["a.py:1"]
    one.close()
    two.close()


def test_a_damaged_database_is_put_aside_and_begun_anew(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    store.close()
    (place / DATABASE).write_bytes(b"garbage" * 1000)
    again, note = open_embedded_store(place)
    assert "anew" in note
    assert again.files() == {}
    assert (place / "broken" / DATABASE).is_file()
    again.close()


def test_a_sound_index_opens_without_a_note(place):
    store, note = open_embedded_store(place)
    assert note == ""
    store.close()


def test_check_finds_a_projection_that_misses_a_file(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    assert store.check() == ()
    with sqlite3.connect(place / DATABASE) as db:
        db.execute("DELETE FROM chunks WHERE key = (SELECT min(key) FROM chunks)")
    db.close()
    assert any("lexical index" in line for line in store.check())
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_every_directory_that_is_made_is_for_its_owner_only(place):
    deep = place / "deeper" / "still"
    store = embedded_store(deep, 256)
    for directory in (place, place / "deeper", deep):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    store.close()


def test_a_damaged_page_is_an_error_of_ours_and_beginning_anew_mends_it(place):
    store = embedded_store(place, 256)
    write(store, *(entry(f"{number}.py", f"word{number} " * 50) for number in range(200)))
    store.close()
    data = bytearray((place / DATABASE).read_bytes())
    for offset in range(8192, len(data), 4096):
        data[offset : offset + 64] = b"\xff" * 64
    (place / DATABASE).write_bytes(data)
    broken = embedded_store(place, 256)
    with pytest.raises(BrokenIndex):
        broken.files()
    broken.reset()
    assert broken.files() == {}
    write(broken, entry("a.py", "alpha"))
    assert words(broken, "alpha") == ["a.py:1"]
    broken.close()


def test_a_damaged_text_is_an_error_of_ours(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha beta gamma"))
    with sqlite3.connect(place / DATABASE) as db:
        db.execute("UPDATE bodies SET text = x'00112233'")
    db.close()
    with pytest.raises(BrokenIndex):
        store.text("a.py")
    store.close()


def test_a_store_follows_when_another_process_begins_anew(place):
    one, two = embedded_store(place, 256), embedded_store(place, 256)
    write(one, entry("a.py", "alpha"))
    assert words(two, "alpha") == ["a.py:1"]
    one.reset()
    write(one, entry("b.py", "beta"))
    assert words(two, "beta") == ["b.py:1"]
    assert set(two.files()) == {"b.py"}
    one.close()
    two.close()


def test_an_index_deleted_under_many_callers_cancels_none_of_them(place):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    with store.backend._read.reading() as db:  # one of them is in the middle of reading
        shutil.rmtree(place)
        with ThreadPoolExecutor(8) as crowd:
            found = list(crowd.map(lambda _: words(store, "alpha"), range(40)))
        assert db.execute("SELECT count(*) FROM files").fetchone() == (1,)
    assert found == [[]] * 40
    write(store, entry("b.py", "beta"))
    assert words(store, "beta") == ["b.py:1"]
    store.close()


def test_an_index_that_cannot_be_written_still_answers(place, monkeypatch):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha"))
    store.close()
    readonly = embedded_store(place, 256, readonly=True)
    assert words(readonly, "alpha") == ["a.py:1"]
    assert set(readonly.files()) == {"a.py"}
    with pytest.raises(NoPermission):
        readonly.note("x", "y")
    readonly.close()


def test_an_index_of_the_first_form_is_opened_and_answers_with_what_it_holds(place):
    older = embedded_store(place, 256)
    write(older, entry("a.py", "alpha", names=("PaymentGateway",)))
    older.close()
    with closing(sqlite3.connect(place / DATABASE, isolation_level=None)) as db:  # as the first form had it
        db.execute("DROP INDEX symbols_by_lower_name")
        db.execute("ALTER TABLE symbols DROP COLUMN lower_name")
        db.execute("CREATE INDEX symbols_by_name ON symbols (name)")
        for table in ("changes", "change_paths", "change_files", "change_terms"):
            db.execute(f"DROP TABLE {table}")
        for column in ("mtime_ns", "ctime_ns", "inode", "checked_ns"):
            db.execute(f"ALTER TABLE files ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        db.execute("PRAGMA user_version = 1")
    (place / DIRECTORY).rename(place / "tantivy")
    store, note = open_embedded_store(place)
    assert note == ""
    assert words(store, "alpha") == ["a.py:1"]
    assert defined(store, "paymentgateway") == ["a.py:PaymentGateway:1"]
    assert store.check() == ()
    store.close()


def test_texts_follow_a_change_by_another_process(place):
    one, two = embedded_store(place, 256), embedded_store(place, 256)
    for text in ("alpha one", "alpha two"):
        write(one, entry("a.py", text))
        (found,) = two.candidates(Ask({"content": {"alpha": 1.0}})).items
        assert two.texts([found.key]) == {found.key: text}
    one.close()
    two.close()


def test_texts_of_an_index_that_was_begun_anew_are_not_those_of_the_one_before(place):
    store = embedded_store(place, 256)
    for text in ("alpha one", "alpha two"):
        store.reset()
        write(store, entry("a.py", text))
        (found,) = store.candidates(Ask({"content": {"alpha": 1.0}})).items
        assert store.texts([found.key]) == {found.key: text}
    store.close()


@pytest.mark.parametrize(
    "harm",
    ["ALTER TABLE symbols DROP COLUMN doc", "ALTER TABLE symbols ADD COLUMN more TEXT", "DROP TABLE edges"],
)
def test_tables_that_are_not_as_their_number_says_are_a_damage_and_not_a_riddle(place, harm):
    store = embedded_store(place, 256)
    write(store, entry("a.py", "alpha", names=("run",)))
    store.backend._write.db.execute(harm)

    def use() -> None:
        write(store, entry("b.py", "beta", names=("run",)))
        store.candidates(Ask(names=("run",)))
        store.edges("a.py")

    with pytest.raises(BrokenIndex):
        use()
    store.reset()
    write(store, entry("a.py", "alpha"))
    assert words(store, "alpha") == ["a.py:1"]
    store.close()


def models_on(place, *names: str) -> list[Store]:
    return [
        embedded_store(place, size, model=name) for name, size in ((name, int(name.split("-")[1])) for name in names)
    ]


def rows_of(store: Store, size: int) -> dict[int, bytes]:
    return {one.number: bytes([127, *[0] * (size - 1)]) * len(one.texts) for one in store.unembedded(0, 100)}


def test_vectors_of_two_models_lie_side_by_side_and_are_never_mixed(place):
    one, two = models_on(place, "a-4", "b-8")
    write(one, replace(entry("x.py", "alpha", "beta"), vectors=bytes([0, 127, 0, 0]) * 2))
    assert (one.coverage(), two.coverage()) == ((1, 1), (0, 1))
    assert two.vectors("x.py") == b""
    assert two.candidates(Ask(vector=bytes([127] + [0] * 7))).items == ()
    two.embed(rows_of(two, 8))
    assert two.coverage() == (1, 1)
    (near, *_) = two.candidates(Ask(vector=bytes([127] + [0] * 7))).items
    assert near.cosine == pytest.approx(1.0)
    (near, *_) = one.candidates(Ask(vector=bytes([0, 127, 0, 0]))).items
    assert near.cosine == pytest.approx(1.0)
    assert one.vectors("x.py") == bytes([0, 127, 0, 0]) * 2
    for store in (one, two):
        store.close()


def test_a_changed_file_loses_the_vectors_of_every_model(place):
    one, two = models_on(place, "a-4", "b-8")
    write(one, replace(entry("x.py", "alpha"), vectors=bytes(4)))
    two.embed(rows_of(two, 8))
    write(two, replace(entry("x.py", "beta"), vectors=bytes(8)))
    assert (one.coverage(), two.coverage()) == ((0, 1), (1, 1))
    assert one.vectors("x.py") == b""
    assert one.backend._read.db.execute("SELECT count(*) FROM vectors").fetchone() == (1,)
    for store in (one, two):
        store.close()


def test_no_more_models_are_kept_than_there_is_use_for(place):
    names = [f"m{number}-4" for number in range(MOST_MODELS + 2)]
    stores = models_on(place, *names)
    write(stores[0], replace(entry("x.py", "alpha"), vectors=bytes(4)))
    for store in stores[1:]:
        store.embed(rows_of(store, 4))
    assert [store.coverage()[0] for store in stores] == [0, 0, *[1] * MOST_MODELS]
    count = "SELECT count(DISTINCT model), count(*) FROM vectors"
    assert stores[0].backend._read.db.execute(count).fetchone() == (MOST_MODELS, MOST_MODELS)
    stores[0].embed(rows_of(stores[0], 4))  # one that was let go comes back
    assert stores[0].coverage() == (1, 1)
    for store in stores:
        store.close()
