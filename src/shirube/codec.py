"""One way to and from JSON: records, the reading of arguments, schemas, and how results are written for readers."""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
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
    usage: str = ""
    """How it is typed: its options and the name of its value (``-k --limit N``), or its value alone (``FILE``).

    An option without a value is a switch; that of a true default switches it off.
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


def record_from(kind: type[Value], source: Any, /, **fields: Any) -> Value:
    """Return a record with these fields; the source gives the others that it has under the same name."""
    names = set(kind.__struct_fields__) - fields.keys()  # type: ignore[attr-defined]
    return kind(**{name: getattr(source, name) for name in names if hasattr(source, name)}, **fields)


def read_json(text: str, otherwise: Any = None) -> Any:
    """Return the value of a JSON text, or ``otherwise`` when it is no JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return otherwise


@cache
def packaged(package: str, name: str) -> dict[str, Any]:
    """Return a TOML file that comes with the program."""
    import tomllib
    from importlib import resources

    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def _input(name: str, hint: Any, default: Any) -> Input:
    kind, arg = hint, Arg("")
    if get_origin(hint) is Annotated:
        kind, arg = get_args(hint)[:2]
    return Input(name, bare(kind), arg, ... if default is msgspec.NODEFAULT else default)


def bare(kind: Any) -> Any:
    """Return the type of ``X | None`` without None, any other as it is."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if type(None) in get_args(kind) and len(parts) == 1 else kind


Request = TypeVar("Request", bound=Record)
MAX_TEXT = 20_000
"""Characters of one argument; a question longer than this is a pasted file."""


def read_request(kind: type[Request], sent: Mapping[str, Any]) -> Request:
    """Return the request, or raise an error that names the argument and the next step."""
    declared = {one.name: one for one in inputs(kind)}
    given = _canonical(declared, sent)
    values = {name: _fit(value, declared[name].kind, declared[name]) for name, value in given.items()}
    missing = [one for name, one in declared.items() if one.default is ... and name not in values]
    if missing:
        raise BadArgument("arguments.missing", name=Argument(missing[0].name), help=missing[0].arg.help)
    return kind(**values)


def canonical(kind: type[Record], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was sent under the names a request declares, unchecked; what is not declared is left out."""
    names = _spellings(inputs(kind))
    return {names[_fold(name)]: value for name, value in sent.items() if _fold(name) in names}


def unpacked(sent: Mapping[str, Any], containers: Sequence[str], needless: Sequence[str]) -> dict[str, Any]:
    """Return the arguments with those in a container beside the others, and without the needless ones."""
    inside, without = {_fold(name) for name in containers}, {_fold(name) for name in needless}
    flat: dict[str, Any] = {}
    for name, value in sent.items():
        if _fold(name) in without:
            continue
        members = _members(name, value) if _fold(name) in inside else {name: value}
        for member, its_value in members.items():
            if flat.get(member) is not None and its_value is not None:
                raise BadArgument("arguments.twice_inside", name=Argument(member), container=name)
            flat[member] = its_value
    return flat


def _members(name: str, value: Any) -> Mapping[str, Any]:
    """Return the object, empty when it is none."""
    if value is None:
        return {}
    value = _parsed(value, "{")
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadArgument("arguments.container", name=name)
    return value


def _parsed(value: Any, opening: str) -> Any:
    """Return the object or array that a JSON string holds, as some clients send them; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        return read_json(value, value)
    return value


def _spellings(declared: Iterable[Input]) -> dict[str, str]:
    """Return every spelling of every argument, folded: ``pathPrefix`` and ``path_prefix`` are the same."""
    declared = tuple(declared)
    others = {_fold(word): one.name for one in declared for word in one.arg.also.split()}
    return others | {_fold(one.name): one.name for one in declared}


def _canonical(declared: Mapping[str, Input], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under their own names."""
    spellings = _spellings(declared.values())
    given: dict[str, Any] = {}
    for name, value in sent.items():
        own = name if name in declared else spellings.get(_fold(name))
        if own is None:
            raise UnknownName("argument", name, declared)
        if own in given:
            raise BadArgument("arguments.twice", name=Argument(own))
        if value is not None:
            given[own] = value
    return given


