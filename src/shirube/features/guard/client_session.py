"""Where does the session of a client stand? Read from the journal, as far as the question needs it.

Whether a file may be written is the session room's to say; but what that room has said already (a check that was
allowed, in a session that is still READY) is taken from the record, so that most writes pay for reading it only.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shirube.engine.store.disk import SESSION, stream_of

if TYPE_CHECKING:
    from shirube.engine.store.journal import Event, Journal
    from shirube.features.guard.state import Session

READY = "READY"
WRITERS = ("IMPLEMENT", "MODIFY")
LOOKED_THROUGH = 50
"""Sessions among which a client's own is looked for, the latest first."""
NS_PER_HOUR = 3_600_000_000_000


class Standing(NamedTuple):
    """A session as the journal has it."""

    handle: str
    body: Mapping[str, Any]
    events: "tuple[Event, ...]"

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
        """The session itself, with everything that happened in it."""
        from shirube.features.guard.codec import unpack_event, unpack_session
        from shirube.features.guard.state import with_events

        session = unpack_session(self.body)
        read = (unpack_event(event.body, event.seq) for event in self.events if event.seq > session.since)
        return with_events(session, (event for event in read if event is not None))


def find_standing(journal: "Journal", client: str, now_ns: int, expire_hours: float) -> Standing | None:
    """Return the session that a client began, else the latest of the work tree; None when there is none in use."""
    documents = journal.documents(SESSION, LOOKED_THROUGH)
    own = [document for document in documents if client and document.body.get("client") == client]
    for document in own or documents[:1]:
        events = journal.events(stream_of(document.key))
        used = max(document.at_ns, events[-1].at_ns if events else 0)
        if now_ns - used <= expire_hours * NS_PER_HOUR:
            return Standing(document.key, document.body, events)
    return None
