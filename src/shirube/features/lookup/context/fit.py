"""Selects the snippets that fit a token budget: offers with their reasons, the most valuable first.

Pieces end where symbols end. A piece that is too long is cut around its focus line; one that does not fit is reported.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.store.lookups import FilePieces, FileRecords, FileSymbols, FileTexts, FileVectors
from shirube.engine.store.port import Candidate, Lookup
from shirube.engine.store.store import Store
from shirube.engine.text.budget import tokens_of
from shirube.errors import SmallBudget
from shirube.features.lookup.context.bare import is_bare
from shirube.features.lookup.results import Omitted
from shirube.types import Chunk, Reason, Symbol

_TAGS = (
    "artifact frame message name phrase compound file verbatim text definition symbol path-phrase path structural"
    " path-segment file-name path-keyword history dep near co-change recent changes together coverage editing bonus"
)
"""The reasons that a bundle shows, the most informative first; others are not shown."""
_TELLING = {name: place for place, name in enumerate(_TAGS.split())}
MOST_TAGS = 6
LEAST_LINES = 5
"""A shorter excerpt of a longer piece is no use to a reader."""
SMALL_LINES, NEAR = 12, 3
"""A piece under LEAST_LINES is shown with neighbours of at most SMALL_LINES lines that are at most NEAR lines away."""
GAP = 3
"""Snippets at most this many lines apart are joined: the lines between are mostly blank."""
MOST_OMITTED = 20
FURTHER_TOKENS = 24
"""What it takes to say how to read the lines above or below those shown."""
LEAST_TOKENS = 120
"""With fewer tokens left, a long piece is omitted instead of cut: such a short excerpt is no use to a reader."""


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
    """The reasons to show it, by name."""

    @property
    def score(self) -> float:
        """The sum of its reasons' points."""
        return sum(reason.points for reason in self.reasons.values())

    @property
    def why(self) -> tuple[str, ...]:
        """The reasons as tags, the most informative first, in seed 001's order."""
        tags = [name for name, reason in self.reasons.items() if reason.points > 0 and _kind(name) in _TELLING]
        return tuple(sorted(tags, key=lambda tag: _TELLING[_kind(tag)]))[:MOST_TAGS]


def _kind(tag: str) -> str:
    return tag.partition(":")[0]


class Offers:
    """All offers, each piece once: reasons from different sources add up."""

    def __init__(self) -> None:
        self._by_place: dict[tuple[str, int, int], Offer] = {}

    def add(self, path: str, piece: Chunk, reasons: Iterable[Reason], focus: int = 0) -> Offer:
        """Offer a piece for some reasons; of equal reasons the larger counts. A new ``focus`` line replaces the old."""
        key = (path, piece.start_line, piece.end_line)
        offer = self._by_place.get(key)
        if offer is None:
            offer = Offer(*key, piece.symbol, piece.kind, focus or piece.start_line)
            self._by_place[key] = offer
        elif focus:
            offer.focus = focus
        for reason in reasons:
            known = offer.reasons.get(reason.name, reason)
            offer.reasons[reason.name] = max(known, reason, key=lambda item: item.points)
        return offer

    def of(self, path: str) -> list[Offer]:
        """Return the offers of a file, best first."""
        return sorted((offer for offer in self if offer.path == path), key=_by_worth)

    def ranked(self) -> list[Offer]:
        """Return all offers with a positive score, best first."""
        return sorted((offer for offer in self if offer.score > 0), key=_by_worth)

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
        """Return the pieces that the index cut a file into."""
        if path not in self._pieces:
            self._pieces[path] = self.store.pieces(path)
        return self._pieces[path]

    def is_bare(self, path: str, piece: Chunk | Candidate) -> bool:
        """Tell whether a piece is only imports, comments and docstrings, which say nothing by themselves."""
        if piece.symbol:
            return False
        record = self.store.files((path,)).get(path)
        return record is not None and is_bare(self.text(path, piece.start_line, piece.end_line), record.language)

    @staticmethod
    def lookups(paths: Iterable[str]) -> list[Lookup[Any]]:
        """Return what is going to be looked up of some files."""
        keys = tuple(dict.fromkeys(paths))
        return [kind(keys) for kind in (FileTexts, FilePieces, FileSymbols, FileVectors, FileRecords)]

    def text(self, path: str, start: int, end: int) -> str:
        """Return some lines of a file, both ends included."""
        return "\n".join(self.lines(path)[start - 1 : end])

    def piece_at(self, path: str, line: int) -> Chunk | None:
        """Return the piece that contains a line, else the next piece after it; None after the last."""
        return next((piece for piece in self.pieces(path) if piece.end_line >= line), None)

    def tokens(self, path: str, start: int, end: int, symbol: str = "") -> int:
        """Estimate the tokens of a snippet: its lines and its heading."""
        return tokens_of(f"{path}:{start}-{end} {symbol}\n{self.text(path, start, end)}\n")


def innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the smallest symbol around a line."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(around, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def grow(pages: SourceFiles, path: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span, extended by its small neighbours in the same scope if it is only a few lines."""
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
    """Return as many lines of a span as fit around the focus line; None when not even ``LEAST_LINES`` fit."""
    least = min(LEAST_LINES, span[1] - span[0] + 1)
    return most_around(span, focus, least, lambda start, end: pages.tokens(path, start, end, symbol) <= tokens)


