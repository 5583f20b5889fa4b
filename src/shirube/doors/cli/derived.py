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
from shirube.operation import Operation

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
    for name, one in list(signature(view_of(operation)).parameters.items())[2:]:
        kind, arg = get_args(one.annotation)[:2]
        yield Input(name, kind, arg, one.default)


def _declare(operation: Operation[..., Any], given: Mapping[str, Any], parser: argparse.ArgumentParser) -> None:
    taken = {one.name: one for one in inputs(operation.request)}
    parser.set_defaults(**given)
    for name in _positional(operation):
        if name not in given:
            parser.add_argument(name, **_place(taken[name]))
    for one in (*taken.values(), *_extra(operation)):
        if one.arg.flags:
            parser.add_argument(*one.arg.flags, dest=one.name, default=argparse.SUPPRESS, **_option(one))
    if hatch := getattr(_views(operation), f"declare_{operation.name}", None):
        hatch(parser)
    common(parser)
    parser.set_defaults(operation_row=operation)


def _place(one: Input) -> dict[str, Any]:
    """Return how an argument without an option is declared: one word, several words, or a list."""
    needed = one.default is ...
    several = get_origin(one.kind) is tuple or one.arg.metavar.endswith(WORDS)
    nargs = "*" if several else None if needed else "?"
    name = one.arg.metavar.rstrip(WORDS) or one.name.upper()
    return {"metavar": name, "nargs": nargs, "help": _help(one.arg), "default": argparse.SUPPRESS} | (
        {"type": int} if one.kind is int else {}
    )


def _option(one: Input) -> dict[str, Any]:
    if one.kind is bool:
        return {"action": "store_false" if one.default is True else "store_true", "help": _help(one.arg)}
    usual = f" (default {one.default})" if one.default not in (None, "", ()) else ""
    made: dict[str, Any] = {"help": _help(one.arg) + usual, "metavar": one.arg.metavar or one.name.upper()}
    if get_origin(one.kind) is tuple:
        return made | {"action": "append"}
    if isinstance(one.kind, type) and issubclass(one.kind, StrEnum):
        return made | {"choices": [member.value for member in one.kind], "metavar": None}
    return made | ({"type": one.kind} if one.kind in (int, float) else {})


def _help(arg: Arg) -> str:
    """Return what a field says to a model as an option says it: ``How many.`` → ``how many``."""
    text = arg.help.removesuffix(".").removeprefix("true: ").removeprefix("false: ")
    return (text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text).replace("%", "%%")


def _arguments(operation: Operation[..., Any], options: argparse.Namespace) -> dict[str, Any]:
    sent = {one.name: getattr(options, one.name) for one in inputs(operation.request) if hasattr(options, one.name)}
    joined = {one.name for one in inputs(operation.request) if one.arg.metavar.endswith(WORDS)}
    arguments = {name: " ".join(value) if name in joined else value for name, value in sent.items()}
    if hatch := getattr(_views(operation), f"typed_{operation.name}", None):
        arguments = hatch(options, arguments)
    return arguments


def _run(operation: Operation[..., Any], options: argparse.Namespace) -> int:
    if hatch := getattr(_views(operation), f"run_{operation.name}", None):
        code: int = hatch(options, _arguments(operation, options))
        return code
    result = ask(options, operation.name, _arguments(operation, options))
    extra = {one.name: getattr(options, one.name) for one in _extra(operation) if hasattr(options, one.name)}
    return shown(options, operation, result, **extra)


def shown(options: argparse.Namespace, operation: Operation[..., Any], result: Any, **extra: Any) -> int:
    """Print a result, with what the reader should know beside it on stderr, and return the exit code."""
    screen = screen_for(options, operation)
    view = view_of(operation)(result, screen, **extra)
    if options.json or view.text:
        show(options, result, lambda: view.text)
    for note in () if options.json else view.notes:
        print(f"shirube: {screen.say(note)}", file=sys.stderr)
    return OK if view.found else NO_MATCH
