"""Finds the commands for a request: strictly, as in seed 000, or with a wider search when that finds too little.

The strict search is BM25 over c1, c2, c3 and the description. The wider search fuses three rankings: the strict one
without stop words; stems of everything written about a command, with Japanese translated by the glossary; the meaning.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from shirube.engine.search.evidence import fuse
from shirube.engine.search.question import read_question
from shirube.engine.text.bm25 import Bm25
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import CJK, index_terms, normalise
from shirube.errors import BadArgument, ShirubeError
from shirube.features.commands.model import Command
from shirube.features.commands.results import (
    CommandDescribeResult,
    CommandReloadResult,
    CommandSearchMode,
    CommandSearchResult,
    FoundCommand,
    LoadedRegistry,
)
from shirube.messages import say, step
from shirube.operation import Call
from shirube.settings import SearchConfig

if TYPE_CHECKING:
    from shirube.engine.embed.port import Embedder, Rows
    from shirube.features.commands.operations import CommandDescribeRequest, CommandReloadRequest, CommandSearchRequest
    from shirube.features.commands.registry import Registry
    from shirube.workspace import Workspace

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RUN = re.compile(rf"[{CJK}]+|[^{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")
NEAR = 0.22
"""The least cosine at which meaning adds a command; requests that no command answers stay below 0.25."""
MOST_QUERIES = 10
ENOUGH = 1 / 3
"""The share of a request's words (no stop words) that the first strict answer must have; see benchmarks/commands."""
NOT_FOUND = -1
PUNCTUATION = ".,:;?!'\"()"
Ranking = list[tuple[int, float]]


def command_tokens(text: str) -> list[str]:
    """Split at spaces, and compounds too: ``"groupCommit now"`` → ``["group", "commit", "groupcommit", "now"]``.

    Lower-casing comes after camel-case splitting. Japanese has no spaces, so its runs become overlapping pairs.
    """
    return list(chain.from_iterable(map(_cut, normalise(text).split())))


def _cut(word: str) -> list[str]:
    if _JAPANESE.search(word):
        return [token for run in _RUN.findall(word) for token in (_pairs(run) if _JAPANESE.match(run) else _cut(run))]
    parts = [part.lower() for piece in re.split(r"[-_]", word) for part in _HUMP.split(piece) if part]
    return [*parts, word.lower()] if len(parts) > 1 else [word.lower()]


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


class Finder:
    """A search index of one registry's commands; of commands with the same three words the first counts."""

    def __init__(self, commands: Sequence[Command]) -> None:
        first: dict[str, Command] = {}
        for command in commands:
            first.setdefault(command.id, command)
        self.commands = tuple(first.values())
        self._strict = _word_index(command_tokens(main_text(command)) for command in self.commands)
        self._rows: tuple[str, Rows] | None = None

    def strict(self, queries: Sequence[str], limit: int, fused: bool = False) -> tuple[FoundCommand, ...]:
        """Return the best by the words alone; several queries are fused by rank, one where that is asked for."""
        return self._matches([self._by_words(query) for query in queries], limit, fused or len(queries) > 1)

    def covers(self, query: str) -> bool:
        """Tell whether the first strict answer has enough of the request's words to be trusted."""
        telling, best = set(_telling(query)), self._by_words(query)[:1]
        has = [set(command_tokens(main_text(self.commands[number]))) for number, _ in best]
        return any(len(telling & words) >= ENOUGH * len(telling) for words in has)

    def wider(
        self, queries: Sequence[str], limit: int, config: SearchConfig, embedder: "Embedder"
    ) -> tuple[FoundCommand, ...]:
        """Return the best by stems, translations, everything written about a command, and meaning."""
        rankings = [self._by_legs(query, config, embedder) if query.strip() else [] for query in queries]
        return self._matches(rankings, limit, len(rankings) > 1)

    def _matches(self, rankings: list[Ranking], limit: int, fused: bool) -> tuple[FoundCommand, ...]:
        places = [{number: place for place, (number, _) in enumerate(ranking, 1)} for ranking in rankings]
        best = _fused([[number for number, _ in ranking] for ranking in rankings]) if fused else rankings[0]
        found = []
        for number, score in best[:limit]:
            command, ranks = self.commands[number], tuple(place.get(number, NOT_FOUND) for place in places)
            found.append(FoundCommand(command.c1, command.c2, command.c3, command.description, score, ranks))
        return tuple(found)

    def _by_words(self, query: str) -> Ranking:
        return _ordered(self._strict.scores(command_tokens(query)))

    def _by_legs(self, query: str, config: SearchConfig, embedder: "Embedder") -> Ranking:
        question = read_question(query, config)
        words = _ordered(self._wide.scores(question.in_names))
        legs = [words, _ordered(self._strict.scores(_telling(query)))]
        if embedder.trained:
            if self._rows is None or self._rows[0] != embedder.name:
                from shirube.engine.embed.quantize import unit

                self._rows = (embedder.name, unit(embedder.contents([main_text(command) for command in self.commands])))
            near = (self._rows[1] @ embedder.query(query)[0]).tolist()
            legs.append(_ordered({number: value for number, value in enumerate(near) if value >= NEAR}))
        return _fused([[number for number, _ in leg] for leg in legs])

    @cached_property
    def _wide(self) -> Bm25[int]:
        return _word_index(index_terms(all_text(command)) for command in self.commands)


