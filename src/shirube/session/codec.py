"""A session as plain JSON and back; what is kept as events is not part of the document."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from shirube.errors import StateFault
from shirube.session.state import EVENTS, Recorded, Refusal, Session, WriteCheck

Value = TypeVar("Value")
Event = Recorded | WriteCheck | Refusal


def pack_session(session: Session) -> dict[str, Any]:
    """Return the document of a session."""
    return {item.name: _plain(getattr(session, item.name)) for item in fields(session) if not item.metadata}


def unpack_session(body: Mapping[str, Any]) -> Session:
    """Return the session of a document, without its events."""
    return _read(body, Session)


def pack_event(event: Event) -> dict[str, Any]:
    """Return something that happened, with the word that says what it is."""
    (kind,) = (word for word, made in EVENTS.items() if made is type(event))
    return {"kind": kind, **_plain(event)}


def unpack_event(body: Mapping[str, Any], number: int) -> Event | None:
    """Return what happened, or None for a kind that a later version wrote."""
    if body.get("kind") not in EVENTS:
        return None
    made = EVENTS[str(body["kind"])]
    numbered = {"number": number} if made is Recorded else {}
    return _read({**body, **numbered}, made)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(body: Mapping[str, Any], kind: type[Value]) -> Value:
    hints = _hints(kind)  # type: ignore[arg-type]  # a type can be hashed, whatever the checker thinks of it
    try:
        return kind(**{name: _value(body[name], hint) for name, hint in hints.items() if name in body})
    except (TypeError, ValueError, AttributeError) as error:
        raise StateFault(f"what was recorded as {kind.__name__} cannot be read: {error}", "start_session") from error


def _value(value: Any, hint: Any) -> Any:
    origin = get_origin(hint)
    if origin is UnionType:
        (plain,) = (part for part in get_args(hint) if part is not type(None))
        return None if value is None else _value(value, plain)
    if origin is tuple:
        return tuple(_value(item, get_args(hint)[0]) for item in value)
    if origin is not None and issubclass(origin, Mapping):
        return {key: _value(item, get_args(hint)[1]) for key, item in value.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return _read(value, hint)
    return hint(value)
