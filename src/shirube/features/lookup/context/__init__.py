"""What should a model read?

Gathers what the search found and what tests, output, diffs, hints and open files name, adds connected files, cuts them
at symbol boundaries, and fills a token budget, the most valuable pieces first. Pure: callers pass the store and model.
"""

from shirube.features.lookup.context.clues import Artifacts, Clues, Locator, read_clues
from shirube.features.lookup.context.fit import Room
from shirube.features.lookup.context.gather import Bundle, Tools, assemble

__all__ = ["Artifacts", "Bundle", "Clues", "Locator", "Room", "Tools", "assemble", "read_clues"]
