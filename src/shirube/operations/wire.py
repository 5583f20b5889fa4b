"""Results as plain JSON values; the same for every door."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


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
