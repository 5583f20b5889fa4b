"""JSON Schemas of requests, compact, made from their declarations."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from shirube.operations.model import Operation, Shared, takes_shared

_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

_BOUNDS = ((("low", "minimum"), ("high", "maximum")), (("low", "minLength"), ("high", "maxLength")))
"""The words for a bound of a number, and of the characters of a text."""


def schema_of(request: type) -> dict[str, Any]:
    """Return the JSON Schema of a request's arguments; unknown ones are not allowed."""
    hints = get_type_hints(request)
    properties, required = {}, []
    for item in fields(request):
        described = {**type_schema(hints[item.name]), "description": item.metadata["help"]}
        bounded = described["items"] if described["type"] == "array" else described
        for bound, word in _BOUNDS[bounded["type"] == "string"]:
            if item.metadata[bound] is not None:
                bounded[word] = item.metadata[bound]
        if item.default is MISSING:
            required.append(item.name)
        elif item.default not in (None, "", ()):
            described["default"] = item.default
        properties[item.name] = described
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def operation_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of everything an operation takes, what all share with it."""
    schema = schema_of(operation.request)
    if takes_shared(operation):
        schema["properties"] |= schema_of(Shared)["properties"]
    return schema


def result_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of a result. Nothing is required: an error has the same place, and a cut says less."""
    schema = _value_schema(operation.result)
    marks = {
        "truncated": {"type": "boolean"},
        "cut": {
            "type": "array",
            "description": "What did not fit into the answer: the field, and how many of how many are here.",
            "items": {"type": "object"},
        },
        "cut_hint": {"type": "string"},
    }
    return {**schema, "properties": marks | schema["properties"]}


def _value_schema(hint: Any, above: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Return the schema of a value as ``to_wire`` writes it; a type that holds itself is left open."""
    if get_origin(hint) is UnionType:
        (plain,) = (part for part in get_args(hint) if part is not type(None))
        return {"anyOf": [_value_schema(plain, above), {"type": "null"}]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (tuple, list):
        one = _value_schema(inner[0], above)
        return {"type": "array", "items": one} if one else {"type": "array"}
    if hint in above or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object"}
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        members = {name.removesuffix("_"): kind for name, kind in get_type_hints(hint).items()}
        properties = {name: _value_schema(kind, (*above, hint)) for name, kind in members.items()}
        return {"type": "object", "properties": properties}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def type_schema(hint: Any) -> dict[str, Any]:
    """Return the schema of one annotation."""
    if get_origin(hint) is UnionType:
        (plain,) = (part for part in get_args(hint) if part is not type(None))
        return type_schema(plain)
    if get_origin(hint) is tuple:
        return {"type": "array", "items": type_schema(get_args(hint)[0])}
    if is_dataclass(hint):
        return schema_of(hint)  # type: ignore[arg-type]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string", "enum": [member.value for member in hint]}
    return {"type": _PLAIN[hint]}
