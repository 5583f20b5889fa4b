"""Which rows of a table of vectors a text stands for.

The terms are those of the index. Japanese is cut once more: a katakana word is one word, not its bigrams (ログ is in
ログイン, and means something else), and longer words of the list are taken beside the bigrams. A term without a row of
its own gets two of the shared rows, chosen by hash: few pairs of terms share both, so names still find themselves.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import sqrt
from zlib import crc32

from shirube.engine.text import index_terms, normalise
from shirube.engine.text.scripts import CJK

SALTS = (0, 1)
"""Starting values of the hashes that choose an unknown term's shared rows."""
LONGEST_WORD = 10
"""Longer Japanese words are not looked for."""
CACHE_LIMIT = 200_000
"""Distinct terms remembered by a process."""

_RUN = re.compile(rf"[{CJK}]+")
_PART = re.compile("(?P<katakana>[\u30a1-\u30fa\u30fc]+)|[^\u30a1-\u30fa\u30fc]+")

Bag = list[tuple[int, float]]
"""Rows of the table, and how much of each."""


class Vocabulary:
    """The terms that have a row, and the shared rows after them."""

    def __init__(self, terms: Sequence[str], buckets: int = 0) -> None:
        self._rows: dict[str, tuple[int, ...]] = {term: (row,) for row, term in enumerate(terms)}
        self._known = len(terms)
        self._buckets = buckets
        self._room = len(terms) + CACHE_LIMIT

    @property
    def size(self) -> int:
        """How many rows the table has."""
        return self._known + self._buckets

    def bag(self, text: str, tokens: Sequence[str] | None = None) -> Bag:
        """Return the rows of a text; a term said four times counts twice."""
        found: Bag = []
        for term, count in Counter(self.terms(text, tokens)).items():
            rows = self._rows.get(term)
            if rows is None:
                rows = self._read(term)
            if rows:
                share = sqrt(count) / len(rows)
                found.extend((row, share) for row in rows)
        return found

    def knows_any(self, text: str) -> bool:
        """Tell whether any term of a text has a row of its own."""
        return any(len(self._rows.get(term, ())) == 1 for term in self.terms(text))

    def terms(self, text: str, tokens: Sequence[str] | None = None) -> list[str]:
        """Cut a text: ``"ログイン機能 getUser"`` → ``["getus", "get", "user", "ログイン", "機能"]``."""
        cut = index_terms(text) if tokens is None else tokens
        if text.isascii() or not (runs := _RUN.findall(normalise(text))):
            return list(cut)
        return [term for term in cut if not _RUN.match(term)] + [term for run in runs for term in self._japanese(run)]

    def _japanese(self, run: str) -> Iterator[str]:
        for part in _PART.finditer(run):
            if part.lastgroup == "katakana":
                yield from self._katakana(part.group())
            else:
                yield from index_terms(part.group())
                yield from (word for word in self._longest(part.group(), 3) if len(word) > 2)

    def _katakana(self, run: str) -> Iterator[str]:
        """Yield the known words of a run, and the bigrams of what is between them."""
        unknown = ""
        for word in self._longest(run, 2):
            if len(word) > 1:
                yield from index_terms(unknown)
                yield word
                unknown = ""
            else:
                unknown += word
        yield from index_terms(unknown)

    def _longest(self, run: str, shortest: int) -> Iterator[str]:
        """Yield the longest known word at each place, or one letter where none begins."""
        place = 0
        while place < len(run):
            lengths = range(min(self._longest_word, len(run) - place), shortest - 1, -1)
            length = next((n for n in lengths if run[place : place + n] in self._words), 1)
            yield run[place : place + length]
            place += length

    @cached_property
    def _words(self) -> frozenset[str]:
        own = list(self._rows)[: self._known]
        return frozenset(term for term in own if len(term) > 1 and _RUN.match(term))

    @cached_property
    def _longest_word(self) -> int:
        return min(LONGEST_WORD, max(map(len, self._words), default=0))

    def _read(self, term: str) -> tuple[int, ...]:
        """Return the shared rows of an unknown term."""
        rows: tuple[int, ...] = ()
        if self._buckets and term.isascii():
            rows = tuple(self._known + crc32(term.encode(), salt) % self._buckets for salt in SALTS)
        if len(self._rows) < self._room:
            self._rows[term] = rows
        return rows
