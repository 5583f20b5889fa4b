"""A project whose files a test writes, and a store that is synced with it in this process."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.stores import memory_store

from shirube.deadline import Deadline
from shirube.engine.index.reading import FileReading, Reader, Setup, Task
from shirube.engine.index.sync import Linker, Sources, SyncReport, sync
from shirube.engine.repo.walk import WalkOptions
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.stamps import Stamps


class Tree:
    """A directory, an index of it, and a clock that only the test moves."""

    def __init__(self, root: Path, state: Path, store=None):
        self.root, self.state = root, state
        self.store = store or memory_store(256)
        self.cache = ParsedCache(state / "parsed.sqlite", 1.0)
        self.stamps = Stamps(state / "stamps.sqlite", 1.0)
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
        settings = {"full": False, "progress": lambda *step: None, "deadline": Deadline(), **options}
        return sync(self.sources(), **settings)

    def sources(self) -> Sources:
        return Sources(
            root=self.root,
            options=self.options,
            store=self.store,
            stamps=self.stamps,
            cache=self.cache,
            read=self.read,
            clock_ns=lambda: self.now_ns,
            fingerprint=self.fingerprint,
            linker=Linker(),
        )

    def state_noted(self) -> str:
        return self.store.noted("state")

    def close(self) -> None:
        self.cache.close()
        self.stamps.close()
        self.store.close()


@pytest.fixture
def tree(tmp_path: Path):
    made = Tree(tmp_path / "project", tmp_path / "state")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _worker_processes(worker_processes: None) -> None:
    """Let every index be made as it is made outside the tests."""
