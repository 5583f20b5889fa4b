"""The one way to and from JSON: records, reading arguments, JSON Schemas, and writing results for readers."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from math import isfinite
from typing import Annotated, Any, NamedTuple, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from shirube.errors import LONGEST, BadArgument, UnknownName
from shirube.messages import AGENT, Argument, Message, Speech, pack_message, render, say, unpack_message
from shirube.types import MapHit

Value = TypeVar("Value")
UNNAMED = frozenset({"section", "key", "module", "rule", "at_rule", ""})
"""Kinds of chunk whose name is not a symbol of the program."""


class ShownPlace(NamedTuple):
    """Some lines of a file that a result showed to its reader, and the symbol they belong to."""

    path: str
    start_line: int = 0
    end_line: int = 0
    symbol: str = ""
    """Empty where the lines belong to no symbol; sections and keys do not count as symbols."""


def symbol_of(kind: str, name: str) -> str:
    """Return the name of a symbol; empty for a kind that is not a symbol of the program."""
    return "" if kind in UNNAMED else name


class Shown(NamedTuple):
    """What a result showed to its reader; sessions record it as what the agent has looked at."""

    places: tuple[ShownPlace, ...] = ()
    listed: tuple[str, ...] = ()
    """Files that the result named without showing their content."""
    guessed: tuple[str, ...] = ()
    """Files that only the embedding search found: hypotheses."""
    map_hits: tuple[MapHit, ...] = ()
    """Agreements of the map that the result showed."""


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True):
    """The base of everything an operation takes or returns."""

    def shown(self) -> Shown:
        """Return what this result showed to its reader; nothing, unless a subclass overrides this."""
        return Shown()


class Arg(Struct, frozen=True):
    """What a field of a request means, and how callers may give it; used inside ``Annotated``."""

    help: str
    also: str = ""
    """Other spellings that are accepted but not advertised, separated by spaces."""
    low: float | None = None
    high: float | None = None
    """Bounds of a number, or of a text's length in characters."""
    rare: bool = False
    """Whether tool lists leave it out: every word of those costs an agent, in every request."""
    keyed: bool = False
    """Whether a list of texts may also come as an object: ``{"a": 1}`` is ``a=1``."""
    usage: str = ""
    """How the command line takes it: options and the value's name (``-k --limit N``), or the value alone (``FILE``).

    An option without a value is a switch; if the default is true, it switches the field off.
    """

    @property
    def flags(self) -> list[str]:
        """Its options on the command line."""
        return [word for word in self.usage.split() if word.startswith("-")]

    @property
    def metavar(self) -> str:
        """What the command line calls its value."""
        return next((word for word in self.usage.split() if not word.startswith("-")), "")


class Input(NamedTuple):
    """One field of a request, with all that is needed to read it, describe it and offer it as an option."""

    name: str
    kind: Any
    """Its type, without ``Annotated`` and without None."""
    arg: Arg
    default: Any
    """``...`` when it must be given."""


@cache
def inputs(request: type[Record]) -> tuple[Input, ...]:
    """Return the fields of a request in their order."""
    hints = get_type_hints(request, include_extras=True)
    defaults = {field.name: field.default for field in msgspec.structs.fields(request)}
    return tuple(_input(name, hints[name], defaults[name]) for name in request.__struct_fields__)


def replace(value: Value, **changes: Any) -> Value:
    """Return a record or a dataclass with some fields changed, as ``copy.replace`` does from Python 3.13 on."""
    change: Any = msgspec.structs.replace if isinstance(value, msgspec.Struct) else dataclasses.replace
    changed: Value = change(value, **changes)
    return changed


def record_from(kind: type[Value], source: Any, /, **fields: Any) -> Value:
    """Return a record with these fields; copy the others from attributes of the source that have the same name."""
    names = set(kind.__struct_fields__) - fields.keys()  # type: ignore[attr-defined]
    return kind(**{name: getattr(source, name) for name in names if hasattr(source, name)}, **fields)


def read_json(text: str, otherwise: Any = None) -> Any:
    """Return the value of a JSON text, or ``otherwise`` when the text is not JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return otherwise


@cache
def packaged(package: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file that is packaged with the program."""
    import tomllib
    from importlib import resources

    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def _input(name: str, hint: Any, default: Any) -> Input:
    kind, arg = hint, Arg("")
    if get_origin(hint) is Annotated:
        kind, arg = get_args(hint)[:2]
    return Input(name, bare(kind), arg, ... if default is msgspec.NODEFAULT else default)


