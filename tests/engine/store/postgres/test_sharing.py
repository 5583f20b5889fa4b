"""One index for several machines and branches."""

from contextlib import closing
from uuid import uuid4

import pytest
from tests.contracts.test_store import entry, waiting, words, write
from tests.postgres import DatabaseServer, postgres_store, seen, shared_server

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.store.lookups import ParsedContents
from shirube.engine.store.port import Ask, PastChange, StoreChange, TouchedFile
from shirube.engine.store.postgres import store as store_module
from shirube.engine.store.postgres.moment import RefPlace
from shirube.engine.store.postgres.server import Server
from shirube.engine.store.postgres.store import PostgresStore
from shirube.engine.store.postgres.writing import MOST_LAYERS
from shirube.engine.store.store import Store
from shirube.errors import IndexBusy
from shirube.types import Edge, Skip

PAST = PastChange("a" * 40, 1_700_000_000, "Ada", "Fix the parser", "It failed.", (TouchedFile("a.py", ("run",)),))


@pytest.fixture
def repository() -> str:
    return f"example.org/{uuid4().hex}"


@pytest.fixture
def opened(repository: str):
    """Return a function that opens a store for a branch, as another machine would."""
    made: list[Store] = []

    def opened(ref: str = "main", **options) -> Store:
        made.append(postgres_store(repository=repository, ref=ref, **options))
        return made[-1]

    yield opened
    for store in made:
        store.close()


def rows(server: DatabaseServer, table: str, store: Store) -> int:
    repo = seen(store).repo
    return server.execute(f"SELECT count(*) FROM shirube.{table} WHERE repo = {repo}")[0][0]


def test_what_one_machine_writes_another_sees_with_its_next_question(opened):
    one, two = opened(), opened()
    assert two.files() == {}
    write(one, entry("a.py", "alpha", names=("run",)))
    assert set(two.files()) == {"a.py"}
    assert words(two, "alpha") == ["a.py:1"]
    write(two, entry("b.py", "alpha beta"))
    assert words(one, "alpha") == ["a.py:1", "b.py:1"]
    one.write(StoreChange(notes={"key": "value"}, skips=(Skip("x", "binary"),)))
    assert (two.noted("key"), [skip.path for skip in two.skips()]) == ("value", ["x"])


def test_a_request_stays_with_the_generation_that_it_saw_first(opened):
    one, two = opened(), opened()
    write(one, entry("a.py", "alpha old"), entry("b.py", "alpha"))
    with Deadline().governing():
        assert two.state().files == 2
        write(one, entry("a.py", "alpha new"), removed=("b.py",))
        found = two.candidates(Ask({"content": {"alpha": 1.0}})).items
        assert [item.path for item in found] == ["b.py", "a.py"]
        assert set(two.texts([item.key for item in found]).values()) == {"alpha old", "alpha"}
    assert words(two, "alpha") == ["a.py:1"]
    assert two.text("a.py") == "alpha new"


def test_a_new_branch_begins_as_the_one_that_was_written_last_and_shares_what_it_has(opened, database_server):
    main = opened("main")
    write(main, *(entry(f"{number}.py", f"alpha {number}") for number in range(20)))
    main.write(StoreChange(edges={"1.py": [Edge("1.py", "2.py", "path")]}, notes={"state": "complete"}))
    main.write_changes([PAST])
    before = {table: rows(database_server, table, main) for table in ("files", "postings", "vectors", "commits")}
    branch = opened("feature")
    assert len(branch.files()) == 20
    assert branch.past_changes() == (PAST,)
    assert rows(database_server, "refs", main) == 1, "a look makes nothing"
    write(branch, entry("1.py", "beta only"), removed=("2.py",))
    assert words(branch, "beta") == ["1.py:1"]
    assert (len(branch.files()), len(main.files())) == (19, 20)
    assert words(main, "beta") == []
    assert branch.noted("state") == "complete"
    assert [edge.target for edge in branch.edges("1.py")] == ["2.py"]
    assert branch.past_changes() == main.past_changes() == (PAST,)
    after = {table: rows(database_server, table, main) for table in before}
    assert {table: after[table] - before[table] for table in after} == {
        "files": 1,
        "postings": 4,
        "vectors": 1,
        "commits": 0,
    }
    write(main, entry("3.py", "gamma"))
    assert words(branch, "gamma") == []
    branch.write_changes((), [PAST.commit])
    assert (branch.commits(), set(main.commits())) == ({}, {PAST.commit})


def test_repositories_know_nothing_of_each_other():
    with closing(postgres_store()) as one, closing(postgres_store()) as other:
        write(one, entry("a.py", "alpha", names=("run",)))
        write(other, entry("b.py", "beta"))
        assert (set(one.files()), set(other.files())) == ({"a.py"}, {"b.py"})
        assert words(other, "alpha") == []
        assert other.names("run", 5) == ()


