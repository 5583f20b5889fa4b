"""A deterministic embedder without a model: every token adds a signed weight at an index given by its hash.

Index and sign come from independent bits of the hash (seed 001's upstream took both from one, so its signs
said nothing), and rare long tokens weigh a little more than short ones.
"""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain
from math import log
from typing import TYPE_CHECKING

from shirube.engine.embed.quantize import unit
from shirube.engine.text.tokens import index_terms

if TYPE_CHECKING:
    from shirube.engine.embed.port import Rows

DIMENSIONS = 256
PATH_SHARE = 0.25
"""The weight of the words of the path, relative to the length of the content's vector."""
CACHE_LIMIT = 200_000
"""Distinct tokens cached per process; a kernel-sized tree has some millions, most of which occur once."""


class HashedEmbedder:
    """Signed feature hashing of the tokens the index uses."""

    name = f"hashed-{DIMENSIONS}-2"
    trained = False
    background = 0.0
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._slots = _Slots()

    def contents(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]] | None = None,
        symbols: Sequence[str] | None = None,
    ) -> "Rows":
        """Return the sum of each text's token vectors; ``symbols`` is ignored, since the texts contain them anyway."""
        import numpy as np

        documents = [index_terms(text) for text in texts] if tokens is None else tokens
        lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
        every = chain.from_iterable(documents)
        slots = np.fromiter(map(self._slots.__getitem__, every), dtype=np.int64, count=int(lengths.sum()))
        rows = np.repeat(np.arange(len(documents), dtype=np.int64), lengths)
        size = len(documents) * DIMENSIONS
        places, signs, weights = slots >> 9, (slots & 1) * 2.0 - 1.0, ((slots >> 1) & 255) / 32.0
        flat = np.bincount(rows * DIMENSIONS + places, weights=signs * weights, minlength=size)
        return flat.reshape(len(documents), DIMENSIONS).astype(np.float32)

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return the contents with the words of the path mixed in, normalised."""
        import numpy as np

        where = self.contents([path])[0]
        where /= max(float(np.linalg.norm(where)), 1e-9)
        lengths = np.linalg.norm(contents, axis=1, keepdims=True)
        return unit(contents + PATH_SHARE * np.maximum(lengths, 1.0) * where)

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return the unit row of a question."""
        return unit(self.contents([text], None if tokens is None else [tokens]))


class _Slots(dict[str, int]):
    """Index, weight and sign of a token packed in one number, so that each token takes one look-up."""

    def __missing__(self, token: str) -> int:
        bits = int.from_bytes(blake2b(token.encode("utf-8", "replace"), digest_size=8).digest(), "little")
        weight = min(255, int(32 * log(1 + len(token))))
        slot = ((bits >> 1) % DIMENSIONS) << 9 | weight << 1 | (bits & 1)
        if len(self) < CACHE_LIMIT:
            self[token] = slot
        return slot
