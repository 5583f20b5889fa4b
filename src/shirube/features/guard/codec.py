"""A session as plain JSON and back; what is kept as events is not part of the document."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from shirube.codec import pack, unpack
from shirube.errors import StateFault
from shirube.features.guard.state import EVENTS, Recorded, Refusal, Session, WriteCheck

Value = TypeVar("Value")
Event = Recorded | WriteCheck | Refusal


def pack_session(session: Session) -> dict[str, Any]:
    """Return the document of a session."""
    return {item.name: pack(getattr(session, item.name)) for item in fields(session) if not item.metadata}


def unpack_session(body: Mapping[str, Any]) -> Session:
    """Return the session of a document, without its events."""
    return _read(Session, body)


def pack_event(event: Event) -> dict[str, Any]:
    """Return something that happened, with the word that says what it is."""
    (kind,) = (word for word, made in EVENTS.items() if made is type(event))
    return {"kind": kind, **pack(event)}


def unpack_event(body: Mapping[str, Any], number: int) -> Event | None:
    """Return what happened, or None for a kind that a later version wrote."""
    made = EVENTS.get(str(body.get("kind")))
    return _read(made, {**body, "number": number}) if made else None


def _read(kind: type[Value], body: Mapping[str, Any]) -> Value:
    try:
        return unpack(kind, body)
    except ValueError as error:
        raise StateFault("session.unreadable", kind=kind.__name__, error=str(error)) from error