def test_a_store_follows_the_branch_that_is_checked_out(opened, repository: str):
    main, branch = opened("main"), opened("feature")
    write(main, entry("a.py", "alpha"))
    write(branch, entry("b.py", "beta"))
    now = "main"
    server = Server(shared_server().address(), busy_seconds=10.0)
    store = Store(PostgresStore(server, lambda: RefPlace(repository, now), 256, ""))
    assert set(store.files()) == {"a.py"}
    now = "feature"
    assert set(store.files()) == {"a.py", "b.py"}
    write(store, entry("c.py", "gamma"))
    assert (set(main.files()), set(branch.files())) == ({"a.py"}, {"a.py", "b.py", "c.py"})
    now = "never seen"
    assert set(store.files()) == {"a.py", "b.py", "c.py"}, "the one that was written last"
    store.close()


# --- two who write -----------------------------------------------------------------------------------------


def test_while_one_machine_is_in_a_sync_another_does_not_write_between(opened):
    one, two = opened(), opened()
    one.write(StoreChange(entries=(entry("a.py", "alpha"),), notes={"state": "building"}))
    assert two.state().writer
    assert one.state().writer == "", "nobody waits for himself"
    with pytest.raises(IndexBusy) as caught:
        write(two, entry("b.py", "beta"))
    assert caught.value.message.code == "store.written_elsewhere"
    two.write(StoreChange(notes={"history_read": "x"}))
    one.write(StoreChange(entries=(entry("c.py", "gamma"),), notes={"state": "complete"}))
    assert two.state().writer == ""
    write(two, entry("b.py", "beta"))
    assert set(one.files()) == {"a.py", "b.py", "c.py"}


def test_a_writer_that_died_holds_others_up_for_a_while_only(opened, monkeypatch):
    monkeypatch.setattr(store_module, "LEASE_SECONDS", 0)
    one, two = opened(), opened()
    one.write(StoreChange(entries=(entry("a.py", "alpha"),), notes={"state": "building"}))
    write(two, entry("b.py", "beta"))
    assert set(two.files()) == {"a.py", "b.py"}


def test_two_who_write_the_same_file_leave_one(opened):
    one, two = opened(), opened()
    for number in range(6):
        write(one if number % 2 else two, entry("a.py", f"alpha {number}", names=("run",)))
    for store in (one, two):
        assert store.text("a.py") == "alpha 5"
        assert (store.totals().files, store.totals().chunks, store.totals().symbols) == (1, 1, 1)
        assert len(store.candidates(Ask(names=("run",))).definitions) == 1


# --- what is not needed any more ---------------------------------------------------------------------------


def test_many_small_changes_end_in_few_layers_with_the_same_answers(opened, database_server):
    store, other = opened(), opened()
    write(store, *(entry(f"{number}.py", f"alpha number{number}", names=(f"run{number}",)) for number in range(30)))
    for number in range(3 * MOST_LAYERS):
        write(store, entry(f"{number % 7}.py", f"beta number{number}", names=(f"go{number}",)), removed=("9.py",))
    assert len(seen(store).layers) <= MOST_LAYERS
    with closing(postgres_store()) as anew:
        write(anew, *(entry(f"{n}.py", f"alpha number{n}", names=(f"run{n}",)) for n in range(7, 30) if n != 9))
        last = [max(number for number in range(3 * MOST_LAYERS) if number % 7 == at) for at in range(7)]
        write(anew, *(entry(f"{at}.py", f"beta number{n}", names=(f"go{n}",)) for at, n in enumerate(last)))
        for question in ("alpha", "beta", "number23", "number9", "alpha beta number12"):
            wanted = anew.candidates(Ask({"content": dict.fromkeys(question.split(), 1.0)}))
            for one in (store, other):
                found = one.candidates(Ask({"content": dict.fromkeys(question.split(), 1.0)}))
                assert [(item.path, item.lexical) for item in found.items] == [
                    (item.path, item.lexical) for item in wanted.items
                ]
                assert (found.chunks, found.in_content) == (wanted.chunks, wanted.in_content)
        assert store.names("go", 100) == anew.names("go", 100)
    assert store.check() == other.check() == ()


def test_edges_of_a_file_that_was_removed_do_not_come_back_with_it(opened):
    store, other = opened(), opened()
    edges = {path: [Edge(path, "2.py", "path")] for path in ("1.py", "3.py")}
    store.write(StoreChange(tuple(entry(f"{n}.py", f"alpha number{n}") for n in range(60)), edges=edges))
    write(store, removed=("1.py",))
    write(store, entry("1.py", "beta"))
    for number in range(MOST_LAYERS):
        write(store, entry("4.py", f"gamma {number}"))
    assert 1 < len(seen(store).layers) <= MOST_LAYERS, "some were made into one, and others not"
    assert store.edges() == other.edges() == (Edge("3.py", "2.py", "path"),)
    store.compact()
    assert store.edges() == other.edges() == (Edge("3.py", "2.py", "path"),)


