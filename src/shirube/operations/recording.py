"""Calls that are part of a session: held against its phase before, recorded with what they showed after."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from shirube.errors import PhaseBlocked
from shirube.operations.keeping import happened, load_session, refuse
from shirube.operations.model import Call, Operation
from shirube.operations.wire import to_wire
from shirube.session.advice import next_steps
from shirube.session.phases import SUBMISSIONS, allowed_operations, allows
from shirube.session.record import asked_words, read_result
from shirube.session.state import Recorded, Session

if TYPE_CHECKING:
    from shirube.workspace import Workspace

OWN = "session"
"""The group whose operations are steps: they keep what they do themselves."""


def enter(workspace: "Workspace", operation: Operation, request: Any, call: Call) -> None:
    """Refuse a handle nobody gave, and an operation that the phase does not allow."""
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


def record(workspace: "Workspace", operation: Operation, request: Any, call: Call, result: Any) -> None:
    """Keep a call with what it showed; without a result it failed."""
    if operation.group == OWN or operation.name in SUBMISSIONS:
        return
    made = Recorded(operation.name, operation.group, asked_words(given(request)), ok=result is not None)
    if result is not None:
        made = read_result(made, to_wire(result))
    happened(workspace, call.session_id, made)


def given(request: Any) -> Mapping[str, Any]:
    """Return the arguments of a request that are not their defaults, as plain JSON."""
    sent = {}
    for item in fields(request):
        value = getattr(request, item.name)
        if item.default is MISSING or value != item.default:
            sent[item.name] = to_wire(value)
    return sent
