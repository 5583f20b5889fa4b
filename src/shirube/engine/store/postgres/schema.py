"""Brings the tables on the server to today's form, by the numbered steps of ``schema.sql``."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shirube.engine.store.postgres.server import Server
from shirube.errors import FutureIndex, IndexFault, NoAccess

if TYPE_CHECKING:
    import psycopg

STEPS = tuple(re.split(r"(?m)^-- step .*\n", Path(__file__).with_name("schema.sql").read_text("utf-8"))[1:])
LEAST_SERVER = 15
LOCK = 0x73687242
"""The advisory lock under which tables are made; whoever comes second finds them made."""


def prepare(server: Server, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
    """See that a database can be used, and make or change its tables if they are not of today's form."""
    info = connection.info
    if info.server_version // 10_000 < LEAST_SERVER:
        raise IndexFault(
            "store.server_old", address=server.shown, version=info.server_version // 10_000, least=LEAST_SERVER
        )
    if info.parameter_status("server_encoding") != "UTF8":
        raise IndexFault(
            "store.server_encoding", address=server.shown, encoding=info.parameter_status("server_encoding")
        )
    if (form := _form(server, connection)) < len(STEPS):
        _migrate(server, connection, form)


def _form(server: Server, connection: "psycopg.Connection[tuple[Any, ...]]") -> int:
    """Return the form of the tables, 0 where there are none; refuse one that is newer than this program."""
    import psycopg

    try:
        row = connection.execute("SELECT max(step) FROM shirube.form").fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return 0
    number = int(row[0] or 0) if row else 0
    if number > len(STEPS):
        raise FutureIndex("store.server_newer", address=server.shown, form=number, known=len(STEPS))
    return number


def _migrate(server: Server, connection: "psycopg.Connection[tuple[Any, ...]]", form: int) -> None:
    import psycopg

    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute("CREATE SCHEMA IF NOT EXISTS shirube")
            columns = "step integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()"
            connection.execute(f"CREATE TABLE IF NOT EXISTS shirube.form ({columns})")
            form = _form(server, connection)  # another process may have been quicker
            for number, step in enumerate(STEPS, 1):
                if number > form:
                    for statement in filter(str.strip, step.split(";\n")):
                        connection.execute(statement.encode())
                    connection.execute("INSERT INTO shirube.form (step) VALUES (%s)", (number,))
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction) as error:
        code = "store.server_older" if form else "store.server_no_tables"
        raise NoAccess(code, address=server.shown, form=form, known=len(STEPS)) from error
