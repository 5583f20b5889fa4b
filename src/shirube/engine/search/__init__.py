"""How does an answer get out?

Reads the question, asks the store for candidates, and ranks them by named reasons. Pure: the store and the embedding
model are passed in.
"""

from shirube.engine.search.pipeline import Around, HitPage, search
from shirube.engine.search.similarity import Similarity

__all__ = ["Around", "HitPage", "Similarity", "search"]
