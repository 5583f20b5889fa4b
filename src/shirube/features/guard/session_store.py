"""Sessions in the journal: one document each for the state, and a stream of events for what happened in it.

A step writes once, a document or an event, so that a process that dies leaves the state before it or after it. Calls
are events, so that two processes recording at the same time do not get in each other's way; a step that finds the
document changed under it is made again on what is there now.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict, UnknownSession
from shirube.features.guard.codec import Event, pack_event, pack_session, unpack_event, unpack_session
from shirube.features.guard.state import Refusal, Session, with_events
from shirube.features.guard.verdict import Verdict
from shirube.messages import Message

if TYPE_CHECKING:
    from shirube.engine.store.journal import Document
    from shirube.workspace import Workspace

KIND = SESSION
ATTEMPTS = 10
"""How often a step is tried when others change the same session at the same time."""
NS_PER_HOUR = 3_600_000_000_000


def open_session(workspace: "Workspace", session: Session) -> None:
    """Keep a new session."""
    workspace.journal.put(KIND, session.id, pack_session(session), expect=0)


def load_session(workspace: "Workspace", handle: str) -> Session:
    """Return a session with everything that happened in it, or refuse a handle that is unknown or too old."""
    return _load(workspace, handle)[0]


def change_session(
    workspace: "Workspace", handle: str, step: Callable[[Session], tuple[Session, Verdict]]
) -> tuple[Session, Verdict]:
    """Take a step and keep its result; what was refused changes nothing."""
    for _ in range(ATTEMPTS):
        session, revision = _load(workspace, handle)
        changed, verdict = step(session)
        if pack_session(changed) == pack_session(session):
            return changed, verdict
        try:
            workspace.journal.put(KIND, handle, pack_session(changed), expect=revision)
        except Conflict:
            continue
        return changed, verdict
    raise Conflict("session.changing", name=handle)


def refuse(workspace: "Workspace", session: Session, operation: str, reason: Message) -> None:
    """Keep what was not accepted, and why."""
    happened(workspace, session.id, Refusal(operation, session.phase, reason))


def happened(workspace: "Workspace", handle: str, event: Event) -> None:
    """Keep something that happened in a session."""
    workspace.journal.append(stream_of(handle), pack_event(event))


def last_event(workspace: "Workspace", handle: str) -> int:
    """Return the number of the last thing that happened."""
    events = workspace.journal.events(stream_of(handle))
    return events[-1].seq if events else 0


def used_ns(workspace: "Workspace", document: "Document") -> int:
    """Return when a session was last used: changed, or taken part in."""
    events = workspace.journal.events(stream_of(document.key))
    return max(document.at_ns, events[-1].at_ns if events else 0)


def is_expired(workspace: "Workspace", used: int) -> bool:
    """Tell whether a session that was last used then can still be gone on with."""
    age = workspace.now_seconds() * 1_000_000_000 - used
    return age > workspace.config.session.expire_hours * NS_PER_HOUR


def _load(workspace: "Workspace", handle: str) -> tuple[Session, int]:
    document = workspace.journal.get(KIND, handle)
    if document is None:
        raise UnknownSession("session.none", name=handle[:80])
    if is_expired(workspace, document.at_ns) and is_expired(workspace, used_ns(workspace, document)):
        raise UnknownSession("session.old", name=handle, hours=f"{workspace.config.session.expire_hours:g}")
    session = unpack_session(document.body)
    events = (
        unpack_event(event.body, event.seq) for event in workspace.journal.events(stream_of(handle), session.since)
    )
    return with_events(session, (event for event in events if event is not None)), document.revision
