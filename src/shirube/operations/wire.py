"""Results as plain JSON values; the same for every door."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints


def to_wire(value: Any) -> Any:
    """Return dataclasses and named tuples as objects, tuples as lists, enums as their words.

    A field that is a word of Python has an underscore behind it (``from_``), which stays at home.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name.removesuffix("_"): to_wire(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return {name: to_wire(item) for name, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [to_wire(item) for item in value]
    return value


def from_wire(kind: Any, value: Any) -> Any:
    """Return what ``to_wire`` was given, by its type; what is not declared is left out, what is missing is default."""
    if get_origin(kind) is UnionType:
        (plain,) = (part for part in get_args(kind) if part is not type(None))
        return None if value is None else from_wire(plain, value)
    if get_origin(kind) is tuple:
        return tuple(from_wire(get_args(kind)[0], part) for part in value)
    if is_dataclass(kind):
        hints = _hints(kind)  # type: ignore[arg-type]
        return kind(
            **{item.name: from_wire(hints[item.name], value[item.name]) for item in fields(kind) if item.name in value}
        )  # type: ignore[operator]
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields; worked out once, for a plan has hundreds of values."""
    return get_type_hints(kind)
