"""The one way into an operation, whichever door the call came through."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shirube.codec.arguments import read_request, unpacked
from shirube.codec.records import Record, replace
from shirube.cursor import one_page
from shirube.errors import BrokenIndex, ShirubeError
from shirube.operation import Call, Context, Operation, Shared
from shirube.operations import OPERATIONS, operation_named

if TYPE_CHECKING:
    from shirube.workspace import Workspace

NAMES = tuple(operation.name for operation in OPERATIONS)


def run(
    workspace: "Workspace", name: str | Operation[..., Any], arguments: Mapping[str, Any], call: Call | None = None
) -> Any:
    """Turn other spellings into the canonical ones, validate strictly, call; return the typed result.

    A door that lists an operation under another name hands in the operation itself. In a session the call is held
    against its phase first and recorded afterwards, with what it showed.
    """
    operation = operation_named(name) if isinstance(name, str) else name
    own, shared = _split(operation, unpacked(arguments, operation.containers, operation.needless))
    request = read_request(operation.request, own)
    handle = getattr(request, "session_id", "") or read_request(Shared, shared).session_id
    call = call or Call()
    project = Context(workspace, replace(call, session_id=handle, operations=call.operations or NAMES))
    with call.deadline.governing():
        if not handle or not operation.joins:
            return _answer(project, operation, request)
        return _recorded(project, operation, request)


def _split(operation: Operation[..., Any], sent: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of an operation's own, and those that all of them share."""
    if not operation.takes_shared:
        return dict(sent), {}
    shared = {
        name: value for name, value in sent.items() if name.replace("_", "").replace("-", "").lower() == "sessionid"
    }
    return {name: value for name, value in sent.items() if name not in shared}, shared


def _answer(project: Context, operation: Operation[..., Any], request: Record) -> Any:
    """Call; an index that turns out to be damaged is built anew and asked again: a wrong answer is never given."""

    def answer(request: Record) -> Any:
        return operation.function(project, request)

    def whole_or_page() -> Any:
        paged = "cursor" in request.__struct_fields__
        return one_page(project.workspace, operation.name, request, answer) if paged else answer(request)

    try:
        return whole_or_page()
    except BrokenIndex as error:
        project.workspace.rebuild(error, project.call.progress)
        return whole_or_page()


def _recorded(project: Context, operation: Operation[..., Any], request: Record) -> Any:
    from shirube.features.guard.recording import enter, record

    enter(project, operation, request)
    try:
        result = _answer(project, operation, request)
    except ShirubeError:
        record(project, operation, request, None)
        raise
    record(project, operation, request, result)
    return result
