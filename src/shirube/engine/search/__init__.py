"""How does an answer get out?

Reads the question, asks the store for candidates, and makes one order of them by named reasons. Pure: the store
and the model are handed in.
"""

from shirube.engine.search.pipeline import Around, HitPage, search
from shirube.engine.search.similarity import Similarity

__all__ = ["Around", "HitPage", "Similarity", "search"]
