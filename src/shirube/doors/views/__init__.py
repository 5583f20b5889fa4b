"""How results read, for a person and for a model: a module each group of operations, a function each operation.

A view takes a result and the screen it is written on, and returns text, notes and whether anything was found; further
parameters are options of the command.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shirube.operation import Operation

if TYPE_CHECKING:
    from shirube.doors.views.screen import View


def view_of(operation: Operation[..., Any]) -> "Callable[..., View]":
    """Return the function that turns an operation's result into text: its view, or a plain one."""
    from shirube.doors.views.plain import plain

    module = import_module(f"shirube.doors.views.{operation.group}")
    view: Callable[..., View] = getattr(module, operation.function.__name__, plain)
    return view
