"""The terminal as a screen for views: its colours, its reader's language, commands instead of operations; files."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from shirube.codec import inputs, shown_json
from shirube.config import reader_language, wants_colour
from shirube.doors.views.screen import Paint, Screen
from shirube.errors import BadArgument, NoPermission
from shirube.messages import Speech
from shirube.operation import OPERATIONS, Operation

FIELD = re.compile(r"\{(\w+)\}")


def paint_for(no_color: bool) -> Paint:
    """Return the colours for stdout: on for a terminal, unless the user does not want them."""
    return Paint(sys.stdout.isatty() and wants_colour() and not no_color)


def screen_for(options: argparse.Namespace, operation: Operation[..., Any] | None = None) -> Screen:
    """Return the screen of this command; with ``--json`` it is English, as for agents."""
    language = "en" if getattr(options, "json", False) else language_for(options)
    paint = paint_for(getattr(options, "no_color", False))
    return Screen(
        paint,
        speech_for(operation, language),
        sys.stdout.isatty(),
        tokens=getattr(options, "max_tokens", 0),
        given=vars(options),
        typed=getattr(options, "typed", ()),
    )


def language_for(options: argparse.Namespace) -> str:
    """Return the language of the user: from ``--lang``, else from the locale."""
    return getattr(options, "speech", "") or reader_language()


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
        sent = json.dumps(shown_json(dict(arguments)), ensure_ascii=False)
        return f"shirube call {operation}" + (f" --json {quote(sent)}" if arguments else "")
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
