"""The Embedder port: text in, vectors out.

What a text says (``contents``) is kept apart from where it stands (``place``), because the first depends on
the bytes alone and is cached by digest: a renamed file is placed anew without being read again by the model.
It is not a similarity: cosines are calibrated per model elsewhere before anything is compared with a threshold.

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
        """Names model and version; vectors of different names are never compared."""

    @property
    def trained(self) -> bool:
        """Whether it knows what words mean; if not, the dense leg only repeats what the words say."""

    @property
    def background(self) -> float:
        """The cosine that texts have which have nothing to do with each other; only what is above it says anything."""

    @property
    def dimensions(self) -> int:
        """How long a vector is."""

    def contents(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]] | None = None,
        symbols: Sequence[str] | None = None,
    ) -> "Rows":
        """Return what each text says, a row each, not normalised; depends on the text and what it defines alone.

        ``symbols`` name what each text defines. ``tokens`` are the texts as ``text.index_terms`` cuts them, for a
        caller that has them anyway; a model that cuts otherwise takes no notice.
        """

    def place(self, contents: "Rows", path: str) -> "Rows":
        """Return unit rows of the contents as they stand in the file at ``path``."""

    def query(self, text: str, tokens: Sequence[str] | None = None) -> "Rows":
        """Return one unit row for a question; ``tokens`` as the tokenisation strategy cuts it."""
