"""Who sees what of the tables: decided by the database, whatever is asked."""

from contextlib import ExitStack, closing
from uuid import uuid4

import pytest
from tests.postgres import postgres_store, shared_server

from shirube.engine.store.access import Token, seeing, visible
from shirube.engine.store.port import StoreChange
from shirube.engine.store.postgres.access import PostgresAccess
from shirube.engine.store.postgres.server import Server, Statement
from shirube.errors import BadArgument, ConfigError, IndexFault, NoAccess, Unreachable

SECRET_TABLES = ("tokens", "grants", "parsed", "counters")


@pytest.fixture(name="place", scope="module")
def _place():
    """Return the address of a database with two repositories, and of the same for a role that serves."""
    server, role = shared_server(), f"serving_{uuid4().hex[:8]}"
    server.execute(f"CREATE ROLE {role} LOGIN")
    with server.database() as address:
        for name in ("a", "b"):
            store = postgres_store(address, f"example.org/{name}")
            store.write(StoreChange(notes={"state": "complete"}))
            store.close()
        owner = PostgresAccess(Server(address, 5))
        owner.let_serve(role)
        yield address, address.replace("postgres@", f"{role}@")
        owner.server.close()


@pytest.fixture(name="opened")
def _opened():
    """Return a function that opens a server, which is closed after the test."""
    with ExitStack() as stack:

        def opened(address, many=False):
            server = Server(address, 5.0, 4, visible) if many else Server(address, 5.0)
            stack.callback(server.close)
            return server

        yield opened


def _numbers(place):
    with closing(Server(place[0], 5.0)) as server:
        rows = server.ask([Statement("SELECT name, repo FROM shirube.repositories")])[0]
    return {name.rpartition("/")[2]: repo for name, repo in rows}


def test_every_table_of_repositories_is_guarded(place, opened):
    sql = (
        "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,"
        " (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid)"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'shirube'::regnamespace AND c.relkind = 'r' AND a.attname = 'repo'"
    )
    (rows,) = opened(place[0]).ask([Statement(sql)])
    assert len(rows) >= 11
    assert [row for row in rows if row[1:] != (True, row[0] not in ("repositories", "refs"), 1)] == []


def test_a_server_for_many_sees_what_its_request_may_see(place, opened):
    server, numbers = opened(place[1], True), _numbers(place)
    asked = [Statement("SELECT repo FROM shirube.refs"), Statement("SELECT name FROM shirube.repositories")]
    assert server.ask(asked) == [[], []]
    with seeing((numbers["a"],)):
        assert server.ask(asked) == [[(numbers["a"],)], [("example.org/a",)]]
        with seeing(()):
            assert server.ask(asked) == [[], []]
    with seeing(tuple(numbers.values())):
        assert len(server.ask(asked)[0]) == 2
    assert server.ask(asked) == [[], []], "what a transaction was told ends with it"
    assert server.trips == 5


def test_a_connection_that_was_told_nothing_sees_nothing(place, opened):
    """Not even when the server forgets to tell: the role itself begins so."""
    plain = opened(place[1])
    assert plain.ask([Statement("SELECT repo FROM shirube.refs")]) == [[]]
    told = [Statement("SET shirube.repos = ''"), Statement("SELECT repo FROM shirube.refs")]
    with pytest.raises(IndexFault):
        plain.change(
            lambda connection: [
                connection.execute(one.sql).fetchall() for one in told[1:] if connection.execute(told[0].sql)
            ]
        )


def test_a_server_for_many_changes_nothing_and_reads_no_secrets(place, opened):
    server = opened(place[1], True)
    with seeing(tuple(_numbers(place).values())):
        with pytest.raises(NoAccess):
            server.change(lambda connection: connection.execute("DELETE FROM shirube.refs"))
        for statement in ("DELETE FROM shirube.refs", "UPDATE shirube.refs SET ref = 'x' RETURNING ref"):
            _assert_refused(server, statement)
        for table in SECRET_TABLES:
            _assert_refused(server, f"SELECT * FROM shirube.{table}")


def _assert_refused(server, statement):
    """The database refuses, and whoever asked is not told where it is or what it has."""
    with pytest.raises(Unreachable) as caught:
        server.ask([Statement(statement)])
    assert isinstance(caught.value.__cause__, NoAccess)
    assert not any(word in str(caught.value) for word in ("127.0.0.1", "shirube", "permission"))


def test_who_has_an_account_of_the_database_sees_everything_as_before(place, opened):
    server = opened(place[0])
    assert len(server.ask([Statement("SELECT repo FROM shirube.refs")])[0]) == 2


