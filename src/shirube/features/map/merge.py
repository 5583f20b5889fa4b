"""Two branches become one: files of agreements and of pairs are merged field by field, and nothing gets lost."""

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.frontmatter import FENCE
from shirube.features.map.page import from_page, to_page
from shirube.features.map.pairs import CHECKSUM, Pair, key_of, label_of, read_pairs, render
from shirube.features.map.states import Standing
from shirube.messages import Message, say

Value = TypeVar("Value")

BOUND = ("path", "line", "digest", "sketch", "commit")
"""What belongs together: half of one binding and half of another would fit no code."""
CAUTIOUS = (Standing.EXPIRED, Standing.DEMOTED, Standing.AGREED)
"""Where two branches disagree about how far to trust, the more careful one is right."""


class Merged(Struct, frozen=True):
    """The merged file, and what somebody should look at; both sides of it are kept."""

    text: str
    conflicts: tuple[Message, ...] = ()


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of a file of the map with the one they come from, which may be empty."""
    if ours.lstrip("\ufeff").startswith(FENCE) or theirs.lstrip("\ufeff").startswith(FENCE):
        return _merge_pages(base, ours, theirs)
    return _merge_pairs(base, ours, theirs)


# --- pages -------------------------------------------------------------------------------------------------


def _merge_pages(base: str, ours: str, theirs: str) -> Merged:
    if not ours.strip() or not theirs.strip():
        return Merged(ours if ours.strip() else theirs)
    mine, other = only_one(ours), only_one(theirs)
    if mine.key != other.key:
        raise BadArgument("pages.different", ours=mine.label, theirs=other.label)
    start = only_one(base) if base.strip() else Agreement(mine.nl_term, mine.symbol, mine.doc_type)
    body, added = _body(start.body, mine.body, other.body)
    merged = replace(
        mine,
        **_binding(start, mine, other),
        similarity=_later(start.similarity, mine.similarity, other.similarity),
        session_id=_later(start.session_id, mine.session_id, other.session_id) or "",
        intent=_later(start.intent, mine.intent, other.intent) or "",
        learned_at=min(filter(None, (mine.learned_at, other.learned_at)), default=""),
        last_used=max(mine.last_used, other.last_used),
        successes=_sum(start.successes, mine.successes, other.successes),
        failures=_sum(start.failures, mine.failures, other.failures),
        standing=_standing(start, mine, other),
        body=body,
        extra=tuple(dict.fromkeys([*mine.extra, *other.extra])),
    )
    return Merged(to_page(merged), (say("pages.text_changed", agreement=mine.label),) if added else ())


def only_one(text: str, name: str = "") -> Agreement:
    """Return the agreement of a page; one of an older tool may list several, and is refused."""
    found = from_page(text, name)
    if len(found) != 1:
        raise BadArgument("map.several_symbols")
    return found[0]


def _binding(base: Agreement, ours: Agreement, theirs: Agreement) -> dict[str, Any]:
    versions = [tuple(getattr(one, name) for name in BOUND) for one in (base, ours, theirs)]
    return dict(zip(BOUND, versions[2] if versions[1] == versions[0] else versions[1], strict=True))


def _later(base: Value, ours: Value, theirs: Value) -> Value:
    return theirs if ours == base else ours


def _sum(base: int, ours: int, theirs: int) -> int:
    return max(0, ours + theirs - base)


def _standing(base: Agreement, ours: Agreement, theirs: Agreement) -> Standing:
    if base.standing in (ours.standing, theirs.standing):
        return _later(base.standing, ours.standing, theirs.standing)
    return next(one for one in CAUTIOUS if one in (ours.standing, theirs.standing))


def _body(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Return the text of both, and whether parts that only the other one has were added at its end."""
    if theirs in (ours, base):
        return ours, False
    if ours == base:
        return theirs, False
    missing = [part for part in theirs.split("\n\n") if part.strip() and part.strip() not in ours]
    return "\n\n".join([ours, *missing]), bool(missing)


# --- pairs -------------------------------------------------------------------------------------------------


def _merge_pairs(base: str, ours: str, theirs: str) -> Merged:
    (_, start), (head, mine), (other_head, other) = (_pairs(text) for text in (base, ours, theirs))
    merged: dict[tuple[str, str], Pair] = {}
    conflicts: list[Message] = []
    for key in sorted({*mine, *other}):
        kept = _pair(start.get(key), mine.get(key), other.get(key), conflicts)
        if kept is not None:
            merged[key] = kept
    rows = sorted(merged.values(), key=lambda pair: (pair["nl_term"], pair["symbol"]))
    updated = max(str(head.get("updated_at", "")), str(other_head.get("updated_at", "")))
    model = str(head.get("embedding_model") or other_head.get("embedding_model") or "")
    return Merged(render(rows, model, updated), tuple(conflicts))


def _pairs(text: str) -> tuple[dict[str, object], dict[tuple[str, str], Pair]]:
    if not text.strip():
        return {}, {}
    head, pairs, problems = read_pairs(text)
    if problems:
        raise BadArgument("pages.mend_first", problem=problems[0])
    return head, {key_of(pair): pair for pair in pairs}


def _pair(base: Pair | None, ours: Pair | None, theirs: Pair | None, conflicts: list[Message]) -> Pair | None:
    if theirs in (ours, base):
        return ours
    if ours == base:
        return theirs
    present = ours if ours is not None else theirs
    assert present is not None
    if ours is None or theirs is None:
        conflicts.append(say("pages.removed", agreement=label_of(present)))
        return present
    conflicts.append(say("pages.both_changed", agreement=label_of(present)))
    return _both(ours, theirs)


def _both(ours: Pair, theirs: Pair) -> Mapping[str, object]:
    said = [str(pair.get("code_evidence") or "").strip() for pair in (ours, theirs)]
    evidence = said[0] if said[1] in said[0] else "\n\n".join(filter(None, said))
    return {key: value for key, value in {**ours, "code_evidence": evidence}.items() if key != CHECKSUM}
