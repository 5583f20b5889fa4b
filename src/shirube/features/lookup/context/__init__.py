"""What should a model read?

Gathers what the search found and what tests, output, diffs, hints and open files name, adds what is connected, cuts it
at the ends of symbols, and fills a budget of tokens, the most valuable first. Pure: store and model are handed in.
"""

from shirube.features.lookup.context.clues import Artifacts, Clues, Locator, read_clues
from shirube.features.lookup.context.fit import Room
from shirube.features.lookup.context.gather import Bundle, Tools, assemble

__all__ = ["Artifacts", "Bundle", "Clues", "Locator", "Room", "Tools", "assemble", "read_clues"]
