"""Calls that are part of a session: held against its phase before, recorded with what they showed after."""

from collections.abc import Mapping
from typing import Any

from shirube.codec.records import Record, inputs
from shirube.codec.wire import pack, shown_json
from shirube.errors import PhaseBlocked
from shirube.operations.declare import Call, Context, Operation
from shirube.operations.keeping import happened, load_session, refuse
from shirube.session.advice import next_steps
from shirube.session.phases import SUBMISSIONS, allowed_operations, allows
from shirube.session.record import asked_words, read_result
from shirube.session.state import Recorded, Session

OWN = "session"
"""The group whose operations are steps: they keep what they do themselves."""


def enter(project: Context, operation: Operation[..., Any], request: Record) -> None:
    """Refuse a handle nobody gave, and an operation that the phase does not allow."""
    workspace, call = project.workspace, project.call
    session = load_session(workspace, call.session_id)
    if allows(session.phase, operation.name, given(request)):
        return
    refuse(workspace, session, operation.name, f"not allowed in {session.phase}")
    names = [name for name in call.operations if name != operation.name]
    raise PhaseBlocked(operation.name, session.phase, allowed_operations(session.phase, names), _way_on(session, call))


def _way_on(session: Session, call: Call) -> str:
    steps = [step for step in next_steps(session) if step.operation in call.operations]
    named = ", ".join(dict.fromkeys(step.operation for step in steps))
    back = "revert_to_exploration goes back"
    if "revert_to_exploration" not in call.operations:
        back = f'\'shirube call revert_to_exploration --json {{"session_id": "{session.id}"}}\' goes back'
    return f"next: {named}; {back}" if named else back


def record(project: Context, operation: Operation[..., Any], request: Record, result: Record | None) -> None:
    """Keep a call with what it showed; without a result it failed."""
    if operation.group == OWN or operation.name in SUBMISSIONS:
        return
    made = Recorded(operation.name, operation.group, asked_words(given(request)), ok=result is not None)
    if result is not None:
        made = read_result(made, shown_json(result))
    happened(project.workspace, project.call.session_id, made)


def given(request: Record) -> Mapping[str, Any]:
    """Return the arguments of a request that are not their defaults, as plain JSON."""
    values = {one.name: (getattr(request, one.name), one.default) for one in inputs(type(request))}
    return {name: pack(value) for name, (value, default) in values.items() if value != default}
