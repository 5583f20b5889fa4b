"""The Embedder port: text in, vectors out.

The vector of a text (``contents``) is computed apart from the influence of its path (``place``), because the first
depends only on the bytes and is cached by digest: a renamed file does not go through the model again. Cosines are not
similarities: they are calibrated per model elsewhere before anything is compared with a threshold.

Implementations: ``StaticEmbedder`` (the bundled model), ``HashedEmbedder`` (no model), ``E5Embedder`` (an extra).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors of one length."""

    @property
    def name(self) -> str:
        """The model and its version; vectors of different names are never compared."""

    @property
    def trained(self) -> bool:
        """Whether it is trained on meanings; if not, dense search adds nothing to lexical search."""

    @property
    def background(self) -> float:
        """The cosine of unrelated texts; only the part of a cosine above it means anything."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def contents(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]] | None = None,
        symbols: Sequence[str] | None = None,
    ) -> "Rows":
        """Return a row for each text, not normalised; it depends only on the text and the symbol it defines.

        ``symbols`` name what each text defines. ``tokens`` are the texts as ``text.index_terms`` cuts them, for a
        caller that has them anyway; a model with its own tokenizer ignores them.
        """

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return unit rows of the contents, adjusted for a file at ``path``."""

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return one unit row for a question; ``tokens`` as the tokenisation strategy cuts it."""
