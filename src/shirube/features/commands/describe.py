"""Finding and describing the commands of a registry."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.commands.results import (
    CommandDescribeResult,
    CommandReloadResult,
    CommandSearchResult,
    FoundCommand,
    LoadedRegistry,
    Reach,
)
from shirube.messages import Message, say, step
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.commands.find import Match
    from shirube.features.commands.operations import CommandDescribeRequest, CommandReloadRequest, CommandSearchRequest
    from shirube.features.commands.registry import Registry
    from shirube.workspace import Workspace

MOST_QUERIES = 10


def command_search(workspace: "Workspace", request: "CommandSearchRequest", call: Call) -> CommandSearchResult:
    """Answer the operation of this name."""
    queries = _queries(request)
    registry = workspace.commands.registry(request.agent)
    if not registry.found:
        told = (*registry.problems, say("commands.no_registry", path=registry.path))
        return CommandSearchResult((), request.agent, request.mode, told, say("commands.build_makes"))
    matches, mode = _find(workspace, registry, request, queries)
    notes = list(registry.problems)
    if mode == Reach.WIDE and request.mode == Reach.AUTO:
        notes.append(say("commands.widened"))
    if mode == Reach.WIDE and not workspace.embedder.trained:
        notes.append(say("commands.no_model"))
    return CommandSearchResult(
        tuple(_wire(match) for match in matches), request.agent, mode, tuple(notes), _advice(registry, matches)
    )


def _queries(request: "CommandSearchRequest") -> tuple[str, ...]:
    if request.query and request.queries:
        raise BadArgument("commands.both_queries")
    queries = request.queries or (request.query,)
    if not any(query.strip() for query in queries):
        raise BadArgument("commands.no_words")
    if len(queries) > MOST_QUERIES:
        raise BadArgument("commands.many_queries", count=len(queries), most=MOST_QUERIES)
    return queries


def _find(
    workspace: "Workspace", registry: "Registry", request: "CommandSearchRequest", queries: tuple[str, ...]
) -> "tuple[tuple[Match, ...], Reach]":
    """Ask strictly; widen when that is wanted, finds nothing, or has too little of a single request."""
    finder = workspace.commands.finder(registry)
    if request.mode != Reach.WIDE:
        strict = finder.strict(queries, request.limit)
        enough = strict and (len(queries) > 1 or finder.covers(queries[0]))
        if enough or request.mode == Reach.STRICT:
            return strict, Reach.STRICT
    return finder.wider(queries, request.limit, workspace.config.search, workspace.embedder), Reach.WIDE


def _wire(match: "Match") -> FoundCommand:
    one = match.command
    return FoundCommand(one.c1, one.c2, one.c3, one.description, match.score, match.ranks)


def _advice(registry: "Registry", matches: "tuple[Match, ...]") -> Message:
    if matches:
        best = matches[0].command
        return say("commands.found", call=step("command_execute", c1=best.c1, c2=best.c2, c3=best.c3))
    if not registry.commands:
        return say("commands.empty")
    return say("commands.none", count=len(registry.commands))


def command_describe(workspace: "Workspace", request: "CommandDescribeRequest", call: Call) -> CommandDescribeResult:
    """Answer the operation of this name."""
    registry = workspace.commands.registry(request.agent)
    notes = () if registry.found else (say("commands.no_registry", path=registry.path),)
    found = registry.named(request.c1, request.c2, request.c3)
    return CommandDescribeResult(found, request.agent, (*registry.problems, *notes))


def command_reload(workspace: "Workspace", request: "CommandReloadRequest", call: Call) -> CommandReloadResult:
    """Answer the operation of this name."""
    catalog = workspace.commands
    catalog.forget()
    read = [catalog.registry(agent) for agent in ([request.agent] if request.agent else catalog.agents())]
    loaded = tuple(
        LoadedRegistry(
            one.agent,
            one.found or one.path,
            len(one.commands),
            one.digest,
            one.problems if one.found else (say("commands.no_registry", path=one.path),),
        )
        for one in read
    )
    return CommandReloadResult(loaded, sum(one.commands for one in loaded), say("commands.reloaded"))
