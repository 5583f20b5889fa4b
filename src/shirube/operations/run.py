"""The one way into an operation, whichever door the call came through."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shirube.errors import BrokenIndex, ShirubeError
from shirube.operations.check import request_from, split_shared, unpacked
from shirube.operations.model import Call, Operation, Shared, takes_shared
from shirube.operations.table import OPERATIONS, operation_named

if TYPE_CHECKING:
    from shirube.workspace import Workspace

NAMES = tuple(operation.name for operation in OPERATIONS)


def run(workspace: "Workspace", name: str | Operation, arguments: Mapping[str, Any], call: Call | None = None) -> Any:
    """Turn other spellings into the canonical ones, validate strictly, call; return the typed result.

    A door that lists an operation under another name hands in the operation itself. In a session the call is held
    against its phase first and recorded afterwards, with what it showed.
    """
    operation = operation_named(name) if isinstance(name, str) else name
    sent = unpacked(arguments, operation.containers, operation.needless)
    own, shared = split_shared(sent) if takes_shared(operation) else (sent, {})
    request = request_from(operation.request, operation.aliases, own)
    handle = getattr(request, "session_id", "") or request_from(Shared, {}, shared).session_id
    call = call or Call()
    call = replace(call, session_id=handle, operations=call.operations or NAMES)
    with call.deadline.governing():
        if not handle or not operation.joins:
            return _answer(workspace, operation, request, call)
        return _recorded(workspace, operation, request, call)


def _answer(workspace: "Workspace", operation: Operation, request: Any, call: Call) -> Any:
    """Call; an index that turns out to be damaged is built anew and asked again: a wrong answer is never given."""
    try:
        return operation.function(workspace, request, call)
    except BrokenIndex as error:
        workspace.rebuild(error, call.progress)
        return operation.function(workspace, request, call)


def _recorded(workspace: "Workspace", operation: Operation, request: Any, call: Call) -> Any:
    from shirube.operations.recording import enter, record

    enter(workspace, operation, request, call)
    try:
        result = _answer(workspace, operation, request, call)
    except ShirubeError:
        record(workspace, operation, request, call, None)
        raise
    record(workspace, operation, request, call, result)
    return result
