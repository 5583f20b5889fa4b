"""Stores sessions in the journal: one document for the state of each, and a stream of events for what happened in it.

A step makes one write, a document or an event, so a process that dies leaves the state either before or after the step.
Calls are events, so two processes can record at the same time without conflict. If another process changed the document
meanwhile, the step is repeated on the new state.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict, UnknownSession
from shirube.features.guard.state import Refusal, Session, SessionEvent, Verdict, WriteCheck, pack_event, pack_session
from shirube.features.guard.stored_session import StoredSession, read_stored
from shirube.features.map.written import note_before
from shirube.messages import Message

if TYPE_CHECKING:
    from shirube.workspace import Workspace

ATTEMPTS = 10
"""How often a step is tried when other processes change the same session at the same time."""


def open_session(workspace: "Workspace", session: Session) -> None:
    """Store a new session."""
    workspace.journal.put(SESSION, session.id, pack_session(session), expect=0)


def load_session(workspace: "Workspace", handle: str) -> Session:
    """Return a session with all its events; refuse a handle that is unknown or expired."""
    return _load(workspace, handle).session


def change_session(
    workspace: "Workspace", handle: str, step: Callable[[Session], tuple[Session, Verdict]]
) -> tuple[Session, Verdict]:
    """Take a step and store its result; a refused step changes nothing."""
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
    """Record a refusal and its reason."""
    record_event(workspace, session.id, Refusal(operation, session.phase, reason))


def record_event(
    workspace: "Workspace", handle: str, event: SessionEvent, more: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Append an event to a session, ``more`` beside the record; a file that may be written from now on is noted."""
    if isinstance(event, WriteCheck) and event.allowed:
        note_before(workspace, handle, event.path)
    workspace.journal.append(stream_of(handle), {**pack_event(event), **more})


def last_event(workspace: "Workspace", handle: str) -> int:
    """Return the number of a session's last event; 0 when it has none."""
    events = workspace.journal.events(stream_of(handle))
    return events[-1].seq if events else 0


def is_expired(workspace: "Workspace", stored: StoredSession) -> bool:
    """Tell whether a session was last used too long ago to continue."""
    return stored.is_expired(workspace.now_seconds() * 1_000_000_000, workspace.config.session.expire_hours)


def _load(workspace: "Workspace", handle: str) -> StoredSession:
    document = workspace.journal.get(SESSION, handle)
    if document is None:
        raise UnknownSession("session.none", name=handle[:80])
    stored = read_stored(workspace.journal, document)
    if is_expired(workspace, stored):
        raise UnknownSession("session.old", name=handle, hours=f"{workspace.config.session.expire_hours:g}")
    return stored.on_branch_of(workspace.root)
