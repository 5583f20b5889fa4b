"""Two branches become one: files of agreements and of pairs are merged field by field, and nothing gets lost."""

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, TypeVar

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.frontmatter import FENCE
from shirube.features.map.page import evidence_of, from_page, to_page, with_evidence
from shirube.features.map.pairs import CHECKSUM, MapChanges, Pair, key_of, label_of, read_pairs, render
from shirube.features.map.states import Standing
from shirube.messages import Message, say, verbatim

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


OURS, BASE, BETWEEN, THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
COMPARED = ("nl_term", "symbol", "path", "standing", "successes", "failures", "session_id", "learned_at", "body")
"""Fields in which two versions of an agreement are told apart; the binding follows from them."""


class Versions(Struct, frozen=True):
    """The two versions of a page, what git calls them, and what both come from (empty when git does not say)."""

    ours: str
    theirs: str
    base: str = ""
    our_name: str = ""
    their_name: str = ""


def versions_of(text: str) -> Versions | None:
    """Return the versions a page with git's marks stands for; None for a page without, or with half of them."""
    whole: dict[str, list[str]] = {OURS: [], BASE: [], THEIRS: []}
    names: dict[str, str] = {}
    inside = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark, name = line[:7], line[7:].strip()
        following = _following(inside, mark, line)
        if following is None:
            for side in (inside,) if inside else whole:
                whole[side].append(line)
            continue
        names.setdefault(mark, name)
        inside = following
    if inside or not names:
        return None
    ours, base, theirs = ("\n".join(whole[side]) for side in (OURS, BASE, THEIRS))
    return Versions(ours, theirs, base if BASE in names else "", names.get(OURS, ""), names.get(THEIRS, ""))


def _following(inside: str, mark: str, line: str) -> str | None:
    """Return in which version the next lines stand after a mark; None for a line that is no mark here."""
    if mark == OURS and not inside:
        return OURS
    if mark == BASE and inside == OURS:
        return BASE
    if line.rstrip() == BETWEEN and inside in (OURS, BASE):
        return THEIRS
    return "" if mark == THEIRS and inside == THEIRS else None


def differing(one: Agreement, other: Agreement) -> tuple[str, ...]:
    """Return the fields in which two versions differ."""
    return tuple(name for name in COMPARED if getattr(one, name) != getattr(other, name))


def disputed(agreements: Iterable[Agreement]) -> list[tuple[Agreement, ...]]:
    """Return the terms for which different symbols are agreed; those agreed at one time were meant together."""
    own = [one for one in agreements if not one.origin and not one.is_convention and one.standing == Standing.AGREED]
    groups = groupby(sorted(own, key=lambda one: one.key), key=lambda one: plain_term(one.nl_term))
    several = [tuple(found) for _, found in groups]
    return [found for found in several if len({(one.session_id, one.learned_at) for one in found}) > 1]


FORM = "shirube_map"
VERSION = 1


def write_bundle(agreements: Iterable[Agreement], project: str, exported_at: str) -> str:
    """Return the map as one JSON file: whole pages, so that nothing is lost on the way."""
    pages = [to_page(one) for one in sorted(agreements, key=lambda one: one.key) if not one.origin]
    whole = {FORM: VERSION, "project": project, "exported_at": exported_at, "pages": pages}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def is_bundle(text: str) -> bool:
    """Tell a map that was exported from a file of pairs."""
    return text.lstrip().startswith("{") and f'"{FORM}"' in text[:200]


def read_bundle(text: str) -> tuple[tuple[Agreement, ...], tuple[Message, ...]]:
    """Return the agreements of an exported map, and what in it could not be read."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("pages.map_not_json", error=verbatim(str(error))) from None
    if not isinstance(found, dict) or found.get(FORM) != VERSION or not isinstance(found.get("pages"), list):
        raise BadArgument("pages.no_exported")
    agreements: list[Agreement] = []
    problems = []
    for number, page in enumerate(found["pages"], 1):
        try:
            agreements += from_page(page if isinstance(page, str) else "")
        except BadArgument as error:
            problems.append(say("pages.page", number=number, why=error.message))
    return tuple(agreements), tuple(problems)


def bring(others: Iterable[Agreement], own: Iterable[Agreement], *, elsewhere: bool) -> MapChanges:
    """Return what other agreements add to our own, pair by pair; what we have stays, with their evidence added.

    ``elsewhere`` says that they come from another project: what they rested on there says nothing here.
    """
    known = {one.key: one for one in own if not one.origin}
    written: dict[tuple[str, str], Agreement] = {}
    new: list[str] = []
    changed: list[str] = []
    same = 0
    for other in others:
        before = written.get(other.key) or known.get(other.key)
        if before is None:
            written[other.key] = unbound(other) if elsewhere else other
            new.append(other.label)
            continue
        after = with_evidence(before, evidence_of(other))
        if after == before:
            same += 1
        else:
            written[other.key] = after
            changed.append(other.label)
    changed = [name for name in dict.fromkeys(changed) if name not in new]
    return MapChanges(tuple(written.values()), tuple(new), tuple(changed), same)


def unbound(agreement: Agreement) -> Agreement:
    """Return an agreement that rests on nothing yet; where it stood before is only a guess."""
    return replace(agreement, digest="", sketch="", commit="", file="", origin="", last_used="")
