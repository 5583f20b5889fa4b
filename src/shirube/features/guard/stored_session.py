"""A session as the journal has it: read by the operations and by the gate, each as far as its question needs.

Nothing here imports the records of a session before they are needed, because the gate asks on every write: a file that
a READY session was told it may write is found in the plain events.
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
"""Sessions among which a client's own is looked for, the latest first."""
NS_PER_HOUR = 3_600_000_000_000


class StoredSession(NamedTuple):
    """The document of a session, and everything that happened in it."""

    handle: str
    body: Mapping[str, Any]
    events: "tuple[Event, ...]"
    revision: int = 0
    used_ns: int = 0
    """When it was last changed, or taken part in."""

    @property
    def may_write(self) -> bool:
        """Whether it is ready, and meant to write."""
        return self.body.get("phase") == READY and self.body.get("intent") in WRITERS

    @property
    def allowed(self) -> frozenset[str]:
        """The files it was told it may write."""
        since = self.body.get("since", 0)
        checks = (event.body for event in self.events if event.seq > since and event.body.get("kind") == "check")
        return frozenset(str(check.get("path")) for check in checks if check.get("allowed") is True)

    @property
    def session(self) -> "Session":
        """The session itself, with what happened in it since the last reset."""
        from shirube.features.guard.state import unpack_event, unpack_session, with_events

        session = unpack_session(self.body)
        read = (unpack_event(event.body, event.seq) for event in self.events if event.seq > session.since)
        return with_events(session, (event for event in read if event is not None))

    def is_expired(self, now_ns: int, expire_hours: float) -> bool:
        """Tell whether it was last used too long ago to be gone on with."""
        return now_ns - self.used_ns > expire_hours * NS_PER_HOUR


def read_stored(journal: "Journal", document: "Document") -> StoredSession:
    """Return the session of a document."""
    events = journal.events(stream_of(document.key))
    used_ns = max(document.at_ns, events[-1].at_ns if events else 0)
    return StoredSession(document.key, document.body, events, document.revision, used_ns)


def find_client_session(journal: "Journal", client: str, now_ns: int, expire_hours: float) -> StoredSession | None:
    """Return the session that a client began, else the latest of the work tree; None when there is none in use."""
    documents = journal.documents(SESSION, LOOKED_THROUGH)
    own = [document for document in documents if client and document.body.get("client") == client]
    stored = (read_stored(journal, document) for document in own or documents[:1])
    return next((session for session in stored if not session.is_expired(now_ns, expire_hours)), None)
