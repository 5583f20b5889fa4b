"""BM25 over tokens, with an index in memory.

The memory store, the last-resort scan and the command registry all use it. k1, b and the IDF are those of seed 000,
which are also those of tantivy.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import log
from typing import Generic, TypeVar

K1 = 1.2
B = 0.75

Key = TypeVar("Key", bound=Hashable)


def idf(documents: int, with_term: int) -> float:
    """Return the inverse document frequency of a term: ``idf(10, 1)`` → 1.99, ``idf(10, 10)`` → 0.047."""
    return log((documents - with_term + 0.5) / (with_term + 0.5) + 1)


def saturation(count: float, length: float, average: float) -> float:
    """Return what ``count`` occurrences in a document of ``length`` tokens are worth, from 0 to k1 + 1."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))


class Bm25(Generic[Key]):
    """An inverted index in memory; documents can be added and removed."""

    def __init__(self) -> None:
        self._postings: dict[str, dict[Key, int]] = {}
        self._documents: dict[Key, Counter[str]] = {}
        self._lengths: dict[Key, int] = {}
        self._tokens = 0

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, key: Key, tokens: Sequence[str]) -> None:
        """Index a document, replacing the one that had this key."""
        self.remove(key)
        counts = Counter(tokens)
        self._documents[key] = counts
        self._lengths[key] = len(tokens)
        self._tokens += len(tokens)
        for term, count in counts.items():
            self._postings.setdefault(term, {})[key] = count

    def remove(self, key: Key) -> None:
        """Remove a document; an unknown key is not an error."""
        for term in self._documents.pop(key, ()):
            postings = self._postings[term]
            del postings[key]
            if not postings:
                del self._postings[term]
        self._tokens -= self._lengths.pop(key, 0)

    def having(self, terms: Iterable[str]) -> set[Key]:
        """Return the documents that have every one of the terms."""
        documents = [set(self._postings.get(term, ())) for term in terms]
        return set.intersection(*documents) if documents else set()

    def scores(self, terms: Mapping[str, float] | Iterable[str]) -> dict[Key, float]:
        """Return the score of every document with at least one of the terms; a mapping gives terms weights."""
        total: dict[Key, float] = {}
        average = self._tokens / len(self._documents) if self._documents else 0.0
        for term, worth in (terms if isinstance(terms, Mapping) else Counter(terms)).items():
            postings = self._postings.get(term, {})
            weight = worth * idf(len(self._documents), len(postings))
            for key, count in postings.items():
                share = weight * saturation(count, self._lengths[key], average)
                total[key] = total.get(key, 0.0) + share
        return total
