"""Seed 000's own tools under the names and arguments of its server, each mapped to an operation of ours."""

from typing import Annotated, Any

from shirube.codec import Arg, Record, record_from, replace
from shirube.features.commands import results
from shirube.features.commands.operations import (
    CommandExecuteRequest,
    CommandReloadRequest,
    CommandSearchRequest,
    command_describe,
    command_execute,
    command_reload,
    command_search,
)
from shirube.operation import Context, Operation


class ClimptSearchRequest(Record):
    """What ``search`` takes."""

    query: Annotated[str, Arg("What should be done.")]
    agent: Annotated[str, Arg("Whose registry.")] = "climpt"


class ClimptFusedRequest(Record):
    """What ``searchWithRRF`` takes."""

    queries: Annotated[tuple[str, ...], Arg("Several views of what should be done: action, target.")]
    agent: Annotated[str, Arg("Whose registry.")] = "climpt"
    limit: Annotated[int, Arg("How many commands.", also="topN", low=1, high=50)] = 3


class ClimptExecuteRequest(Record):
    """What ``execute`` takes."""

    c1: Annotated[str, Arg("The domain.")]
    c2: Annotated[str, Arg("The action.")]
    c3: Annotated[str, Arg("The target.")]
    agent: Annotated[str, Arg("Whose registry.")] = "climpt"
    options: Annotated[tuple[str, ...], Arg("Flags, for example -e=detailed.", keyed=True)] = ()


def _search(project: Context, asked: ClimptSearchRequest | ClimptFusedRequest) -> results.CommandSearchResult:
    """Search by the words as seed 000 does; only where they are nowhere, wider."""
    wide = record_from(CommandSearchRequest, asked)
    strict = command_search.function(project, replace(wide, mode=results.CommandSearchMode.STRICT))
    return strict if strict.results else command_search.function(project, wide)


def _execute(project: Context, asked: ClimptExecuteRequest) -> results.CommandExecuteResult:
    return command_execute.function(project, record_from(CommandExecuteRequest, asked))


def _reload(project: Context, asked: CommandReloadRequest) -> results.ClimptReloadResult:
    return results.ClimptReloadResult.of(command_reload.function(project, asked))


SEARCH = replace(command_search, name="search", request=ClimptSearchRequest, function=_search, joins=False)
FUSED = replace(SEARCH, name="searchWithRRF", request=ClimptFusedRequest)
DESCRIBE = replace(command_describe, name="describe", joins=False)
EXECUTE = replace(command_execute, name="execute", request=ClimptExecuteRequest, function=_execute, joins=False)
_RELOAD: Operation[..., Any] = command_reload  # returns that server's own report under its own name
RELOAD = replace(_RELOAD, name="reload", result=results.ClimptReloadResult, function=_reload, joins=False)

TOOLS: tuple[Operation[..., Any], ...] = (SEARCH, DESCRIBE, EXECUTE, RELOAD)
"""Exactly what that server listed."""
NAMES: tuple[Operation[..., Any], ...] = (FUSED, DESCRIBE)
"""Its names that ours do not have."""