def bare(kind: Any) -> Any:
    """Return ``X`` for the type ``X | None``, and any other type unchanged."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if type(None) in get_args(kind) and len(parts) == 1 else kind


Request = TypeVar("Request", bound=Record)
MAX_TEXT = 20_000
"""The most characters one argument may have; a longer question is a pasted file."""


def read_request(kind: type[Request], sent: Mapping[str, Any]) -> Request:
    """Return the request built from what was sent, or raise an error that names the argument and the next step.

    Arguments may be spelled differently; unknown and repeated ones are refused.
    """
    declared = {item.name: item for item in inputs(kind)}
    spellings = _spellings(declared.values())
    given: dict[str, Any] = {}
    for name, value in sent.items():
        own = name if name in declared else spellings.get(fold(name))
        if own is None:
            raise UnknownName("argument", name, declared)
        if own in given:
            raise BadArgument("arguments.twice", name=Argument(own))
        if value is not None:
            given[own] = value
    values = {name: _fit(value, declared[name].kind, declared[name]) for name, value in given.items()}
    missing = [item for name, item in declared.items() if item.default is ... and name not in values]
    if missing:
        raise BadArgument("arguments.missing", name=Argument(missing[0].name), help=missing[0].arg.help)
    return kind(**values)


def canonical(kind: type[Record], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under the names that the request declares; unchecked, and without undeclared ones."""
    names = _spellings(inputs(kind))
    return {names[fold(name)]: value for name, value in sent.items() if fold(name) in names}


METADATA = "metadatafilters"
"""The container of seed 001 whose members are filters, not arguments."""


def unpacked(sent: Mapping[str, Any], containers: Sequence[str], needless: Sequence[str]) -> dict[str, Any]:
    """Return the arguments with containers flattened into the top level, and without the needless ones."""
    to_flatten, to_drop = {fold(name) for name in containers}, {fold(name) for name in needless}
    flat: dict[str, Any] = {}
    for name, value in sent.items():
        if fold(name) in to_drop:
            continue
        members = _members(name, value) if fold(name) in to_flatten else {name: value}
        for member, inner in members.items():
            if flat.get(member) is not None and inner is not None:
                raise BadArgument("arguments.twice_inside", name=Argument(member), container=name)
            flat[member] = inner
    return flat


def _members(name: str, value: Any) -> Mapping[str, Any]:
    """Return the members of a container; none for null."""
    if value is None:
        return {}
    value = _parsed(value, "{")
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadArgument("arguments.container", name=name)
    if fold(name) == METADATA and (unknown := next((key for key in value if fold(key) not in ("tag", "tags")), None)):
        raise BadArgument("arguments.metadata", key=unknown)
    return value


