"""Keeps results small enough for a model: cuts what does not fit between records, and says what was cut.

Otherwise clients cut too large results themselves, in the middle of a record and without telling the model.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from shirube.codec import canonical, unpacked
from shirube.engine.text.budget import CHARACTERS, tokens_of
from shirube.messages import AGENT, Message, Speech, render, say, step
from shirube.operation import Operation, pack_cursor, unpack_cursor

SIZES = ("limit", "budget", "k", "n_results", "start_line", "end_line", "view")
"""Arguments that set the size of a result; a call with one of them gets the hard limit instead of the default."""
UNDIVIDED = ("document", "text")
"""Fields that must stay whole (an export, a rendered prompt): half of one does harm."""
SAFE = 0.9
"""Safety factor for sizes estimated by proportion, because records differ in size."""
ROOM = 120
"""Tokens reserved for saying what was cut."""
PAGE = 200
"""Prompts or resources per page; the client gets the next page with the cursor."""
Listed = TypeVar("Listed")


def page_of(items: list[Listed], cursor: str | None) -> tuple[list[Listed], str | None]:
    """Return the page of a list at a cursor, and the cursor of the next page."""
    start = max(0, int(unpack_cursor(cursor, int)[0])) if cursor else 0
    return items[start : start + PAGE], pack_cursor(start + PAGE) if len(items) > start + PAGE else None


@dataclass
class Cut:
    """A list or a text of which only the beginning is left."""

    field: str
    shown: int
    total: int


Cuts = dict[tuple[str, int], Cut]
"""Cuts by field and depth of nested lists (0 for texts): lists of several depths and texts may share a name."""


def cost(value: Any) -> int:
    """Return how many tokens a value takes as JSON."""
    return tokens_of(json.dumps(value, ensure_ascii=False))


def asks_for_size(operation: Operation[..., Any], arguments: Mapping[str, Any]) -> bool:
    """Tell whether a call sets the size of its result."""
    given = given_of(operation, arguments)
    return any(given.get(name) is not None for name in SIZES)


def given_of(operation: Operation[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a call gives, by the operation's own names of its arguments."""
    return canonical(operation.request, unpacked(arguments, operation.containers, operation.needless))


def smaller(
    operation: Operation[..., Any],
    arguments: Mapping[str, Any],
    value: Mapping[str, Any],
    cuts: tuple[Cut, ...],
    tokens: int,
) -> dict[str, Any] | None:
    """Return arguments that ask for a smaller result, or None when the operation cannot give less.

    This is better than cutting: a cut page would leave a gap before its cursor, and a cut bundle is badly filled.
    """
    takes = set(operation.request.__struct_fields__)
    given = given_of(operation, arguments)
    if "budget" in takes:
        fewer = int(value["tokens_estimate"] * tokens / cost(value) * SAFE)
        return {**given, "budget": fewer} if fewer > 0 else None
    if not {"limit", "cursor"} <= takes or "next_cursor" not in value or "." in cuts[0].field:
        return None
    before = str(given.get("limit", ""))
    fewer = min(cuts[0].shown, int(before) - 1) if before.isdecimal() else cuts[0].shown
    return {**given, "limit": fewer} if fewer > 0 else None


def fit(value: dict[str, Any], tokens: int, speech: Speech = AGENT) -> tuple[dict[str, Any], tuple[Cut, ...]]:
    """Return a result that fits, and what was cut from it, the most important first.

    First records are cut from the ends of the outer lists, down to a common size. If one record of each is still too
    much, the inner lists follow, and finally lines of texts.
    """
    if cost(value) <= tokens:
        return value, ()
    value = json.loads(json.dumps(value))
    cuts: Cuts = {}
    lists, depth = _outer(value), 1
    while lists and (over := _over(value, cuts, tokens, speech)) > 0:
        if not _level(lists, depth, over, cuts):
            lists = [inner for name, records in lists for record in records for inner in _outer(record, name)]
            depth += 1
    while (over := _over(value, cuts, tokens, speech)) > 0 and _cut_text(value, over, cuts):
        pass
    return value, tuple(cuts.values())


