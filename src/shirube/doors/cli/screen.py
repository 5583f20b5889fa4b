"""Text for a terminal: colours, widths, the reader's language, and commands instead of operations."""

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from msgspec import Struct

from shirube.codec import inputs
from shirube.config import reader_language, wants_colour
from shirube.errors import BadArgument, NoPermission
from shirube.messages import Speech, render, say
from shirube.operation import OPERATIONS, Operation

CODES = {"bold": "1", "dim": "2", "path": "36", "line": "33", "kind": "35", "good": "32", "bad": "31", "match": "1;31"}
FIELD = re.compile(r"\{(\w+)\}")


class Paint(Struct, frozen=True):
    """Colours text, if colours are on."""

    on: bool

    def __call__(self, style: str, text: str) -> str:
        """Return the text in a style, without control characters."""
        plain = printable(text)
        return f"\x1b[{CODES[style]}m{plain}\x1b[0m" if self.on else plain


def paint_for(no_color: bool) -> Paint:
    """Return the colours for stdout: on for a terminal, unless the user does not want them."""
    return Paint(sys.stdout.isatty() and wants_colour() and not no_color)


def printable(text: str) -> str:
    """Return text without control characters, which could control the terminal, and without a final CR."""
    return "".join(char if _is_shown(char) else "�" for char in text.removesuffix("\r"))


def _is_shown(char: str) -> bool:
    """Tell whether a character is shown as it is; to Python, blanks such as that of Japanese are not printable."""
    return char.isprintable() or char == "\t" or unicodedata.category(char) == "Zs"


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes; a Japanese character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


class Screen(Struct, frozen=True):
    """What a view needs to write for this terminal: its colours, and its reader's language."""

    paint: Paint
    speech: Speech
    tty: bool = False

    def say(self, message: str) -> str:
        """Return a message in the reader's language, with commands in place of operations."""
        return printable(render(message, self.speech))

    def words(self, code: str, **values: Any) -> str:
        """Return the message of a code, as ``say`` does."""
        return self.say(say(code, **values))

    def warn(self, messages: Iterable[str]) -> list[str]:
        """Return messages as highlighted lines."""
        return [self.paint("bad", f"! {self.say(message)}") for message in messages]

    def answer(self, result: Any) -> str:
        """Return how sure an answer is, and the next step."""
        return f"{result.answer.value}: {self.say(result.next)}"


def screen_for(options: argparse.Namespace, operation: Operation[..., Any] | None = None) -> Screen:
    """Return the screen of this command; with ``--json`` it is English, as for agents."""
    language = "en" if getattr(options, "json", False) else language_for(options)
    paint = paint_for(getattr(options, "no_color", False))
    return Screen(paint, speech_for(operation, language), sys.stdout.isatty())


def language_for(options: argparse.Namespace) -> str:
    """Return the language of the user: from ``--lang``, else from the locale."""
    return getattr(options, "speech", "") or reader_language()


class View(NamedTuple):
    """A result for a person: text for stdout, notes for stderr, and whether anything was found."""

    text: str = ""
    notes: tuple[str, ...] = ()
    found: bool = True


def speech_for(operation: Operation[..., Any] | None, language: str) -> Speech:
    """Return the speech for messages about an operation: commands and options instead of operations and arguments."""
    return Speech(language, _quoted, partial(option, operation))


def option(operation: Operation[..., Any] | None, name: str, value: str | int = "") -> str:
    """Return how to type an argument: its longest flag, or its name if it has none, and its value."""
    fields = {field.name: field for field in inputs(operation.request)} if operation else {}
    field = fields.get(name)
    flag = f"--{name.replace('_', '-')}"
    if field is not None:
        flag = max(field.arg.flags, key=len) if field.arg.flags else field.arg.metavar.rstrip("…") or name
    return flag if value == "" or (field is not None and field.kind is bool) else f"{flag} {value}"


def _quoted(operation: str, arguments: Mapping[str, Any]) -> str:
    command = typed(operation, arguments)
    return command if "'" in command else f"'{command}'"


