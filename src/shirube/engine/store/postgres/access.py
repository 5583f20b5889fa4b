"""The tables that tell who may ask what: tokens by their hash, and the repositories that each may ask about.

Only the owner of the database sees and writes them. A server for many looks a token up through a function that has to
be given its hash, and repositories through one that has to be given what is granted.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shirube.engine.store.access import Holder, Token
from shirube.engine.store.postgres import schema
from shirube.engine.store.postgres.server import Row, Server, Statement, written
from shirube.errors import BadArgument, ConfigError, NoAccess

if TYPE_CHECKING:
    import psycopg


_DAY = 'YYYY-MM-DD"T"HH24:MI:SS"Z"'
_LIST = (
    "SELECT t.token, t.holder, t.requests, t.words,"
    " to_char(t.expires AT TIME ZONE 'UTC', %s), to_char(t.made AT TIME ZONE 'UTC', %s),"
    " coalesce(to_char(t.revoked AT TIME ZONE 'UTC', %s), ''),"
    " ARRAY(SELECT g.pattern FROM shirube.grants g WHERE g.token = t.token ORDER BY 1)"
    " FROM shirube.tokens t ORDER BY t.made, t.token"
)
_ROLE = (
    "SELECT rolsuper OR rolbypassrls OR pg_has_role(r.oid, n.nspowner, 'MEMBER') OR EXISTS ("
    "SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND pg_has_role(r.oid, c.relowner, 'MEMBER')), rolcanlogin"
    " FROM pg_roles r, pg_namespace n WHERE rolname = coalesce(%s::name, current_user) AND n.nspname = 'shirube'"
)

_READ = "form repositories refs layers files postings names vectors commits commit_terms histories"
"""The tables that answers are made of."""
_RIGHTS = (
    "REVOKE ALL ON ALL TABLES IN SCHEMA shirube FROM {}",
    "GRANT USAGE ON SCHEMA shirube TO {}",
    f"GRANT SELECT ON {', '.join(f'shirube.{table}' for table in _READ.split())} TO {{}}",
    "GRANT EXECUTE ON FUNCTION shirube.holder(bytea), shirube.granted(text[], text[], integer) TO {}",
)
"""What a role needs that serves many."""
SECOND_LOCK = "ALTER ROLE {} SET shirube.repos = '{{}}'"
"""Lets the role see nothing even where the server did not tell a connection so; only a superuser may say that."""


class PostgresAccess:
    """Who may ask what, on one server; see ``AccessTables``."""

    def __init__(self, server: Server) -> None:
        self.server = server
        server.prepare = lambda connection: schema.prepare(server, connection)

    # --- for the owner -------------------------------------------------------------------------------------

    def make(self, token: Token, hashed: bytes, days: float) -> Token:
        """Keep a new token, by the hash of its secret; return it with its times."""

        def work(connection: "psycopg.Connection[Row]") -> None:
            connection.execute(
                "INSERT INTO shirube.tokens (token, hash, holder, requests, words, expires)"
                " VALUES (%s, %s, %s, %s, %s, now() + %s * interval '1 day')",
                (token.token, hashed, token.holder, token.requests, token.words, days),
            )
            for pattern in token.repositories:
                connection.execute(
                    "INSERT INTO shirube.grants (token, pattern) VALUES (%s, %s)", (token.token, pattern)
                )

        self.server.change(work)
        return next(made for made in self.tokens() if made.token == token.token)

    def tokens(self) -> tuple[Token, ...]:
        """Return every token, the oldest first."""
        (rows,) = self.server.ask([Statement(_LIST, (_DAY,) * 3)])
        return tuple(
            Token(token, holder, tuple(patterns), requests, words, expires, made, revoked)
            for token, holder, requests, words, expires, made, revoked, patterns in rows
        )

    def revoke(self, token: str) -> bool:
        """Let a token be refused from now on; tell whether there is one of that name that was not revoked yet."""
        sql = "UPDATE shirube.tokens SET revoked = now() WHERE token = %s AND revoked IS NULL RETURNING token"
        return bool(self.server.ask([Statement(sql, (token,))])[0])

    def make_database(self, name: str) -> None:
        """Make a database on this server, unless there is one of that name."""
        self.server.prepare = lambda connection: None  # this one gets no tables
        (known,) = self.server.ask([Statement("SELECT FROM pg_database WHERE datname = %s", (name,))])
        if not known:
            self.server.command("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0", name)

    def make_role(self, role: str, password: str) -> None:
        """Make a role that owns nothing, or give it another password."""
        (known,) = self.server.ask([Statement("SELECT FROM pg_roles WHERE rolname = %s", (role,))])
        self.server.command(f"{'ALTER' if known else 'CREATE'} ROLE {{}} LOGIN PASSWORD {{}}", role, password)

    def let_serve(self, role: str) -> str:
        """Give a role what a server for many needs, and no more; return what only a superuser can do beside it."""
        (rows,) = self.server.ask([Statement(_ROLE, (role,))])
        if not rows:
            raise BadArgument("team_access.unknown_role", role=role, command=_in_words("CREATE ROLE {} LOGIN", role))
        if not rows[0][1]:
            raise BadArgument("team_access.no_login", role=role, command=_in_words("ALTER ROLE {} LOGIN", role))
        if rows[0][0]:
            raise ConfigError("team_access.role", address=self.server.shown)

        def work(connection: "psycopg.Connection[Row]") -> None:
            for statement in _RIGHTS:
                connection.execute(written(statement, role))

        self.server.change(work)
        try:
            self.server.command(SECOND_LOCK, role)
        except NoAccess:
            return _in_words(SECOND_LOCK, role)
        return ""

    # --- for the server ------------------------------------------------------------------------------------

    def holder(self, hashed: bytes) -> Holder | None:
        """Return whom a token belongs to; None for one that is unknown, expired or revoked."""
        (rows,) = self.server.ask([Statement("SELECT * FROM shirube.holder(%s)", (hashed,))])
        if not rows:
            return None
        token, holder, requests, words, patterns = rows[0]
        return Holder(token, holder, requests, words, tuple(patterns))

    def granted(self, patterns: Sequence[str], wanted: Sequence[str], most: int) -> dict[str, int]:
        """Return the numbers of the repositories that are granted and wanted, by name in order, so many at most."""
        sql = "SELECT repo, name FROM shirube.granted(%s::text[], %s::text[], %s)"
        (rows,) = self.server.ask([Statement(sql, (list(patterns), list(wanted), most))])
        return {name: repo for repo, name in rows}

    def branch(self, repo: int, form: str, preferred: Sequence[str]) -> str:
        """Return the first of some branches that a repository has, else the one written last; empty without any."""
        sql = (
            "SELECT ref FROM shirube.refs WHERE repo = %s AND form = %s"
            " ORDER BY array_position(%s::text[], ref), updated DESC LIMIT 1"
        )
        (rows,) = self.server.ask([Statement(sql, (repo, form, list(preferred)))])
        return str(rows[0][0]) if rows else ""

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def check_role(self) -> None:
        """Refuse a role that the rules of the tables do not bind: a superuser, the owner, one that may pass them by."""
        any_row = Statement("SELECT EXISTS (SELECT FROM shirube.refs)")
        (rows, seen) = self.server.ask([Statement(_ROLE, (None,)), any_row], in_detail=True)
        if not rows or rows[0][0] or seen[0][0]:
            raise ConfigError("team_access.role", address=self.server.shown)


def _in_words(command: str, role: str) -> str:
    """Return a command as somebody may type it, whatever the role is called."""
    return str(written(command, role).as_string())
