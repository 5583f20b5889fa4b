"""A project whose files a test writes, and a store that is synced with it in this process."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from shirube.deadline import Deadline
from shirube.engine.index.reading import FileReading, Reader, Setup, Task
from shirube.engine.index.sync import Linker, Sources, SyncReport, sync
from shirube.engine.repo.walk import WalkOptions
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.memory import MemoryStore


class Tree:
    """A directory, an index of it, and a clock that only the test moves."""

    def __init__(self, root: Path, state: Path, store=None):
        self.root, self.state = root, state
        self.store = store or MemoryStore(256)
        self.cache = ParsedCache(state / "parsed.sqlite", 1.0)
        self.now_ns = 4_000_000_000_000_000_000  # far ahead of any file's time stamp, so that stats are trusted
        self.tasks: list[Task] = []
        self.fingerprint = "1"
        self.options = WalkOptions()
        root.mkdir(exist_ok=True)

    def put(self, path: str, text: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def read(self, tasks: Iterable[Task]) -> Iterable[FileReading]:
        self.tasks = list(tasks)
        reader = Reader(Setup(str(self.root), str(self.state / "parsed.sqlite"), 1 << 20, "hashed"))
        return [reader.read(task) for task in self.tasks]

    def sync(self, **options) -> SyncReport:
        sources = Sources(
            self.root, self.options, self.store, self.cache, self.read, lambda: self.now_ns, self.fingerprint, Linker()
        )
        settings = {"full": False, "progress": lambda *step: None, "deadline": Deadline(), **options}
        return sync(sources, **settings)


@pytest.fixture
def tree(tmp_path: Path):
    made = Tree(tmp_path / "project", tmp_path / "state")
    yield made
    made.cache.close()


@pytest.fixture(autouse=True)
def _worker_processes(worker_processes: None) -> None:
    """Let every index be made as it is made outside the tests."""
