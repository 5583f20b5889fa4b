"""From what was sent to a typed request: other spellings first, then strict validation with helpful refusals."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar, get_args, get_origin

from shirube.codec.records import Input, Record, inputs
from shirube.errors import LONGEST, BadArgument, UnknownName
from shirube.messages import Argument, say

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
    """Return the object, empty when it is none; some clients send it as a JSON string."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadArgument("arguments.container", name=name)
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
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, Mapping):
        return None
    flat: dict[str, Any] = {}
    for key, one in value.items():
        flat.update({f"{key}-{name}": inner for name, inner in one.items()} if isinstance(one, Mapping) else {key: one})
    return [f"{key}={one}" for key, one in flat.items() if one is not None]


def _list(value: Any, item: Input, kind: type) -> list[Any]:
    """Return a list; some clients send arrays as JSON strings, and one value may stand for a list of one.

    A string is no array of texts when there is no text in it: ``[0]`` is something to look for.
    """
    if isinstance(value, str):
        try:
            parsed = json.loads(value) if value.lstrip().startswith("[") else value
        except (ValueError, RecursionError):
            parsed = value
        fits = isinstance(parsed, list) and (kind is not str or not parsed or str in map(type, parsed))
        value = parsed if fits else [value]
    if not isinstance(value, list | tuple):
        raise _refuse(item, value, "list")
    return list(value)


def _object(value: Any, item: Input) -> Mapping[str, Any]:
    """Return an object; some clients send one as a JSON string, and the library takes the record itself."""
    if isinstance(value, Record):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
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
