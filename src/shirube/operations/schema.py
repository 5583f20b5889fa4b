"""JSON Schemas of requests, compact, made from their declarations."""

from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

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
