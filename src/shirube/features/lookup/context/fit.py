"""Steps 4 and 5: fill the budget, the most valuable first, and say what did not fit."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import SmallBudget
from shirube.features.lookup.context.cut import LEAST_LINES, Pages, grow, trim
from shirube.features.lookup.context.offers import Offer

GAP = 3
"""How far apart two snippets may begin and end to be shown as one: the lines between are mostly blank."""
MOST_OMITTED = 20
LEAST_TOKENS = 120
"""In less room than this something longer is left out, not cut: a scrap of it tells nothing."""


class Snippet(Struct, frozen=True):
    """Lines to read, and why."""

    path: str
    start: int
    end: int
    symbol: str
    kind: str
    why: tuple[str, ...]
    score: float
    tokens: int
    whole: bool = True
    """Whether it is all of the symbol, or the part around the line that matters."""


class Left(Struct, frozen=True):
    """What did not fit."""

    path: str
    start: int
    end: int
    symbol: str
    score: float
    tokens: int
    reason: str


class Room(Struct, frozen=True):
    """How much may be taken, and which share of it by one snippet."""

    budget: int
    limit: int
    largest: float


def fit(offers: Sequence[Offer], pages: Pages, room: Room) -> tuple[tuple[Snippet, ...], tuple[Left, ...], int]:
    """Take offers in their order while they fit; return them, the best of what was left out, and how much that is."""
    if not offers:
        return (), (), 0
    smallest = _least(offers[0], pages)
    if smallest > room.budget:
        raise SmallBudget(room.budget, smallest)
    most = max(smallest, int(room.budget * room.largest))
    taken: list[Snippet] = []
    left: list[Offer] = []
    spent = 0
    for offer in offers:
        free = room.budget - spent
        full = len(taken) >= room.limit or free < min(smallest, LEAST_TOKENS // 4)
        snippet = None if full or _is_there(offer, taken) else _snippet(offer, pages, most, free, first=not taken)
        if snippet is not None:
            taken.append(snippet)
            spent += snippet.tokens
        elif not _is_there(offer, taken):
            left.append(offer)
    reason = "limit" if len(taken) >= room.limit else "budget"
    omitted = tuple(_left(offer, pages, reason) for offer in left[:MOST_OMITTED])
    return tuple(_merged(taken, pages, room.budget)), omitted, len(left)


def _is_there(offer: Offer, taken: Sequence[Snippet]) -> bool:
    """Tell whether a piece came in with a neighbour."""
    return any(one.path == offer.path and one.start <= offer.start and offer.end <= one.end for one in taken)


def _least(offer: Offer, pages: Pages) -> int:
    """Return what the best offer costs at the least: a few lines around its point."""
    lines = min(LEAST_LINES, offer.end - offer.start + 1)
    start = max(offer.start, min(offer.focus - lines // 2, offer.end - lines + 1))
    return pages.tokens(offer.path, start, start + lines - 1, offer.symbol)


def _snippet(offer: Offer, pages: Pages, most: int, free: int, first: bool) -> Snippet | None:
    """Take a piece whole, or cut what is longer than any may be; what is only too long for the rest is left out."""
    own = (offer.start, offer.end)
    for span in dict.fromkeys([grow(pages, offer.path, own), own]):
        tokens = pages.tokens(offer.path, *span, offer.symbol)
        if tokens <= min(most, free):
            return _taken(offer, span, tokens, whole=True)
    if not first and (tokens <= most or free < LEAST_TOKENS):
        return None
    cut = trim(pages, offer.path, own, offer.focus, min(most, free), offer.symbol)
    return _taken(offer, cut, pages.tokens(offer.path, *cut, offer.symbol), whole=False) if cut else None


def _taken(offer: Offer, span: tuple[int, int], tokens: int, whole: bool) -> Snippet:
    return Snippet(offer.path, *span, offer.symbol, offer.kind, offer.why, round(offer.score, 3), tokens, whole)


def _left(offer: Offer, pages: Pages, reason: str) -> Left:
    tokens = pages.tokens(offer.path, offer.start, offer.end, offer.symbol)
    return Left(offer.path, offer.start, offer.end, offer.symbol, round(offer.score, 3), tokens, reason)


def _merged(taken: Sequence[Snippet], pages: Pages, budget: int) -> list[Snippet]:
    """Join snippets that touch or nearly touch; each keeps the place of the better one."""
    joined: list[Snippet] = []
    for snippet in sorted(taken, key=lambda one: (one.path, one.start)):
        before = joined[-1] if joined else None
        if before is not None and before.path == snippet.path and snippet.start - before.end <= GAP:
            joined[-1] = _joined(before, snippet, pages)
        else:
            joined.append(snippet)
    if sum(one.tokens for one in joined) > budget:
        joined = list(taken)
    return sorted(joined, key=lambda one: (-one.score, one.path, one.start))


def _joined(one: Snippet, other: Snippet, pages: Pages) -> Snippet:
    better = max(one, other, key=lambda snippet: snippet.score)
    symbol = ", ".join(dict.fromkeys(name for name in (one.symbol, other.symbol) if name))
    start, end = one.start, max(one.end, other.end)
    return replace(
        better,
        start=start,
        end=end,
        symbol=symbol,
        why=tuple(dict.fromkeys([*better.why, *one.why, *other.why])),
        tokens=pages.tokens(one.path, start, end, symbol),
        whole=one.whole and other.whole,
    )
