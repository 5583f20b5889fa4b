"""Which model a name in the configuration means."""

from shirube.embed.port import Embedder
from shirube.embed.weights import Weights, locate
from shirube.errors import ModelFault, UnknownName

BUNDLED, FALLBACK = "static", "hashed"
LIGHT = (BUNDLED, FALLBACK)
"""Models quick and small enough for every worker to have one; others are run in one place, after the words."""


def usable_model(name: str, weights: Weights | None = None) -> tuple[str, str]:
    """Return the model to use, and what to say when it is not the one that was asked for: its files may be missing."""
    try:
        open_embedder(name, weights)
    except ModelFault as error:
        model, also = usable_model(BUNDLED)
        return model, f"model: '{name}' cannot be used: {error}; {also or 'the bundled model answers instead'}"
    except (OSError, ValueError, KeyError) as error:
        return FALLBACK, f"model: '{name}' cannot be read ({error}); answers go by words alone, install shirube anew"
    return name, ""


def open_embedder(name: str, weights: Weights | None = None) -> Embedder:
    """Return the embedder of that name, loaded as late as it allows; ``weights`` say where one's files may be."""
    if name == FALLBACK:
        from shirube.embed.hashed import HashedEmbedder

        return HashedEmbedder()
    if name == BUNDLED:
        from shirube.embed.static import StaticEmbedder

        return StaticEmbedder()
    if name == "e5" and weights is not None:
        from shirube.embed.e5 import E5Embedder, need_libraries

        need_libraries()  # first, or whoever lacks both would be told of the files alone
        return E5Embedder(locate(weights), weights.threads)
    raise UnknownName("embedding_model", name, [*LIGHT, "e5"])
