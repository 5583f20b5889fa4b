"""What does it mean?

Turns text into vectors. Every model stands behind the one ``Embedder`` port; the hashed embedder needs no
model file, gives the same vectors everywhere, and serves as fallback and as test double. Models that are not in
the package are looked for in a few known places, and fetched only when somebody asks for it.
"""
