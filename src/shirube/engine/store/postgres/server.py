"""The connections to a PostgreSQL server: few, shared by threads, and never waited for longer than a call may take.

Everything psycopg raises is turned into our errors here. They name the server without its password and a next step.
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from itertools import cycle
from logging import NullHandler, getLogger
from math import inf
from threading import BoundedSemaphore, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from shirube.deadline import current
from shirube.errors import (
    Cancelled,
    ConfigError,
    IndexBusy,
    IndexFault,
    NoAccess,
    NotWritable,
    ShirubeError,
    Unreachable,
)

if TYPE_CHECKING:
    import psycopg

MOST_CONNECTIONS = 4
"""How many connections one project holds at most; a question needs one, and a sync beside it another."""
CONNECT_SECONDS = 5
"""How long each address of a server is tried."""
MOST_SECONDS = 30.0
"""How long one answer of the server is waited for, if the call has no deadline of its own."""
WRITE_SECONDS = 600.0
"""How long a write may take: one of many files is long at it."""
AGAIN_SECONDS = 0.5
"""After the server could not be reached, questions of so many seconds are refused without trying."""
LEAST_PASSWORD = 4
"""Letters of a password that is looked for in messages; a shorter one stands in most words."""
HIDDEN = "…"
"""What is shown of an address in which a part of a password may stand where another part should."""
_log = getLogger("shirube.engine.store")
T = TypeVar("T")
Row = tuple[Any, ...]


class Statement(NamedTuple):
    """A statement and its values."""

    sql: str
    values: Sequence[Any] = ()


class Server:
    """One database of one server."""

    def __init__(
        self,
        address: str,
        busy_seconds: float,
        most_connections: int = MOST_CONNECTIONS,
        visible: Callable[[], Sequence[int]] | None = None,
    ) -> None:
        """Refuse an address that cannot be any; nothing is sent yet.

        With ``visible``, each question is a transaction that sees only the repositories of these numbers, and nothing
        can be changed.
        """
        try:
            import psycopg
        except ImportError as error:
            raise Unreachable("store.no_driver") from error
        address = address.strip()
        if not address:
            raise ConfigError("store.no_address")
        if shown_address(address) == HIDDEN:
            raise ConfigError("store.server_address")
        self._address, self._busy_seconds = address, busy_seconds
        self._free: list[psycopg.Connection[Row]] = []
        self._lock, self._places = Lock(), BoundedSemaphore(most_connections)
        self._most_connections, self._visible = most_connections, visible
        self._away: tuple[float, Unreachable] | None = None
        self._closed = False
        self.trips = 0
        """How often the server was waited for."""
        self.prepare: Callable[[psycopg.Connection[Row]], None] = lambda connection: None
        """Called with each new connection, to see that the tables are as they should be."""

    @property
    def shown(self) -> str:
        """The address as people may see it: host, port and database, without user and password."""
        return shown_address(self._address)

    def ask(
        self, queries: Sequence[Statement], most: float = MOST_SECONDS, *, in_detail: bool = False
    ) -> list[list[Row]]:
        """Return the rows of each query, all in one trip; a connection that was lost is tried once more.

        A server for many tells an error without the address, and notes it with all it knows; unless ``in_detail``.
        """
        if not queries:
            return []

        before, after = self._bounds()

        def asked(connection: "psycopg.Connection[Row]") -> list[list[Row]]:
            with _pipeline(connection):
                cursors = [connection.execute(sql, values, binary=True) for sql, values in (*before, *queries, *after)]
            return [cursor.fetchall() for cursor in cursors[len(before) : len(before) + len(queries)]]

        self.trips += 1
        if self._visible is None or in_detail:
            return self._with_connection(asked, most)
        try:
            return self._with_connection(asked, most)
        except Cancelled:
            raise
        except ShirubeError as error:
            _log.error("%s", error)
            raise Unreachable("team_access.away") from error

    def _bounds(self) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
        """Return what goes before and after a question, in its trip, so that it sees only what its caller may."""
        if self._visible is None:
            return (), ()
        seen = "{" + ",".join(map(str, self._visible())) + "}"
        told = Statement("SELECT set_config('shirube.repos', %s::text, true)", (seen,))
        return (Statement("BEGIN READ ONLY"), told), (Statement("COMMIT"),)

    def change(self, work: "Callable[[psycopg.Connection[Row]], T]", *, pipelined: bool = False) -> T:
        """Run some work in one transaction and return its result.

        If the connection is lost it is run once more, so it has to end the same when its first run took effect. What is
        ``pipelined`` is sent without waiting for each answer; it cannot copy rows.
        """

        if self._visible is not None:
            raise NoAccess("store.server_no_rights", address=self.shown, error="read only")

        def changed(connection: "psycopg.Connection[Row]") -> T:
            with _pipeline(connection) if pipelined else nullcontext(), connection.transaction():
                return work(connection)

        self.trips += 1
        return self._with_connection(changed, WRITE_SECONDS)

    def command(self, text: str, name: str, *values: str) -> None:
        """Run a command that takes no parameters, outside of any transaction: its first gap is a name."""
        if self._visible is not None:
            raise NoAccess("store.server_no_rights", address=self.shown, error="read only")
        filled = written(text, name, *values)
        self._with_connection(lambda connection: connection.execute(filled), WRITE_SECONDS)

    def close(self) -> None:
        """Close the connections; those in use are closed when their work ends."""
        with self._lock:
            self._closed, free, self._free = True, self._free, []
        for connection in free:
            with suppress(Exception):
                connection.close()

    # --- connections ---------------------------------------------------------------------------------------

    def _with_connection(self, work: "Callable[[psycopg.Connection[Row]], T]", most: float) -> T:
        """Run some work on a connection, and once more on a new one if the connection is lost meanwhile."""
        import psycopg

        for is_last in (False, True):
            with self._connection(most) as connection:
                try:
                    return work(connection)
                except psycopg.Error as error:
                    if is_last or not _is_lost(connection, error) or current().passed:
                        raise self._translated(error) from error
            self._drop_free()  # a server that was restarted has lost all of them
        raise AssertionError("unreachable")

    @contextmanager
    def _connection(self, most: float) -> "Iterator[psycopg.Connection[Row]]":
        """Take a connection for a while; one that is broken, or was left in the middle of something, is closed."""
        import psycopg

        current().check()
        if not self._places.acquire(timeout=current().left(self._busy_seconds)):
            current().check()
            raise IndexBusy("store.no_connection", most=self._most_connections)
        connection = None
        try:
            connection = self._take() or self._connect(most)
            connection.until = monotonic() + current().left(most)  # type: ignore[attr-defined]
            with _cancelled_with_its_call(connection):
                yield connection
        finally:
            if connection is not None:
                is_idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
                is_given_up = current().cancelled  # the server may still be told to stop what this one does
                with self._lock:
                    is_kept = is_idle and not is_given_up and not self._closed
                    self._free += [connection] if is_kept else []
                if not is_kept:
                    with suppress(Exception):
                        connection.close()
            self._places.release()

    def _take(self) -> "psycopg.Connection[Row] | None":
        """Return a connection that is free; None when there is none."""
        with self._lock:
            if self._closed:
                raise Cancelled("store.closed")
            if self._free:
                return self._free.pop()
            if self._away is not None and monotonic() < self._away[0]:
                raise self._away[1]
        return None

    def _connect(self, most: float) -> "psycopg.Connection[Row]":
        import psycopg

        try:
            connection = self._reached(most)
        except UnicodeError as error:  # of a name that cannot be a host's
            raise Unreachable("store.server_unknown", address=self.shown, error=error.__class__.__name__) from error
        except psycopg.Error as error:
            ours = self._translated(error)
            if isinstance(ours, Unreachable):
                self._away = monotonic() + AGAIN_SECONDS, ours
            raise ours from error
        self._away = None
        connection.until = monotonic() + current().left(most)  # type: ignore[attr-defined]
        try:
            with _cancelled_with_its_call(connection):
                # The server is to notice when we give up a question, and stop working on it.
                connection.execute("SET client_connection_check_interval = 1000")
                if self._visible is not None:
                    connection.execute("SET shirube.repos = '{}'")  # what forgets to say what it may see sees nothing
                self.prepare(connection)
        except psycopg.Error as error:
            connection.close()
            raise self._translated(error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _reached(self, most: float) -> "psycopg.Connection[Row]":
        """Return a new connection, made beside this call: neither a name that is looked up nor libpq can be hurried."""
        made: Future[psycopg.Connection[Row]] = Future()

        def connect() -> None:
            try:
                connection = _connection_class().connect(
                    self._address,
                    autocommit=True,
                    connect_timeout=CONNECT_SECONDS,
                    prepare_threshold=None,  # a failed pipeline leaves names of statements that were not prepared
                    application_name="shirube",
                    client_encoding="utf8",
                    keepalives_idle=5,
                    keepalives_interval=2,
                    keepalives_count=3,
                    tcp_user_timeout=CONNECT_SECONDS * 1000,
                )
            except BaseException as error:  # noqa: BLE001 - it is raised where the connection is waited for
                if made.set_running_or_notify_cancel():
                    made.set_exception(error)
                return
            if made.set_running_or_notify_cancel():
                made.set_result(connection)
            else:
                connection.close()

        def give_up() -> None:
            made.cancel()

        Thread(target=connect, name="connect", daemon=True).start()
        call = current()
        call.when_cancelled(give_up)
        try:
            return made.result(call.left(most))
        except (TimeoutError, CancelledError) as error:
            if not made.cancel():
                return made.result()  # it came in this moment
            call.check()
            raise Unreachable("store.server_slow", address=self.shown) from error
        finally:
            call.no_matter(give_up)

    def _drop_free(self) -> None:
        with self._lock:
            free, self._free = self._free, []
        for connection in free:
            with suppress(Exception):
                connection.close()

    # --- errors --------------------------------------------------------------------------------------------

    def _translated(self, error: "psycopg.Error") -> ShirubeError:
        """Return one of our errors for one of psycopg's."""
        import psycopg

        state, why = error.sqlstate or "", self._why(error)
        if isinstance(error, _too_late()) or state == "57014":
            current().check()
            return Unreachable("store.server_slow", address=self.shown)
        for kind, states, code in _STATES:
            if state.startswith(states):
                return kind(code, address=self.shown, error=why)
        is_ours = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        if (not state and is_ours) or state.startswith(("08", "57P")):  # no answer, or a server that goes or comes
            for kind, signs, code in _SIGNS:
                if any(sign in why for sign in signs):
                    return kind(code, address=self.shown, error=why)
            return Unreachable("store.server_away", address=self.shown, error=why)
        return IndexFault("store.server_failed", address=self.shown, error=why)

    def _why(self, error: Exception) -> str:
        """Return the first line of what went wrong, without the password should it be in there."""
        import psycopg

        text = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        with suppress(psycopg.Error):
            password = str(psycopg.conninfo.conninfo_to_dict(self._address).get("password") or "")
            text = text.replace(password, "…") if len(password) >= LEAST_PASSWORD else text
        return _BEFORE.sub("", text.replace(self._address, self.shown))[:300]


