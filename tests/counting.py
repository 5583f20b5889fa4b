"""A store that counts what it is asked and what it hands out."""

from collections import Counter
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any

from shirube.deadline import Deadline, current
from shirube.engine.store.lookups import Catalogued, OfContent
from shirube.engine.store.port import Backend, Lookup
from shirube.engine.store.store import Store
from shirube.messages import Message
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


class FarBackend:
    """A backend that is reached over a network, as far as its callers know, and counts the trips to it."""

    remote = True

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.trips: list[str] = []
        self._seen: Deadline | None = None
        """The request that looked last: what it asks of the catalog then is no trip."""
        self._brought: set[tuple[type, Any]] = set()

    def begin(self) -> bool:
        """Prepare for a sync, which takes a trip only when another commit was checked out."""
        return self._backend.begin()

    def lacks(self, *, now: bool = False) -> Message:
        """Tell what was last seen, without a trip."""
        self.trips += ["lacks"] if now else []
        return self._backend.lacks(now=now)

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._backend, name)

        def counted(*args: Any, **options: Any) -> Any:
            likely = options.get("likely", ())
            what = [type(one).__name__ for one in (*args, *likely)] if name == "look" else []
            if not (name == "look" and self._seen is current() and all(map(self._is_there, (*args, *likely)))):
                self.trips.append(" ".join([name, *what]))
            self._brought = self._brought if self._seen is current() else set()
            self._brought.update((type(one), key) for one in likely for key in one.keys)
            self._seen = current()
            return asked(*args, **options)

        return counted

    def _is_there(self, asked: Lookup[Any]) -> bool:
        """Tell whether it takes no trip: it is told from the catalog, or was brought along before."""
        if isinstance(asked, OfContent):
            return all((type(asked), key) in self._brought for key in asked.keys)
        return isinstance(asked, Catalogued)


@contextmanager
def far(workspace: Workspace) -> Iterator[FarBackend]:
    """Move a project's backend to the other end of a network for a while."""
    store, backend = workspace.store, workspace.store.backend
    store.backend = made = FarBackend(backend)
    try:
        yield made
    finally:
        store.backend = backend
