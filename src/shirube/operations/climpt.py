"""Seed 000's own tools, by the names and arguments its server had, each led to our operation."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shirube.errors import counted
from shirube.operations.commands import (
    COMMAND_DESCRIBE,
    COMMAND_RELOAD,
    COMMAND_SEARCH,
    CommandReloadRequest,
    CommandSearchRequest,
    CommandSearchResult,
    Reach,
)
from shirube.operations.execute import COMMAND_EXECUTE, CommandExecuteResult
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What ``search`` takes."""

    query: str = arg(..., "What should be done.")
    agent: str = arg("climpt", "Whose registry.")


@dataclass(frozen=True, slots=True)
class FusedRequest:
    """What ``searchWithRRF`` takes."""

    queries: tuple[str, ...] = arg(..., "Several views of what should be done: action, target.")
    agent: str = arg("climpt", "Whose registry.")
    limit: int = arg(3, "How many commands.", low=1, high=50)


@dataclass(frozen=True, slots=True)
class ExecuteRequest:
    """What ``execute`` takes."""

    c1: str = arg(..., "The domain.")
    c2: str = arg(..., "The action.")
    c3: str = arg(..., "The target.")
    agent: str = arg("climpt", "Whose registry.")
    options: tuple[str, ...] = arg((), "Flags, for example -e=detailed.", keyed=True)


@dataclass(frozen=True, slots=True)
class ReloadResult:
    """What ``reload`` returns."""

    success: bool
    reloadedAgents: tuple[dict[str, object], ...]  # noqa: N815 - as the original spells it
    totalCommands: int  # noqa: N815
    message: str


def _strictly(workspace: "Workspace", wanted: CommandSearchRequest, call: Call) -> CommandSearchResult:
    """Search by the words as seed 000 does; only where they are nowhere, wider."""
    result: CommandSearchResult = COMMAND_SEARCH.function(workspace, replace(wanted, mode=Reach.STRICT), call)
    if result.results:
        return result
    wider: CommandSearchResult = COMMAND_SEARCH.function(workspace, wanted, call)
    return wider


def _search(workspace: "Workspace", request: SearchRequest, call: Call) -> CommandSearchResult:
    return _strictly(workspace, CommandSearchRequest(query=request.query, agent=request.agent), call)


def _fused(workspace: "Workspace", request: FusedRequest, call: Call) -> CommandSearchResult:
    wanted = CommandSearchRequest(queries=request.queries, agent=request.agent, limit=request.limit)
    return _strictly(workspace, wanted, call)


def _execute(workspace: "Workspace", request: ExecuteRequest, call: Call) -> CommandExecuteResult:
    given = COMMAND_EXECUTE.request(request.c1, request.c2, request.c3, request.agent, request.options)
    result: CommandExecuteResult = COMMAND_EXECUTE.function(workspace, given, call)
    return result


def _reload(workspace: "Workspace", request: CommandReloadRequest, call: Call) -> ReloadResult:
    read = COMMAND_RELOAD.function(workspace, request, call)
    agents = tuple(
        {"agent": one.agent, "commandCount": one.commands, "success": bool(one.digest)} for one in read.registries
    )
    success = all(one["success"] for one in agents)
    return ReloadResult(
        success, agents, read.total, f"{counted(read.total, 'command')} of {counted(len(agents), 'agent')}"
    )


SEARCH = replace(COMMAND_SEARCH, name="search", request=SearchRequest, function=_search, aliases={}, joins=False)
FUSED = replace(SEARCH, name="searchWithRRF", request=FusedRequest, function=_fused, aliases={"topN": "limit"})
DESCRIBE = replace(COMMAND_DESCRIBE, name="describe", joins=False)
EXECUTE = replace(COMMAND_EXECUTE, name="execute", request=ExecuteRequest, function=_execute, aliases={}, joins=False)
RELOAD = replace(COMMAND_RELOAD, name="reload", result=ReloadResult, function=_reload, joins=False)

CLIMPT: tuple[Operation, ...] = (SEARCH, DESCRIBE, EXECUTE, RELOAD)
"""Exactly what that server listed."""
CLIMPT_NAMES: tuple[Operation, ...] = (FUSED, DESCRIBE)
"""Its names that ours do not have."""
