"""What may be shown and what of it fits: offers with their reasons, cut at symbols, the most valuable first.

Pieces end where symbols end; what is too long is cut around its point, and what does not fit is named.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.store.port import Store
from shirube.engine.text.budget import estimate_tokens
from shirube.errors import SmallBudget
from shirube.features.lookup.results import Omitted
from shirube.types import Chunk, Reason, Symbol

_TAGS = (
    "artifact phrase text definition path-phrase path structural path-segment path-keyword dep near co-change recent"
)
"""The reasons that a bundle shows, the most telling first; one that is not listed is not shown."""
_TELLING = {name: place for place, name in enumerate(_TAGS.split())}
MOST_TAGS = 6
LEAST_LINES = 5
"""A shorter cut of something longer tells nothing."""
SMALL_LINES, NEAR = 12, 3
"""A neighbour up to this size, and no further away, is shown with a piece that is too short to tell anything."""
GAP = 3
"""How far apart two snippets may begin and end to be shown as one: the lines between are mostly blank."""
MOST_OMITTED = 20
LEAST_TOKENS = 120
"""In less room than this something longer is left out, not cut: a scrap of it tells nothing."""


@dataclass(slots=True)
class Offer:
    """A piece of a file that may be shown."""

    path: str
    start: int
    end: int
    symbol: str
    kind: str
    focus: int
    """The line it is about."""
    reasons: dict[str, Reason] = field(default_factory=dict)
    """What speaks for it, by name."""

    @property
    def score(self) -> float:
        """The sum of what speaks for it."""
        return sum(reason.points for reason in self.reasons.values())

    @property
    def why(self) -> tuple[str, ...]:
        """The reasons as tags, the most telling first, in seed 001's order."""
        tags = [name for name, reason in self.reasons.items() if reason.points > 0 and _kind(name) in _TELLING]
        return tuple(sorted(tags, key=lambda tag: _TELLING[_kind(tag)]))[:MOST_TAGS]


def _kind(tag: str) -> str:
    return tag.partition(":")[0]


class Offers:
    """All offers, each piece once: what speaks for it twice adds up."""

    def __init__(self) -> None:
        self._by_place: dict[tuple[str, int, int], Offer] = {}

    def add(self, path: str, piece: Chunk, reasons: Iterable[Reason], focus: int = 0) -> Offer:
        """Offer a piece for some reasons, each counted once by its larger share; a named line is what it is about."""
        key = (path, piece.start_line, piece.end_line)
        offer = self._by_place.get(key)
        if offer is None:
            offer = Offer(*key, piece.symbol, piece.kind, focus or piece.start_line)
            self._by_place[key] = offer
        elif focus:
            offer.focus = focus
        for reason in reasons:
            known = offer.reasons.get(reason.name, reason)
            offer.reasons[reason.name] = max(known, reason, key=lambda one: one.points)
        return offer

    def of(self, path: str) -> list[Offer]:
        """Return what is offered of a file, best first."""
        return sorted((one for one in self if one.path == path), key=_by_worth)

    def ranked(self) -> list[Offer]:
        """Return all of them, best first."""
        return sorted((one for one in self if one.score > 0), key=_by_worth)

    def __iter__(self) -> Iterator[Offer]:
        return iter(self._by_place.values())


def _by_worth(offer: Offer) -> tuple[float, str, int]:
    return (-offer.score, offer.path, offer.start)


class SourceFiles:
    """The files of a store, each read once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lines: dict[str, list[str]] = {}
        self._pieces: dict[str, tuple[Chunk, ...]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file, as indexed."""
        if path not in self._lines:
            self._lines[path] = self.store.text(path).split("\n")
        return self._lines[path]

    def pieces(self, path: str) -> tuple[Chunk, ...]:
        """Return how a file was cut."""
        if path not in self._pieces:
            self._pieces[path] = self.store.pieces(path)
        return self._pieces[path]

    def text(self, path: str, start: int, end: int) -> str:
        """Return some lines of a file, both ends included."""
        return "\n".join(self.lines(path)[start - 1 : end])

    def piece_at(self, path: str, line: int) -> Chunk | None:
        """Return the piece a line stands in, or the next one behind it; nothing behind the last."""
        return next((piece for piece in self.pieces(path) if piece.end_line >= line), None)

    def tokens(self, path: str, start: int, end: int, symbol: str = "") -> int:
        """Estimate what a snippet costs: its lines, and the line that says what they are."""
        return estimate_tokens(f"{path}:{start}-{end} {symbol}\n{self.text(path, start, end)}\n")


def innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the smallest symbol around a line."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(around, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def grow(pages: SourceFiles, path: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span with its small neighbours in the same class or file, when it is only a few lines."""
    start, end = span
    pieces = pages.pieces(path)
    at = next((n for n, piece in enumerate(pieces) if piece.start_line == start), None)
    if at is None or end - start + 1 >= LEAST_LINES:
        return span
    own = pieces[at].symbol
    for piece in (*pieces[at + 1 : at + 3], *reversed(pieces[max(0, at - 2) : at])):
        touches = 0 <= piece.start_line - end <= NEAR or 0 <= start - piece.end_line <= NEAR
        small = piece.end_line - piece.start_line < SMALL_LINES
        if touches and small and _scope(piece.symbol) in (own, _scope(own)) and piece.symbol:
            start, end = min(start, piece.start_line), max(end, piece.end_line)
        if end - start + 1 >= LEAST_LINES:
            break
    return start, end


def _scope(symbol: str) -> str:
    return symbol.rpartition(".")[0]


def trim(
    pages: SourceFiles, path: str, span: tuple[int, int], focus: int, tokens: int, symbol: str = ""
) -> tuple[int, int] | None:
    """Return as many lines of a span as fit around its point, more of them behind it than before it.

    Nothing when not even a few lines fit.
    """
    start, end = span
    focus = min(max(focus, start), end)
    least = min(LEAST_LINES, end - start + 1)
    first = max(start, min(focus - least // 2, end - least + 1))
    last = first + least - 1
    best: tuple[int, int] | None = None
    while pages.tokens(path, first, last, symbol) <= tokens:
        best = (first, last)
        if best == span:
            break
        step = max(1, (last - first) // 8)  # a line at a time would be slow, twice as much would waste the rest
        first, last = max(start, first - step), min(end, last + 2 * step)
    return best


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


class Room(Struct, frozen=True):
    """How much may be taken, and which share of it by one snippet."""

    budget: int
    limit: int
    largest: float


def fit(
    offers: Sequence[Offer], pages: SourceFiles, room: Room
) -> tuple[tuple[Snippet, ...], tuple[Omitted, ...], int]:
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
    omitted = tuple(_omitted(offer, pages, reason) for offer in left[:MOST_OMITTED])
    return tuple(_merged(taken, pages, room.budget)), omitted, len(left)


def _is_there(offer: Offer, taken: Sequence[Snippet]) -> bool:
    """Tell whether a piece came in with a neighbour."""
    return any(one.path == offer.path and one.start <= offer.start and offer.end <= one.end for one in taken)


def _least(offer: Offer, pages: SourceFiles) -> int:
    """Return what the best offer costs at the least: a few lines around its point."""
    lines = min(LEAST_LINES, offer.end - offer.start + 1)
    start = max(offer.start, min(offer.focus - lines // 2, offer.end - lines + 1))
    return pages.tokens(offer.path, start, start + lines - 1, offer.symbol)


def _snippet(offer: Offer, pages: SourceFiles, most: int, free: int, first: bool) -> Snippet | None:
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


def _omitted(offer: Offer, pages: SourceFiles, reason: str) -> Omitted:
    tokens = pages.tokens(offer.path, offer.start, offer.end, offer.symbol)
    return Omitted(offer.path, (offer.start, offer.end), offer.symbol, round(offer.score, 3), tokens, reason)


def _merged(taken: Sequence[Snippet], pages: SourceFiles, budget: int) -> list[Snippet]:
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


def _joined(one: Snippet, other: Snippet, pages: SourceFiles) -> Snippet:
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
