"""The map of an earlier program (``.code-intel/``), read for migration: pairs, and pages in two forms."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.page import from_page
from shirube.features.map.pairs import from_pair, read_pairs
from shirube.messages import Message, say

_STAMPED = re.compile(r"\d{8}_\d{6}_(.+)\.md")
"""The second form: the moment, then the term."""


class Found(Struct, frozen=True):
    """What the earlier program left, and what of it could not be read."""

    agreements: tuple[Agreement, ...] = ()
    problems: tuple[Message, ...] = ()


def from_code_intel(pairs: str, pages: Mapping[str, str]) -> Found:
    """Read everything; the same pair may come several times, because a success was written in three places."""
    agreements: list[Agreement] = []
    problems: list[Message] = []
    for name, text in sorted(pages.items()):
        try:
            agreements += from_page(_named(name, text))
        except BadArgument as error:
            problems.append(say("pages.at", where=f"agreements/{name}", why=error.message))
    if pairs.strip():
        try:
            _, listed, faults = read_pairs(pairs)
        except BadArgument as error:
            listed, faults = (), (error.message,)
        agreements += map(from_pair, listed)
        problems += [say("pages.at", where="learned_pairs.json", why=fault) for fault in faults]
    return Found(tuple(agreements), tuple(problems))


def read_log(lines: Iterable[str]) -> tuple[tuple[dict[str, Any], ...], int]:
    """Return the records of a log, and how many lines are none."""
    records: list[dict[str, Any]] = []
    broken = 0
    for line in filter(str.strip, lines):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            records.append(found)
        else:
            broken += 1
    return tuple(records), broken


def _named(name: str, text: str) -> str:
    """Return a page with its term, which the second form has in its file's name alone."""
    stamped = _STAMPED.fullmatch(name)
    if stamped is None or re.search(r"^nl_term\s*:", text, re.M) or not text.startswith("---\n"):
        return text
    return text.replace("---\n", f"---\nnl_term: {stamped[1].replace('_', ' ')}\n", 1)
