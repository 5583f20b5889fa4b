"""Reading off a result what it showed, by its shape: whatever has a path and a place in it was shown.

Results are read as plain JSON, so that an operation needs nothing to take part: an object with ``path`` or ``file`` is
a file; with a line, a range or its text beside it, it was shown; ``symbol``, or ``name`` beside ``kind``, is a symbol.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shirube.session.phases import NAMING, explores
from shirube.session.state import MapHit, Recorded

PATHS = ("path", "file", "file_path")
PLACES = ("line", "lines", "start_line", "matchLine", "line_number", "range", "content", "preview", "text", "symbols")
WORDED = ("text:words", "phrase:", "path", "definition")
"""Reasons that rest on words; a hit with reasons and none of these was found by sense alone."""
ASIDE = frozenset({"freshness", "degraded", "skips", "omitted", "warnings", "next", "unknown", "arguments", "why"})
"""Parts of a result that tell about it, not about the code."""
UNNAMED = frozenset({"section", "key", "module", "rule", "at_rule", ""})
"""Kinds whose name is no symbol of the program."""
FRESH, AGREED = ("fresh",), "agreed"
MOST_FILES, MOST_SYMBOLS = 500, 500
"""A call that names more says nothing about any of them."""


@dataclass
class _Seen:
    """What was found so far, in order."""

    shown: dict[str, None] = field(default_factory=dict)
    listed: dict[str, None] = field(default_factory=dict)
    guessed: dict[str, None] = field(default_factory=dict)
    symbols: dict[str, None] = field(default_factory=dict)
    maps: list[MapHit] = field(default_factory=list)
    hits: int = 0


def read_result(call: Recorded, result: Mapping[str, Any]) -> Recorded:
    """Return the call with what its result (as JSON) showed."""
    seen = _Seen()
    if explores(call.operation, call.group) or "map_hits" in result:
        seen.maps += [hit for item in result.get("map_hits") or () if (hit := _map_hit(item))]
        rest = {key: value for key, value in result.items() if key != "map_hits"}
        _walk(rest, "", call.operation in NAMING, seen)
    shown = dict.fromkeys(seen.shown)
    return replace(
        call,
        answer=str(result.get("answer") or ("found" if seen.hits else "unknown")),
        hits=seen.hits,
        seen=tuple(shown)[:MOST_FILES],
        listed=tuple(path for path in seen.listed if path not in shown)[:MOST_FILES],
        guessed=tuple(path for path in seen.guessed if path not in shown)[:MOST_FILES],
        symbols=tuple(seen.symbols)[:MOST_SYMBOLS],
        maps=tuple(seen.maps),
    )


def asked_words(arguments: Mapping[str, Any]) -> str:
    """Return the words of a call's arguments, one line each, for matching evidence and slots."""
    return "\n".join(text for name, value in arguments.items() if name != "session_id" for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)


def _walk(value: Any, path: str, naming: bool, seen: _Seen) -> None:
    """Note what an object shows, then look into its parts; these are in its file unless they name another."""
    if isinstance(value, Mapping):
        own = next((str(value[name]) for name in PATHS if isinstance(value.get(name), str) and value[name]), "")
        if own or (path and _has_place(value)):
            _note(value, own or path, naming, seen)
        inner = "" if _is_guess(value) else own or path
        for name, part in value.items():
            if name not in ASIDE:
                _walk(part, inner, naming, seen)
    elif isinstance(value, list | tuple):
        for part in value:
            _walk(part, path, naming, seen)


def _note(value: Mapping[str, Any], path: str, naming: bool, seen: _Seen) -> None:
    if naming or not _has_place(value):
        seen.listed[path] = None
        seen.hits += naming
        return
    if _is_guess(value):
        seen.guessed[path] = None
        return
    seen.shown[path] = None
    seen.hits += 1
    if symbol := _symbol(value):
        seen.symbols[symbol] = None


def _has_place(value: Mapping[str, Any]) -> bool:
    return any(value.get(name) for name in PLACES)


def _is_guess(value: Mapping[str, Any]) -> bool:
    reasons = value.get("why")
    if not isinstance(reasons, list | tuple):
        return False
    names = [str(reason.get("name", "")) if isinstance(reason, Mapping) else str(reason) for reason in reasons]
    return "text:sense" in names and not any(name.startswith(WORDED) for name in names)


def _symbol(value: Mapping[str, Any]) -> str:
    kind = str(value.get("kind", value.get("type", "?")))
    if kind in UNNAMED:
        return ""
    for name in ("qualified", "symbol"):
        if isinstance(value.get(name), str) and value[name]:
            return str(value[name])
    named = isinstance(value.get("name"), str) and (kind != "?" or "start_line" in value)
    return str(value["name"]) if named else ""


def _map_hit(item: Any) -> MapHit | None:
    """Read an agreement out of a hit; without a calibrated similarity it says nothing."""
    if not isinstance(item, Mapping) or not isinstance(item.get("similarity"), int | float):
        return None
    files = [item.get("files"), item.get("related_files"), item.get("path"), item.get("file")]
    names = dict.fromkeys(text.partition(":")[0] for text in _texts([part for part in files if part]))
    state = item.get("fresh", item.get("freshness", item.get("state", "")))
    return MapHit(
        term=str(item.get("nl_term") or item.get("term") or ""),
        symbol=str(item.get("symbol") or ""),
        files=tuple(names),
        similarity=float(item["similarity"]),
        fresh=(state is True or str(state).lower() in FRESH) and item.get("standing", AGREED) == AGREED,
    )