_STATES: tuple[tuple[type[ShirubeError], tuple[str, ...], str], ...] = (
    (NoAccess, ("28", "3D", "3F"), "store.server_refuses"),
    (NoAccess, ("42501", "25006"), "store.server_no_rights"),
    (IndexFault, ("42",), "store.server_tables"),
    (IndexBusy, ("53300", "55P03", "40"), "store.server_busy"),
    (NotWritable, ("53", "58"), "store.server_full"),
)
"""What the beginning of an SQLSTATE means: who may not come in, who may not write, too many at once, no room."""
_SIGNS: tuple[tuple[type[ShirubeError], tuple[str, ...], str], ...] = (
    (IndexBusy, ("too many connections", "connection slots"), "store.server_busy"),
    (NoAccess, ("password", "authentication", "does not exist", "pg_hba.conf"), "store.server_refuses"),
    (Unreachable, ("resolve host", "translate host"), "store.server_unknown"),
)
"""What parts of messages mean of connections that were never made, which have no SQLSTATE."""
_BEFORE = re.compile(r"^.*(?:failed: |FATAL: +|connection is bad: )")
"""What libpq says before the cause: the address, which we say ourselves."""


@contextmanager
def _cancelled_with_its_call(connection: "psycopg.Connection[Row]") -> Iterator[None]:
    """Let the server stop what it is doing for a connection when the call is cancelled."""

    def cancel() -> None:
        with suppress(Exception):
            connection.cancel_safe(timeout=CONNECT_SECONDS)

    call = current()
    call.when_cancelled(cancel)
    try:
        yield
    finally:
        call.no_matter(cancel)


