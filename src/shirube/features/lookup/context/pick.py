"""Which part of a file answers best, for a file that was not found by its words: by name, by words, by sense."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shirube.engine.embed.port import Embedder
from shirube.engine.text.tokens import index_terms
from shirube.features.lookup.context.cut import Pages
from shirube.types import Piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMED = 1.0
"""What it is worth that a piece defines a name that was asked for, beside all words (1) and the same sense (1)."""


@dataclass(slots=True)
class Picker:
    """Compares pieces with one question."""

    pages: Pages
    embedder: Embedder
    question: str
    terms: frozenset[str] = field(default_factory=frozenset)
    _vector: "NDArray | None" = None  # type: ignore[type-arg]

    def __post_init__(self) -> None:
        self.terms = frozenset(index_terms(self.question))

    def best(self, path: str, names: Collection[str] = ()) -> tuple[Piece, float] | None:
        """Return the piece of a file that fits best, and how well: 0 not at all, 1 in every word and in sense."""
        pieces = self.pages.pieces(path)
        if not pieces:
            return None
        near = self._cosines(path) if self.embedder.trained else {}
        fits = [self._fit(path, piece, near.get(at, 0.0)) for at, piece in enumerate(pieces)]
        named = [NAMED * (piece.symbol.rpartition(".")[2] in names) for piece in pieces]
        at = max(range(len(pieces)), key=lambda n: (fits[n] + named[n], bool(pieces[n].symbol), -n))
        return pieces[at], min(1.0, fits[at])

    def _fit(self, path: str, piece: Piece, cosine: float) -> float:
        there = self.pages.text(path, piece.start_line, piece.end_line).lower()  # stems are parts of words
        words = sum(term in there for term in self.terms) / len(self.terms) if self.terms else 0.0
        return (words + max(0.0, cosine)) / 2 if self.embedder.trained else words

    def _cosines(self, path: str) -> Mapping[int, float]:
        import numpy as np

        if self._vector is None:
            self._vector = self.embedder.query(self.question)[0]
        rows = np.frombuffer(self.pages.store.vectors(path), dtype=np.int8).reshape(-1, self.embedder.dimensions)
        plain = rows.astype(np.float32)
        cosines = plain @ self._vector / np.maximum(np.linalg.norm(plain, axis=1), 1e-9)
        nothing = self.embedder.background
        return {at: (cosine - nothing) / (1 - nothing) for at, cosine in enumerate(cosines.tolist())}
