"""Commands made from the declarations of operations.

``command`` of an operation says what is typed, ``Arg`` which options there are; ``views`` holds how each result reads.
A view's own parameters become options, too (``--why``). Where a command has a way of its own, its view module has
``declare_NAME`` (more arguments), ``typed_NAME`` (what was typed → the arguments of the operation) or ``run_NAME``
(the whole command).
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, get_args, get_origin

from shirube.codec import Arg, Input, inputs
from shirube.doors.cli.command import NO_MATCH, OK, CliCommand, ask, common, show
from shirube.doors.cli.screen import FIELD, View, screen_for
from shirube.operation import OPERATIONS, Operation

WORDS = "…"
"""Behind the name of an argument: several words may be typed without quotes."""


def derived(operation: Operation[..., Any], given: Mapping[str, Any]) -> CliCommand:
    """Return a command of an operation; ``given`` are the arguments that it stands for."""
    return CliCommand(partial(_declare, operation, given), partial(_run, operation))


def view_of(operation: Operation[..., Any]) -> Callable[..., View]:
    """Return how the result of an operation reads."""
    found: Callable[..., View] = getattr(_views(operation), operation.name)
    return found


def _views(operation: Operation[..., Any]) -> Any:
    return import_module(f"shirube.doors.cli.views.{operation.group}")


def _positional(operation: Operation[..., Any]) -> list[str]:
    """Return the arguments that are typed without an option: ``refs {symbol} --in {defined_in}`` → symbol."""
    words = operation.command.split()
    return [
        field[1]
        for before, word in zip(["", *words], words, strict=False)
        if (field := FIELD.fullmatch(word)) and not before.startswith("-")
    ]


def _extra(operation: Operation[..., Any]) -> Iterator[Input]:
    """Return the options of the view: its parameters behind the result and the screen."""
    for name, parameter in list(signature(view_of(operation)).parameters.items())[2:]:
        kind, arg = get_args(parameter.annotation)[:2]
        yield Input(name, kind, arg, parameter.default)


def _declare(operation: Operation[..., Any], given: Mapping[str, Any], parser: argparse.ArgumentParser) -> None:
    taken = {field.name: field for field in inputs(operation.request)}
    parser.set_defaults(**given)
    for name in _positional(operation):
        if name not in given:
            parser.add_argument(name, **_place(taken[name]))
    for field in (*taken.values(), *_extra(operation)):
        if field.arg.flags:
            parser.add_argument(*field.arg.flags.split(), dest=field.name, default=argparse.SUPPRESS, **_option(field))
    if hatch := getattr(_views(operation), f"declare_{operation.name}", None):
        hatch(parser)
    common(parser)
    parser.set_defaults(operation_row=operation)


def _place(field: Input) -> dict[str, Any]:
    """Return how an argument without an option is declared: one word, several words, or a list."""
    needed = field.default is ...
    several = get_origin(field.kind) is tuple or field.arg.metavar.endswith(WORDS)
    nargs = "*" if several else None if needed else "?"
    name = field.arg.metavar.rstrip(WORDS) or field.name.upper()
    return {"metavar": name, "nargs": nargs, "help": _help(field.arg), "default": argparse.SUPPRESS} | (
        {"type": int} if field.kind is int else {}
    )


def _option(field: Input) -> dict[str, Any]:
    if field.kind is bool:
        return {"action": "store_false" if field.default is True else "store_true", "help": _help(field.arg)}
    usual = f" (default {field.default})" if field.default not in (None, "", ()) else ""
    made: dict[str, Any] = {"help": _help(field.arg) + usual, "metavar": field.arg.metavar or field.name.upper()}
    if get_origin(field.kind) is tuple:
        return made | {"action": "append"}
    if isinstance(field.kind, type) and issubclass(field.kind, StrEnum):
        return made | {"choices": [member.value for member in field.kind], "metavar": None}
    return made | ({"type": field.kind} if field.kind in (int, float) else {})


def _help(arg: Arg) -> str:
    """Return what a field says to a model as an option says it: ``How many.`` → ``how many``."""
    text = arg.help.removesuffix(".").removeprefix("true: ").removeprefix("false: ")
    return (text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text).replace("%", "%%")


def _arguments(operation: Operation[..., Any], options: argparse.Namespace) -> dict[str, Any]:
    fields = inputs(operation.request)
    sent = {field.name: getattr(options, field.name) for field in fields if hasattr(options, field.name)}
    joined = {field.name for field in fields if field.arg.metavar.endswith(WORDS)}
    arguments = {name: " ".join(value) if name in joined else value for name, value in sent.items()}
    if hatch := getattr(_views(operation), f"typed_{operation.name}", None):
        arguments = hatch(options, arguments)
    return arguments


def _run(operation: Operation[..., Any], options: argparse.Namespace) -> int:
    if hatch := getattr(_views(operation), f"run_{operation.name}", None):
        code: int = hatch(options, _arguments(operation, options))
        return code
    extra = {field.name: getattr(options, field.name) for field in _extra(operation) if hasattr(options, field.name)}
    return answer(options, operation.name, _arguments(operation, options), **extra)


def answer(options: argparse.Namespace, name: str, arguments: dict[str, Any], **extra: Any) -> int:
    """Run an operation, print its result and return the exit code."""
    return shown(options, OPERATIONS[name], ask(options, name, arguments), **extra)


def shown(options: argparse.Namespace, operation: Operation[..., Any], result: Any, **extra: Any) -> int:
    """Print a result, with what the reader should know beside it on stderr, and return the exit code."""
    screen = screen_for(options, operation)
    view = view_of(operation)(result, screen, **extra)
    if options.json or view.text:
        show(options, result, lambda: view.text)
    for note in () if options.json else view.notes:
        print(f"shirube: {screen.say(note)}", file=sys.stderr)
    return OK if view.found else NO_MATCH
