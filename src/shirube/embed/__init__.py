"""What does it mean?

Turns text into vectors. Every model stands behind the one ``Embedder`` port; the hashed embedder needs no
model file, gives the same vectors everywhere, and serves as fallback and as test double.
"""

from shirube.embed.port import Embedder

__all__ = ["Embedder"]
