"""Fits what a view returns into a number of tokens, counted on the whole text that is sent."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from shirube.doors.views.screen import Screen, View, cut_text, printable
from shirube.engine.text.budget import tokens_of
from shirube.errors import BadArgument
from shirube.messages import Argument

MARGIN = 4
"""Tokens that parts of a text may count more together than apart."""


class Composed(NamedTuple):
    """The text to send, and how many blocks of the view, or lines of its text, were left out."""

    text: str
    left: int


def compose(view: View, screen: Screen) -> Composed:
    """Return the text of a view within the screen's budget: all blocks that fit from the first on, and how many not."""
    blocks = view.blocks
    head = [view.text] if view.text else []
    if not blocks and view.text:
        first, *lines = view.text.split("\n")
        head, blocks = [first], tuple(lines)

    def with_blocks(kept: int) -> str:
        left = [left_out(len(blocks) - kept, screen)] if kept < len(blocks) else []
        return "\n".join([*head, *blocks[:kept], *left, *view.notes])

    kept = most_that_fit(len(blocks), screen.tokens, with_blocks, screen.size)
    return Composed(with_blocks(kept), len(blocks) - kept)


def left_out(count: int, screen: Screen) -> str:
    """Say that something did not fit, and what to ask for."""
    return screen.words("view.left_out", count=count, size=Argument(screen.size))


def most_that_fit(count: int, tokens: int, text_with: Callable[[int], str], size: str = "max_tokens") -> int:
    """Return how many of some parts a text may have within a budget (0: any); refuse one that not even none fits."""
    if not tokens or tokens_of(text_with(count)) <= tokens:
        return count
    low, high = 0, count  # low fits, once it was tried; high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tokens_of(text_with(middle)) <= tokens else (low, middle)
    while low and tokens_of(text_with(low)) > tokens:
        low -= 1
    check_room(text_with(low), tokens, size)
    return low


def check_room(text: str, tokens: int, size: str = "max_tokens") -> None:
    """Refuse a budget that has no room for the least that a text can be, naming its argument and the smallest."""
    if (least := tokens_of(text)) > tokens:
        raise BadArgument("view.small_budget", least=least, given=Argument(size, tokens))


def room_beside(notes: Iterable[str], screen: Screen) -> int:
    """Return how many tokens of the budget are left for the rest of the text; 0 where there is no budget."""
    return max(1, screen.tokens - tokens_of("\n".join(notes)) - MARGIN) if screen.tokens else 0


def code_that_fits(head: str, place: tuple[str, int, int], content: str, room: int, screen: Screen) -> str:
    """Return a line and the lines of a file below it, from the first on as many as fit, then the numbers of the rest.

    ``place`` is the file, the number of the first line, and that of the last line asked for, which the content may
    not reach. Lines that were sent before are only named. A single line is cut where it has to be.
    """
    path, first, last = place
    lines = content.split("\n") if content else []
    while room and first == last and lines and len(lines[0]) > 1 and tokens_of(f"{head}\n{lines[0]}") > room:
        lines = [cut_text(content, len(lines[0]) * 3 // 4)]

    def rest(kept: int) -> list[str]:
        return [f"… {first + kept}-{last}"] if lines and first + kept <= last else []

    def beginning(kept: int) -> str:
        return "\n".join([head, *map(printable, lines[:kept]), *rest(kept)])

    kept = most_that_fit(len(lines), max(room, tokens_of(beginning(0))) if room else 0, beginning)
    if kept and screen.sent(path, first, first + kept - 1, "\n".join(lines[:kept])):
        return "\n".join([f"{head} {screen.words('view.sent_before')}", *rest(kept)])
    return beginning(kept)
