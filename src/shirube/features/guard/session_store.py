"""Sessions in the journal: one document each for the state, and a stream of events for what happened in it.

A step writes once, a document or an event, so that a process that dies leaves the state before it or after it. Calls
are events, so that two processes recording at the same time do not get in each other's way; a step that finds the
document changed under it is made again on what is there now.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict, UnknownSession
from shirube.features.guard.state import Refusal, Session, SessionEvent, Verdict, pack_event, pack_session
from shirube.features.guard.stored_session import StoredSession, read_stored
from shirube.messages import Message

if TYPE_CHECKING:
    from shirube.workspace import Workspace

ATTEMPTS = 10
"""How often a step is tried when others change the same session at the same time."""


def open_session(workspace: "Workspace", session: Session) -> None:
    """Keep a new session."""
    workspace.journal.put(SESSION, session.id, pack_session(session), expect=0)


def load_session(workspace: "Workspace", handle: str) -> Session:
    """Return a session with everything that happened in it, or refuse a handle that is unknown or too old."""
    return _load(workspace, handle).session


def change_session(
    workspace: "Workspace", handle: str, step: Callable[[Session], tuple[Session, Verdict]]
) -> tuple[Session, Verdict]:
    """Take a step and keep its result; what was refused changes nothing."""
    for _ in range(ATTEMPTS):
        stored = _load(workspace, handle)
        session = stored.session
        changed, verdict = step(session)
        if pack_session(changed) == pack_session(session):
            return changed, verdict
        try:
            workspace.journal.put(SESSION, handle, pack_session(changed), expect=stored.revision)
        except Conflict:
            continue
        return changed, verdict
    raise Conflict("session.changing", name=handle)


def refuse(workspace: "Workspace", session: Session, operation: str, reason: Message) -> None:
    """Keep what was not accepted, and why."""
    record_event(workspace, session.id, Refusal(operation, session.phase, reason))


def record_event(workspace: "Workspace", handle: str, event: SessionEvent) -> None:
    """Keep something that happened in a session."""
    workspace.journal.append(stream_of(handle), pack_event(event))


def last_event(workspace: "Workspace", handle: str) -> int:
    """Return the number of the last thing that happened."""
    events = workspace.journal.events(stream_of(handle))
    return events[-1].seq if events else 0


def is_expired(workspace: "Workspace", stored: StoredSession) -> bool:
    """Tell whether a session was last used too long ago to be gone on with."""
    return stored.is_expired(workspace.now_seconds() * 1_000_000_000, workspace.config.session.expire_hours)


def _load(workspace: "Workspace", handle: str) -> StoredSession:
    document = workspace.journal.get(SESSION, handle)
    if document is None:
        raise UnknownSession("session.none", name=handle[:80])
    stored = read_stored(workspace.journal, document)
    if is_expired(workspace, stored):
        raise UnknownSession("session.old", name=handle, hours=f"{workspace.config.session.expire_hours:g}")
    return stored
