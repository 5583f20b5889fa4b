"""Opens the model that a name in the configuration means."""

from typing import NamedTuple

from shirube.engine.embed.port import Embedder
from shirube.engine.embed.weights import Weights, locate
from shirube.errors import ModelFault, UnknownName, told
from shirube.messages import NOTHING, Message, say

BUNDLED, FALLBACK = "static", "hashed"
LIGHT = (BUNDLED, FALLBACK)
"""Models small and fast enough to run in every worker; others run in one process, after the lexical index."""


class Usable(NamedTuple):
    """A model that can be used."""

    model: str
    embedder: Embedder
    note: Message = NOTHING
    """A note when it is not the configured model; else empty."""


def open_usable(name: str, weights: Weights | None = None) -> Usable:
    """Open the model of that name or, where its files are missing, the next best."""
    try:
        return Usable(name, open_embedder(name, weights))
    except ModelFault as error:
        model, embedder, also = open_usable(BUNDLED)
        note = say("model.instead", model=name, error=told(error), also=also or say("model.bundled"))
        return Usable(model, embedder, note)
    except (OSError, ValueError, KeyError) as error:
        note = say("model.cannot_read", model=name, error=str(error))
        return Usable(FALLBACK, open_embedder(FALLBACK), note)


def open_embedder(name: str, weights: Weights | None = None) -> Embedder:
    """Return the embedder of that name, which loads its files at first use; ``weights`` says where they may be."""
    if name == FALLBACK:
        from shirube.engine.embed.hashed import HashedEmbedder

        return HashedEmbedder()
    if name == BUNDLED:
        from shirube.engine.embed.static import StaticEmbedder

        return StaticEmbedder()
    if name == "e5" and weights is not None:
        from shirube.engine.embed.e5 import E5Embedder, need_libraries

        need_libraries()  # first: with both missing, the error should name the libraries
        return E5Embedder(locate(weights), weights.threads)
    raise UnknownName("embedding_model", name, [*LIGHT, "e5"])
