"""A store that counts what it is asked and what it hands out."""

from collections import Counter
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any

from shirube.engine.store.port import Store
from shirube.workspace import Workspace


class CountingStore:
    """Passes every question on to a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.calls: Counter[str] = Counter()
        self.rows = 0

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._store, name)

        def counted(*args: Any, **options: Any) -> Any:
            self.calls[name] += 1
            found = asked(*args, **options)
            self.rows += len(found) if isinstance(found, Sized) else 1
            return found

        return counted


@contextmanager
def counting(workspace: Workspace) -> Iterator[CountingStore]:
    """Let a project's store count for a while."""
    store, counter = workspace.store, CountingStore(workspace.store)
    workspace.store = counter  # type: ignore[assignment]
    try:
        yield counter
    finally:
        workspace.store = store
