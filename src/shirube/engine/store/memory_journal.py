"""A journal that lives as long as a request: for a server that keeps nothing of those who ask."""

from collections.abc import Mapping
from typing import Any

from shirube.engine.store.journal import Document, Event
from shirube.errors import Conflict
from shirube.messages import NOTHING


class MemoryJournal:
    """Documents and events in memory; the methods are those of ``Journal``."""

    note = NOTHING

    def __init__(self) -> None:
        self._documents: dict[tuple[str, str], Document] = {}
        self._events: dict[str, list[Event]] = {}
        self._seq = 0

    def put(self, kind: str, key: str, body: Mapping[str, Any], expect: int | None = None) -> int:
        """Store a document and return its new revision; raises Conflict unless it was at ``expect`` (0: new)."""
        before = self._documents.get((kind, key))
        revision = before.revision if before else 0
        if expect is not None and revision != expect:
            raise Conflict("store.changed", kind=kind, name=key)
        self._documents.pop((kind, key), None)
        self._documents[kind, key] = Document(key, dict(body), revision + 1, 0)
        return revision + 1

    def get(self, kind: str, key: str) -> Document | None:
        """Return a document, or None."""
        return self._documents.get((kind, key))

    def documents(self, kind: str, limit: int = -1) -> tuple[Document, ...]:
        """Return the documents of a kind, most recently changed first."""
        found = [document for (of, _), document in reversed(self._documents.items()) if of == kind]
        return tuple(found if limit < 0 else found[:limit])

    def keys(self, kind: str) -> tuple[str, ...]:
        """Return the keys of the documents of a kind, most recently changed first."""
        return tuple(document.key for document in self.documents(kind))

    def remove(self, kind: str, key: str) -> bool:
        """Delete a document; tell whether it existed."""
        return self._documents.pop((kind, key), None) is not None

    def append(self, stream: str, body: Mapping[str, Any]) -> int:
        """Record an event and return its number."""
        self._seq += 1
        self._events.setdefault(stream, []).append(Event(self._seq, dict(body), 0))
        return self._seq

    def events(self, stream: str, after: int = 0, limit: int = -1) -> tuple[Event, ...]:
        """Return the events of a stream after a number, in the order in which they happened."""
        found = [event for event in self._events.get(stream, ()) if event.seq > after]
        return tuple(found if limit < 0 else found[:limit])

    def close(self) -> None:
        """Do nothing: there is no file."""
