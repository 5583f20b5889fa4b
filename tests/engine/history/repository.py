"""A git repository whose clock only the test moves, and everything that a store knows of its past."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shirube.deadline import Deadline
from shirube.engine.history.commits import GitHistory, HistoryOptions
from shirube.engine.history.reading import bring_up_to_date
from shirube.engine.history.together import companions
from shirube.engine.store.port import PastChange
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms
from tests.stores import change_counts, memory_store

BEGIN = 1_600_000_000
HOUR = 3600
QUESTIONS = ("fix the parser", "add a file", "rename", "change a b c", "merge side work 解析 修正")


class Repository:
    """A repository; every commit is an hour later than the one before."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.now = root, BEGIN
        home.mkdir(exist_ok=True)
        self.env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)}

    def init(self) -> "Repository":
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        return self

    def git(self, *args: str, cwd: Path | None = None, stdin: bytes | None = None, may_fail: bool = False) -> str:
        """Run the real git and return what it writes."""
        settings = ("user.name=Ada", "user.email=ada@example.org", "protocol.file.allow=always", "gc.auto=0")
        argv = ["git", *(part for setting in settings for part in ("-c", setting)), *args]
        moment = f"{self.now} +0000"
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        options = {"cwd": cwd or self.root, "env": {**self.env, **dates}, "input": stdin, "capture_output": True}
        done = subprocess.run(argv, check=not may_fail, **options)
        return done.stdout.decode("utf-8", "replace")

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files; None removes one."""
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str | bytes = "change", files: Mapping[str, str | bytes | None] | None = None) -> str:
        """Commit everything, with these files, and return the commit."""
        self.now += HOUR
        self.write(files or {})
        self.git("add", "-A")
        data = message.encode() if isinstance(message, str) else message
        options = ("-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-F", "-")
        self.git("commit", *options, stdin=data)
        return self.head()

    def commit_raw(self, message: bytes, person: bytes = b"Ada <ada@example.org>") -> str:
        """Commit what is staged with any message: ``git commit`` mends those that are not UTF-8."""
        self.now += HOUR
        tree, who = self.git("write-tree").strip().encode(), person + b" %d +0000" % self.now
        raw = b"tree %s\nauthor %s\ncommitter %s\n\n%s" % (tree, who, who, message)
        commit = self.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw).strip()
        self.git("reset", "-q", "--soft", commit)
        return commit

    def more(self, *paths: str, message: str = "change") -> str:
        """Add a line to files and commit."""
        lines = {path: self._text(path) + f"line {self.now}\n" for path in paths}
        return self.commit(message, lines)

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def object_file(self, name: str) -> Path:
        """Return the file of a loose object."""
        number = self.git("rev-parse", name).strip()
        return self.root / ".git" / "objects" / number[:2] / number[2:]

    def history(self, root: Path | None = None, commits: int = 1000, years: float = 0.0) -> GitHistory:
        return GitHistory(root or self.root, HistoryOptions(commits, years), self.env)

    def read(self, store: Store, root: Path | None = None, **limits: Any) -> tuple[PastChange, ...]:
        """Bring a store up to date and return the past changes in it."""
        bring_up_to_date(store, self.history(root, **limits), lambda *step: None, Deadline())
        return store.past_changes()

    def assert_like_rebuilt(self, store: Store, root: Path | None = None, **limits: Any) -> tuple[PastChange, ...]:
        """Bring a store up to date; it then knows the same as a new one."""
        new = memory_store(256)
        self.read(new, root, **limits)
        found = self.read(store, root, **limits)
        assert everything(store) == everything(new)
        return found

    def _text(self, path: str) -> str:
        return (self.root / path).read_text() if (self.root / path).exists() else ""


def everything(store: Store) -> dict[str, Any]:
    """Return all that a store knows of the past."""
    changes = store.past_changes()
    paths = sorted({file.path for change in changes for file in change.files})
    return {
        "changes": changes,
        "commits": store.commits(),
        "by path": {path: [change.commit for change in store.past_changes([path])] for path in paths},
        "counts": change_counts(store, paths),
        "busy": store.busy(paths),
        "named": store.changes_named([change.commit for change in changes]),
        "similar": {words: store.similar_changes(dict.fromkeys(index_terms(words), 1.0), 5) for words in QUESTIONS},
        "together": {path: companions(store, [path]) for path in paths},
    }


def touched(change: PastChange) -> dict[str, tuple[str, ...]]:
    """Return the paths of a change and the symbols in each."""
    return {file.path: file.symbols for file in change.files}


def copy_of(repository: Repository, place: Path) -> Repository:
    """Return a copy of a repository, with its clock."""
    shutil.copytree(repository.root, place, symlinks=True)
    made = Repository(place, Path(repository.env["HOME"]))
    made.now = repository.now
    return made
