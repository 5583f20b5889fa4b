"""Which model a name in the configuration means."""

from shirube.embed.port import Embedder
from shirube.errors import UnknownName


def open_embedder(name: str) -> Embedder:
    """Return the embedder of that name, loaded as late as it allows."""
    if name == "hashed":
        from shirube.embed.hashed import HashedEmbedder

        return HashedEmbedder()
    if name == "static":
        from shirube.embed.static import StaticEmbedder

        return StaticEmbedder()
    raise UnknownName("embedding model", name, ["static", "hashed"])