@contextmanager
def _pipeline(connection: "psycopg.Connection[Row]") -> Iterator[None]:
    """Send what is executed without waiting for each answer."""
    import psycopg

    try:
        with connection.pipeline():
            yield
    except IndexError as error:
        if str(error) != "pop from an empty deque":
            raise
        connection.close()  # its last words were more answers than psycopg waited for
        raise psycopg.OperationalError("the server ended the connection") from error


_LOST = ("57P01", "57P02", "57P03", "08", "42P01", "3F000")
"""The server goes, comes or has gone; or its tables have, and a new connection sees to that."""


def _is_lost(connection: "psycopg.Connection[Row]", error: "psycopg.Error") -> bool:
    """Tell whether the connection broke, so that the same may work on another one."""
    if isinstance(error, _too_late()):
        return False
    return connection.closed or connection.broken or (error.sqlstate or "").startswith(_LOST)


@cache
def _connection_class() -> "type[psycopg.Connection[Row]]":
    """Return a connection that waits no longer than its call may take, even for a network that is silent."""
    import psycopg

    getLogger("psycopg").addHandler(NullHandler())  # what it notes of lost connections is not for a terminal

    class PatientConnection(psycopg.Connection[Row]):
        until = inf

        def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
            return super().wait(self._in_time(gen), *args, **options)

        def _in_time(self, gen: Any) -> Generator[Any, Any, Any]:
            """Pass on what psycopg waits for and what came, which it looks for ten times a second."""
            try:
                wanted = next(gen)
                while True:
                    ready = yield wanted
                    if monotonic() >= self.until or current().cancelled:
                        self.pgconn.finish()  # an answer that comes later must not be taken for another question's
                        raise _too_late()("no answer in time")
                    wanted = gen.send(ready)
            except StopIteration as end:
                return end.value

    return PatientConnection


