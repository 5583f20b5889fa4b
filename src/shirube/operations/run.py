"""The one way into an operation, whichever door the call came through."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shirube.errors import BrokenIndex
from shirube.operations.check import request_from, unpacked
from shirube.operations.model import Call, Operation
from shirube.operations.table import operation_named

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def run(workspace: "Workspace", name: str | Operation, arguments: Mapping[str, Any], call: Call | None = None) -> Any:
    """Turn other spellings into the canonical ones, validate strictly, call; return the typed result.

    A door that lists an operation under another name hands in the operation itself.

    An index that turns out to be damaged is built anew and asked again: a wrong answer is never given.
    """
    operation = operation_named(name) if isinstance(name, str) else name
    sent = unpacked(arguments, operation.containers, operation.needless)
    request = request_from(operation.request, operation.aliases, sent)
    call = call or Call()
    try:
        return operation.function(workspace, request, call)
    except BrokenIndex as error:
        workspace.rebuild(error, call.progress)
        return operation.function(workspace, request, call)
