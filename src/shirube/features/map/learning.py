"""What the ranking learns from past outcomes: files that answered similar requests. Bounded, and off by default.

A prior changes a file's score by a share of it, at most by the bound. It can reorder close results, but it cannot add a
file that the search did not find. It is rebuilt from the outcomes each time, so forgetting them removes its effect.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.map.meanings import telling_parts
from shirube.features.map.records import Effect, Outcome, Replay, Result, lessons
from shirube.features.map.written import undone_sessions

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LEAST_OVERLAP = 0.34
"""The least weighted share of a question's words that a past request must contain to count as similar."""
WORTH = {Result.SUCCESS: 1.0, Result.PARTIAL: 0.3, Result.FAILURE: -1.0}
Rank = Callable[[str, Mapping[str, float]], Sequence[str]]
"""Returns the files for a question, best first; the mapping is the learned change of each file's score."""


class Lesson(Struct, frozen=True):
    """A past request, the files written for it, and the worth of the result, from -1 to 1."""

    terms: frozenset[str]
    files: tuple[str, ...]
    worth: float


class Prior(Struct, frozen=True):
    """What was learned; empty while there are too few outcomes."""

    lessons: tuple[Lesson, ...] = ()
    bound: float = 0.0
    rarity: Mapping[str, float] | None = None

    def shares(self, question: str) -> dict[str, float]:
        """Return the share by which to change each file's score for this question."""
        if not self.lessons or not self.bound:
            return {}
        asked = terms_of(question)
        whole = sum(map(self._rarity, asked)) or 1.0
        total: dict[str, float] = {}
        for lesson in self.lessons:
            overlap = sum(map(self._rarity, asked & lesson.terms)) / whole
            if overlap >= LEAST_OVERLAP:
                for path in lesson.files:
                    total[path] = total.get(path, 0.0) + overlap * lesson.worth
        return {path: round(self.bound * max(-1.0, min(1.0, value)), 4) for path, value in total.items() if value}

    def _rarity(self, term: str) -> float:
        return (self.rarity or {}).get(term, 1.0)


def learn(outcomes: Sequence[Outcome], bound: float, least: int, survived: Iterable[bool] | None = None) -> Prior:
    """Build a prior from outcomes; a success whose files did not survive counts as a mild failure."""
    lasting = list(survived) if survived is not None else [True] * len(outcomes)
    lessons = []
    for outcome, lasted in zip(outcomes, lasting, strict=True):
        worth = WORTH[outcome.outcome] * outcome.confidence
        files = tuple(file.path for file in outcome.files) or outcome.analysis.related_files
        lessons.append(Lesson(terms_of(outcome.request), files, worth if lasted or worth < 0 else -0.5))
    usable = tuple(lesson for lesson in lessons if lesson.terms and lesson.files)
    if not bound or len(usable) < least:
        return Prior()
    counts = Counter(term for lesson in usable for term in lesson.terms)
    rarity = {term: log(1 + len(usable) / count) for term, count in counts.items()}
    return Prior(usable, bound, rarity)


def terms_of(request: str) -> frozenset[str]:
    """Return the index terms of a request without stop words; Japanese words count in English too."""
    english = " ".join(word for part in telling_parts(request) for word in part.english)
    words = set(index_terms(f"{request} {english}"))
    return frozenset(words - {term for word in stop_words() for term in index_terms(word)})


def prior_of(workspace: "Workspace") -> Prior:
    """Return the prior of all outcomes; an empty one while learning is off."""
    config = workspace.config.outcomes
    if not config.prior:
        return Prior()
    known, undone = lessons(workspace.journal), undone_sessions(workspace)
    lasted = [outcome.session_id not in undone for outcome in known]
    return learn(known, config.prior, config.prior_samples, lasted)


class Trial(Struct, frozen=True):
    """The settings of a trial: the bound on score changes, the least number of outcomes, and the number of requests."""

    bound: float
    least: int
    requests: int


def replays(outcomes: Sequence[Outcome], kept: Sequence[bool], rank: Rank, trial: Trial) -> tuple[Replay, ...]:
    """Repeat the latest suitable requests with what was learned before each; ``kept``: whether its files survived."""
    usable = [
        number
        for number, past in enumerate(outcomes)
        if past.outcome == Result.SUCCESS and past.files and past.request.strip() and kept[number]
    ]
    replayed = []
    for number in usable[-trial.requests :]:
        past, prior = outcomes[number], learn(outcomes[:number], trial.bound, trial.least, kept[:number])
        if prior.lessons:
            files, shares = {file.path for file in past.files}, prior.shares(past.request)
            path, before = _place(rank(past.request, {}), files)
            named, after = _place(rank(past.request, shares), files) if shares else (path, before)
            replayed.append(Replay(past.session_id, past.request, named or path or min(files), before, after))
    return tuple(replayed)


def _place(ranked: Sequence[str], files: set[str]) -> tuple[str, int]:
    return next(((path, number) for number, path in enumerate(ranked, 1) if path in files), ("", 0))


def effect(found: Sequence[Replay]) -> Effect:
    """Sum up replays: the effect of learning on the ranks."""
    if not found:
        return Effect()
    gains = [_worth(item.rank_with) - _worth(item.rank_without) for item in found]
    ranks = [(item.rank_without, item.rank_with) for item in found]
    columns = list(zip(*ranks, strict=True))
    firsts = [round(column.count(1) / len(found), 3) for column in columns]
    means = [round(sum(map(_worth, column)) / len(found), 3) for column in columns]
    return Effect(len(found), sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains), *firsts, *means)


def _worth(rank: int) -> float:
    return 1 / rank if rank else 0.0
