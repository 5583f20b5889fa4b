"""A team for tests: a database of its own, remotes that are directories, and workers in this process or their own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from shirube.config import load_config
from shirube.engine.store.postgres.server import shown_address
from shirube.features.team import repositories
from shirube.features.team.flow import TeamWorker
from shirube.features.team.repositories import Office
from shirube.features.team.results import BranchRow, TeamStatus
from shirube.settings import Config
from shirube.workspace import open_office, open_worker
from tests.conftest import StateDirs
from tests.postgres import DatabaseServer, shared_server

HOST = "https://git.test"


@dataclass
class Team:
    """What a team has. Its addresses begin with ``HOST``; the worker's own git leads them to directories."""

    base: Path
    server: DatabaseServer
    address: str
    environ: dict[str, str]
    names: list[str] = field(default_factory=list)

    @property
    def mirrors(self) -> Path:
        """Where workers keep the copies of all their databases."""
        return self.base / "mirrors"

    @property
    def copies(self) -> Path:
        """Where they keep those of this one."""
        return self.mirrors / f"copies-{sha256(shown_address(self.address).encode()).hexdigest()[:16]}"

    @property
    def config(self) -> Config:
        """The settings of a worker."""
        return load_config(None)

    def git(self, root: Path, *arguments: str, data: bytes | None = None) -> str:
        """Run git on a remote, as somebody who may do everything there."""
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/dev/null")
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=root, env=self.environ, input=data, capture_output=True, check=True)
        return done.stdout.decode()

    def remote(self, name: str, files: dict[str, str] | None = None) -> Path:
        """Make a remote and return where it is."""
        root = self.base / "remotes" / name
        root.mkdir(parents=True)
        self.git(root, "init", "-q", "-b", "main")
        self.commit(root, files or {"a.py": f"def alpha_{len(self.names)}():\n    return 1\n"})
        self.names.append(name)
        return root

    def commit(self, root: Path, files: dict[str, str]) -> str:
        """Change files of a remote, and return the commit."""
        for path, text in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.git(root, "add", "-A")
        self.git(root, "commit", "-qm", "change")
        return self.git(root, "rev-parse", "HEAD").strip()

    @contextmanager
    def office(self) -> Iterator[Office]:
        """Open what the commands work with."""
        office = open_office(self.config)
        try:
            yield office
        finally:
            office.close()

    def add(self, name: str, *branches: str) -> None:
        """Follow a remote."""
        with self.office() as office:
            repositories.add(office, f"{HOST}/{name}", branches)

    def sync(self, name: str, ref: str = "") -> None:
        """Ask for a repository to be looked at."""
        with self.office() as office:
            repositories.sync(office, name, ref)

    def status(self) -> TeamStatus:
        """Return how far all is."""
        with self.office() as office:
            return repositories.status(office)

    def branches(self) -> dict[str, BranchRow]:
        """Return how far each branch is, by ``NAME BRANCH``."""
        return {f"{row.repository.removeprefix('git.test/')} {row.branch}": row for row in self.status().branches}

    def problem(self, name: str, branch: str = "main") -> str:
        """Return the code of why a branch is dead, or else its repository."""
        with self.office() as office:
            refs = {one.ref: one for one in office.tables.refs(f"git.test/{name}")}
            (repository,) = office.tables.repositories(f"git.test/{name}")
            packed = (refs[branch].problem if branch in refs else None) or repository.problem
            return "" if packed is None else str(packed["values"]["message"]["code"])

    def drain(self, jobs: int = 1) -> TeamWorker:
        """Do all that is to be done now, in this process."""
        worker, queue = open_worker(self.config, self.mirrors, jobs)
        try:
            queue.work(worker.do, worker.tend, jobs, once=True)
        finally:
            worker.close()
        return worker

    def start(self, *arguments: str, **environ: str) -> "subprocess.Popen[bytes]":
        """Start a worker in a process of its own."""
        command = [sys.executable, "-m", "shirube", "worker", "--directory", str(self.mirrors), *arguments]
        return subprocess.Popen(
            command,
            env={**self.environ, **environ},
            cwd=self.base,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        path = "SET search_path = shirube, pg_catalog"
        return self.server.execute(path, statement, database=self.address.rsplit("/", 1)[-1])


@contextmanager
def opened_team(base: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    """Make a team on the shared server, to which this process belongs."""
    with shared_server().database() as address:
        made = make_team(base, shared_server(), address, state_dirs.environ())
        for name in ("HOME", "SHIRUBE_STORE_ADDRESS", "SHIRUBE_WORKER_PROTOCOLS"):
            monkeypatch.setenv(name, made.environ[name])
        yield made


def make_team(base: Path, server: DatabaseServer, address: str, environ: dict[str, str]) -> Team:
    """Make a team; ``environ`` is where its workers keep things."""
    home = base / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'[url "file://{base}/remotes/"]\n\tinsteadOf = {HOST}/\n')
    ours = {
        "HOME": str(home),
        "SHIRUBE_STORE_ADDRESS": address,
        "SHIRUBE_WORKER_PROTOCOLS": "file",
        "PATH": os.environ["PATH"],
    }
    return Team(base, server, address, {**environ, **ours})


def published(root: Path, name: str, message: str = "all", env: Mapping[str, str] | None = None) -> None:
    """Make a directory a repository with one commit of everything, and a remote of this name."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (
        ["init", "-q", "-b", "main", "."],
        ["remote", "add", "origin", f"https://{name}"],
        ["add", "-A"],
        ["commit", "-qm", message],
    ):
        subprocess.run([*git, *command], cwd=root, check=True, env=env)