def _parsed(value: Any, opening: str) -> Any:
    """Return the object or array inside a JSON string, which some clients send; anything else unchanged."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        return read_json(value, value)
    return value


def _spellings(declared: Iterable[Input]) -> dict[str, str]:
    """Map every folded spelling of every argument to its name: ``pathPrefix`` and ``path_prefix`` fold alike."""
    declared = tuple(declared)
    others = {fold(word): item.name for item in declared for word in item.arg.also.split()}
    return others | {fold(item.name): item.name for item in declared}


def fold(name: str) -> str:
    """Return what the spellings of one name have in common: ``maxTokens`` and ``max_tokens`` fold alike."""
    return re.sub(r"[-_]", "", name).lower()


def _fit(value: Any, hint: Any, item: Input) -> Any:
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        if item.arg.keyed and (pairs := _pairs(value)) is not None:
            value = pairs
        return tuple(_fit(part, inner, item) for part in _list(value, item, inner))
    if isinstance(hint, type) and issubclass(hint, Record):
        plain = getattr(hint, "PLAIN", "")
        if plain and isinstance(value, str) and not value.lstrip().startswith("{"):
            value = {plain: value}
        return read_request(hint, _object(value, item))
    if issubclass(hint, StrEnum):
        return _choice(value, hint, item)
    if hint is bool:
        if str(value).lower() not in ("true", "false"):
            raise _refuse(item, value, "boolean")
        return str(value).lower() == "true"
    if hint in (int, float):
        return _number(value, hint, item)
    return _text(value, item)


def _pairs(value: Any) -> list[str] | None:
    """Return the ``key=value`` texts of an object: ``{"edition": "x", "uv": {"a": 1}}`` → ``edition=x``, ``uv-a=1``."""
    value = _parsed(value, "{")
    if not isinstance(value, Mapping):
        return None
    flat: dict[str, Any] = {}
    for key, entry in value.items():
        nested = entry.items() if isinstance(entry, Mapping) else None
        flat.update({key: entry} if nested is None else {f"{key}-{name}": inner for name, inner in nested})
    return [f"{key}={entry}" for key, entry in flat.items() if entry is not None]


def _list(value: Any, item: Input, kind: type) -> list[Any]:
    """Return a list; a single string counts as a list of one.

    A JSON array without any string is not read as a list of texts: ``[0]`` is code to search for.
    """
    if isinstance(value, str):
        parsed = _parsed(value, "[")
        fits = isinstance(parsed, list) and (kind is not str or not parsed or str in map(type, parsed))
        value = parsed if fits else [value]
    if not isinstance(value, list | tuple):
        raise _refuse(item, value, "list")
    return list(value)


def _object(value: Any, item: Input) -> Mapping[str, Any]:
    """Return an object; callers of the library may pass the record itself."""
    if isinstance(value, Record):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    value = _parsed(value, "{")
    if not isinstance(value, Mapping):
        raise _refuse(item, value, "objects" if get_origin(item.kind) is tuple else "object")
    return value


def _choice(value: Any, kind: type[StrEnum], item: Input) -> StrEnum:
    known = [member.value for member in kind]
    if str(value).lower() not in known:
        raise UnknownName(say("terms.value_of", name=Argument(item.name)), _short(value), known)
    return kind(str(value).lower())


def _number(value: Any, kind: type, item: Input) -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        raise _refuse(item, value, "number") from None
    if isinstance(value, bool) or (kind is int and isinstance(value, float) and value != number):
        raise _refuse(item, value, "whole")
    low, high = item.arg.low, item.arg.high
    if (low is not None and not number >= low) or (high is not None and not number <= high):
        raise _refuse(item, value, "between" if high is not None else "least", low=low, high=high)
    if kind is float and not isfinite(number):
        raise _refuse(item, value, "number")
    return number


_SURROGATE = re.compile("[\\ud800-\\udfff]")


def _text(value: Any, item: Input) -> str:
    if not isinstance(value, str):
        raise _refuse(item, value, "text")
    most = item.arg.high or MAX_TEXT
    if len(value) > most:
        raise BadArgument("arguments.too_long", name=Argument(item.name), count=len(value), most=int(most))
    if _SURROGATE.search(value):
        # A lone surrogate cannot be stored or sent back, and a replacement character would change the search.
        raise BadArgument("arguments.not_text", name=Argument(item.name))
    return value


def _refuse(item: Input, value: Any, wanted: str, **bounds: float | None) -> BadArgument:
    what = say(f"arguments.{wanted}", **bounds)
    return BadArgument(
        "arguments.must_be", name=Argument(item.name), what=what, given=repr(_short(value)), help=item.arg.help
    )


def _short(value: Any) -> str:
    """Return the beginning of a value as text; Python refuses to print a huge number, so that gives its type."""
    try:
        return str(value)[:LONGEST]
    except (ValueError, RecursionError):
        return type(value).__name__


_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

_BOUNDS = (("minimum", "maximum"), ("minLength", "maxLength"))
"""JSON Schema's keywords for the bounds of a number, and of a text's length."""


def brief_schema(request: type[Record]) -> dict[str, Any]:
    """Return the schema for a tool list: no rare arguments, no bounds, no defaults; those are checked all the same."""
    properties = {
        one.name: {**type_schema(one.kind, brief_schema), "description": one.arg.help}
        for one in inputs(request)
        if not one.arg.rare
    }
    required = [one.name for one in inputs(request) if one.default is ...]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def schema_of(request: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a request's arguments; it allows no others."""
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
    """Return the schema of a result. No field is required: an error or a shortened result lacks some of them."""
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
    """Return the schema of a value as a reader gets it; a recursive type becomes a plain object."""
    if bare(hint) is not hint:
        return {"anyOf": [_value_schema(bare(hint), above), {"type": "null"}]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (tuple, list):
        items = _value_schema(inner[0], above)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if hint in above or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object"}
    if is_dataclass(hint) or _is_record(hint):
        fields: Any = msgspec.structs.fields(hint) if _is_record(hint) else dataclasses.fields(hint)
        names = {field.name: getattr(field, "encode_name", field.name) for field in fields}
        kinds = get_type_hints(hint)
        properties = {shown: _value_schema(kinds[name], (*above, hint)) for name, shown in names.items()}
        return {"type": "object", "properties": properties}
    if isinstance(hint, type) and issubclass(hint, str):
        return {"type": "string"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def type_schema(hint: Any, of_record: Callable[[type[Record]], dict[str, Any]] = schema_of) -> dict[str, Any]:
    """Return the schema of one annotation."""
    if get_origin(hint) is tuple:
        return {"type": "array", "items": type_schema(get_args(hint)[0], of_record)}
    if _is_record(hint):
        return of_record(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string", "enum": [member.value for member in hint]}
    return {"type": _PLAIN[hint]}


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


DIGITS = 4
"""Decimal places that are of use to a reader."""


def shown_json(value: Any, speech: Speech = AGENT) -> Any:
    """Return a result as a reader gets it: messages as text in the reader's language, floats rounded."""
    return _rounded(_plain_json(value, lambda message: render(message, speech)))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


def pack(value: Any) -> Any:
    """Return a value as plain JSON that ``unpack`` can read back."""
    return _plain_json(value, pack_message)


def _plain_json(value: Any, write: Callable[[Message], Any]) -> Any:
    def written(other: Any) -> Any:
        if isinstance(other, Message):
            return write(other)
        raise TypeError(f"a {type(other).__name__} has no form in JSON")

    return msgspec.to_builtins(value, enc_hook=written, str_keys=True)


def plain(value: Any) -> Any:
    """Return a value as plain JSON for a file that other programs read too: messages become English text."""
    return msgspec.to_builtins(value, enc_hook=str)


def unpack(kind: type[Value], packed: Any) -> Value:
    """Return the value that ``pack`` packed; ignore unknown fields of other versions. Raises ``ValueError``."""

    def decode_message(wanted: type, other: Any) -> Any:
        if wanted is Message:
            return unpack_message(other)
        raise TypeError(f"a {wanted.__name__} cannot be read from JSON")

    return msgspec.convert(packed, kind, strict=False, dec_hook=decode_message)
