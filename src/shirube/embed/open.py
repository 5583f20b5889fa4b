"""Which model a name in the configuration means."""

from shirube.embed.port import Embedder
from shirube.errors import UnknownName

FALLBACK = "hashed"


def usable_model(name: str) -> tuple[str, str]:
    """Return the model to use, and what to say when it is not the one that was asked for: its files may be missing."""
    try:
        open_embedder(name)
    except (OSError, ValueError, KeyError) as error:
        return FALLBACK, f"model: '{name}' cannot be read ({error}); answers go by words alone, install shirube anew"
    return name, ""


def open_embedder(name: str) -> Embedder:
    """Return the embedder of that name, loaded as late as it allows."""
    if name == "hashed":
        from shirube.embed.hashed import HashedEmbedder

        return HashedEmbedder()
    if name == "static":
        from shirube.embed.static import StaticEmbedder

        return StaticEmbedder()
    raise UnknownName("embedding model", name, ["static", "hashed"])
