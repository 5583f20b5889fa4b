"""A session as the journal stores it; the operations and the gate decode only as much of it as they need.

The gate runs on every write and must be fast, so this module imports the session records only on use. To see that a
READY session may write a file, the plain events are enough.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict
from shirube.features.guard.branch import other_branch

if TYPE_CHECKING:
    from shirube.engine.store.journal import Document, Event, Journal
    from shirube.features.guard.state import Session

READY = "READY"
WRITERS = ("IMPLEMENT", "MODIFY")
BOND = "bond"
"""The kind of journal document that says which conversation a session belongs to, under the session's handle."""
LOOKED_THROUGH, BONDS = 50, 500
"""How many sessions and bonds, latest first, are searched for a conversation's own."""
DIGESTS, WRITTEN = "digests", "written"
"""What events carry besides the records they hold: the digest of each file that a call showed, and that the gate let
the session write the file, so that the content it looked at is no longer what has to be there."""
NS_PER_HOUR = 3_600_000_000_000


class StoredSession(NamedTuple):
    """The document of a session, and everything that happened in it."""

    handle: str
    body: Mapping[str, Any]
    events: "tuple[Event, ...]"
    revision: int = 0
    used_ns: int = 0
    """When its document last changed or its last event was recorded."""
    elsewhere: str = ""
    """The branch that the work tree is on now, if it is another than the session's."""

    @property
    def may_write(self) -> bool:
        """Whether it is in READY on this branch, and its intent may write."""
        return self.body.get("phase") == READY and self.body.get("intent") in WRITERS and not self.elsewhere

    @property
    def allowed(self) -> frozenset[str]:
        """The files that the gate let it write since the last reset."""
        checks = (body for body in self._bodies if body.get("kind") == "check" and body.get(WRITTEN))
        return frozenset(str(check.get("path")) for check in checks if check.get("allowed") is True)

    @property
    def looks(self) -> dict[str, str]:
        """The files that were shown since the last reset, with the digest of the content at the latest look.

        The digest is empty when it is unknown, and after the gate let the session write the file.
        """
        looks: dict[str, str] = {}
        for body in self._bodies:
            if body.get("kind") == "call" and body.get("ok", True):
                seen, digests = body.get("seen", ()), body.get(DIGESTS, ())
                looks.update(zip(seen, (*digests, *[""] * (len(seen) - len(digests))), strict=False))
            elif body.get("kind") == "check" and body.get(WRITTEN):
                looks[str(body.get("path"))] = ""
        return looks

    @property
    def listed(self) -> frozenset[str]:
        """The files that calls named since the last reset."""
        return frozenset().union(*(body.get("listed", ()) for body in self._bodies))

    @property
    def _bodies(self) -> Iterator[Mapping[str, Any]]:
        since = self.body.get("since", 0)
        return (event.body for event in self.events if event.seq > since)

    @property
    def session(self) -> "Session":
        """The decoded session, with its events since the last reset."""
        from shirube.codec import replace
        from shirube.features.guard.state import unpack_event, unpack_session, with_events

        session = unpack_session(self.body)
        read = (unpack_event(event.body, event.seq) for event in self.events if event.seq > session.since)
        session = replace(session, looks=self.looks, elsewhere=self.elsewhere)
        return with_events(session, (event for event in read if event is not None))

    def on_branch_of(self, root: Path) -> "StoredSession":
        """Return the session with the branch that its work tree is on, if that is another one."""
        return self._replace(elsewhere=other_branch(root, str(self.body.get("branch", ""))))

    def is_expired(self, now_ns: int, expire_hours: float) -> bool:
        """Tell whether it was last used too long ago to continue."""
        return now_ns - self.used_ns > expire_hours * NS_PER_HOUR


def read_stored(journal: "Journal", document: "Document") -> StoredSession:
    """Return the session of a document, with its events."""
    events = journal.events(stream_of(document.key))
    used_ns = max(document.at_ns, events[-1].at_ns if events else 0)
    return StoredSession(document.key, document.body, events, document.revision, used_ns)


def find_client_session(
    journal: "Journal", owners: Sequence[str], now_ns: int, expire_hours: float
) -> StoredSession | None:
    """Return the session of the first of some owners that has one: the latest changed; None when it has expired.

    A session belongs to the conversation that a hook saw start it, else to the one that the server was told.
    """
    bound = {document.key: document.body.get("client") for document in journal.documents(BOND, BONDS)}
    documents = journal.documents(SESSION, LOOKED_THROUGH)
    for owner in filter(None, owners):
        for document in documents:
            if bound.get(document.key, document.body.get("client")) != owner:
                continue
            stored = read_stored(journal, document)
            if not stored.is_expired(now_ns, expire_hours):
                return stored
    return None


def bind_session(journal: "Journal", handle: str, owner: str) -> bool:
    """Bind a session that was just started to its conversation; tell whether it is bound to it now.

    The first bond stays: no other conversation takes a session over. Nor is one taken that may write already, so that
    naming the handle of somebody else's session opens nothing.
    """
    document = journal.get(SESSION, handle)
    if not owner or document is None or StoredSession(handle, document.body, ()).may_write:
        return False
    try:
        journal.put(BOND, handle, {"client": owner}, expect=0)
    except Conflict:
        bond = journal.get(BOND, handle)
        return bond is not None and bond.body.get("client") == owner
    return True
