"""Finds which word translates which: IBM's first model in both directions, and what both agree on.

Each English word of a pair looks for the Japanese word it comes from, and each Japanese word for its English one. A
link counts by the product of the two, so that a word which is merely often there is not taken for a translation.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

ROUNDS = 6
LEAST_COUNT = 0.3
"""Links that count less in all are forgotten."""
HEAD, BESIDE = 0.25, 0.4
"""How sure the first word of a phrase is (agreed by both), and how sure the word beside it comes from the same."""

Pair = tuple[Sequence[str], Sequence[str], float]
"""English, Japanese, and how much the pair counts."""


@dataclass
class Links:
    """What was found."""

    meanings: dict[str, dict[str, float]] = field(default_factory=dict)
    """Japanese → English → how often it is translated so."""
    phrases: dict[str, dict[str, float]] = field(default_factory=dict)
    """The same for two English words side by side."""
    seen: dict[str, float] = field(default_factory=dict)
    """Japanese → how often it occurs."""


def align(pairs: Iterable[Pair]) -> Links:
    """Return what the words of pairs mean."""
    grid = _Grid(pairs)
    forwards = grid.chosen(grid.english_at, grid.japanese_of_type)
    backwards = grid.chosen(grid.japanese_at, grid.english_of_type)
    backwards[grid.japanese == 0] = 0.0
    agreed = forwards * backwards
    counts = np.bincount(grid.type_of, agreed * grid.weight, len(grid.english_of_type))
    links = Links()
    for at in np.flatnonzero(counts > LEAST_COUNT):
        word = grid.japanese_words[grid.japanese_of_type[at]]
        links.meanings.setdefault(word, {})[grid.english_words[grid.english_of_type[at]]] = float(counts[at])
    first = np.unique(grid.japanese_at, return_index=True)[1]
    seen = np.bincount(grid.japanese[first], grid.weight[first], len(grid.japanese_words))
    links.seen = dict(zip(grid.japanese_words[1:], seen[1:].tolist(), strict=True))
    _phrases(grid, forwards, agreed, links)
    return links


def _phrases(grid: "_Grid", forwards: np.ndarray, agreed: np.ndarray, links: Links) -> None:
    here = np.flatnonzero(~grid.is_last & (grid.japanese != 0))
    after = here + grid.width[here]
    good = (agreed[here] >= HEAD) & (forwards[after] >= BESIDE) | (agreed[after] >= HEAD) & (forwards[here] >= BESIDE)
    here, after = here[good], after[good]
    triples = zip(grid.japanese[here].tolist(), grid.english[here].tolist(), grid.english[after].tolist(), strict=True)
    for (word, one, two), count in Counter(triples).items():
        phrase = f"{grid.english_words[one]} {grid.english_words[two]}"
        links.phrases.setdefault(grid.japanese_words[word], {})[phrase] = float(count)


class _Grid:
    """Every English word of every pair beside every Japanese one, and beside nothing (number 0)."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        english: dict[str, int] = {}
        japanese: dict[str, int] = {"": 0}
        parts: list[tuple[np.ndarray, ...]] = []
        above = left = 0
        for words, others, weight in pairs:
            row = np.array([english.setdefault(word, len(english)) for word in words], np.int32)
            column = np.array([0, *(japanese.setdefault(word, len(japanese)) for word in others)], np.int32)
            high, wide = len(row), len(column)
            parts.append(
                (
                    np.repeat(row, wide),
                    np.tile(column, high),
                    np.repeat(np.arange(above, above + high, dtype=np.int32), wide),
                    np.tile(np.arange(left, left + wide, dtype=np.int32), high),
                    np.full(high * wide, weight, np.float32),
                    np.full(high * wide, wide, np.int32),
                    np.repeat(np.arange(high) == high - 1, wide),
                )
            )
            above, left = above + high, left + wide
        columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        self.english, self.japanese, self.english_at, self.japanese_at, self.weight, self.width, self.is_last = columns
        self.english_words, self.japanese_words = list(english), list(japanese)
        code, self.type_of = np.unique(
            self.japanese.astype(np.int64) * len(english) + self.english, return_inverse=True
        )
        self.japanese_of_type, self.english_of_type = code // len(english), code % len(english)

    def chosen(self, chooser: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Return how sure each chooser is of each word beside it, after the probabilities were learned."""
        chance = np.ones(len(given))
        for _ in range(ROUNDS):
            counts = np.bincount(self.type_of, self._shares(chance, chooser) * self.weight, len(given))
            chance = counts / np.bincount(given, counts)[given]
        return self._shares(chance, chooser)

    def _shares(self, chance: np.ndarray, chooser: np.ndarray) -> np.ndarray:
        here = chance[self.type_of]
        return here / np.bincount(chooser, here)[chooser]
