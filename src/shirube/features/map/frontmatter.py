"""Reads and writes the front matter of a Markdown page without a YAML library.

It supports what people and older tools really write: ``key: value``, quoted values, lists in brackets or with dashes. A
plain value is the rest of its line, colons included, because older tools escaped nothing. Lines under unknown keys are
returned unchanged.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shirube.errors import BadArgument
from shirube.messages import say

FENCE = "---"
CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*)|)$")
_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`~=][^\r\n\t]*")
_OTHER = re.compile(r"[-+]?(?:\.?\d[\d_.,:eExXoO+-]*|0x[\da-fA-F]+|\.inf|\.nan|\d{4}-\d\d?-\d\d?.*)$", re.I)
"""Text that YAML would read as a number or a date."""
TIMES = ("learned_at", "imported_at", "last_used")
Value = str | tuple[str, ...]


def read(text: str, known: Collection[str]) -> tuple[dict[str, Value], tuple[str, ...], str]:
    """Return the fields among ``known``, the lines of all others, and the page below; refuse invalid front matter."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        raise _bad(1, "pages.no_begin")
    fields: dict[str, Value] = {}
    extra: list[str] = []
    key = ""
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == FENCE:
            return fields, tuple(extra), "\n".join(lines[number:]).strip("\n")
        key = _take(line, number, key, known, fields, extra)
    raise _bad(len(lines), "pages.not_closed")


def write(fields: Mapping[str, str | int | float | Sequence[str] | None], extra: Sequence[str], body: str) -> str:
    """Return the page; empty fields are omitted."""
    lines = [FENCE]
    for name, value in fields.items():
        if value is None or value in ("", ()):
            continue
        whole = isinstance(value, list | tuple) or (
            isinstance(value, str) and name not in TIMES and _OTHER.match(value)
        )
        shown = json.dumps(value, ensure_ascii=False) if whole else _scalar(str(value))
        lines.append(f"{name}: {shown}")
    return "\n".join([*lines, *extra, FENCE, "", body.strip("\n"), ""])


def _take(line: str, number: int, key: str, known: Collection[str], fields: dict[str, Value], extra: list[str]) -> str:
    """Read one line, and return the key whose list may continue on the next."""
    if line.startswith(CONFLICT):
        raise _bad(number, "pages.marks")
    if not line.strip() or line.lstrip().startswith("#"):
        return key
    if line[0] in " \t-":
        if not key:
            raise _bad(number, "pages.no_owner")
        if key not in known:
            extra.append(line.rstrip())
            return key
        item, before = line.strip(), fields[key]
        if not item.startswith("- ") or not (isinstance(before, tuple) or before == ""):
            raise _bad(number, "pages.not_part", line=item[:40], key=key)
        value = _value(item[2:].strip(), number)
        fields[key] = (*(before or ()), value if isinstance(value, str) else " ".join(value))
        return key
    match = _KEY.match(line.rstrip())
    if match is None:
        raise _bad(number, "pages.no_key", line=line.strip()[:40])
    key = match[1]
    if key not in known:
        extra.append(line.rstrip())
    elif key in fields:
        raise _bad(number, "pages.twice", key=key)
    else:
        fields[key] = _value(match[2] or "", number)
    return key


def _value(text: str, number: int) -> Value:
    text = text.strip()
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            raise _bad(number, "pages.open_quote") from None
    if len(text) > 1 and text.startswith("'") and text.endswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith("[") and text.endswith("]"):
        try:
            return tuple(str(part) for part in json.loads(text))
        except ValueError:
            parts = (part.strip().strip("'\"") for part in text[1:-1].split(","))
            return tuple(part for part in parts if part)
    if text.startswith("[") and "]" not in text:
        raise _bad(number, "pages.open_list")
    return "" if text in ("~", "null") else text


def line_of(text: str, key: str) -> int:
    """Return the line of a key of the front matter; the first line where it is missing."""
    lines = text.replace("\r\n", "\n").split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)


def _scalar(text: str) -> str:
    """Return a value so that any YAML parser reads it as exactly this text; quote it if necessary."""
    words = {"true", "false", "null", "yes", "no", "on", "off"}
    plain = _PLAIN.fullmatch(text) and text == text.strip() and ": " not in text and " #" not in text
    return (
        text if plain and not text.endswith(":") and text.lower() not in words else json.dumps(text, ensure_ascii=False)
    )


def _bad(number: int, code: str, **values: Any) -> BadArgument:
    return BadArgument("pages.line", number=number, why=say(code, **values))
