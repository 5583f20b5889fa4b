"""A repository that a team indexes on a server, and a clone whose index is what differs from that."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from tests.engine.index.conftest import Tree
from tests.postgres import overlay_store, postgres_store

from shirube.engine.store.port import StoreChange
from shirube.engine.store.store import Store

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


class Clone:
    """A work tree whose git directory lies elsewhere, so that random edits do not find it."""

    def __init__(self, place: Path, origin: Path) -> None:
        self.root, self._git = place / "project", place / "git"
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", str(origin))
        self.git("config", "core.autocrlf", "false")

    def git(self, *arguments: str) -> str:
        """Run git; return what it printed, nothing when it fails."""
        where = ("git", f"--git-dir={self._git}", f"--work-tree={self.root}")
        done = subprocess.run([*where, *arguments], check=False, cwd=self.root, env=ENV, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    def commit(self, message: str = "change") -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def head(self) -> str:
        """Return what is checked out."""
        return self.git("rev-parse", "-q", "--verify", "HEAD")

    def distances(self, commits: Sequence[str]) -> dict[str, int]:
        """Return how many files differ from these commits."""
        known = [commit for commit in commits if self.git("cat-file", "-t", commit)]
        return {c: len(self.git("diff-tree", "-r", "--name-only", c, "HEAD").splitlines()) for c in known}


class Team:
    """A repository, and who indexes its branches on the server."""

    def __init__(self, place: Path) -> None:
        self.place, self.repository = place, f"example.org/{uuid4().hex}"
        self.origin = place / "origin.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(self.origin)], env=ENV, check=True)
        self.clone = Clone(place / "colleague", self.origin)
        self.stores: dict[str, Store] = {}
        self.trees: dict[str, Tree] = {}

    def index(self, branch: str) -> None:
        """Check a branch out as it was pushed, and bring its index up to date."""
        self.clone.git("checkout", "-q", "-f", "-B", branch)
        self.clone.git("clean", "-q", "-ffdx")
        if branch not in self.trees:
            store = postgres_store(repository=self.repository, ref=branch)
            self.trees[branch] = Tree(self.clone.root, self.place / f"team-{branch}", store)
        tree = self.trees[branch]
        tree.sync()
        tree.store.write(StoreChange(notes={"commit": self.clone.head()}))

    def push(self, branch: str, *more: str) -> None:
        """Commit and push what there is, and index it."""
        self.clone.commit()
        self.clone.git("push", "-q", *more, "origin", f"HEAD:{branch}")
        self.index(branch)

    def close(self) -> None:
        """Close the stores."""
        for tree in self.trees.values():
            tree.close()


@contextmanager
def near(team: Team, name: str = "near", branch: str = "main") -> Iterator[tuple[Clone, Tree]]:
    """Clone the repository and open the overlay of the clone."""
    clone = Clone(team.place / name, team.origin)
    clone.git("fetch", "-q", "origin")
    clone.git("checkout", "-q", "-f", "-B", branch, f"origin/{branch}")
    checkout = clone.head, clone.distances
    store = overlay_store(team.place / f"{name}-index", team.repository, branch, checkout=checkout)
    with closing(Tree(clone.root, team.place / f"{name}-state", store)) as tree:
        yield clone, tree


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    made = Team(tmp_path)
    yield made
    made.close()
