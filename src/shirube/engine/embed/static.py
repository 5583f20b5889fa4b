"""The bundled model: a table of vectors, one row per term, trained for code in English and Japanese.

The vector of a text is the sum of its terms' rows, so it needs only numpy. The table is memory-mapped. The name that a
chunk defines and its path matter more than one word among a hundred, hence the two shares.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import resources
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from shirube.engine.embed.quantize import unit
from shirube.engine.text.glossary import japanese_words, stop_words, telling_words
from shirube.engine.text.japanese import folded
from shirube.engine.text.tokens import CJK_RUN, index_terms, normalise

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

PATH_SHARE = 0.5
"""The weight of the words of the path, relative to the length of the content's vector."""
SYMBOL_SHARE = 0.6
"""The same for the name that the chunk defines; both measured on the development split, see training/LOG.md."""
GLOSSARY_SHARE = 0.5
"""The weight of the glossary's English for a Japanese question, relative to the question."""

SURE_ENOUGH = 0.15
"""How sure a meaning of a Japanese word is at least that counts in a question."""

ROWS, SCALES, TERMS = "rows.npy", "scales.npy", "terms.txt"

SALTS = (0, 1)
"""Seeds of the hashes that choose the shared rows of an unknown term."""
LONGEST_WORD = 10
"""The longest Japanese word to look up, in characters."""
CACHE_LIMIT = 200_000
"""Distinct terms cached per process."""

_PART = re.compile("(?P<katakana>[\u30a1-\u30fa\u30fc]+)|[^\u30a1-\u30fa\u30fc]+")

Bag = list[tuple[int, float]]
"""Rows of the table with their weights."""


class Vocabulary:
    """Maps a text to rows of the table: one row for each known term, followed by shared rows for all others.

    The terms are those of the index, except for Japanese: a katakana word is one word, not its bigrams (ログ is in
    ログイン, but means something else), and known longer words are added to the bigrams. A term without a row of its
    own gets two of the shared rows, chosen by hash: few pairs of terms share both, so names still match themselves.
    """

    def __init__(self, terms: Sequence[str], buckets: int = 0) -> None:
        self._rows: dict[str, tuple[int, ...]] = {term: (row,) for row, term in enumerate(terms)}
        self.known = len(terms)
        """How many rows belong to one term alone."""
        self._buckets = buckets
        self._room = len(terms) + CACHE_LIMIT

    @property
    def size(self) -> int:
        """How many rows the table has."""
        return self.known + self._buckets

    def bag(self, text: str, tokens: Sequence[str] | None = None) -> Bag:
        """Return the rows of a text with weights: the square root of a term's count."""
        bag: Bag = []
        for term, count in Counter(self.terms(text, tokens)).items():
            if (rows := self._rows.get(term)) is None:
                rows = self._shared_rows(term)
            bag += ((row, sqrt(count) / len(rows)) for row in rows)
        return bag

    def terms(self, text: str, tokens: Sequence[str] | None = None) -> list[str]:
        """Cut a text: ``"ログイン機能 getUser"`` → ``["getus", "get", "user", "ログイン", "機能"]``."""
        cut = index_terms(text) if tokens is None else tokens
        if text.isascii() or not (runs := CJK_RUN.findall(normalise(text))):
            return list(cut)
        others = [term for term in cut if not CJK_RUN.match(term)]
        return others + [term for run in runs for term in self._japanese(run)]

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
        """Yield the longest known word at each position, or one character where none begins."""
        place = 0
        while place < len(run):
            lengths = range(min(self._longest_word, len(run) - place), shortest - 1, -1)
            length = next((n for n in lengths if run[place : place + n] in self._words), 1)
            yield run[place : place + length]
            place += length

    @cached_property
    def _words(self) -> frozenset[str]:
        own = list(self._rows)[: self.known]
        return frozenset(term for term in own if len(term) > 1 and CJK_RUN.match(term))

    @cached_property
    def _longest_word(self) -> int:
        return min(LONGEST_WORD, max(map(len, self._words), default=0))

    def _shared_rows(self, term: str) -> tuple[int, ...]:
        """Return the shared rows of an unknown term."""
        rows: tuple[int, ...] = ()
        if self._buckets and term.isascii():
            rows = tuple(self.known + crc32(term.encode(), salt) % self._buckets for salt in SALTS)
        if len(self._rows) < self._room:
            self._rows[term] = rows
        return rows