def typed(operation: str, arguments: Mapping[str, Any]) -> str:
    """Return how to type a call: as its command, or as ``shirube call`` if the command lacks some arguments."""
    pattern = OPERATIONS[operation].command if operation in OPERATIONS else ""
    names = FIELD.findall(pattern)
    flags = dict(_switches(operation, arguments, names))
    if flags and arguments.keys() == flags.keys():  # an option instead of what is usually typed: past --commit 1a2b3c4
        return " ".join([f"shirube {pattern.partition(' {')[0]}", *flags.values()])
    if not pattern or arguments.keys() - names - flags.keys():
        return f"shirube call {operation}" + (f" --json {quote(_json(arguments))}" if arguments else "")
    if not all(_is_plain(arguments.get(name)) for name in names):
        return f"shirube {pattern.partition(' {')[0]}"
    command = "shirube " + FIELD.sub(lambda field: quote(_text(arguments[field[1]])), pattern)
    return " ".join([command, *flags.values()])


def _switches(operation: str, arguments: Mapping[str, Any], names: list[str]) -> "list[tuple[str, str]]":
    """Return the arguments that the command has as options, each with its text."""
    declared = OPERATIONS.get(operation)
    switches = []
    for argument in inputs(declared.request) if declared else ():
        if argument.name not in names and argument.name in arguments and argument.arg.flags:
            flag = max(argument.arg.flags, key=len)
            value = arguments[argument.name]
            if _is_plain(value):
                switches.append((argument.name, flag if isinstance(value, bool) else f"{flag} {quote(_text(value))}"))
    return switches


def _is_plain(value: Any) -> bool:
    """Tell whether a value can be typed: a word, a number, or a list of one."""
    return isinstance(value, str | int) or (isinstance(value, list | tuple) and len(value) == 1)


def _text(value: Any) -> str:
    return str(value[0] if isinstance(value, list | tuple) else value)


def _json(arguments: Mapping[str, Any]) -> str:
    import json

    from shirube.codec import shown_json

    return json.dumps(shown_json(dict(arguments)), ensure_ascii=False)


MOST_BYTES = 1 << 26
SIGN = 1000
"""How many characters of a file are read to recognise an earlier export."""


def write_file(name: str, text: str, is_ours: Callable[[str], bool]) -> str:
    """Write an export and return its path; replace an existing file only if it is an earlier export."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise BadArgument("cli.is_directory", name=name, example=str(path / "export.json"))
    try:
        if path.exists() and not is_ours(path.read_text("utf-8", "replace")[:SIGN]):
            raise BadArgument("cli.no_export", name=name)
        path.write_text(text, "utf-8")
    except FileNotFoundError:
        raise BadArgument("cli.no_directory", path=str(path.parent)) from None
    except OSError as error:
        raise NoPermission("cli.not_written", name=name, error=error.strerror) from None
    return str(path)


def read_file(name: str) -> str:
    """Return an exported file; empty when it is missing or a directory, which the operation handles itself."""
    path = Path(name).expanduser()
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise NoPermission("cli.not_read", name=name, error=error.strerror) from None
    if len(data) > MOST_BYTES:
        raise BadArgument("cli.too_large", name=name, count=MOST_BYTES >> 20)
    return data.decode("utf-8", "replace")


WIDEST = 60
"""The widest column of places, in characters; longer places stick out instead of widening the column."""


def notes_of(result: Any, shown: int, screen: Screen) -> tuple[str, ...]:
    """Return the notes for the result of any operation that lists places."""
    notes = [screen.say(note) for note in result.degraded]
    if not shown:
        return (*notes, screen.answer(result))
    if getattr(result, "match", "exact") == "similar":
        notes.append(screen.words("view.similar", symbol=result.symbol))
    if result.answer.value == "partial" and not hasattr(result, "match"):
        notes.append(screen.answer(result))
    if getattr(result, "truncated", False):
        notes.append(screen.words("view.more", cursor=result.next_cursor))
    if unread := getattr(result, "not_searched", {}):
        left = [say(f"symbols.left_{reason}", count=count) for reason, count in unread.items()]
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
    head = f"{paint('path', file)}:{paint('line', f'{lines[0]}-{lines[1]}')}  {paint('kind', named[0])}"
    return f"{head} {paint('bold', named[1])}" if named[1] else head


def numbered(content: str, start: int, line: int, paint: Paint) -> Iterator[str]:
    """Return lines with their numbers, one of them marked."""
    lines = content.split("\n")
    width = len(str(start + len(lines) - 1))
    for number, text in enumerate(lines, start):
        here = number == line
        mark = paint("match", ">") if here else " "
        yield f"{mark} {paint('line' if here else 'dim', str(number).rjust(width))}  {printable(text)}"
