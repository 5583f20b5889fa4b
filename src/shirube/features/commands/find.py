"""Which commands answer a request: strictly as seed 000 says, or wider when that finds nothing.

Strict is BM25 over c1, c2, c3 and the description. Wider fuses three orders by rank: those words without the ones that
tell nothing; the stems of all that is written about a command, with the glossary's English for Japanese; the meaning.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.search.evidence import fuse
from shirube.engine.search.question import read_question
from shirube.engine.text.bm25 import Bm25
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.commands.model import Command
from shirube.features.commands.words import command_tokens
from shirube.settings import SearchConfig

if TYPE_CHECKING:
    from shirube.engine.embed.port import Embedder, Rows

NEAR = 0.22
"""Least cosine of a command that its meaning brings in; requests that no command answers stay below 0.25."""
ENOUGH = 1 / 3
"""Share of the telling words that the first strict answer has to have; see benchmarks/commands."""
NOT_FOUND = -1
PUNCTUATION = ".,:;?!'\"()"

Ranking = list[tuple[int, float]]


class Match(Struct, frozen=True):
    """A command that answers, how well, and its place for each query (-1: not found)."""

    command: Command
    score: float
    ranks: tuple[int, ...]


class Finder:
    """The commands of one registry, ready to be asked; of those with the same three words the first counts."""

    def __init__(self, commands: Sequence[Command]) -> None:
        first: dict[str, Command] = {}
        for command in commands:
            first.setdefault(command.id, command)
        self.commands = tuple(first.values())
        self._strict: Bm25[int] = Bm25()
        for number, command in enumerate(self.commands):
            self._strict.add(number, command_tokens(main_text(command)))
        self._wide: Bm25[int] | None = None
        self._rows: tuple[str, Rows] | None = None

    def strict(self, queries: Sequence[str], limit: int) -> tuple[Match, ...]:
        """Return the best by the words alone; several queries are fused by rank."""
        return self._matches([self._by_words(query) for query in queries], limit)

    def covers(self, query: str) -> bool:
        """Tell whether the first strict answer has enough of what was asked to be believed."""
        telling, best = set(_telling(query)), self._by_words(query)[:1]
        has = [set(command_tokens(main_text(self.commands[number]))) for number, _ in best]
        return any(len(telling & words) >= ENOUGH * len(telling) for words in has)

    def wider(
        self, queries: Sequence[str], limit: int, config: SearchConfig, embedder: "Embedder"
    ) -> tuple[Match, ...]:
        """Return the best by stems, translations, everything written about a command, and meaning."""
        rankings = [self._by_legs(query, config, embedder) if query.strip() else [] for query in queries]
        return self._matches(rankings, limit)

    def _matches(self, rankings: list[Ranking], limit: int) -> tuple[Match, ...]:
        places = [{number: place for place, (number, _) in enumerate(ranking, 1)} for ranking in rankings]
        best = rankings[0] if len(rankings) == 1 else _fused([[number for number, _ in one] for one in rankings])
        return tuple(
            Match(self.commands[number], score, tuple(place.get(number, NOT_FOUND) for place in places))
            for number, score in best[:limit]
        )

    def _by_words(self, query: str) -> Ranking:
        return _ordered(self._strict.scores(command_tokens(query)))

    def _by_legs(self, query: str, config: SearchConfig, embedder: "Embedder") -> Ranking:
        question = read_question(query, config)
        words = _ordered(self._everything().scores({**question.forms, **question.terms}))
        legs = [words, _ordered(self._strict.scores(_telling(query)))]
        legs += [self._by_meaning(query, embedder)] if embedder.trained else []
        return _fused([[number for number, _ in leg] for leg in legs])

    def _everything(self) -> Bm25[int]:
        if self._wide is None:
            wide: Bm25[int] = Bm25()
            for number, command in enumerate(self.commands):
                wide.add(number, index_terms(all_text(command)))
            self._wide = wide
        return self._wide

    def _by_meaning(self, query: str, embedder: "Embedder") -> Ranking:
        if self._rows is None or self._rows[0] != embedder.name:
            from shirube.engine.embed.quantize import unit

            self._rows = (embedder.name, unit(embedder.contents([main_text(command) for command in self.commands])))
        near = (self._rows[1] @ embedder.query(query)[0]).tolist()
        return _ordered({number: value for number, value in enumerate(near) if value >= NEAR})


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
    """Return the words of a query without those all requests are made of."""
    tokens = command_tokens(query)
    return [token for token in tokens if token.strip(PUNCTUATION) not in stop_words()]


def _ordered(scores: Mapping[int, float]) -> Ranking:
    """Return what has a score, best first; equals stay in the order of the registry."""
    return sorted(((number, score) for number, score in scores.items() if score > 0), key=lambda one: (-one[1], one[0]))


def _fused(lists: list[list[int]]) -> Ranking:
    shares = fuse({str(place): keys for place, keys in enumerate(lists)})
    return _ordered({number: sum(parts.values()) for number, parts in shares.items()})
