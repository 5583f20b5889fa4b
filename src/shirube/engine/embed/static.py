"""The bundled model: a table of vectors, one row a term, made for code in English and Japanese.

A text is the sum of its rows, so nothing but numpy is needed. The table is read where it lies, by memory map. What a
chunk defines and where it stands weigh more than one word among its hundred, hence the two shares.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shirube.engine.embed.quantize import unit
from shirube.engine.embed.vocabulary import Bag, Vocabulary
from shirube.engine.text import stop_words
from shirube.engine.text.glossary import english_for

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

PATH_SHARE = 0.5
"""How much the words of the path weigh beside the content, as a share of the content's length."""
SYMBOL_SHARE = 0.6
"""The same for the name of what the chunk defines; both measured on the development split, see training/LOG.md."""
GLOSSARY_SHARE = 0.5
"""How much the glossary's English for a Japanese question weighs beside the question."""

ROWS, SCALES, TERMS = "rows.npy", "scales.npy", "terms.txt"


class StaticEmbedder:
    """Sums of rows of a trained table."""

    trained = True
    background = 0.0

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(str(resources.files("shirube.engine.embed").joinpath("data")))
        record = json.loads((self._folder / "model.json").read_text("utf-8"))
        self.dimensions = int(record["dimensions"])
        self.name = f"static-{self.dimensions}-{record['digest'][:8]}"
        # Numpy takes longer to come than they to be read, so it comes when needed; that they are there is seen now.
        for name in (ROWS, SCALES, TERMS):
            if not (self._folder / name).is_file():
                raise FileNotFoundError(f"{name} is missing in {self._folder.name}")

    @cached_property
    def _rows(self) -> Any:
        import numpy as np

        return np.load(self._folder / ROWS, mmap_mode="r")

    @cached_property
    def _scales(self) -> Any:
        import numpy as np

        return np.load(self._folder / SCALES, mmap_mode="r")

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
        """Return the sum of each text's rows; ``symbols`` name what each text defines, where it defines anything."""
        cut: Iterable[Any] = tokens if tokens is not None else (None for _ in texts)
        rows = self._sums([self._vocabulary.bag(text, one) for text, one in zip(texts, cut, strict=True)])
        if symbols is None:
            return rows
        return _mixed(rows, self._sums([self._vocabulary.bag(symbol) for symbol in symbols]), SYMBOL_SHARE)

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return the contents with the words of the path mixed in, normalised."""
        return unit(_mixed(contents, self._sums([self._vocabulary.bag(path)]), PATH_SHARE))

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return the unit row of a question, cut as passages are whatever the strategy, or the two would not meet.

        A question without a known word gets a row of noughts: shared rows alone would be near to anything.
        """
        words = question(text)
        if not any(map(self._vocabulary.knows_any, words)):
            return self._sums([[]])
        asked, known = map(self._vocabulary.bag, words)
        return unit(_mixed(self._sums([asked]), self._sums([known]), GLOSSARY_SHARE))

    def _sums(self, bags: Sequence[Bag]) -> "Rows":
        import numpy as np

        sums = np.zeros((len(bags), self.dimensions), dtype=np.float32)
        for place, bag in enumerate(bags):
            if bag:
                index, weight = (np.array(part) for part in zip(*bag, strict=True))
                sums[place] = (weight * self._scales[index]).astype(np.float32) @ self._rows[index].astype(np.float32)
        return sums


def _mixed(rows: "Rows", other: "Rows", share: float) -> "Rows":
    """Add a share of another direction, measured by the rows' own length; an empty row takes it whole."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows + share * np.where(lengths == 0, 1, lengths) * unit(other), dtype=np.float32)


def question(text: str) -> tuple[str, str]:
    """Return a question without the words that all questions have, and what of it the glossary has in English."""
    kept = " ".join(word for word in text.split() if word.lower() not in stop_words())
    return kept or text, " ".join(word for meaning in english_for(text) for word in meaning)
