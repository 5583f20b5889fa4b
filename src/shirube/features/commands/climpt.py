"""Seed 000's own tools: the names, arguments and replies of its server, each made by an operation of ours."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from shirube.codec import Arg, Record, record_from, replace
from shirube.features.commands import results
from shirube.features.commands.operations import (
    CommandDescribeRequest,
    CommandExecuteRequest,
    CommandReloadRequest,
    CommandSearchRequest,
    command_describe,
    command_execute,
    command_reload,
    command_search,
)
from shirube.messages import NOTHING, Message, say
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


class ClimptExecuteRequest(CommandDescribeRequest):
    """What ``execute`` takes."""

    options: Annotated[tuple[str, ...], Arg("Flags, for example -e=detailed.", keyed=True)] = ()


class ClimptSearchResult(Record):
    """What ``search`` returns: BM25 scores."""

    results: tuple[results.CommandMatch, ...]
    agent: str


class ClimptFusedResult(Record):
    """What ``searchWithRRF`` returns: RRF scores, and the rank for each query."""

    results: tuple[results.FoundCommand, ...]
    agent: str


class ClimptDescribeResult(Record):
    """What ``describe`` returns: entries of the registry as they are written."""

    commands: tuple[Mapping[str, Any], ...]
    agent: str


class ClimptExecuteResult(Record):
    """What ``execute`` returns; that server sent the text alone."""

    text: str


class ClimptReloadResult(Record, omit_defaults=True):
    """What ``reload`` returns for one agent, or for all of them."""

    success: bool
    agent: str = ""
    commandCount: int | None = None  # noqa: N815 - as the original spells it
    clearedAgents: int | None = None  # noqa: N815
    reloadedAgents: tuple[dict[str, Any], ...] | None = None  # noqa: N815
    totalCommands: int | None = None  # noqa: N815
    message: Message = NOTHING


def _tool(ours: Operation[..., Any], name: str, **changes: Any) -> Callable[..., Operation[..., Any]]:
    """Declare a function as a tool of that server, in place of one of our operations."""

    def declare(function: Callable[[Context, Any], Any]) -> Operation[..., Any]:
        changes["summary"], changes["result"] = function.__doc__, function.__annotations__["return"]
        return replace(ours, name=name, function=function, joins=False, stands_for=ours.name, **changes)

    return declare


def _strict(project: Context, asked: ClimptSearchRequest | ClimptFusedRequest) -> tuple[results.FoundCommand, ...]:
    """Search by the words as seed 000 does, and no wider: clients take the scores for BM25, or for RRF of its ranks."""
    wanted = record_from(CommandSearchRequest, asked, mode=results.CommandSearchMode.STRICT)
    return command_search.function(project, wanted).results


@_tool(command_search, "search", request=ClimptSearchRequest)
def _search(project: Context, asked: ClimptSearchRequest) -> ClimptSearchResult:
    """Which of the team's commands does this? The three best by BM25 over their words and descriptions, as JSON."""
    matches = tuple(record_from(results.CommandMatch, one) for one in _strict(project, asked))
    return ClimptSearchResult(matches, asked.agent)


@_tool(command_search, "searchWithRRF", request=ClimptFusedRequest)
def _fused(project: Context, asked: ClimptFusedRequest) -> ClimptFusedResult:
    """Which of the team's commands does this? Several queries (action, target), fused by rank (RRF), as JSON."""
    return ClimptFusedResult(_strict(project, asked), asked.agent)


@_tool(command_describe, "describe")
def _describe(project: Context, asked: CommandDescribeRequest) -> ClimptDescribeResult:
    """What does a command take? Every entry of the registry with exactly these three words, as JSON."""
    entries, wanted = project.workspace.commands.registry(asked.agent).entries, (asked.c1, asked.c2, asked.c3)
    found = tuple(entry for entry in entries if (entry["c1"], entry["c2"], entry["c3"]) == wanted)
    return ClimptDescribeResult(found, asked.agent)


@_tool(command_execute, "execute", request=ClimptExecuteRequest)
def _execute(project: Context, asked: ClimptExecuteRequest) -> ClimptExecuteResult:
    """What are the instructions of a command? Renders its prompt from the registry, to be followed."""
    return ClimptExecuteResult(command_execute.function(project, record_from(CommandExecuteRequest, asked)).text)


@_tool(command_reload, "reload")
def _reload(project: Context, asked: CommandReloadRequest) -> ClimptReloadResult:
    """Which registries are there now? Reads them and their configuration anew, and counts the commands."""
    read = command_reload.function(project, asked)
    told = say("commands.climpt_reloaded", commands=read.total, agents=len(read.registries))
    if asked.agent:
        return ClimptReloadResult(True, asked.agent, read.total, message=told)
    agents = tuple(
        {"agent": one.agent, "commandCount": one.commands, "success": one.commands > 0} for one in read.registries
    )
    return ClimptReloadResult(True, "", None, len(agents), agents, read.total, told)


TOOLS: tuple[Operation[..., Any], ...] = (_search, _describe, _execute, _reload)
"""Exactly what that server listed."""
NAMES: tuple[Operation[..., Any], ...] = (_fused, _describe)
"""Its names that ours do not have."""
