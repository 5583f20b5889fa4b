"""Cutting: where a snippet begins and ends. Pieces end where symbols end; what is too long is cut around its point."""

from collections.abc import Sequence

from shirube.engine.store.port import Store
from shirube.engine.text.budget import estimate_tokens
from shirube.types import Piece, Symbol

LEAST_LINES = 5
"""A shorter cut of something longer tells nothing."""
SMALL_LINES, NEAR = 12, 3
"""A neighbour up to this size, and no further away, is shown with a piece that is too short to tell anything."""


class Pages:
    """The files of a store, each read once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lines: dict[str, list[str]] = {}
        self._pieces: dict[str, tuple[Piece, ...]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file, as indexed."""
        if path not in self._lines:
            self._lines[path] = self.store.text(path).split("\n")
        return self._lines[path]

    def pieces(self, path: str) -> tuple[Piece, ...]:
        """Return how a file was cut."""
        if path not in self._pieces:
            self._pieces[path] = self.store.pieces(path)
        return self._pieces[path]

    def text(self, path: str, start: int, end: int) -> str:
        """Return some lines of a file, both ends included."""
        return "\n".join(self.lines(path)[start - 1 : end])

    def piece_at(self, path: str, line: int) -> Piece | None:
        """Return the piece a line stands in, or the next one behind it; nothing behind the last."""
        return next((piece for piece in self.pieces(path) if piece.end_line >= line), None)

    def tokens(self, path: str, start: int, end: int, symbol: str = "") -> int:
        """Estimate what a snippet costs: its lines, and the line that says what they are."""
        return estimate_tokens(f"{path}:{start}-{end} {symbol}\n{self.text(path, start, end)}\n")


def innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the smallest symbol around a line."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(around, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def grow(pages: Pages, path: str, span: tuple[int, int]) -> tuple[int, int]:
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
    pages: Pages, path: str, span: tuple[int, int], focus: int, tokens: int, symbol: str = ""
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