def test_a_role_that_the_rules_do_not_bind_may_not_serve(place, opened):
    PostgresAccess(opened(place[1], True)).check_role()
    with pytest.raises(ConfigError):
        PostgresAccess(opened(place[0], True)).check_role()
    name = f"member_{uuid4().hex[:8]}"
    shared_server().execute(f"CREATE ROLE {name} LOGIN BYPASSRLS")
    shared_server().execute(f"GRANT {place[1].partition('//')[2].partition('@')[0]} TO {name}")
    with pytest.raises(ConfigError):
        PostgresAccess(opened(place[0].replace("postgres@", f"{name}@"), True)).check_role()
    for role in (name, "postgres"):
        with pytest.raises(ConfigError):
            PostgresAccess(opened(place[0])).let_serve(role)
    for role, told in (("nobody_at_all", "no role nobody_at_all"), ("pg_monitor", "cannot log in")):
        with pytest.raises(BadArgument, match=told):
            PostgresAccess(opened(place[0])).let_serve(role)


def test_a_role_that_may_become_the_owner_or_owns_a_table_may_not_serve(opened):
    server, end = shared_server(), uuid4().hex[:8]
    owner, member, keeper = f"owner_{end}", f"member_{end}", f"keeper_{end}"
    for statement in (
        f"CREATE ROLE {owner} LOGIN",
        f"CREATE ROLE {member} LOGIN NOINHERIT",
        f"CREATE ROLE {keeper} LOGIN",
    ):
        server.execute(statement)
    server.execute(f"GRANT {owner} TO {member}")
    with server.database() as address:
        server.execute(f"ALTER DATABASE {address.rpartition('/')[2]} OWNER TO {owner}")
        own = PostgresAccess(opened(address.replace("postgres@", f"{owner}@")))
        assert own.tokens() == ()
        PostgresAccess(opened(address)).server.command("ALTER TABLE shirube.refs OWNER TO {}", keeper)
        for role in (member, keeper):
            with pytest.raises(ConfigError):
                own.let_serve(role)
        own.server.close()


def test_an_owner_who_is_no_superuser_lets_a_role_serve(opened):
    server, end = shared_server(), uuid4().hex[:8]
    owner, role = f"owner_{end}", f"serving_{end}"
    server.execute(f"CREATE ROLE {owner} LOGIN CREATEROLE")
    server.execute(f"CREATE ROLE {role} LOGIN")
    with server.database() as address:
        server.execute(f"ALTER DATABASE {address.rpartition('/')[2]} OWNER TO {owner}")
        own, serving = (PostgresAccess(opened(address.replace("postgres@", f"{name}@"))) for name in (owner, role))
        assert own.let_serve(role) == f"ALTER ROLE \"{role}\" SET shirube.repos = '{{}}'"
        serving.check_role()
        with pytest.raises(ConfigError):
            own.let_serve(owner)
        assert own.tokens() == (), "the owner is not locked out"
        own.server.close()
        serving.server.close()


def test_tokens_are_found_by_their_hash_until_they_end(place, opened):
    owner, serving = PostgresAccess(opened(place[0])), PostgresAccess(opened(place[1], True))
    made = owner.make(Token("t1", "ann", ("example.org/*",), 10, 100), b"1" * 32, 1.0)
    owner.make(Token("t2", "bob", ("example.org/a",), 10, 100), b"2" * 32, 1 / 86_400_000)
    assert (made.holder, made.repositories, made.revoked) == ("ann", ("example.org/*",), "")
    assert serving.holder(b"1" * 32).token == "t1"
    assert serving.holder(b"2" * 32) is None, "expired"
    assert serving.holder(b"3" * 32) is None
    for forbidden in (serving.tokens, lambda: serving.revoke("t1")):
        with pytest.raises(Unreachable):
            forbidden()
    assert owner.revoke("t1")
    assert not owner.revoke("t1")
    assert serving.holder(b"1" * 32) is None
    assert [token.token for token in owner.tokens() if token.revoked] == ["t1"]


def test_repositories_are_found_that_are_granted_and_wanted(place, opened):
    access = PostgresAccess(opened(place[1], True))

    def names(granted, wanted, most=10):
        return [name.rpartition("/")[2] for name in access.granted(granted, wanted, most)]

    assert names(["*"], ["*"]) == ["a", "b"]
    assert names(["*"], ["*"], 1) == ["a"]
    assert names(["example.org/a"], ["*"]) == ["a"]
    assert names(["example.org/a"], ["example.org/b"]) == []
    assert names([], ["*"]) == []
    assert names(["*"], []) == []
    for other in ("example_org/a", "example.org/%", "%", "\\", "example.org/a' OR '1'='1", ""):
        assert names([other], ["*"]) == []
        assert names(["*"], [other]) == []
