"""What goes wrong between here and the server, and what is said about it."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Event, Thread

import psycopg
import pytest
from tests.cases import for_each
from tests.contracts.test_store import entry, past, waiting, write
from tests.postgres import DatabaseServer, postgres_store, seen
from tests.proxy import Proxy

from shirube.deadline import Deadline
from shirube.engine.store.lookups import EveryFile, StateNow
from shirube.engine.store.port import Ask, StoreChange
from shirube.engine.store.postgres import schema
from shirube.engine.store.postgres import server as server_module
from shirube.engine.store.postgres.server import MOST_CONNECTIONS, Server, Statement, shown_address
from shirube.errors import (
    Cancelled,
    ConfigError,
    FutureIndex,
    IndexBusy,
    IndexFault,
    NoAccess,
    NotWritable,
    Unreachable,
)

ONE = Statement("SELECT 1")
PAST = past(1, "fix it", "a.py")
SECRET = "geheim123"


@for_each(
    ("address", "shown"),
    [
        ("postgresql://me:secret@db.corp/shirube", "db.corp/shirube"),
        ("postgresql://me:secret@db.corp:6543/shirube?sslmode=require", "db.corp:6543/shirube"),
        ("host=db.corp port=5432 dbname=x password=secret", "db.corp/x"),
        ("dbname=x", "localhost/x"),
        ("host=::1 port=6000 dbname=x", "[::1]:6000/x"),
        ("postgresql://a:6000,b:6001/x", "a:6000,b:6001/x"),
        ("host=/run/postgresql dbname=x", "/run/postgresql/x"),
        ("nonsense secret", "…"),
        ("postgresql://me:pa@secret@db.corp/x", "…"),
        ("postgresql://me:pa/secret@db.corp/x", "…"),
        ("dbname=postgresql://me:secret@db.corp/x", "…"),
    ],
)
def test_an_address_is_shown_without_what_is_secret(address: str, shown: str):
    assert shown_address(address) == shown


@for_each("address", ["", "   ", "nonsense", "postgresql://[", "mysql://db/x", "postgresql://me:pa@ss@db/x"])
def test_what_is_no_address_is_refused_before_anything_is_sent(address: str):
    with pytest.raises(ConfigError) as caught:
        Server(address, 1.0)
    assert caught.value.message.code in ("store.no_address", "store.server_address")
    assert "store.address" in caught.value.hint


def refused(address: str, kind: type[Exception], code: str) -> str:
    """Return what is said when an address is used; it names the server, never the password, and what to do."""
    store = postgres_store(address)
    with pytest.raises(kind) as caught:
        store.files()
    store.close()
    assert caught.value.message.code == code
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_a_server_that_is_not_there_is_told_at_once_with_the_way_out(database_server: DatabaseServer):
    told = refused(f"postgresql://me:{SECRET}@127.0.0.1:1/x", Unreachable, "store.server_away")
    assert "127.0.0.1:1/x" in told
    assert "SHIRUBE_STORE_BACKEND=embedded" in told


@for_each("host", ["no-such-host.invalid", "db..corp", "a" * 300])
def test_a_host_that_nobody_knows_is_told(host: str):
    assert host in refused(f"postgresql://me:{SECRET}@{host}/x", Unreachable, "store.server_unknown")


def test_tables_that_are_not_as_they_should_be_are_told_with_what_mends_them(database_server: DatabaseServer):
    with database_server.database() as address:
        store = postgres_store(address)
        write(store, entry("a.py", "alpha"))
        database_server.execute("ALTER TABLE shirube.files DROP body", database=address.rpartition("/")[2])
        with (
            closing(postgres_store(address, store.backend._place().repository)) as other,
            pytest.raises(IndexFault) as caught,
        ):
            other.text("a.py")
        assert caught.value.message.code == "store.server_tables"
        assert "drop the schema shirube" in caught.value.hint
        store.close()


def test_a_wrong_password_user_or_database_is_refused(database_server: DatabaseServer):
    rules = database_server.data / "pg_hba.conf"
    before = rules.read_text()
    database_server.execute(f"CREATE ROLE locked LOGIN PASSWORD '{SECRET}x'")
    rules.write_text(f"host all locked 127.0.0.1/32 scram-sha-256\n{before}")
    database_server.execute("SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)")
    try:
        at = f"127.0.0.1:{database_server.port}/postgres"
        refused(f"postgresql://locked:{SECRET}@{at}", NoAccess, "store.server_refuses")
        refused(f"postgresql://locked@{at}", NoAccess, "store.server_refuses")
        refused(f"postgresql://nobody:{SECRET}@{at}", NoAccess, "store.server_refuses")
        refused(f"postgresql://postgres:{SECRET}@{at}nix", NoAccess, "store.server_refuses")
    finally:
        rules.write_text(before)
        database_server.execute("SELECT pg_reload_conf()", "DROP ROLE locked")


def test_a_server_that_was_away_is_not_tried_again_by_each_question(proxy: Proxy, database_server, monkeypatch):
    address = database_server.address(port=proxy.port)
    proxy.close()
    server = Server(address, 1.0)
    tried = []
    connect = server_module._connection_class().connect
    monkeypatch.setattr(
        server_module._connection_class(), "connect", lambda *a, **o: tried.append(1) or connect(*a, **o)
    )
    for _ in range(5):
        with pytest.raises(Unreachable):
            server.ask([ONE])
    assert len(tried) == 1
    monkeypatch.setattr(server_module, "monotonic", lambda: time.monotonic() + server_module.AGAIN_SECONDS)
    with pytest.raises(Unreachable):
        server.ask([ONE])
    assert len(tried) == 2


# --- tables ------------------------------------------------------------------------------------------------


def test_tables_are_made_once_by_whoever_comes_first(database_server: DatabaseServer):
    with database_server.database() as address:
        stores = [postgres_store(address, repository=f"r{number}") for number in range(6)]
        with ThreadPoolExecutor(6) as crowd:
            assert list(crowd.map(lambda store: store.files(), stores)) == [{}] * 6
        for store in stores:
            store.close()


def test_tables_of_a_newer_program_are_left_alone(database_server: DatabaseServer):
    with database_server.database() as address:
        with closing(postgres_store(address)) as store:
            store.files()
        with psycopg.connect(address) as connection:
            connection.execute("INSERT INTO shirube.form (step) VALUES (999)")
        assert "update shirube" in refused(address, FutureIndex, "store.server_newer")


def test_tables_of_an_older_program_are_brought_up_to_date_by_who_may(database_server, monkeypatch):
    with database_server.database() as address:
        with closing(postgres_store(address, repository="r")) as store:
            write(store, entry("a.py", "alpha"))
        database_server.execute("CREATE ROLE reader LOGIN")
        name = address.rpartition("/")[2]
        database_server.execute(
            "GRANT USAGE ON SCHEMA shirube TO reader",
            "GRANT SELECT ON ALL TABLES IN SCHEMA shirube TO reader",
            database=name,
        )
        later = (*schema.STEPS, "ALTER TABLE shirube.refs ADD COLUMN later integer;\n")
        try:
            monkeypatch.setattr(schema, "STEPS", later)
            reader = database_server.address(name, user="reader")
            assert "owner" in refused(reader, NoAccess, "store.server_older")
            with closing(postgres_store(address, repository="r")) as store:
                assert set(store.files()) == {"a.py"}
            with closing(postgres_store(reader, repository="r")) as store:
                assert set(store.files()) == {"a.py"}
                with pytest.raises(NoAccess) as caught:
                    store.write(StoreChange(entries=(entry("b.py", "beta"),)))
                assert caught.value.message.code == "store.server_no_rights"
        finally:
            database_server.execute("DROP OWNED BY reader", "DROP ROLE reader", database=name)


def test_who_may_not_make_the_tables_is_told_who_may(database_server: DatabaseServer):
    database_server.execute("CREATE ROLE guest LOGIN")
    try:
        with database_server.database() as address:
            guest = database_server.address(address.rpartition("/")[2], user="guest")
            assert "owner" in refused(guest, NoAccess, "store.server_no_tables")
    finally:
        database_server.execute("DROP ROLE guest")


def test_a_database_in_another_encoding_is_refused(database_server: DatabaseServer):
    with database_server.database("ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'") as address:
        assert "LATIN1" in refused(address, IndexFault, "store.server_encoding")


# --- in the middle of something ----------------------------------------------------------------------------


def test_a_connection_that_is_lost_is_replaced_once(proxy: Proxy, database_server: DatabaseServer):
    store = postgres_store(database_server.address(port=proxy.port))
    write(store, entry("a.py", "alpha"))
    proxy.cut()
    assert set(store.files()) == {"a.py"}
    proxy.cut()
    write(store, entry("b.py", "beta"))
    assert set(store.files()) == {"a.py", "b.py"}
    assert store.totals().files == 2
    store.close()


def test_a_connection_that_is_lost_in_the_middle_of_an_answer_is_replaced_once(proxy: Proxy, database_server):
    store = postgres_store(database_server.address(port=proxy.port))
    write(store, *(entry(f"{number}.py", "alpha " * 500) for number in range(50)))
    fresh = postgres_store(database_server.address(port=proxy.port), repository=store.backend._place().repository)
    proxy.cut_after = 2_000
    assert len(fresh.files()) == 50
    proxy.cut_after = 100
    assert fresh.candidates(Ask({"content": {"alpha": 1.0}})).chunks == 50
    store.close()
    fresh.close()


@pytest.mark.parametrize("files", [1, 1_500])
def test_a_change_that_took_effect_though_its_answer_was_lost_is_not_made_twice(
    files: int, database_server: DatabaseServer, monkeypatch: pytest.MonkeyPatch
):
    store = postgres_store()
    write(store, entry("a.py", "alpha"))
    server, lost = store.backend.server, []
    run = server._with_connection

    def run_and_lose(work, most):
        def done(connection):
            result = work(connection)
            if not lost and work.__name__ == "changed":
                lost.append(1)
                connection.close()
                raise psycopg.OperationalError("the connection is lost")
            return result

        return run(done, most)

    monkeypatch.setattr(server, "_with_connection", run_and_lose)
    for change in (
        lambda: store.write(
            StoreChange((waiting("0.py", "beta"), *(entry(f"{n}.py", "beta") for n in range(1, files))))
        ),
        lambda: store.write_changes([PAST]),
        lambda: store.embed(dict.fromkeys((one.number for one in store.unembedded(0, 5)), bytes(256))),
        store.compact,
    ):
        store.files()  # so that the change is the first that is written
        lost.clear()
        change()
        assert lost
    assert (len(store.files()), store.totals().chunks) == (files + 1, files + 1)
    assert len(seen(store).layers) == 1
    assert store.commits() == {PAST.commit: PAST.seconds}
    assert store.check() == ()
    store.close()


def test_a_server_that_was_restarted_is_found_again(database_server: DatabaseServer):
    store = postgres_store()
    write(store, entry("a.py", "alpha"))
    database_server.stop("immediate")
    with pytest.raises(Unreachable):
        store.files()
    database_server.start()
    server_module.AGAIN_SECONDS, before = 0.0, server_module.AGAIN_SECONDS
    try:
        store.backend.server._away = None
        assert set(store.files()) == {"a.py"}
    finally:
        server_module.AGAIN_SECONDS = before
    store.close()


def test_nothing_waits_longer_than_its_deadline_for_a_silent_network(proxy: Proxy, database_server: DatabaseServer):
    store = postgres_store(database_server.address(port=proxy.port))
    store.files()
    proxy.silent = True
    deadline = Deadline(0.3)
    with deadline.governing(), pytest.raises(Cancelled) as caught:
        store.files()
    assert caught.value.message.code == "request.late"
    with Deadline(0.0).governing(), pytest.raises(Cancelled):
        store.files()
    proxy.silent = False
    assert store.files() == {}
    store.close()


def test_without_a_deadline_a_silent_network_is_given_up_too(proxy: Proxy, database_server, monkeypatch):
    monkeypatch.setattr(server_module, "MOST_SECONDS", 0.3)
    store = postgres_store(database_server.address(port=proxy.port))
    store.files()
    proxy.silent = True
    with pytest.raises(Unreachable) as caught:
        store.files()
    assert caught.value.message.code == "store.server_slow"
    store.close()


def test_a_statement_that_the_server_ends_is_told(database_server: DatabaseServer):
    server = Server(f"{database_server.address()}?options=-cstatement_timeout%3D50", 1.0)
    with pytest.raises(Unreachable) as caught:
        server.ask([Statement("SELECT pg_sleep(60)")])
    assert caught.value.message.code == "store.server_slow"
    assert server.ask([ONE]) == [[(1,)]]
    server.close()


def test_when_all_connections_are_in_use_the_next_question_is_told(database_server: DatabaseServer):
    server = Server(database_server.address(), busy_seconds=0.1)
    inside, go_on = Event(), Event()
    held = []

    def hold(connection) -> None:
        held.append(connection)
        if len(held) == MOST_CONNECTIONS:
            inside.set()
        go_on.wait(60)

    threads = [Thread(target=server.change, args=(hold,)) for _ in range(MOST_CONNECTIONS)]
    for thread in threads:
        thread.start()
    assert inside.wait(60)
    with pytest.raises(IndexBusy) as caught:
        server.ask([ONE])
    assert caught.value.message.code == "store.no_connection"
    go_on.set()
    for thread in threads:
        thread.join()
    assert server.ask([ONE]) == [[(1,)]]
    server.close()


def test_a_server_that_takes_no_more_connections_is_busy(database_server: DatabaseServer):
    database_server.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 0")
    try:
        server = Server(database_server.address(user="few"), 1.0)
        with pytest.raises(IndexBusy) as caught:
            server.ask([ONE])
        assert caught.value.message.code == "store.server_busy"
    finally:
        database_server.execute("DROP ROLE few")


def test_a_full_disk_is_told_and_nothing_of_the_change_is_there(database_server: DatabaseServer):
    store = postgres_store()
    write(store, entry("a.py", "alpha"))
    database_server.execute(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END$$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON shirube.postings FOR EACH ROW EXECUTE FUNCTION full_disk()",
    )
    try:
        for many in (1, 1_500):
            with pytest.raises(NotWritable) as caught:
                write(store, *(entry(f"{number}.py", f"beta{number}") for number in range(many)))
            assert caught.value.message.code == "store.server_full"
            assert "No space left" in str(caught.value)
    finally:
        database_server.execute("DROP FUNCTION full_disk CASCADE")
    assert set(store.files()) == {"a.py"}
    assert store.check() == ()
    write(store, entry("b.py", "beta"))
    assert set(store.files()) == {"a.py", "b.py"}
    store.close()


def test_a_closed_store_answers_no_more(database_server: DatabaseServer):
    store = postgres_store()
    store.close()
    with pytest.raises(Cancelled):
        store.look(StateNow(), EveryFile())


def test_a_process_that_was_forked_off_and_killed_leaves_no_session(database_server: DatabaseServer):
    """A reader that dies must not hold what a writer needs."""
    store = postgres_store()
    write(store, entry("a.py", "alpha"))
    child = os.fork()
    if not child:  # pragma: no cover - another process
        with suppress(BaseException):
            other = postgres_store(repository=store.backend._place().repository)
            other.files()
            with psycopg.connect(database_server.address()) as connection:
                connection.execute("SELECT FROM shirube.counters FOR UPDATE")
                os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    write(store, entry("b.py", "beta"))
    assert set(store.files()) == {"a.py", "b.py"}
    store.close()