def _fold(name: str) -> str:
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
        return _boolean(value, item)
    if hint in (int, float):
        return _number(value, hint, item)
    return _text(value, item)


def _pairs(value: Any) -> list[str] | None:
    """Return an object as the texts it stands for: ``{"edition": "x", "uv": {"a": 1}}`` → ``edition=x``, ``uv-a=1``."""
    value = _parsed(value, "{")
    if not isinstance(value, Mapping):
        return None
    flat: dict[str, Any] = {}
    for key, one in value.items():
        flat.update({f"{key}-{name}": inner for name, inner in one.items()} if isinstance(one, Mapping) else {key: one})
    return [f"{key}={one}" for key, one in flat.items() if one is not None]


def _list(value: Any, item: Input, kind: type) -> list[Any]:
    """Return a list; one value may stand for a list of one.

    A string is no array of texts when there is no text in it: ``[0]`` is something to look for.
    """
    if isinstance(value, str):
        parsed = _parsed(value, "[")
        fits = isinstance(parsed, list) and (kind is not str or not parsed or str in map(type, parsed))
        value = parsed if fits else [value]
    if not isinstance(value, list | tuple):
        raise _refuse(item, value, "list")
    return list(value)


def _object(value: Any, item: Input) -> Mapping[str, Any]:
    """Return an object; the library takes the record itself."""
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


def _boolean(value: Any, item: Input) -> bool:
    words = {"true": True, "false": False}
    found = words.get(str(value).lower())
    if found is None:
        raise _refuse(item, value, "boolean")
    return found


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
        # It cannot be stored or sent back, and a mark in its place would be looked for instead.
        raise BadArgument("arguments.not_text", name=Argument(item.name))
    return value


def _refuse(item: Input, value: Any, wanted: str, **bounds: float | None) -> BadArgument:
    what = say(f"arguments.{wanted}", **bounds)
    return BadArgument(
        "arguments.must_be", name=Argument(item.name), what=what, given=repr(_short(value)), help=item.arg.help
    )


def _short(value: Any) -> str:
    """Return the beginning of what was sent; a huge number cannot even be written down."""
    try:
        return str(value)[:LONGEST]
    except (ValueError, RecursionError):
        return type(value).__name__


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
        fields: Any = msgspec.structs.fields(hint) if _is_record(hint) else dataclasses.fields(hint)
        names = {one.name: getattr(one, "encode_name", one.name) for one in fields}
        kinds = get_type_hints(hint)
        properties = {shown: _value_schema(kinds[name], (*above, hint)) for name, shown in names.items()}
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


DIGITS = 4
"""Places behind the point that a reader can use."""


def shown_json(value: Any, speech: Speech = AGENT) -> Any:
    """Return a result as a reader gets it: messages as text in their language, numbers without useless digits."""

    def told(other: Any) -> Any:
        if isinstance(other, Message):
            return render(other, speech)
        raise _unwritten(other)

    return _rounded(msgspec.to_builtins(value, enc_hook=told, str_keys=True))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def pack(value: Any) -> Any:
    """Return a value as plain JSON from which ``unpack`` makes it again."""

    def kept(other: Any) -> Any:
        if isinstance(other, Message):
            return pack_message(other)
        raise _unwritten(other)

    return msgspec.to_builtins(value, enc_hook=kept, str_keys=True)


def _unwritten(value: Any) -> TypeError:
    return TypeError(f"a {type(value).__name__} has no form in JSON")


def plain(value: Any) -> Any:
    """Return a value as plain JSON for a file that others read, too: messages as the English that agents read."""
    return msgspec.to_builtins(value, enc_hook=str)


def unpack(kind: type[Value], packed: Any) -> Value:
    """Return what was packed; what another version wrote beside it is left out. Raises ``ValueError`` otherwise."""

    def read(wanted: type, other: Any) -> Any:
        if wanted is Message:
            return unpack_message(other)
        raise TypeError(f"a {wanted.__name__} cannot be read from JSON")

    return msgspec.convert(packed, kind, strict=False, dec_hook=read)