@cache
def _too_late() -> "type[psycopg.Error]":
    """Return the error of an answer that was not waited for any longer."""
    import psycopg

    class TooLate(psycopg.OperationalError):
        pass

    return TooLate


def written(text: str, name: str, *values: str) -> Any:
    """Return a command with its gaps filled: the first is a name."""
    from psycopg import sql

    return sql.SQL(text).format(sql.Identifier(name), *map(sql.Literal, values))


def shown_address(address: str) -> str:
    """Return an address as people may see it: ``postgresql://me:secret@db.corp/shirube`` → ``db.corp/shirube``.

    ``HIDDEN`` for one that cannot be used: most often a password has signs in it that have to be written otherwise.
    """
    import psycopg

    try:
        parts = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        return HIDDEN
    hosts = str(parts.get("host") or parts.get("hostaddr") or "localhost").split(",")
    ports, name = str(parts.get("port") or "5432").split(","), str(parts.get("dbname") or "")
    if not all(port.isdecimal() for port in ports if port) or not _PLAIN.fullmatch(name):
        return HIDDEN
    if not all(_HOST.fullmatch(host) for host in hosts):
        return HIDDEN
    shown = (f"[{host}]" if ":" in host else host for host in hosts)
    ends = cycle("" if port in ("5432", "") else f":{port}" for port in ports)  # one port may stand for all
    return f"{','.join(host + end for host, end in zip(shown, ends, strict=False))}/{name}"


_PLAIN = re.compile(r"[^@:/]*")
_HOST = re.compile(r"/[^@:]*|[^@:/]*|[0-9A-Fa-f:.%]+")
"""A directory with a socket, a name, or an address."""
