"""Commands derived from the declarations of operations.

The ``command`` of an operation gives its syntax, and the ``Arg`` of a field gives the field's option. The function NAME
of ``doors/views/GROUP.py``, its view, turns the result of operation NAME of group GROUP into text. Further parameters
of a view become options too (``--why``).

Where that is not enough, ``options/GROUP.py`` may have ``declare_NAME`` (adds arguments to the parser), ``typed_NAME``
(turns the options into the arguments of the operation) or ``run_NAME`` (replaces the whole command).
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, get_args, get_origin

from shirube.codec import Arg, Input, inputs
from shirube.doors.cli.command import NO_MATCH, OK, CliCommand, ask, common, show
from shirube.doors.cli.screen import FIELD, screen_for
from shirube.doors.views import view_of
from shirube.doors.views.compose import compose
from shirube.operation import OPERATIONS, Operation

WORDS = "…"
"""At the end of a ``metavar``: several words may be typed without quotes."""


def derived(operation: Operation[..., Any], given: Mapping[str, Any]) -> CliCommand:
    """Return the command of an operation; ``given`` are arguments set by the command's name (``outcome success``)."""
    return CliCommand(partial(_declare, operation, given), partial(_run, operation))


def _special(operation: Operation[..., Any], name: str) -> Any:
    """Return the function ``declare_NAME``, ``typed_NAME`` or ``run_NAME`` of an operation, if there is one."""
    return getattr(import_module(f"shirube.doors.cli.options.{operation.group}"), f"{name}_{operation.name}", None)


def _view_options(operation: Operation[..., Any]) -> Iterator[Input]:
    """Yield the options of the view: its parameters after the result and the screen."""
    for name, parameter in list(signature(view_of(operation)).parameters.items())[2:]:
        kind, arg = get_args(parameter.annotation)[:2]
        yield Input(name, kind, arg, parameter.default)


def _declare(operation: Operation[..., Any], given: Mapping[str, Any], parser: argparse.ArgumentParser) -> None:
    """Add all options to a parser: the request's fields, the view's options, and those of every command."""
    fields = {field.name: field for field in inputs(operation.request)}
    parser.set_defaults(**given)
    words = operation.command.split()
    for before, word in zip(["", *words], words, strict=False):
        # refs {symbol} --in {defined_in}: only symbol is typed without an option
        if (field := FIELD.fullmatch(word)) and not before.startswith("-") and field[1] not in given:
            parser.add_argument(field[1], **_positional_settings(fields[field[1]]))
    for option in (*fields.values(), *_view_options(operation)):
        if flags := option.arg.flags:
            parser.add_argument(*flags, dest=option.name, default=argparse.SUPPRESS, **_option_settings(option))
    if declare_more := _special(operation, "declare"):
        declare_more(parser)
    common(parser)
    parser.set_defaults(operation_row=operation)


def _positional_settings(field: Input) -> dict[str, Any]:
    """Return the settings of ``add_argument`` for an argument without a flag: one word, several words, or a list."""
    required = field.default is ...
    several = get_origin(field.kind) is tuple or field.arg.metavar.endswith(WORDS)
    nargs = "*" if several else None if required else "?"
    name = field.arg.metavar.rstrip(WORDS) or field.name.upper()
    return {"metavar": name, "nargs": nargs, "help": _help(field.arg), "default": argparse.SUPPRESS} | (
        {"type": int} if field.kind is int else {}
    )


def _option_settings(field: Input) -> dict[str, Any]:
    """Return the settings of ``add_argument`` for an option."""
    if field.kind is bool:
        return {"action": "store_false" if field.default is True else "store_true", "help": _help(field.arg)}
    default = f" (default {field.default})" if field.default not in (None, "", ()) else ""
    settings: dict[str, Any] = {"help": _help(field.arg) + default, "metavar": field.arg.metavar or field.name.upper()}
    if get_origin(field.kind) is tuple:
        return settings | {"action": "append"}
    if isinstance(field.kind, type) and issubclass(field.kind, StrEnum):
        return settings | {"choices": [member.value for member in field.kind], "metavar": None}
    return settings | ({"type": field.kind} if field.kind in (int, float) else {})


def _help(arg: Arg) -> str:
    """Return a field's sentence as the help of an option: ``How many.`` → ``how many``."""
    text = arg.help.removesuffix(".").removeprefix("true: ").removeprefix("false: ")
    return (text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text).replace("%", "%%")


def _arguments(operation: Operation[..., Any], options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the operation from the parsed options."""
    fields = inputs(operation.request)
    typed = {field.name: getattr(options, field.name) for field in fields if hasattr(options, field.name)}
    joined = {field.name for field in fields if field.arg.metavar.endswith(WORDS)}
    arguments = {name: " ".join(value) if name in joined else value for name, value in typed.items()}
    if read_typed := _special(operation, "typed"):
        arguments = read_typed(options, arguments)
    return arguments


def _run(operation: Operation[..., Any], options: argparse.Namespace) -> int:
    if run_instead := _special(operation, "run"):
        code: int = run_instead(options, _arguments(operation, options))
        return code
    view_options = _view_options(operation)
    extra = {field.name: getattr(options, field.name) for field in view_options if hasattr(options, field.name)}
    return answer(options, operation.name, _arguments(operation, options), **extra)


def answer(options: argparse.Namespace, name: str, arguments: dict[str, Any], **extra: Any) -> int:
    """Run an operation, print its result and return the exit code."""
    return shown(options, OPERATIONS[name], ask(options, name, arguments), **extra)


def shown(options: argparse.Namespace, operation: Operation[..., Any], result: Any, **extra: Any) -> int:
    """Print a result on stdout and its notes on stderr; return the exit code."""
    screen = screen_for(options, operation)
    view = view_of(operation)(result, screen, **extra)
    text = compose(view._replace(notes=()), screen).text
    if options.json or text:
        show(options, result, lambda: text)
    for note in () if options.json else view.notes:
        print(f"shirube: {screen.say(note)}", file=sys.stderr)
    return OK if view.found else NO_MATCH
