"""Measures how telling a word is: how much likelier its English is in a name when the message says the word.

修正 and 変更 are said of everything, so the names that a commit touches have nothing to do with them. 認証 is not.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt

from shirube.engine.text.glossary import JapaneseWord
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import split_identifier

FULL = 8.0
"""How many times likelier a name is for a word that tells in full."""
RATE, FLOOR = 0.08, 0.05
"""The share of messages whose names must have the English for a word that tells in full; what every word is worth."""
PRIOR_HITS, PRIOR_EXPECTED, PRIOR_SEEN = 2.0, 0.5, 10
LEAST_COMMITS = 60
"""Projects with fewer tell too little of what is usual there."""


def name_stems(row: Mapping[str, object]) -> set[str]:
    """Return the stems in the path and the names of a row."""
    names = [*row["n"], *re.split(r"[/.]", str(row["p"]))]  # type: ignore[misc]
    return {stem(word) for name in names for word in split_identifier(name)}


def weights(rows: Sequence[tuple[str, Sequence[JapaneseWord], set[str]]]) -> dict[str, float]:
    """Return how telling each word is, from 0 to 1.

    A row is a project, the words of a message, and the stems in the names it touched.
    """
    projects: dict[str, list[tuple[Sequence[JapaneseWord], set[str]]]] = {}
    for project, words, touched in rows:
        projects.setdefault(project, []).append((words, touched))
    seen, hits, expected = Counter[str](), Counter[str](), Counter[str]()
    for messages in projects.values():
        if len(messages) < LEAST_COMMITS:
            continue
        usual = Counter(term for _, touched in messages for term in touched)
        for words, touched in messages:
            for word in {word.text: word for word in words if word.meanings}.values():
                terms = {stem(part) for english, _ in word.meanings for part in english.split()}
                seen[word.text] += 1
                hits[word.text] += not terms.isdisjoint(touched)
                missed = 1.0
                for term in sorted(terms):
                    missed *= 1 - usual[term] / len(messages)
                expected[word.text] += 1 - missed
    return {word: _weight(count, hits[word], expected[word]) for word, count in seen.items()}


def _weight(seen: int, hits: int, expected: float) -> float:
    likelier = (hits + PRIOR_HITS) / (expected + PRIOR_EXPECTED)
    rate = (hits + RATE * PRIOR_SEEN) / (seen + PRIOR_SEEN)
    return max(FLOOR, min(1.0, log(max(likelier, 1.0)) / log(FULL) * sqrt(min(1.0, rate / RATE))))


UNSEEN = _weight(0, 0, 0.0)
"""What a word is worth that no message says."""
