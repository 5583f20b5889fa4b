"""Calls that are part of a session: held against its phase before, recorded with what they showed after."""

from collections.abc import Mapping
from typing import Any

from shirube.codec import Record, inputs, pack
from shirube.errors import PhaseBlocked
from shirube.features.guard.advice import next_steps
from shirube.features.guard.phases import SUBMISSIONS, allowed_operations, allows
from shirube.features.guard.record import asked_words, with_shown
from shirube.features.guard.session_store import happened, load_session, refuse
from shirube.features.guard.state import Recorded, Session
from shirube.messages import Message, say, step
from shirube.operation import Call, Context, Operation

OWN = "session"
"""The group whose operations are steps: they keep what they do themselves."""


def enter(project: Context, operation: Operation[..., Any], request: Record) -> None:
    """Refuse a handle nobody gave, and an operation that the phase does not allow."""
    workspace, call = project.workspace, project.call
    session = load_session(workspace, call.session_id)
    if allows(session.phase, operation.name, given(request)):
        return
    refuse(workspace, session, operation.name, say("session.not_allowed", phase=session.phase))
    names = [name for name in call.operations if name != operation.name]
    raise PhaseBlocked(operation.name, session.phase, allowed_operations(session.phase, names), _way_on(session, call))


def _way_on(session: Session, call: Call) -> Message:
    named = dict.fromkeys(one.operation for one in next_steps(session) if one.operation in call.operations)
    back = say("session.back" if "revert_to_exploration" in call.operations else "session.back_call", id=session.id)
    return say("session.way_on", steps=[step(name) for name in named], back=back) if named else back


def record(project: Context, operation: Operation[..., Any], request: Record, result: Record | None) -> None:
    """Keep a call with what it showed; without a result it failed."""
    if operation.group == OWN or operation.name in SUBMISSIONS:
        return
    made = Recorded(operation.name, operation.group, asked_words(given(request)), ok=result is not None)
    if result is not None:
        made = with_shown(made, result.shown(), getattr(result, "answer", ""))
    happened(project.workspace, project.call.session_id, made)


def given(request: Record) -> Mapping[str, Any]:
    """Return the arguments of a request that are not their defaults, as plain JSON."""
    values = {one.name: (getattr(request, one.name), one.default) for one in inputs(type(request))}
    return {name: pack(value) for name, (value, default) in values.items() if value != default}
