"""What is known of a team's repositories, on the server beside their indexes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import json

from shirube.engine.store.postgres.server import Row, Server, Statement
from shirube.engine.store.postgres.store import GRACE_SECONDS
from shirube.engine.store.postgres.writing import drop_orphans, orphan
from shirube.engine.store.team_records import DEAD, WAITING, WORKING, IndexedRef, TeamRef, TeamRepository

if TYPE_CHECKING:
    import psycopg

_AGO = "extract(epoch FROM now() - {})::float8"
_REF = (
    "name, ref, state, wanted, commit, form, files, parsed, done, total,"
    f" (CASE WHEN state = 'working' THEN {_AGO.format('changed')} ELSE seconds END)::float8,"
    f" runs, worker, {_AGO.format('changed')}, problem::text, lasting"
)
_REPOSITORY = f"name, url, branches, seconds, {_AGO.format('looked')}, problem::text"
MOST_SWEPT = 20
"""In how many repositories unused layers are deleted at once."""


class TeamTables:
    """The tables of a team's repositories and branches."""

    def __init__(self, server: Server) -> None:
        self._server = server

    # --- repositories ----------------------------------------------------------------------------------------

    def repositories(self, name: str = "") -> list[TeamRepository]:
        """Return all repositories by name, or the one of this name."""
        rows = self._rows(f"SELECT {_REPOSITORY} FROM shirube.team_repositories WHERE %s IN ('', name)", name)
        found = (TeamRepository(n, url, tuple(some), often, ago, _read(why)) for n, url, some, often, ago, why in rows)
        return sorted(found, key=lambda repository: repository.name)

    def add(self, repository: TeamRepository) -> bool:
        """Follow a repository from now on, or otherwise than before; tell whether it is new."""
        values = repository.name, repository.url, list(repository.branches), repository.seconds
        rows = self._rows(
            "INSERT INTO shirube.team_repositories (name, url, branches, seconds) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (name) DO UPDATE SET url = excluded.url, branches = excluded.branches,"
            " seconds = excluded.seconds, due = now() RETURNING xmax = 0",
            *values,
        )
        return bool(rows[0][0])

    def remove(self, name: str) -> None:
        """Follow a repository no longer, and drop the indexes of its branches."""

        def work(connection: "psycopg.Connection[Row]") -> None:
            connection.execute("DELETE FROM shirube.team_repositories WHERE name = %s", (name,))
            sql = "DELETE FROM shirube.team_refs WHERE name = %s RETURNING ref"
            for (ref,) in connection.execute(sql, (name,)).fetchall():
                _drop(connection, name, ref)

        self._server.change(work)

    def due(self) -> list[str]:
        """Return the repositories to look at now; nobody else is told the same."""
        rows = self._rows(
            "UPDATE shirube.team_repositories SET due = now() + seconds * interval '1 second'"
            " WHERE due <= now() RETURNING name"
        )
        return sorted(name for (name,) in rows)

    def looked(self, name: str, problem: Any = None) -> None:
        """Note that a repository was looked at, or why it could not be."""
        sql = "UPDATE shirube.team_repositories SET looked = now(), problem = %s::jsonb WHERE name = %s RETURNING name"
        self._rows(sql, _written(problem), name)

    # --- branches --------------------------------------------------------------------------------------------

    def refs(self, name: str = "", ref: str = "") -> list[TeamRef]:
        """Return all branches, or those of a repository, or one."""
        sql = f"SELECT {_REF} FROM shirube.team_refs WHERE %s IN ('', name) AND %s IN ('', ref)"
        return sorted(map(_ref, self._rows(sql, name, ref)), key=lambda one: (one.name, one.ref))

    def want(self, name: str, ref: str, commit: str) -> None:
        """Note which commit of a branch is to be indexed."""
        self._rows(
            "INSERT INTO shirube.team_refs (name, ref, state, wanted) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (name, ref) DO UPDATE SET state = excluded.state, wanted = excluded.wanted, changed = now(),"
            " done = 0, total = 0 RETURNING ref",
            *(name, ref, WAITING, commit),
        )

    def begin(self, name: str, ref: str, worker: str) -> None:
        """Note that a worker begins with a branch."""
        sets = "state = %s, worker = %s, runs = runs + 1, done = 0, total = 0, changed = now()"
        self._update(sets, name, ref, WORKING, worker)

    def pause(self, name: str, ref: str) -> None:
        """Note that a branch waits for another worker."""
        self._update("state = %s, changed = now()", name, ref, WAITING)

    def progress(self, name: str, ref: str, done: int, total: int) -> None:
        """Note how far the worker is."""
        self._update("done = %s, total = %s", name, ref, done, total)

    def complete(self, name: str, ref: str, made: IndexedRef, seconds: float) -> bool:
        """Note that a branch is indexed; tell whether it is followed at all."""
        sets = "state = 'complete', commit = %s, form = %s, files = %s, parsed = %s, seconds = %s,"
        sets += " wanted = %s, changed = now(), problem = NULL, lasting = false"
        return self._update(sets, name, ref, made.commit, made.form, made.files, made.parsed, seconds, made.commit)

    def fail(self, name: str, ref: str, problem: Any, *, lasting: bool, dead: bool) -> None:
        """Note why a branch is not indexed: it waits for another try, or is dead."""
        sets = "state = %s, problem = %s::jsonb, lasting = %s, changed = now()"
        self._update(sets, name, ref, DEAD if dead else WAITING, _written(problem), lasting)

    def drop(self, name: str, ref: str) -> None:
        """Forget a branch and its index."""

        def work(connection: "psycopg.Connection[Row]") -> None:
            connection.execute("DELETE FROM shirube.team_refs WHERE name = %s AND ref = %s", (name, ref))
            _drop(connection, name, ref)

        self._server.change(work)

    def layers(self, name: str, ref: str, form: str) -> int:
        """Return how many layers the index of a branch has."""
        sql = "SELECT cardinality(layers) FROM shirube.refs JOIN shirube.repositories USING (repo)"
        rows = self._rows(f"{sql} WHERE name = %s AND ref = %s AND form = %s", name, ref, form)
        return int(rows[0][0]) if rows else 0

    def sweep(self) -> None:
        """Delete layers that no branch has had for a while, of repositories that nobody may write to again."""
        sql = (
            "SELECT DISTINCT repo FROM shirube.layers AS l WHERE orphaned < now() - %s * interval '1 second'"
            " AND NOT EXISTS (SELECT FROM shirube.refs AS r WHERE r.repo = l.repo AND l.layer = ANY(r.layers)) LIMIT %s"
        )
        for (repo,) in self._rows(sql, GRACE_SECONDS, MOST_SWEPT):
            self._server.change(partial(_sweep, repo=repo))

    def _update(self, sets: str, name: str, ref: str, *values: Any) -> bool:
        sql = f"UPDATE shirube.team_refs SET {sets} WHERE name = %s AND ref = %s RETURNING ref"
        return bool(self._rows(sql, *values, name, ref))

    def _rows(self, sql: str, *values: Any) -> Sequence[Row]:
        return self._server.ask([Statement(sql, values)])[0]


