"""What does it mean?

Turns text into vectors. Every model implements the ``Embedder`` protocol. The hashed embedder needs no model file,
gives the same vectors everywhere, and serves as fallback and as test double. Models that are not in the package are
searched in a few known places, and downloaded only on request.
"""
