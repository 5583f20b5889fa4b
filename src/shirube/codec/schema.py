"""JSON Schemas of requests, compact, made from their declarations."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from shirube.codec.records import Record, bare, inputs

_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

_BOUNDS = (("minimum", "maximum"), ("minLength", "maxLength"))
"""The words for a bound of a number, and of the characters of a text."""


def schema_of(request: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a request's arguments; unknown ones are not allowed."""
    properties, required = {}, []
    for one in inputs(request):
        described = {**type_schema(one.kind), "description": one.arg.help}
        bounded = described["items"] if described["type"] == "array" else described
        low, high = _BOUNDS[bounded["type"] == "string"]
        bounded |= {word: bound for word, bound in ((low, one.arg.low), (high, one.arg.high)) if bound is not None}
        if one.default is ...:
            required.append(one.name)
        elif one.default not in (None, "", ()) and not isinstance(one.default, Record):
            described["default"] = one.default
        properties[one.name] = described
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def result_schema(result: type[Record]) -> dict[str, Any]:
    """Return the schema of a result. Nothing is required: an error has the same place, and a cut says less."""
    schema = _value_schema(result)
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
    """Return the schema of a value as a reader gets it; a type that holds itself is left open."""
    if bare(hint) is not hint:
        return {"anyOf": [_value_schema(bare(hint), above), {"type": "null"}]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (tuple, list):
        one = _value_schema(inner[0], above)
        return {"type": "array", "items": one} if one else {"type": "array"}
    if hint in above or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object"}
    if is_dataclass(hint) or _is_record(hint):
        names = {one.name: one.encode_name for one in msgspec.structs.fields(hint)} if _is_record(hint) else {}
        members = get_type_hints(hint)
        properties = {names.get(name, name): _value_schema(kind, (*above, hint)) for name, kind in members.items()}
        return {"type": "object", "properties": properties}
    if isinstance(hint, type) and issubclass(hint, str):
        return {"type": "string"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def type_schema(hint: Any) -> dict[str, Any]:
    """Return the schema of one annotation."""
    if get_origin(hint) is tuple:
        return {"type": "array", "items": type_schema(get_args(hint)[0])}
    if _is_record(hint):
        return schema_of(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string", "enum": [member.value for member in hint]}
    return {"type": _PLAIN[hint]}


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)