def most_around(
    span: tuple[int, int], focus: int, least: int, fits: Callable[[int, int], bool]
) -> tuple[int, int] | None:
    """Return the most lines around a line that fit, a third of them above it; None if not even ``least``."""
    start, end = span
    focus = min(max(focus, start), end)

    def around(count: int) -> tuple[int, int]:
        first = max(start, min(focus - count // 3, end - count + 1))
        return first, first + count - 1

    low, high = least - 1, end - start + 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(*around(middle)) else (low, middle - 1)
    return around(low) if low >= least else None


def lines_around(lines: Sequence[str], line: int, most: int, tokens: int) -> tuple[int, int]:
    """Return the first and last of the lines to show: at most so many around one of them, and so many tokens (0: any).

    Where lines are left out, there has to be room to say how to read them.
    """

    def fits(start: int, end: int) -> bool:
        if end - start >= most or not tokens:
            return end - start < most
        further = FURTHER_TOKENS * ((start > 1) + (end < len(lines)))
        return tokens_of("\n".join(lines[start - 1 : end])) + further <= tokens

    return most_around((1, len(lines)), line, 1, fits) or (line, line)


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
    """Whether it is the whole piece, or only the part around the focus line."""


class Room(Struct, frozen=True):
    """The limits of a bundle."""

    budget: int
    """In tokens."""
    limit: int
    """In snippets."""
    largest: float
    """The share of the budget that one snippet may take."""
    reserved: int = 0
    """Tokens of the budget that something else needs."""


def fit(
    offers: Sequence[Offer], pages: SourceFiles, room: Room
) -> tuple[tuple[Snippet, ...], tuple[Omitted, ...], int]:
    """Take offers in order while they fit; return the snippets, the best omitted offers, and how many were omitted."""
    if not offers:
        return (), (), 0
    best, code, budget = offers[0], _code(offers[0], pages), room.budget - room.reserved
    start, end = most_around(code, best.focus, 1, lambda start, end: end - start < LEAST_LINES) or code
    smallest = pages.tokens(best.path, start, end, best.symbol)  # a few lines around the focus line
    if smallest > budget:
        raise SmallBudget(room.budget, smallest + room.reserved)
    most = max(smallest, int(budget * room.largest))
    taken: list[Snippet] = []
    left: list[tuple[Offer, str]] = []
    for offer in offers:
        if any(item.path == offer.path and item.start <= offer.start and offer.end <= item.end for item in taken):
            continue  # a snippet was extended over it
        free = budget - sum(item.tokens for item in taken)
        snippet = None
        if free >= min(smallest, LEAST_TOKENS // 4):
            snippet = _snippet(offer, pages, most, free, first=not taken)
        joined = _merged(taken, snippet, pages) if snippet is not None else taken
        over = len(joined) > room.limit
        if snippet is None or over or sum(item.tokens for item in joined) > budget:
            left.append((offer, "limit" if over else "budget"))
        else:
            taken = joined
    omitted = tuple(
        Omitted(
            one.path,
            (one.start, one.end),
            one.symbol,
            round(one.score, 3),
            pages.tokens(one.path, one.start, one.end, one.symbol),
            reason,
        )
        for one, reason in left[:MOST_OMITTED]
    )
    return tuple(sorted(taken, key=lambda item: (-item.score, item.path, item.start))), omitted, len(left)


def _code(offer: Offer, pages: SourceFiles) -> tuple[int, int]:
    """Return the lines of an offer without the comment above its symbol."""
    symbols = (symbol for symbol in pages.store.symbols(offer.path) if symbol.qualified == offer.symbol)
    starts = (symbol.start_line for symbol in symbols if offer.start <= symbol.start_line <= offer.end)
    return min(starts, default=offer.start), offer.end


def _snippet(offer: Offer, pages: SourceFiles, most: int, free: int, first: bool) -> Snippet | None:
    """Take a piece whole, or cut one longer than ``most``, its comment first; omit one too long only for ``free``."""
    own, code = (offer.start, offer.end), _code(offer, pages)
    for span in dict.fromkeys([grow(pages, offer.path, own), own, code]):
        tokens = pages.tokens(offer.path, *span, offer.symbol)
        if tokens <= min(most, free):
            return _taken(offer, span, tokens, whole=True)
    if not first and (tokens <= most or free < LEAST_TOKENS):
        return None
    cut = trim(pages, offer.path, code, offer.focus, min(most, free), offer.symbol)
    while cut and cut[0] < cut[1] < code[1] and pages.is_bare(offer.path, Chunk(0, 0, cut[1], cut[1], "", "")):
        cut = cut[0], cut[1] - 1  # a comment belongs to what follows
    return None if cut is None else _taken(offer, cut, pages.tokens(offer.path, *cut, offer.symbol), whole=False)


def _taken(offer: Offer, span: tuple[int, int], tokens: int, whole: bool) -> Snippet:
    return Snippet(offer.path, *span, offer.symbol, offer.kind, offer.why, round(offer.score, 3), tokens, whole)


def _merged(taken: Sequence[Snippet], more: Snippet, pages: SourceFiles) -> list[Snippet]:
    """Add a snippet; where it touches or nearly touches others, all become one, with the rank of the best.

    A part stays by itself unless lines would be shown twice, so that it is clear what it is a part of.
    """
    merged = []
    for item in taken:
        before, after = sorted((item, more), key=lambda one: (one.start, one.end))
        apart = GAP if item.whole and more.whole else 0
        if item.path == more.path and after.start - before.end <= apart:
            better = max(before, after, key=lambda snippet: snippet.score)
            symbol = ", ".join(dict.fromkeys(name for name in (before.symbol, after.symbol) if name))
            start, end = before.start, max(before.end, after.end)
            more = replace(
                better,
                start=start,
                end=end,
                symbol=symbol,
                why=tuple(dict.fromkeys([*better.why, *before.why, *after.why])),
                tokens=pages.tokens(before.path, start, end, symbol),
                whole=before.whole and after.whole,
            )
        else:
            merged.append(item)
    return [*merged, more]