class StaticEmbedder:
    """Sums of rows of a trained table."""

    trained = True
    background = 0.0

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(str(resources.files("shirube.engine.embed").joinpath("data")))
        record = json.loads((self._folder / "model.json").read_text("utf-8"))
        self.dimensions = int(record["dimensions"])
        self.name = f"static-{self.dimensions}-{record['digest'][:8]}"
        # Importing numpy takes long, so the files are loaded at first use; but a missing file must show now.
        for name in (ROWS, SCALES, TERMS):
            if not (self._folder / name).is_file():
                raise FileNotFoundError(f"{name} is missing in {self._folder.name}")

    @cached_property
    def _rows(self) -> Any:
        import numpy as np

        return np.asarray(np.load(self._folder / ROWS, mmap_mode="r"))  # a plain array: a memmap is slow to index

    @cached_property
    def _scales(self) -> Any:
        import numpy as np

        return np.asarray(np.load(self._folder / SCALES, mmap_mode="r"))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        terms = (self._folder / TERMS).read_text("utf-8").splitlines()
        return Vocabulary(terms, len(self._rows) - len(terms))

    def contents(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]] | None = None,
        symbols: Sequence[str] | None = None,
    ) -> "Rows":
        """Return the sum of each text's rows; ``symbols`` are the names that the texts define, or empty."""
        cut: Iterable[Any] = tokens if tokens is not None else (None for _ in texts)
        rows = self._sums([self._vocabulary.bag(text, terms) for text, terms in zip(texts, cut, strict=True)])
        if symbols is None:
            return rows
        return _mixed(rows, self._sums([self._vocabulary.bag(symbol) for symbol in symbols]), SYMBOL_SHARE)

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return the contents with the words of the path mixed in, normalised."""
        return unit(_mixed(contents, self._sums([self._vocabulary.bag(path)]), PATH_SHARE))

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return the unit row of a question; it is always cut like passages, or their terms would not match.

        A question without a known word gets a row of zeros: shared rows alone would be similar to anything.
        """
        asked, translated = map(self._vocabulary.bag, question(text))
        if not any(row < self._vocabulary.known for row, _ in asked + translated):
            return self._sums([[]])
        row = self._sums([asked])
        return unit(_mixed(row, self._sums([translated]), GLOSSARY_SHARE) if translated else row)

    def _sums(self, bags: Sequence[Bag]) -> "Rows":
        import numpy as np

        sums = np.zeros((len(bags), self.dimensions), dtype=np.float32)
        for place, bag in enumerate(bags):
            if bag:
                index, weight = (np.array(part) for part in zip(*bag, strict=True))
                sums[place] = (weight * self._scales[index]).astype(np.float32) @ self._rows[index].astype(np.float32)
        return sums


def _mixed(rows: "Rows", other: "Rows", share: float) -> "Rows":
    """Add another direction, scaled by the share and by each row's length (1 for an empty row)."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows + share * np.where(lengths == 0, 1, lengths) * unit(other), dtype=np.float32)


def question(text: str) -> tuple[str, str]:
    """Return a question without stop words, and the glossary's English for its Japanese words."""
    text = folded(text)
    telling = " ".join(word for word in text.split() if word.lower() not in stop_words())
    words = (
        meaning
        for word in telling_words(japanese_words(text))
        for meaning, sure in word.meanings
        if sure >= SURE_ENOUGH
    )
    return telling or text, " ".join(words)