def test_compacting_leaves_one_layer_and_drops_what_nobody_has_looked_at_for_a_while(
    opened, database_server, monkeypatch
):
    store, reader = opened(), opened()
    for number in range(4):
        write(store, entry("a.py", ("red", "green", "blue", "white")[number]), entry(f"{number}.py", "beta"))
    with Deadline().governing():
        found = reader.candidates(Ask({"content": {"beta": 1.0}})).items
        store.compact()
        assert len(reader.texts([item.key for item in found])) == 4, "a question that began before goes on"
    assert len(store.files()) == len(reader.files()) == 5
    assert len(seen(store).layers) == 1
    assert rows(database_server, "layers", store) == 5
    monkeypatch.setattr(store_module, "GRACE_SECONDS", 0)
    store.compact()
    assert {table: rows(database_server, table, store) for table in ("layers", "files", "vectors")} == {
        "layers": 1,
        "files": 5,
        "vectors": 5,
    }
    assert words(reader, "white") == ["a.py:1"]
    assert words(reader, "blue") == []


def test_what_another_branch_has_is_not_dropped(opened, database_server, monkeypatch):
    monkeypatch.setattr(store_module, "GRACE_SECONDS", 0)
    main = opened("main")
    write(main, entry("a.py", "alpha"), entry("b.py", "beta"))
    branch = opened("feature")
    branch.files()
    write(branch, removed=("a.py",))
    write(main, entry("c.py", "gamma"))
    for store in (branch, main, branch):
        store.compact()
    assert (set(main.files()), set(branch.files())) == ({"a.py", "b.py", "c.py"}, {"b.py"})
    assert main.text("a.py") == "alpha"
    assert words(branch, "alpha") == []
    branch.reset()
    assert branch.files() == {}
    branch.compact()
    assert main.text("b.py") == "beta"
    assert main.check() == branch.check() == ()


def test_an_index_that_begins_anew_is_empty_and_others_are_not(opened):
    main = opened("main")
    write(main, entry("a.py", "alpha"))
    main.write_changes([PAST])
    branch = opened("feature")
    write(branch, entry("b.py", "beta"))
    main.reset()
    assert (main.files(), main.commits(), main.state().notes) == ({}, {}, {})
    assert set(branch.files()) == {"a.py", "b.py"}
    assert set(branch.commits()) == {PAST.commit}
    write(main, entry("c.py", "gamma"))
    assert set(main.files()) == {"c.py"}


# --- vectors and what was parsed ---------------------------------------------------------------------------


def test_vectors_that_one_machine_computes_others_have(opened):
    one, two = opened(), opened()
    write(one, waiting("a.py", "alpha"), waiting("b.py", "beta"))
    assert two.coverage() == (0, 2)
    made = {found.number: entry(found.path, *found.texts).vectors or b"" for found in two.unembedded(0, 9)}
    first, *_ = made
    two.embed({first: made[first]})
    assert one.coverage() == (1, 2)
    one.embed(made)
    assert one.coverage() == two.coverage() == (2, 2)
    assert two.unembedded(0, 9) == ()


def test_a_store_of_another_model_has_its_own_vectors(opened):
    one, other = opened(model="one"), opened(model="other")
    write(one, entry("a.py", "alpha"))
    assert (one.coverage(), other.coverage()) == ((1, 1), (0, 1))
    (found,) = other.unembedded(0, 5)
    other.embed({found.number: entry("a.py", "alpha").vectors or b""})
    assert (one.coverage(), other.coverage()) == ((1, 1), (1, 1))


def test_what_was_parsed_is_there_for_every_repository(opened):
    store = opened()
    key = f"{uuid4().hex}:python:6"
    store.write(StoreChange(parsed=((key, b"parsed"),)))
    with closing(postgres_store()) as other:
        write(other, entry("a.py", "x"))
        assert other.look(ParsedContents((key, "none"))) == [{key: b"parsed"}]
        other.write(StoreChange(parsed=((key, b"later"),)))
        assert other.look(ParsedContents((key,))) == [{key: b"parsed"}]


def test_odd_names_and_texts_come_back(opened):
    store = opened("feature/日本語 \"'%")
    odd = 'a\tb "%_\\\n.py'
    made = entry(odd, "text with \\x00 and \U0001f980", names=("Größe", "%"))
    write(store, replace(made, record=replace(made.record, language="python")))
    again = opened("feature/日本語 \"'%")
    assert again.text(odd) == "text with \\x00 and \U0001f980"
    assert again.names("%", 5) == ("%",)
    assert again.names("_", 5) == ()
    assert again.names("GRÖ", 5) == ("Größe",)
