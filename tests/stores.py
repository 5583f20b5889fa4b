"""Stores for tests, as the rest of the program sees them."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from shirube.engine.store.embedded import EmbeddedStore, open_embedded
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import Candidate, StoreChange
from shirube.engine.store.store import Store
from shirube.messages import Message
from shirube.types import Edge, Skip


def memory_store(dimensions: int = 256) -> Store:
    """Return an empty store in memory."""
    return Store(MemoryStore(dimensions))


def embedded_store(place: Path, dimensions: int = 256, *args: Any, **options: Any) -> Store:
    """Open an embedded store."""
    return Store(EmbeddedStore(place, dimensions, *args, **options))


def open_embedded_store(place: Path, dimensions: int = 256) -> tuple[Store, Message]:
    """Open an embedded store, whatever is wrong with it, with a note on that."""
    backend, note = open_embedded(place, dimensions, 1.0)
    return Store(backend), note


def publish(store: Store) -> None:
    """Make everything written so far visible to all."""
    store.write(StoreChange(), publish=True)


def write_skips(store: Store, skips: Iterable[Skip]) -> None:
    """Replace the list of what is not indexed."""
    store.write(StoreChange(skips=tuple(skips)))


def write_edges(store: Store, edges: Mapping[str, Collection[Edge]]) -> None:
    """Replace the outgoing edges of the given files."""
    store.write(StoreChange(edges=edges))


def chunk_id(found: Candidate) -> str:
    """Return what identifies a chunk in every index of the same files."""
    return f"{found.path}:{found.symbol}:{found.start_line}-{found.end_line}"


def change_counts(store: Store, paths: Iterable[str]) -> dict[str, int]:
    """Return how many commits that tell something changed each of these files."""
    counted = ((path, store.changed_together([path], 1)[1].get(path, 0)) for path in paths)
    return {path: count for path, count in counted if count}
