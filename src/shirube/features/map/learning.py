"""What past outcomes teach the ranking: files that answered requests like this one. Pure, bounded, and off by default.

A prior is a share of a file's own score, never more than the bound, so that it can settle what is close and cannot
bring up what is not there. It is made anew from the outcomes each time: forgetting them takes it back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.text.glossary import english_for, stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.map.code_state import digest_now
from shirube.features.map.insights import held
from shirube.features.map.records import Effect, Outcome, Replay, Result, lessons

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LEAST_OVERLAP = 0.34
"""Requests that share less than this of their words are about different things."""
WORTH = {Result.SUCCESS: 1.0, Result.PARTIAL: 0.3, Result.FAILURE: -1.0}


class Lesson(Struct, frozen=True):
    """A request that was worked on, what was written, and what that was worth."""

    terms: frozenset[str]
    files: tuple[str, ...]
    worth: float


class Prior(Struct, frozen=True):
    """What was learnt; empty while there are too few outcomes."""

    lessons: tuple[Lesson, ...] = ()
    bound: float = 0.0
    rarity: Mapping[str, float] | None = None

    def shares(self, question: str) -> dict[str, float]:
        """Return by which share each file's score may be changed for this question."""
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
    """Make a prior of outcomes; a success whose files did not survive teaches as a failure does."""
    kept = list(survived) if survived is not None else [True] * len(outcomes)
    lessons = [_lesson(one, lasted) for one, lasted in zip(outcomes, kept, strict=True)]
    telling = tuple(lesson for lesson in lessons if lesson.terms and lesson.files)
    if not bound or len(telling) < least:
        return Prior()
    counts = Counter(term for lesson in telling for term in lesson.terms)
    rarity = {term: log(1 + len(telling) / count) for term, count in counts.items()}
    return Prior(telling, bound, rarity)


def terms_of(request: str) -> frozenset[str]:
    """Return the telling words of a request, Japanese ones in English too."""
    english = " ".join(word for meanings in english_for(request) for word in meanings)
    words = set(index_terms(f"{request} {english}"))
    return frozenset(words - {term for word in stop_words() for term in index_terms(word)})


def _lesson(outcome: Outcome, survived: bool) -> Lesson:
    worth = WORTH[outcome.outcome] * outcome.confidence
    files = [file.path for file in outcome.files] or list(outcome.analysis.related_files)
    return Lesson(terms_of(outcome.request), tuple(files), worth if survived or worth < 0 else -0.5)


def prior_of(workspace: "Workspace") -> Prior:
    """Return what outcomes have taught the ranking; nothing while it is switched off."""
    config = workspace.config.outcomes
    if not config.prior:
        return Prior()
    known = lessons(workspace.journal)
    lasted = [held(one, lambda path: digest_now(workspace, path)) for one in known]
    return learn(known, config.prior, config.prior_samples, lasted)


Rank = Callable[[str, Mapping[str, float]], Sequence[str]]
"""Returns the files for a question, best first, with what was learnt about files counted in."""


class Trial(Struct, frozen=True):
    """How learning is tried: how far it may move a score, from how many outcomes on, on how many requests."""

    bound: float
    least: int
    requests: int


def replays(outcomes: Sequence[Outcome], kept: Sequence[bool], rank: Rank, trial: Trial) -> tuple[Replay, ...]:
    """Ask the last requests that can tell again; ``kept`` says of which outcomes the files are still there."""
    telling = [
        number
        for number, one in enumerate(outcomes)
        if one.outcome == Result.SUCCESS and one.files and one.request.strip() and kept[number]
    ]
    replayed = []
    for number in telling[-trial.requests :]:
        one, prior = outcomes[number], learn(outcomes[:number], trial.bound, trial.least, kept[:number])
        if prior.lessons:
            files, shares = {file.path for file in one.files}, prior.shares(one.request)
            path, before = _place(rank(one.request, {}), files)
            named, after = _place(rank(one.request, shares), files) if shares else (path, before)
            replayed.append(Replay(one.session_id, one.request, named or path or min(files), before, after))
    return tuple(replayed)


def _place(ranked: Sequence[str], files: set[str]) -> tuple[str, int]:
    return next(((path, number) for number, path in enumerate(ranked, 1) if path in files), ("", 0))


def effect(found: Sequence[Replay]) -> Effect:
    """Count what was learnt for."""
    if not found:
        return Effect()
    gains = [_worth(one.rank_with) - _worth(one.rank_without) for one in found]
    ranks = [(one.rank_without, one.rank_with) for one in found]
    columns = list(zip(*ranks, strict=True))
    firsts = [round(column.count(1) / len(found), 3) for column in columns]
    means = [round(sum(map(_worth, column)) / len(found), 3) for column in columns]
    return Effect(len(found), sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains), *firsts, *means)


def _worth(rank: int) -> float:
    return 1 / rank if rank else 0.0