def marked(value: dict[str, Any], cuts: tuple[Cut, ...], speech: Speech = AGENT) -> dict[str, Any]:
    """Return a result with fields that say what was cut from it and how to get the rest."""
    described = [{"field": cut.field, "shown": cut.shown, "total": cut.total} for cut in cuts]
    return {**value, "truncated": True, "cut": described, "cut_hint": render(_hint(value, cuts), speech)}


def is_broken(cuts: tuple[Cut, ...]) -> bool:
    """Tell whether a field was cut that must stay whole."""
    return any(cut.field in UNDIVIDED for cut in cuts)


def _hint(value: Mapping[str, Any], cuts: tuple[Cut, ...]) -> Message:
    cut = say("protocol.cut", field=cuts[0].field, shown=cuts[0].shown, total=cuts[0].total)
    if "savedAt" in value and not value.get("next_cursor"):
        turns = value["metadata"]["totalIterations"]
        return say("protocol.cut_kept", cut=cut, call=step("show_plan", plan_id=value["planId"], limit=turns))
    return say("protocol.cut_go_on" if value.get("next_cursor") else "protocol.cut_narrow", cut=cut)


def _over(value: dict[str, Any], cuts: Cuts, tokens: int, speech: Speech) -> int:
    """Return how many tokens a result exceeds the limit by, including the fields (or room) that describe the cuts."""
    return cost(marked(value, tuple(cuts.values()), speech)) - tokens if cuts else cost(value) + ROOM - tokens


def _level(lists: list[tuple[str, list[Any]]], depth: int, over: int, cuts: Cuts) -> bool:
    """Cut records from the ends of lists to save ``over`` tokens: the largest lists first, down to a common size."""
    cut, totals = False, Counter[str]()
    for name, listed in lists:
        totals[name] += len(listed)
    sizes = [cost(listed) for _, listed in lists]
    room = max(0, sum(sizes) - over)
    level = 0
    for left, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        level = room // left
        if size > level:
            break
        room -= size
    for (name, listed), size in zip(lists, sizes, strict=True):
        alone = [cost(record) for record in listed]  # these add up to slightly less than the cost of the list
        each = [value * size / max(1, sum(alone)) for value in alone]
        kept, total = len(listed), len(listed)
        while kept > 1 and sum(each[:kept]) > level:
            kept -= 1
        if kept < total:
            del listed[kept:]
            cuts.setdefault((name, depth), Cut(name, totals[name], totals[name])).shown -= total - kept
            cut = True
    return cut


def _cut_text(value: Any, over: int, cuts: Cuts) -> bool:
    """Cut lines from the end of the longest text; a single long line is cut inside."""
    texts = list(_texts(value))
    longest = max(texts, default=None, key=lambda text: len(text[1][text[2]]))
    if longest is None or len(longest[1][longest[2]]) <= CHARACTERS:
        return False
    name, holder, key = longest
    total = sum(len(inside[at]) for part, inside, at in texts if part == name)  # a name may occur in many records
    text, length = holder[key], len(holder[key])
    kept = text[: max(0, int(length * (1 - over / max(1, cost(text)))) - 1)]
    holder[key] = kept[: kept.rfind("\n") + 1] or kept
    cuts.setdefault((name, 0), Cut(name, total, total)).shown -= length - len(holder[key])
    return True


def _outer(value: Any, name: str = "") -> list[tuple[str, list[Any]]]:
    """Return the outermost lists of an object with their names: ``files``, ``finalResults.data``."""
    lists: list[tuple[str, list[Any]]] = []
    for _, part, inner in _parts(value, name):
        if isinstance(inner, list):
            # A list of lists holds pairs of lines, which must stay pairs.
            lists += [(part, inner)] if inner and isinstance(inner[0], dict | str) else []
        elif isinstance(inner, dict):
            lists += _outer(inner, part)
    return lists


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key, part, inner in _parts(value, name):
        if isinstance(inner, str):
            yield part, value, key
        else:
            yield from _texts(inner, part)


def _parts(value: Any, name: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield key, dotted name and value of everything in an object or a list."""
    if isinstance(value, dict):
        yield from ((key, f"{name}.{key}" if name else str(key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from ((number, name, inner) for number, inner in enumerate(value))
