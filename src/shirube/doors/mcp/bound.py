"""No result is larger than a model's window can take: what does not fit is cut between records, and said.

Clients cut by themselves when they are sent too much, in the middle of a record and without a word to the model.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any, TypeVar

from shirube.codec import canonical, unpacked
from shirube.engine.text.budget import estimate_tokens
from shirube.messages import AGENT, Message, Speech, render, say
from shirube.operation import Operation, pack_cursor, unpack_cursor

SIZES = ("limit", "budget", "k", "n_results", "start_line", "end_line", "view")
"""Arguments that say how much is wanted; whoever sends one gets up to the hard limit instead of the default one."""
UNDIVIDED = ("document", "text")
"""An export and a rendered prompt: half of one does harm."""
SAFE = 0.9
"""Of what would fit by proportion: records differ."""
ROOM = 120
"""Tokens kept free for saying what was cut."""
CHARACTERS = 4
"""Characters of a token as clients count them; the larger of this and our own estimate is held against the limit."""

PAGE = 200
"""Prompts or resources in one list; a client asks on with the cursor."""
Listed = TypeVar("Listed")


def page_of(items: list[Listed], cursor: str | None) -> tuple[list[Listed], str | None]:
    """Return the page of a list that a cursor leads to, and the cursor of the next one."""
    start = max(0, int(unpack_cursor(cursor, int)[0])) if cursor else 0
    return items[start : start + PAGE], pack_cursor(start + PAGE) if len(items) > start + PAGE else None


@dataclass
class Cut:
    """A list or a text of which only the beginning is left."""

    field: str
    shown: int
    total: int


Cuts = dict[tuple[str, int], Cut]
"""By field and depth of its lists, 0 for texts: a list, a list in it and a text in that may all go by one name."""


def cost(value: Any) -> int:
    """Return how many tokens a value takes as JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return max(estimate_tokens(text), len(text) // CHARACTERS)


def asks_for_size(operation: Operation[..., Any], arguments: Mapping[str, Any]) -> bool:
    """Tell whether a call says itself how much it wants."""
    given = _given(operation, arguments)
    return any(given.get(name) is not None for name in SIZES)


def _given(operation: Operation[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    return canonical(operation.request, unpacked(arguments, operation.containers, operation.needless))


def smaller(
    operation: Operation[..., Any],
    arguments: Mapping[str, Any],
    value: Mapping[str, Any],
    cuts: tuple[Cut, ...],
    tokens: int,
) -> dict[str, Any] | None:
    """Return the arguments for a result that fits as it is, or None when there is no way to ask for less.

    A page that was cut would leave a gap before its cursor, and a bundle that was cut was not filled for its size.
    """
    takes = set(operation.request.__struct_fields__)
    given = _given(operation, arguments)
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

    Records go from the end of the outer lists, all to the same size; if one record of each is still too much, from the
    lists inside; at last lines of texts.
    """
    if cost(value) <= tokens:
        return value, ()
    value = json.loads(json.dumps(value))
    cuts: Cuts = {}
    lists, depth = _outer(value), 1
    while lists and (over := _over(value, cuts, tokens, speech)) > 0:
        if not _level(lists, depth, over, cuts):
            lists = [inner for name, one in lists for record in one for inner in _outer(record, name)]
            depth += 1
    while (over := _over(value, cuts, tokens, speech)) > 0 and _cut_text(value, over, cuts):
        pass
    return value, tuple(cuts.values())


def marked(value: dict[str, Any], cuts: tuple[Cut, ...], speech: Speech = AGENT) -> dict[str, Any]:
    """Return a result that says what was cut from it and how to see the rest."""
    told = [{"field": cut.field, "shown": cut.shown, "total": cut.total} for cut in cuts]
    return {**value, "truncated": True, "cut": told, "cut_hint": render(_hint(value, cuts), speech)}


def is_broken(cuts: tuple[Cut, ...]) -> bool:
    """Tell whether something was cut that is of no use in part."""
    return any(cut.field in UNDIVIDED for cut in cuts)


def _hint(value: Mapping[str, Any], cuts: tuple[Cut, ...]) -> Message:
    cut = say("protocol.cut", field=cuts[0].field, shown=cuts[0].shown, total=cuts[0].total)
    return say("protocol.cut_go_on" if value.get("next_cursor") else "protocol.cut_narrow", cut=cut)


def _over(value: dict[str, Any], cuts: Cuts, tokens: int, speech: Speech) -> int:
    """Return how much too large a result is, with what is said about it; a first cut has about this much to say."""
    return cost(marked(value, tuple(cuts.values()), speech)) - tokens if cuts else cost(value) + ROOM - tokens


def _level(lists: list[tuple[str, list[Any]]], depth: int, over: int, cuts: Cuts) -> bool:
    """Take records from the ends of lists until that much is saved: from the largest first, down to a common size."""
    cut, totals = False, _totals(lists)
    sizes = [cost(listed) for _, listed in lists]
    costs = [_shares(listed, size) for (_, listed), size in zip(lists, sizes, strict=True)]
    room = max(0, sum(sizes) - over)
    level = 0
    for left, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        level = room // left
        if size > level:
            break
        room -= size
    for (name, listed), each in zip(lists, costs, strict=True):
        kept, total = len(listed), len(listed)
        while kept > 1 and sum(each[:kept]) > level:
            kept -= 1
        if kept < total:
            del listed[kept:]
            cuts.setdefault((name, depth), Cut(name, totals[name], totals[name])).shown -= total - kept
            cut = True
    return cut


def _shares(records: list[Any], size: int) -> list[float]:
    """Return what each record takes of the whole list; alone it would seem to take a little less."""
    alone = [cost(record) for record in records]
    return [value * size / max(1, sum(alone)) for value in alone]


def _totals(sized: Iterable[tuple[str, Sized]]) -> Counter[str]:
    """Return how many records or characters there are by name: lists of one name are in every record of another."""
    totals: Counter[str] = Counter()
    for name, value in sized:
        totals[name] += len(value)
    return totals


def _cut_text(value: Any, over: int, cuts: Cuts) -> bool:
    """Take lines from the end of the longest text; one long line is cut where it has to be."""
    texts = list(_texts(value))
    found = max(texts, default=None, key=lambda one: len(one[1][one[2]]))
    if found is None or len(found[1][found[2]]) <= CHARACTERS:
        return False
    name, holder, key = found
    total = _totals((name, inside[at]) for name, inside, at in texts)[name]
    text, length = holder[key], len(holder[key])
    kept = text[: max(0, int(length * (1 - over / max(1, cost(text)))) - 1)]
    holder[key] = kept[: kept.rfind("\n") + 1] or kept
    cuts.setdefault((name, 0), Cut(name, total, total)).shown -= length - len(holder[key])
    return True


def _outer(value: Any, name: str = "") -> list[tuple[str, list[Any]]]:
    """Return the lists of an object that are in no other list, with their places: ``files``, ``finalResults.data``."""
    found: list[tuple[str, list[Any]]] = []
    for _, part, inner in _parts(value, name):
        if isinstance(inner, list):
            found += [(part, inner)] if inner and isinstance(inner[0], dict | str) else []  # pairs of lines stay pairs
        elif isinstance(inner, dict):
            found += _outer(inner, part)
    return found


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key, part, inner in _parts(value, name):
        if isinstance(inner, str):
            yield part, value, key
        else:
            yield from _texts(inner, part)


def _parts(value: Any, name: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield what is in an object or a list: key, place, value."""
    if isinstance(value, dict):
        yield from ((key, f"{name}.{key}" if name else str(key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from ((number, name, inner) for number, inner in enumerate(value))
