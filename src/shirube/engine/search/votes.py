"""What past changes say of a question: commits with similar messages vote for the files and symbols they changed."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from math import sqrt

from msgspec import Struct

from shirube.engine.search.names import name_terms, symbol_terms
from shirube.engine.store.port import PastChange, SimilarChange, TouchedFile

SIMILAR = 60
"""How many of the most similar commits vote."""
POWER, POWER_JAPANESE = 3.0, 2.0
"""Likeness counts by this power: one message that says nearly the same is worth more than many that share a word.
Japanese messages are compared by pairs of letters, grammar included, so those that say the same are less alike."""
ENOUGH = 0.05
"""Votes worth half of what a file can get at most."""
TELLING_FILES, TELLING_TERMS, TRANSLATED = 10, 8, 0.25
"""How many of the files with most votes translate a question, how many terms they add, and what the best counts."""
SHORT_TERM = 2
FILE_NAME = 0.5
"""What the name of a file tells beside those of all symbols touched in it."""
SHORT_SUBJECT = 48


class Vote(Struct, frozen=True, dict=True):
    """What similar commits say of one file."""

    share: float
    """How much they say, from 0 to 1."""
    changes: Sequence[tuple[float, PastChange, TouchedFile]]
    """What each of them is worth, the commit, and what it changed in this file."""

    @cached_property
    def symbols(self) -> dict[str, float]:
        """The names of the symbols that they touched, each with its part of the votes, from 0 to 1; most first."""
        total = sum(worth for worth, _, _ in self.changes)
        parts: dict[str, float] = {}
        for worth, _, file in self.changes:
            for name in file.symbols:
                parts[name] = parts.get(name, 0.0) + worth / total
        return dict(sorted(parts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def reason(self) -> str:
        """The commit that says most: ``history:1a2b3c4 "Fix session expiry"``."""
        _, change, _ = max(self.changes, key=lambda said: said[0])
        subject = change.subject
        if len(subject) > SHORT_SUBJECT:
            subject = subject[: SHORT_SUBJECT - 1].rstrip() + "…"
        return f'history:{change.short} "{subject}"'


def votes(similar: Sequence[SimilarChange], power: float = POWER) -> dict[str, Vote]:
    """Return by path what similar commits say; a commit with many files says less of each."""
    totals: dict[str, float] = {}
    said: dict[str, list[tuple[float, PastChange, TouchedFile]]] = {}
    for one in similar:
        change = one.change
        worth = min(1.0, one.share) ** power * change.weight / sqrt(max(1, len(change.files)))
        for file in change.files if worth > 0 else ():
            totals[file.path] = totals.get(file.path, 0.0) + worth
            said.setdefault(file.path, []).append((worth, change, file))
    return {path: Vote(total / (total + ENOUGH), said[path]) for path, total in totals.items()}


def most_voted(voted: Mapping[str, Vote], most: int) -> list[tuple[str, Vote]]:
    """Return the files with most votes, best first."""
    return sorted(voted.items(), key=lambda item: (-item[1].share, item[0]))[:most]


def translation(voted: Mapping[str, Vote], known: Collection[str]) -> dict[str, float]:
    """Return what the project calls the things a question is about: terms that are not ``known``, and their weights.

    Its own people said 番組表 and touched ``ProgramGuide``; so a Japanese question finds the English symbol.
    """
    told: Counter[str] = Counter()
    for path, vote in most_voted(voted, TELLING_FILES):
        for name, part in vote.symbols.items():
            told.update(dict.fromkeys(symbol_terms(name), vote.share * part))
        told.update(dict.fromkeys(name_terms(path), vote.share * FILE_NAME))
    best = max(told.values(), default=1.0)
    new = [term for term in told if term not in known and len(term) > SHORT_TERM]
    ordered = sorted(new, key=lambda term: (-told[term], term))[:TELLING_TERMS]
    return {term: TRANSLATED * told[term] / best for term in ordered}
