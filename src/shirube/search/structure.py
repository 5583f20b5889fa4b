"""How alike two files are built: the kinds of things they define, under the words of their names.

Weighted Jaccard over pairs (kind, word): two repositories of users and of orders share most of theirs, a file that
merely mentions the same words shares none. (Seed 001's upstream hashed all tokens, which says nothing of structure.)
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from shirube.text import split_identifier, stem
from shirube.types import Symbol


def outline(symbols: Iterable[Symbol]) -> Counter[tuple[str, str]]:
    """Return how often each kind is defined under each word, and under none."""
    pairs: Counter[tuple[str, str]] = Counter()
    for symbol in symbols:
        pairs[symbol.kind, ""] += 1
        pairs.update((symbol.kind, stem(word)) for word in split_identifier(symbol.name))
    return pairs


def likeness(one: Sequence[Symbol], other: Sequence[Symbol]) -> float:
    """Return from 0 (nothing in common) to 1 (the same outline) how alike two files are built."""
    left, right = outline(one), outline(other)
    either = (left | right).total()
    return (left & right).total() / either if either else 0.0
