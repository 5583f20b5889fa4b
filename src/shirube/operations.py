"""Every operation by its name, the toolsets for agents, and ``run``, through which every door calls an operation."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shirube.codec import Record, fold, read_request, replace, unpacked
from shirube.errors import BadArgument, BrokenIndex, MovedIndex, ShirubeError, UnknownName
from shirube.features.commands import climpt
from shirube.features.commands import operations as commands
from shirube.features.guard import insight_operations as insights
from shirube.features.guard import operations as session
from shirube.features.lookup import index_operations as index
from shirube.features.lookup import operations as search
from shirube.features.lookup import symbol_operations as symbols
from shirube.features.map import operations as map
from shirube.features.plan import operations as plan
from shirube.operation import Call, Context, Operation, Shared, one_page, shared_arguments

if TYPE_CHECKING:
    from shirube.workspace import Workspace

__all__ = ["commands", "index", "insights", "map", "plan", "search", "session", "symbols"]
AnyOperation = Operation[..., Any]
ORDER = (search, plan, symbols, commands, session, map, insights, index)
"""The modules that declare operations, in the order in which lists show them."""
OPERATIONS: tuple[AnyOperation, ...] = tuple(
    value for module in ORDER for value in vars(module).values() if isinstance(value, Operation)
)
TOOLSETS = ("core", "all", "compat", "climpt")
GROUPS = ("search", "symbols", "plan", "session", "map", "insights", "commands", "index")
COMPAT: tuple[AnyOperation, ...] = (
    *climpt.NAMES,
    session.submit_understanding.named("submit_exploration"),
    search.search.named("search_smart"),
    search.context_bundle.named("contextBundle"),
    search.files_search.named("filesSearch"),
    search.search.named(
        "gistdex_query",
        request=search.GistdexQueryRequest,
        function=search.gistdex_query,
        needless=("rerank", "includeMetadata", "useChain", "saveStructured"),
    ),
    plan.query_plan.named("gistdex_query_plan"),
    index.sync_index.named("gistdex_index"),
    index.index_status.named("gistdex_list", needless=("stats", "byExtension", "bySource", "detailed")),
)
"""Names of the seeds where ours differ; listed in the toolset ``compat``, accepted by every door."""
_BY_NAME = {name: operation for operation in OPERATIONS if (name := operation.tool)}
_BY_NAME |= {operation.name: operation for operation in (*COMPAT, *OPERATIONS)}


def operation_named(name: str) -> AnyOperation:
    """Return the operation of that name, or raise an error that names the most similar one."""
    if name not in _BY_NAME:
        raise UnknownName("operation", name, (operation.name for operation in OPERATIONS))
    return _BY_NAME[name]


def in_toolsets(toolsets: Iterable[str]) -> dict[str, AnyOperation]:
    """Return the operations of the named toolsets by their names there: ``core``, groups, ``all``, ``compat``.

    ``core`` has short names, the others those of the operations. ``climpt`` is another server's list, with a
    ``search`` of its own, so it cannot be combined.
    """
    wanted = {name.strip() for name in toolsets if name.strip()}
    for name in wanted - {*TOOLSETS, *GROUPS}:
        raise UnknownName("toolset", name, [*TOOLSETS, *GROUPS])
    if wanted == {"climpt"}:
        return {operation.name: operation for operation in climpt.TOOLS}
    if "climpt" in wanted:
        raise BadArgument("protocol.climpt_alone")
    chosen = {operation.tool: operation for operation in OPERATIONS if operation.tool and "core" in wanted - {"all"}}
    for operation in OPERATIONS:
        if "all" in wanted or (operation.group in wanted and operation.listed and operation not in chosen.values()):
            chosen[operation.name] = operation
    return chosen | {operation.name: operation for operation in COMPAT if "compat" in wanted}


NAMES = tuple(operation.name for operation in OPERATIONS)


def run(
    workspace: "Workspace", name: str | Operation[..., Any], arguments: Mapping[str, Any], call: Call | None = None
) -> Any:
    """Map other spellings to the declared names, validate strictly, call, and return the typed result.

    A door that lists an operation under another name passes the operation itself. In a session the call is first
    checked against the phase, and afterwards recorded with what it showed.
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
        from shirube.features.guard.recording import enter, record

        enter(project, operation, request)
        try:
            result = _answer(project, operation, request)
        except ShirubeError:
            record(project, operation, request, None)
            raise
        record(project, operation, request, result)
        return result


def shared_of(operation: AnyOperation, arguments: Mapping[str, Any]) -> Shared:
    """Return the shared arguments of a call."""
    return read_request(Shared, _split(operation, unpacked(arguments, operation.containers, operation.needless))[1])


def _split(operation: Operation[..., Any], sent: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the operation's own arguments, and the shared ones."""
    names = {fold(name) for name in shared_arguments(operation)}
    shared = {name: value for name, value in sent.items() if fold(name) in names}
    return {name: value for name, value in sent.items() if name not in shared}, shared


def _answer(project: Context, operation: Operation[..., Any], request: Record) -> Any:
    """Call the operation; call again if the index was damaged and had to be rebuilt, or a check found changes."""
    from shirube.features.lookup.coverage import answered, refresh_now, told_what_lacks

    def answer(request: Record) -> Any:
        if not operation.read_only:
            return operation.function(project, request)
        return answered(project.workspace, project.call, lambda: operation.function(project, request))

    def all_or_one_page() -> Any:
        paged = "cursor" in request.__struct_fields__
        return one_page(project.workspace, operation.name, request, answer) if paged else answer(request)

    try:
        result = all_or_one_page()
    except BrokenIndex as error:
        project.workspace.rebuild(error, project.call.progress)
        result = all_or_one_page()
    except MovedIndex:
        refresh_now(project.workspace, replace(project.call, patient=True))
        if not operation.read_only:  # a part of it may have been done
            raise
        result = all_or_one_page()
    return told_what_lacks(project.workspace, result)