def _word_index(texts: Iterable[Sequence[str]]) -> Bm25[int]:
    """Return a word index of texts, which are identified by their positions."""
    index: Bm25[int] = Bm25()
    for number, words in enumerate(texts):
        index.add(number, words)
    return index


def main_text(command: Command) -> str:
    """Return what seed 000 searches: the three words and the description."""
    return f"{command.id} {command.description}"


def all_text(command: Command) -> str:
    """Return all that is written about a command: its words, description, usage, options and variables."""
    options = command.options
    named = [*options.edition, *options.adaptation]
    named += [name for name in ("file", "stdin", "destination") if getattr(options, name)]
    named += [f"{name} {meaning}" for name, meaning in options.uv.items()]
    kept = [name for name in named if name != "default"]
    return " ".join([main_text(command), command.usage, *kept])


def _telling(query: str) -> list[str]:
    """Return the words of a query without stop words."""
    tokens = command_tokens(query)
    return [token for token in tokens if token.strip(PUNCTUATION) not in stop_words()]


def _ordered(scores: Mapping[int, float]) -> Ranking:
    """Return the entries with a positive score, best first; ties keep the order of the registry."""
    return sorted(((number, score) for number, score in scores.items() if score > 0), key=lambda one: (-one[1], one[0]))


def _fused(lists: list[list[int]]) -> Ranking:
    shares = fuse({str(place): keys for place, keys in enumerate(lists)})
    return _ordered({number: sum(parts.values()) for number, parts in shares.items()})


def command_search(workspace: "Workspace", request: "CommandSearchRequest", call: Call) -> CommandSearchResult:
    """Answer the operation of this name."""
    if request.query and request.queries:
        raise BadArgument("commands.both_queries")
    queries = request.queries or (request.query,)
    if not any(query.strip() for query in queries):
        raise BadArgument("commands.no_words")
    if len(queries) > MOST_QUERIES:
        raise BadArgument("commands.many_queries", count=len(queries), most=MOST_QUERIES)
    registry = workspace.commands.registry(request.agent)
    if not registry.found:
        notes = (*registry.problems, say("commands.no_registry", path=registry.path))
        return CommandSearchResult((), request.agent, request.mode, notes, say("commands.build_makes"))
    matches, mode = _find(workspace, registry, request, queries)
    notes = registry.problems
    if matches and mode == CommandSearchMode.WIDE and request.mode == CommandSearchMode.AUTO:
        notes += (say("commands.widened"),)
    if mode == CommandSearchMode.WIDE and not workspace.embedder.trained:
        notes += (say("commands.no_model"),)
    advice = say("commands.none", count=len(registry.commands)) if registry.commands else say("commands.empty")
    if matches:
        best = matches[0]
        advice = say("commands.found", call=step("command_execute", c1=best.c1, c2=best.c2, c3=best.c3))
    return CommandSearchResult(matches, request.agent, mode, notes, advice)


def _find(
    workspace: "Workspace", registry: "Registry", request: "CommandSearchRequest", queries: tuple[str, ...]
) -> tuple[tuple[FoundCommand, ...], CommandSearchMode]:
    """Search strictly; widen if requested, if nothing was found, or if the answer has too few words of the request."""
    finder = workspace.commands.finder(registry)
    if request.mode != CommandSearchMode.WIDE:
        strict = finder.strict(queries, request.limit, fused=bool(request.queries))
        enough = strict and (len(queries) > 1 or finder.covers(queries[0]))
        if enough or request.mode == CommandSearchMode.STRICT:
            return strict, CommandSearchMode.STRICT
    return finder.wider(queries, request.limit, workspace.config.search, workspace.embedder), CommandSearchMode.WIDE


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
    agents, loaded = catalog.agents(), []
    for agent in [request.agent] if request.agent else agents:
        try:
            read = catalog.registry(agent)
        except ShirubeError as error:
            if request.agent:
                raise
            loaded.append(LoadedRegistry(agent, agents[agent], 0, "", (error.told,)))
            continue
        problems = read.problems if read.found else (say("commands.no_registry", path=read.path),)
        loaded.append(LoadedRegistry(agent, read.found or read.path, len(read.commands), read.digest, problems))
    return CommandReloadResult(tuple(loaded), sum(item.commands for item in loaded), say("commands.reloaded"))
