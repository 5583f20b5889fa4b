"""How alike two files are built: the kinds of things they define, under the words of their names.

Weighted Jaccard over pairs (kind, word): two repositories of users and of orders share most of theirs, a file that
merely mentions the same words shares none. (Seed 001's upstream hashed all tokens, which says nothing of structure.)
"""

from collections import Counter
from collections.abc import Iterable

from shirube.engine.text import split_identifier, stem
from shirube.types import Symbol

Outline = Counter[tuple[str, str]]
"""How often each kind is defined under each word, and (under "") at all."""


def outline(symbols: Iterable[Symbol]) -> Outline:
    """Return how often each kind is defined under each word, and under none."""
    pairs: Outline = Counter()
    for symbol in symbols:
        pairs[symbol.kind, ""] += 1
        pairs.update((symbol.kind, stem(word)) for word in split_identifier(symbol.name))
    return pairs


def likeness(one: Outline, other: Outline) -> float:
    """Return from 0 (nothing in common) to 1 (the same outline) how alike two files are built."""
    either = (one | other).total()
    return (one & other).total() / either if either else 0.0
