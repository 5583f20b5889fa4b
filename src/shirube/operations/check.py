"""From what was sent to a typed request: other spellings first, then strict validation with helpful refusals."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from math import isfinite
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from shirube.errors import LONGEST, BadArgument, UnknownName
from shirube.operations.model import Operation, Shared

MAX_TEXT = 20_000
"""Characters of one argument; a question longer than this is a pasted file."""


def request_from(kind: type, aliases: Mapping[str, str], sent: Mapping[str, Any]) -> Any:
    """Return the request, or raise an error that names the argument and the next step."""
    declared = {item.name: item for item in fields(kind)}
    given = _canonical(declared, aliases, sent)
    hints = get_type_hints(kind)
    values = {name: _fit(value, hints[name], declared[name]) for name, value in given.items()}
    missing = [name for name, item in declared.items() if item.default is MISSING and name not in values]
    if missing:
        raise BadArgument(f"missing argument '{missing[0]}'", f"'{missing[0]}': {_help(declared[missing[0]])}")
    return kind(**values)


def canonical(operation: Operation, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was sent to an operation under the names it declares, unchecked; what is not declared is left out."""
    declared = {item.name: item for item in fields(operation.request)}
    flat = unpacked(sent, operation.containers, operation.needless)
    names = {_fold(name): name for name in declared} | {_fold(a): name for a, name in operation.aliases.items()}
    return {names[_fold(name)]: value for name, value in flat.items() if _fold(name) in names}


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
                raise BadArgument(f"argument '{member}' is given twice", f"send it once, in '{name}' or beside it")
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
        raise BadArgument(f"'{name}' must be an object", f"send its members in '{name}' or beside it")
    return value


def split_shared(sent: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of an operation's own, and those that all of them share."""
    shared = {_fold(item.name) for item in fields(Shared)}
    own = {name: value for name, value in sent.items() if _fold(name) not in shared}
    return own, {name: value for name, value in sent.items() if name not in own}


def _canonical(declared: Mapping[str, Any], aliases: Mapping[str, str], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under their own names: ``pathPrefix`` and ``path_prefix`` are the same."""
    folded = {_fold(name): name for name in declared}
    folded.update({_fold(alias): name for alias, name in aliases.items()})
    given: dict[str, Any] = {}
    for name, value in sent.items():
        own = name if name in declared else folded.get(_fold(name))
        if own is None:
            raise UnknownName("argument", name, declared)
        if own in given:
            raise BadArgument(f"argument '{own}' is given twice", f"send only '{own}'")
        if value is not None:
            given[own] = value
    return given


def _fold(name: str) -> str:
    return re.sub(r"[-_]", "", name).lower()


def _fit(value: Any, hint: Any, item: "Field[Any]") -> Any:
    if get_origin(hint) is UnionType:
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        if item.metadata.get("keyed") and (pairs := _pairs(value)) is not None:
            value = pairs
        return tuple(_fit(part, inner, item) for part in _list(value, item, inner))
    if is_dataclass(hint):
        plain = getattr(hint, "PLAIN", "")
        if plain and isinstance(value, str) and not value.lstrip().startswith("{"):
            value = {plain: value}
        return request_from(cast("type", hint), {}, _object(value, item))
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


def _list(value: Any, item: "Field[Any]", kind: type) -> list[Any]:
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
        raise _refuse(item, value, "a list")
    return list(value)


def _object(value: Any, item: "Field[Any]") -> Mapping[str, Any]:
    """Return an object; some clients send one as a JSON string."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        raise _refuse(item, value, "a list of objects" if "tuple" in str(item.type) else "an object")
    return value


def _choice(value: Any, kind: type[StrEnum], item: "Field[Any]") -> StrEnum:
    known = [member.value for member in kind]
    if str(value).lower() not in known:
        raise UnknownName(f"value of '{item.name}'", _short(value), known)
    return kind(str(value).lower())


def _boolean(value: Any, item: "Field[Any]") -> bool:
    words = {"true": True, "false": False}
    found = words.get(str(value).lower())
    if found is None:
        raise _refuse(item, value, "true or false")
    return found


def _number(value: Any, kind: type, item: "Field[Any]") -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        raise _refuse(item, value, "a number") from None
    if isinstance(value, bool) or (kind is int and isinstance(value, float) and value != number):
        raise _refuse(item, value, "a whole number")
    low, high = item.metadata["low"], item.metadata["high"]
    if (low is not None and not number >= low) or (high is not None and not number <= high):
        raise _refuse(item, value, f"from {low} to {high}" if high is not None else f"at least {low}")
    if kind is float and not isfinite(number):
        raise _refuse(item, value, "a number")
    return number


_SURROGATE = re.compile("[\\ud800-\\udfff]")


def _text(value: Any, item: "Field[Any]") -> str:
    if not isinstance(value, str):
        raise _refuse(item, value, "text")
    most = item.metadata["high"] or MAX_TEXT
    if len(value) > most:
        raise BadArgument(
            f"'{item.name}' has {len(value)} characters, the limit is {most}",
            "send the part that matters",
        )
    if _SURROGATE.search(value):
        # It cannot be stored or sent back, and a mark in its place would be looked for instead.
        raise BadArgument(f"'{item.name}' has a part that is no text", "send it as UTF-8")
    return value


def _refuse(item: "Field[Any]", value: Any, wanted: str) -> BadArgument:
    return BadArgument(f"'{item.name}' must be {wanted}, not {_short(value)!r}", f"'{item.name}': {_help(item)}")


def _short(value: Any) -> str:
    """Return the beginning of what was sent; a huge number cannot even be written down."""
    try:
        return str(value)[:LONGEST]
    except (ValueError, RecursionError):
        return type(value).__name__


def _help(item: "Field[Any]") -> str:
    return str(item.metadata["help"])
