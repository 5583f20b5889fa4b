"""What a view writes on: colours, widths, the reader's language."""

import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from shirube.messages import Speech, render, say

CODES = {"bold": "1", "dim": "2", "path": "36", "line": "33", "kind": "35", "good": "32", "bad": "31", "match": "1;31"}


class Paint(Struct, frozen=True):
    """Colours text, if colours are on."""

    on: bool

    def __call__(self, style: str, text: str) -> str:
        """Return the text in a style, without control characters."""
        plain = printable(text)
        return f"\x1b[{CODES[style]}m{plain}\x1b[0m" if self.on else plain


def printable(text: str) -> str:
    """Return text without control characters, which could control the terminal, and without a final CR."""
    text = text.removesuffix("\r")
    if text.replace("\t", "").isprintable():
        return text
    # To Python, blanks such as that of Japanese are not printable.
    shown = {char for char in text if char.isprintable() or char == "\t" or unicodedata.category(char) == "Zs"}
    return "".join(char if char in shown else "�" for char in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes; a Japanese character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def cut_text(text: str, most: int) -> str:
    """Return a text with at most so many characters, the last of them … where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def never_sent(path: str, start: int, end: int, text: str) -> bool:
    """Tell that nothing was sent before."""
    return False


class Screen(Struct, frozen=True):
    """What a view writes for: a reader's language and colours, and how much the reader wants to read."""

    paint: Paint
    speech: Speech
    tty: bool = False
    model: bool = False
    """Whether a model reads it, which pays for every token and needs neither columns nor blank lines."""
    tokens: int = 0
    """The most tokens of the text; 0: any number."""
    size: str = "max_tokens"
    """The argument that sets the budget."""
    given: Mapping[str, Any] = {}
    """The arguments of the call, by the names that its operation declares."""
    typed: Sequence[str] = ()
    """The words of the command line, at a terminal."""
    sent: Callable[[str, int, int, str], bool] = never_sent
    """Whether these lines of a file were sent to this reader before, and are the same."""

    def say(self, message: str) -> str:
        """Return a message in the reader's language, with commands in place of operations."""
        return printable(render(message, self.speech))

    def words(self, code: str, **values: Any) -> str:
        """Return the message of a code, as ``say`` does."""
        return self.say(say(code, **values))

    def further(self, argument: str, value: str | int) -> str:
        """Return how to ask for what follows: the command that was typed with an argument, else that argument."""
        flag, typed = self.speech.argument(argument, ""), list(self.typed)
        if typed:
            at = typed.index(flag) if flag in typed else len(typed)
            kept = [word for word in typed[:at] + typed[at + 2 :] if not word.startswith(f"{flag}=")]
            end = kept.index("--") if "--" in kept else len(kept)
            typed = ["shirube", *kept[:end], flag, str(value), *kept[end:]]
        return self.words("view.go_on", call=shlex.join(typed) if typed else f"{flag} {value}")

    def warn(self, messages: Iterable[str]) -> list[str]:
        """Return messages as highlighted lines."""
        return [self.paint("bad", f"! {self.say(message)}") for message in messages]

    def answer(self, result: Any) -> str:
        """Return how sure an answer is, and the next step."""
        return f"{result.answer.value}: {self.say(result.next)}"


class View(NamedTuple):
    """A result as text, notes about it (a terminal shows them on stderr), and whether anything was found."""

    text: str = ""
    notes: tuple[str, ...] = ()
    found: bool = True
    blocks: tuple[str, ...] = ()
    """What follows the text, the most important first; within a budget each is shown whole or not at all."""

    @property
    def whole(self) -> str:
        """The text with all blocks."""
        return "\n".join([*([self.text] if self.text else []), *self.blocks])


WIDEST = 60
"""The widest column of places, in characters; longer places stick out instead of widening the column."""


def notes_of(result: Any, shown: int, screen: Screen) -> tuple[str, ...]:
    """Return the notes for the result of any operation that lists places."""
    notes = [screen.say(note) for note in result.degraded]
    if not shown:
        return (*notes, screen.answer(result))
    if getattr(result, "match", "exact") == "similar":
        notes.append(screen.words("view.similar", symbol=result.symbol))
    elif result.answer.value == "partial":
        notes.append(screen.answer(result))
    stale = result.freshness.stale_files if screen.model and hasattr(result, "freshness") else ()
    if stale:
        notes.append(screen.words("view.changed_since", files=stale))
    if getattr(result, "next_cursor", ""):
        notes.append(screen.further("cursor", result.next_cursor))
    unread = getattr(result, "not_searched", {})
    if unread and not (screen.model and result.answer.value == "found"):
        left = [say("symbols.left", count=count, reason=say(f"skip.{reason}")) for reason, count in unread.items()]
        notes.append(screen.words("view.not_searched", left=left))
    return tuple(notes)


def changes(report: Any, paint: Paint) -> list[str]:
    """Return a line for each thing that a report says was added, changed or removed."""
    marks = (("+", "good", report.added), ("~", "line", report.changed), ("-", "bad", report.removed))
    return [paint(style, f"{mark} {name}") for mark, style, names in marks for name in names]


def lit(text: str, name: str, paint: Paint) -> str:
    """Return a text with the first occurrence of a name in bold."""
    before, match, after = text.partition(name)
    return f"{printable(before)}{paint('bold', match)}{printable(after)}" if match else printable(text)


def widest(places: list[str]) -> int:
    """Return the width of a column of places."""
    return min(WIDEST, max(map(columns, places), default=0))


def place(file: str, line: int, width: int, paint: Paint) -> str:
    """Return ``path:line`` in colours, padded to a width."""
    pad = " " * max(0, width - columns(f"{file}:{line}"))
    return f"{paint('path', file)}:{paint('line', str(line))}{pad}"


def span(file: str, lines: tuple[int, int], named: tuple[str, str], paint: Paint) -> str:
    """Return the head of a snippet: place, kind and name."""
    head = f"{paint('path', file)}:{paint('line', f'{lines[0]}-{lines[1]}')}"
    return " ".join([head, *(paint(style, word) for style, word in zip(("kind", "bold"), named, strict=True) if word)])


def numbered(content: str, start: int, line: int, paint: Paint) -> Iterator[str]:
    """Return lines with their numbers, one of them marked."""
    lines = content.split("\n")
    width = len(str(start + len(lines) - 1))
    for number, text in enumerate(lines, start):
        here = number == line
        mark = paint("match", ">") if here else " "
        yield f"{mark} {paint('line' if here else 'dim', str(number).rjust(width))}  {printable(text)}"