def _drop(connection: "psycopg.Connection[Row]", name: str, ref: str) -> None:
    """Delete the index of a branch, by whatever rules it was made."""
    sql = "SELECT c.repo FROM shirube.repositories AS r JOIN shirube.counters AS c USING (repo) WHERE name = %s"
    row = connection.execute(f"{sql} FOR UPDATE OF c", (name,)).fetchone()
    if row is None:
        return
    place = row[0], ref
    connection.execute("DELETE FROM shirube.histories WHERE repo = %s AND ref = %s", place)
    sql = "DELETE FROM shirube.refs WHERE repo = %s AND ref = %s RETURNING layers"
    for (layers,) in connection.execute(sql, place).fetchall():
        orphan(connection, row[0], layers)


def _sweep(connection: "psycopg.Connection[Row]", repo: int) -> None:
    connection.execute("SELECT FROM shirube.counters WHERE repo = %s FOR UPDATE", (repo,))
    drop_orphans(connection, repo, GRACE_SECONDS)


def _ref(row: Row) -> TeamRef:
    *plain, problem, lasting = row
    return TeamRef(*[*plain, _read(problem), lasting])


def _read(packed: str | None) -> Any:
    return json.decode(packed) if packed else None


def _written(problem: Any) -> str | None:
    return None if problem is None else json.encode(problem).decode()
