"""JSON as people write it in configuration files: comments, trailing commas, a byte order mark."""

import json
import re
from typing import Any

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


def read_object(text: str) -> dict[str, Any]:
    """The object in the text; empty when the text is broken or holds something else."""
    text = text.removeprefix("\ufeff")
    value = _loaded(text)
    if value is None:
        value = _loaded(_cleaned(text))
    return value if isinstance(value, dict) else {}


def part(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under a key, or an empty one."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def strings(value: object) -> tuple[str, ...]:
    """Every string in a value, in order: itself, its items, or its members' values, however deep."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return tuple(text for item in value for text in strings(item))
    return ()


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _cleaned(text: str) -> str:
    without_comments = _COMMENT.sub(lambda match: match[1] or " ", text)
    return _TRAILING_COMMA.sub(lambda match: match[1] or "", without_comments)
