"""How a task is played: an agent asks, opens what was listed, and falls back, until the line is in view."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.agent.tasks import Line
from shirube.engine.text.budget import estimate_tokens

Span = tuple[str, int, int]
"""Path, first line, last line."""
READS = 3
"""How many of the listed places an agent opens before it gives a listing up."""


@dataclass(frozen=True)
class Reply:
    """The text that an agent receives."""

    text: str
    shown: tuple[Span, ...] = ()
    """The lines that stand in the text."""
    listed: tuple[Span, ...] = ()
    """What the agent may open next, most promising first."""


@dataclass(frozen=True)
class Round:
    """One way to look: a call that lists places, and a call that opens one of them."""

    ask: Callable[[], Reply]
    open: Callable[[Span], Reply]
    reads: int = READS


@dataclass(frozen=True)
class Outcome:
    """What it took until the line was in view."""

    tokens: int
    estimate: int
    """The same by ``estimate_tokens``."""
    calls: int
    success: bool
    """Whether the last resort was not needed."""
    first: bool
    """Whether the first reply was enough."""


def tokens_of(text: str) -> int:
    """Return the characters divided by four, rounded up."""
    return -(-len(text) // 4)


def in_view(reply: Reply, lines: Iterable[Line]) -> bool:
    """Tell whether one of the lines stands in a reply."""
    return any(holds(span, line) for line in lines for span in reply.shown)


def holds(span: Span, line: Line) -> bool:
    """Tell whether a line lies in a span."""
    return span[0] == line[0] and span[1] <= line[1] <= span[2]


def play(rounds: Sequence[Round], last_resort: Callable[[], Reply], lines: Sequence[Line], picks: bool) -> Outcome:
    """Play a task round by round; the last resort always brings the line."""
    received: list[Reply] = []
    success = False
    for reply in _replies(rounds, lines, picks):
        received.append(reply)
        success = in_view(reply, lines)
        if success:
            break
    first = success and len(received) == 1
    if not success:
        received.append(last_resort())
    return Outcome(
        sum(tokens_of(reply.text) for reply in received),
        sum(estimate_tokens(reply.text) for reply in received),
        len(received),
        success,
        first,
    )


def everything(rounds: Iterable[Round]) -> Iterator[Reply]:
    """Yield all that an agent receives in these rounds if nothing stops it, the places opened in order."""
    return _replies(rounds, (), picks=False)


def _replies(rounds: Iterable[Round], lines: Sequence[Line], picks: bool) -> Iterator[Reply]:
    for one in rounds:
        reply = one.ask()
        yield reply
        listed = reply.listed[: one.reads]
        if picks:
            listed = tuple(span for span in reply.listed if any(holds(span, line) for line in lines))[:1]
        yield from map(one.open, listed)


def beginning(replies: Iterable[Reply], tokens: int) -> Reply:
    """Return the lines of plain replies, in which every line of text is a line of a file, up to so many tokens."""
    left, shown = tokens * 4, list[Span]()
    for reply in replies:
        lines = [(path, line, line) for path, first, last in reply.shown for line in range(first, last + 1)]
        for text, line in zip(reply.text.split("\n"), lines, strict=True):
            left -= len(text) + 1
            if left < 0:
                return Reply("", tuple(shown))
            shown.append(line)
    return Reply("", tuple(shown))
