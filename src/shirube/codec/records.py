"""Records that cross a door, and how their fields are declared."""

import dataclasses
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from shirube.types import MapHit

Value = TypeVar("Value")
UNNAMED = frozenset({"section", "key", "module", "rule", "at_rule", ""})
"""Kinds whose name is no symbol of the program."""


class ShownPlace(NamedTuple):
    """Some lines of a file that a result put before its reader, and the symbol they belong to."""

    path: str
    start_line: int = 0
    end_line: int = 0
    symbol: str = ""
    """Empty where the lines belong to none, or to a section or key, which are no symbols of the program."""


def symbol_of(kind: str, name: str) -> str:
    """Return the name of a symbol; empty for what is no symbol of the program."""
    return "" if kind in UNNAMED else name


class Shown(NamedTuple):
    """What a result put before its reader; sessions record it as what was looked at."""

    places: tuple[ShownPlace, ...] = ()
    listed: tuple[str, ...] = ()
    """Files that were named without showing anything of them."""
    guessed: tuple[str, ...] = ()
    """Files that were found by sense alone: hypotheses."""
    map_hits: tuple[MapHit, ...] = ()
    """Agreements that were shown."""


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True):
    """A value that crosses a door: what an operation takes or returns."""

    def shown(self) -> Shown:
        """Return what this result put before its reader: nothing, unless a result says otherwise."""
        return Shown()


class Arg(Struct, frozen=True):
    """What a field of a request means, and how callers may give it; stands in ``Annotated``."""

    help: str
    also: str = ""
    """Other spellings that are understood, divided by blanks; they are not advertised."""
    low: float | None = None
    high: float | None = None
    """Bounds of a number, or of the characters of a text."""
    keyed: bool = False
    """A list of texts that may also come as an object: ``{"a": 1}`` is ``a=1``."""
    flags: str = ""
    """Options of the command line, divided by blanks: ``-k --limit``. A flag of a true default switches it off."""
    metavar: str = ""
    """What the command line calls the value: ``FILE``."""


class Input(NamedTuple):
    """One field of a request, ready to be read, described and offered as an option."""

    name: str
    kind: Any
    """Its type, without what is said about it and without None."""
    arg: Arg
    default: Any
    """``...`` when it must be given."""


@cache
def inputs(request: type[Record]) -> tuple[Input, ...]:
    """Return the fields of a request in their order."""
    hints = get_type_hints(request, include_extras=True)
    defaults = {one.name: one.default for one in msgspec.structs.fields(request)}
    return tuple(_input(name, hints[name], defaults[name]) for name in request.__struct_fields__)


def replace(value: Value, **changes: Any) -> Value:
    """Return a record or a dataclass with some fields changed, as ``copy.replace`` does from Python 3.13 on."""
    change: Any = msgspec.structs.replace if isinstance(value, msgspec.Struct) else dataclasses.replace
    changed: Value = change(value, **changes)
    return changed


def _input(name: str, hint: Any, default: Any) -> Input:
    kind, arg = hint, Arg("")
    if get_origin(hint) is Annotated:
        kind, arg = get_args(hint)[:2]
    return Input(name, bare(kind), arg, ... if default is msgspec.NODEFAULT else default)


def bare(kind: Any) -> Any:
    """Return the type of ``X | None`` without None, any other as it is."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if type(None) in get_args(kind) and len(parts) == 1 else kind
