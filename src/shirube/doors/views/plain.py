"""The text of any result: a line for each field that holds something, nested by indentation."""

from collections.abc import Iterator, Mapping
from typing import Any

from shirube.codec import Record, shown_json
from shirube.doors.views.screen import Screen, View

EMPTY: tuple[Any, ...] = (None, "", [], {}, False)
LONG = 100
"""A list or an object that takes at most so many characters stands on one line."""


def plain(result: Record, screen: Screen) -> View:
    """Return every field that is not empty; of places the path and lines stand together."""
    return View("", blocks=tuple(_lines(shown_json(result, screen.speech), "")))


def _lines(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, inner in _located(value).items():
        if inner in EMPTY and inner is not False:
            continue
        short = _short(inner)
        if short is not None:
            yield from [f"{indent}{name}: {short}"] if short else []
        elif isinstance(inner, str):
            yield "\n".join([f"{indent}{name}:", *(f"{indent} {line}" for line in inner.split("\n"))])
        else:
            yield f"{indent}{name}:"
            yield from _inside(inner, f"{indent} ")


def _inside(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _lines(value, indent)
        return
    for item in value:
        short = _short(_located(item) if isinstance(item, Mapping) else item)
        if short is not None:
            yield f"{indent}- {short}"
        elif isinstance(item, Mapping):
            first, *rest = _lines(item, f"{indent}  ")
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield from _inside(item, f"{indent} ")


def _located(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object whose path and lines are one place: ``path:start-end``."""
    path = value.get("path") or value.get("file")
    start, end = value.get("start_line"), value.get("end_line")
    if not isinstance(path, str) or not isinstance(start, int) or not isinstance(end, int):
        return value
    rest = {name: inner for name, inner in value.items() if name not in ("path", "file", "start_line", "end_line")}
    return {"place": f"{path}:{start}-{end}", **rest}


def _short(value: Any) -> str | None:
    """Return a value for one line, or None when it is too long for that."""
    if isinstance(value, Mapping):
        parts = [(name, _short(inner)) for name, inner in value.items() if inner not in EMPTY]
        text = ", ".join(f"{name} {part}" for name, part in parts)
        return text if all(part is not None for _, part in parts) and len(text) <= LONG else None
    if isinstance(value, list):
        shorts = [_short(item) for item in value]
        text = ", ".join(short for short in shorts if short is not None)
        fits = not any(isinstance(item, Mapping | list) for item in value) and None not in shorts
        return text if fits and len(text) <= LONG else None
    if isinstance(value, bool):
        return str(value).lower()
    return None if isinstance(value, str) and "\n" in value else str(value)
