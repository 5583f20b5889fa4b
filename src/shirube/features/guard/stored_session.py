"""A session as the journal stores it; the operations and the gate decode only as much of it as they need.

The gate runs on every write and must be fast, so this module imports the session records only on use. To see that a
READY session may write a file, the plain events are enough.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shirube.engine.store.disk import SESSION, stream_of

if TYPE_CHECKING:
    from shirube.engine.store.journal import Document, Event, Journal
    from shirube.features.guard.state import Session

READY = "READY"
WRITERS = ("IMPLEMENT", "MODIFY")
LOOKED_THROUGH = 50
"""How many sessions, latest first, are searched for a client's own."""
NS_PER_HOUR = 3_600_000_000_000


class StoredSession(NamedTuple):
    """The document of a session, and everything that happened in it."""

    handle: str
    body: Mapping[str, Any]
    events: "tuple[Event, ...]"
    revision: int = 0
    used_ns: int = 0
    """When its document last changed or its last event was recorded."""

    @property
    def may_write(self) -> bool:
        """Whether it is in READY and its intent may write."""
        return self.body.get("phase") == READY and self.body.get("intent") in WRITERS

    @property
    def allowed(self) -> frozenset[str]:
        """The files it was allowed to write since the last reset."""
        since = self.body.get("since", 0)
        checks = (event.body for event in self.events if event.seq > since and event.body.get("kind") == "check")
        return frozenset(str(check.get("path")) for check in checks if check.get("allowed") is True)

    @property
    def session(self) -> "Session":
        """The decoded session, with its events since the last reset."""
        from shirube.features.guard.state import unpack_event, unpack_session, with_events

        session = unpack_session(self.body)
        read = (unpack_event(event.body, event.seq) for event in self.events if event.seq > session.since)
        return with_events(session, (event for event in read if event is not None))

    def is_expired(self, now_ns: int, expire_hours: float) -> bool:
        """Tell whether it was last used too long ago to continue."""
        return now_ns - self.used_ns > expire_hours * NS_PER_HOUR


def read_stored(journal: "Journal", document: "Document") -> StoredSession:
    """Return the session of a document, with its events."""
    events = journal.events(stream_of(document.key))
    used_ns = max(document.at_ns, events[-1].at_ns if events else 0)
    return StoredSession(document.key, document.body, events, document.revision, used_ns)


def find_client_session(journal: "Journal", client: str, now_ns: int, expire_hours: float) -> StoredSession | None:
    """Return the session that a client started, else the work tree's latest; None when all of these have expired."""
    documents = journal.documents(SESSION, LOOKED_THROUGH)
    own = [document for document in documents if client and document.body.get("client") == client]
    stored = (read_stored(journal, document) for document in own or documents[:1])
    return next((session for session in stored if not session.is_expired(now_ns, expire_hours)), None)
