"""Finding and describing the commands of a registry."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shirube.commands import Command
from shirube.errors import BadArgument, counted
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.commands.find import Match
    from shirube.commands.registry import Registry
    from shirube.workspace import Workspace

MOST_QUERIES = 10
NO_REGISTRY = "there is no registry at {path}, neither in the project nor in the home directory"


class Reach(StrEnum):
    """How far a search for commands goes."""

    AUTO = "auto"
    STRICT = "strict"
    WIDE = "wide"


@dataclass(frozen=True, slots=True)
class CommandSearchRequest:
    """What ``command_search`` takes."""

    query: str = arg("", "What should be done, in English or Japanese.")
    queries: tuple[str, ...] = arg((), "Several views of it (action, target), fused by rank.")
    agent: str = arg("climpt", "Whose registry.")
    limit: int = arg(3, "How many commands.", low=1, high=50)
    mode: Reach = arg(Reach.AUTO, "strict: the words as written; wide: also stems, translation, meaning.")


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """A command that answers."""

    c1: str
    c2: str
    c3: str
    description: str
    score: float
    ranks: tuple[int, ...]
    """Its place for each query, from 1; -1 where it was not found."""


@dataclass(frozen=True, slots=True)
class CommandSearchResult:
    """What ``command_search`` returns."""

    results: tuple[FoundCommand, ...]
    agent: str
    mode: Reach
    """Which search the results and scores come from: strict (BM25, or RRF of several) or wide (RRF)."""
    degraded: tuple[str, ...] = ()
    next: str = ""


def _search(workspace: "Workspace", request: CommandSearchRequest, call: Call) -> CommandSearchResult:
    queries = _queries(request)
    registry = workspace.commands.registry(request.agent)
    if not registry.found:
        told = (*registry.problems, NO_REGISTRY.format(path=registry.path))
        return CommandSearchResult((), request.agent, request.mode, told, "command_build makes one from prompts")
    matches, mode = _find(workspace, registry, request, queries)
    notes = list(registry.problems)
    if mode == Reach.WIDE and request.mode == Reach.AUTO:
        notes.append("the words as written are in too few commands, so the wider search answers; scores are of ranks")
    if mode == Reach.WIDE and not workspace.embedder.trained:
        notes.append("without a trained model the wider search goes by words, stems and the glossary alone")
    return CommandSearchResult(
        tuple(_wire(match) for match in matches), request.agent, mode, tuple(notes), _advice(registry, matches)
    )


def _queries(request: CommandSearchRequest) -> tuple[str, ...]:
    if request.query and request.queries:
        raise BadArgument("both 'query' and 'queries' are given", "send one of them")
    queries = request.queries or (request.query,)
    if not any(query.strip() for query in queries):
        raise BadArgument(
            "the request has no word", "say what should be done, for example 'group my changes into commits'"
        )
    if len(queries) > MOST_QUERIES:
        raise BadArgument(f"{len(queries)} queries are given, the limit is {MOST_QUERIES}", "keep action and target")
    return queries


def _find(
    workspace: "Workspace", registry: "Registry", request: CommandSearchRequest, queries: tuple[str, ...]
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


def _advice(registry: "Registry", matches: "tuple[Match, ...]") -> str:
    if matches:
        best = matches[0].command
        return f"command_execute c1={best.c1} c2={best.c2} c3={best.c3}; command_describe tells what it takes"
    if not registry.commands:
        return "the registry is empty; command_build makes it from the prompts beside it"
    return f"none of {counted(len(registry.commands), 'command')} answers this; say it in other words"


@dataclass(frozen=True, slots=True)
class CommandDescribeRequest:
    """What ``command_describe`` takes."""

    c1: str = arg(..., "The domain.")
    c2: str = arg(..., "The action.")
    c3: str = arg(..., "The target.")
    agent: str = arg("climpt", "Whose registry.")


@dataclass(frozen=True, slots=True)
class CommandDescribeResult:
    """What ``command_describe`` returns."""

    commands: tuple[Command, ...]
    agent: str
    degraded: tuple[str, ...] = ()


def _describe(workspace: "Workspace", request: CommandDescribeRequest, call: Call) -> CommandDescribeResult:
    registry = workspace.commands.registry(request.agent)
    notes = () if registry.found else (NO_REGISTRY.format(path=registry.path),)
    found = registry.named(request.c1, request.c2, request.c3)
    return CommandDescribeResult(found, request.agent, (*registry.problems, *notes))


@dataclass(frozen=True, slots=True)
class CommandReloadRequest:
    """What ``command_reload`` takes."""

    agent: str = arg("", "Whose registry; empty: all.")


@dataclass(frozen=True, slots=True)
class LoadedRegistry:
    """One registry after it was read anew."""

    agent: str
    path: str
    commands: int
    digest: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandReloadResult:
    """What ``command_reload`` returns."""

    registries: tuple[LoadedRegistry, ...]
    total: int
    next: str = ""


def _reload(workspace: "Workspace", request: CommandReloadRequest, call: Call) -> CommandReloadResult:
    catalog = workspace.commands
    catalog.forget()
    read = [catalog.registry(agent) for agent in ([request.agent] if request.agent else catalog.agents())]
    loaded = tuple(
        LoadedRegistry(
            one.agent,
            one.found or one.path,
            len(one.commands),
            one.digest,
            one.problems if one.found else (NO_REGISTRY.format(path=one.path),),
        )
        for one in read
    )
    return CommandReloadResult(loaded, sum(one.commands for one in loaded), "changed files are read at once anyway")


COMMAND_SEARCH = Operation(
    name="command_search",
    summary="Which of the team's commands (prompts, procedures) does this? Ask in English or Japanese.",
    request=CommandSearchRequest,
    result=CommandSearchResult,
    function=_search,
    group="commands",
    core=True,
    aliases={"topN": "limit", "top_n": "limit"},
)

COMMAND_DESCRIBE = Operation(
    name="command_describe",
    summary="What does a command take? Every entry of the registry with exactly these three words, or none.",
    request=CommandDescribeRequest,
    result=CommandDescribeResult,
    function=_describe,
    group="commands",
)

COMMAND_RELOAD = Operation(
    name="command_reload",
    summary="Which registries are there now? Reads them and their configuration anew.",
    request=CommandReloadRequest,
    result=CommandReloadResult,
    function=_reload,
    group="commands",
)
