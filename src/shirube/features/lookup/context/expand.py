"""Steps 2 and 3: what is connected to what speaks for itself, and how well it fits the question.

Files that are imported by the best ones, or import them, one or two steps away; and, around what was named, files of
the same directory that have the words. Each comes with its best part, and with less the less it fits.
"""

from collections.abc import Mapping

from shirube.engine.graph.closure import Direction, SpreadShare, spread
from shirube.engine.store.port import Ask
from shirube.features.lookup.context.gather import Tools
from shirube.features.lookup.context.offers import Offers
from shirube.types import Reason, Scope

DEPTH = 2
MOST_SEEDS = 12
MOST_ADDED = 16
MOST_DIRECTORIES = 3
NEAR_CHUNKS = 12
EVIDENCE = ("artifact:",)


def expand(offers: Offers, tools: Tools) -> None:
    """Add what is connected and what is near."""
    seeds = _seeds(offers)
    reached = spread(tools.store, seeds, DEPTH, tools.config.decay)
    nearest = sorted(reached, key=lambda path: (-reached[path].share, path))[:MOST_ADDED]
    imports = _imported_names(tools, {path: reached[path] for path in nearest})
    for path in nearest:
        _connected(offers, path, reached[path], imports.get(path, ()), tools)
    _neighbours(offers, tools)


def _seeds(offers: Offers) -> dict[str, float]:
    """Return the files that speak for themselves, and how loudly."""
    worth: dict[str, float] = {}
    for offer in offers.ranked():
        worth.setdefault(offer.path, offer.score)
    return dict(list(worth.items())[:MOST_SEEDS])


def _connected(offers: Offers, path: str, reach: SpreadShare, names: tuple[str, ...], tools: Tools) -> None:
    points = tools.config.dependency * tools.profile.dependency * reach.share
    reason = f"dep:{reach.source}" if reach.direction is Direction.OUTBOUND else f"dep:uses {reach.source}"
    if (best := tools.picker.best(path, names)) is None:
        return
    piece, fit = best
    offers.add(path, piece, [Reason(reason, points * (0.5 + fit), f"{reach.depth} steps")])


def _imported_names(tools: Tools, reached: Mapping[str, SpreadShare]) -> dict[str, tuple[str, ...]]:
    """Return which names of a file its importer takes: these are the parts to show."""
    importers = {
        reach.source for reach in reached.values() if reach.direction is Direction.OUTBOUND and reach.depth == 1
    }
    imports = tools.store.imports(sorted(importers)) if importers else {}
    by_line = {(path, one.line): one.names for path, found in imports.items() for one in found}
    return {path: by_line.get((reach.source, reach.line), ()) for path, reach in reached.items()}


def _neighbours(offers: Offers, tools: Tools) -> None:
    """Add files of the directories that were named (by output, a diff, a file at hand) which have the words."""
    named = [offer.path for offer in offers.ranked() if any(one.name.startswith(EVIDENCE) for one in offer.reasons)]
    directories = list(dict.fromkeys(path.rpartition("/")[0] for path in named))
    terms = dict.fromkeys(tools.picker.terms, 1.0)
    for directory in directories[:MOST_DIRECTORIES]:
        scope = Scope(path=f"{directory}/*" if directory else "*")
        found = tools.store.candidates(Ask({"content": terms, "symbols": terms}, scope=scope, limit=NEAR_CHUNKS))
        best = max((item.lexical for item in found.items), default=0.0)
        for item in found.items if best > 0 else ():
            points = tools.config.proximity * tools.profile.proximity * item.lexical / best
            piece = tools.pages.piece_at(item.path, item.start_line)
            if piece is not None and item.lexical > 0:
                offers.add(item.path, piece, [Reason(f"near:{directory or '.'}", points)])
