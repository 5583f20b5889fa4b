"""Merges versions of a map field by field, splits git's conflict marks, and exports and imports the map as one file."""

import json
import re
from collections.abc import Iterable
from itertools import groupby
from typing import TypeVar

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument, UsageError
from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.frontmatter import FENCE
from shirube.features.map.page import evidence_of, from_page, lists_files, sections, to_page, with_evidence
from shirube.features.map.pairs import CHECKSUM, MapChanges, Pair, key_of, label_of, read_pairs, render
from shirube.features.map.states import Standing
from shirube.messages import Message, say, verbatim

Value = TypeVar("Value")

OURS, BASE, BETWEEN, THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
COMPARED = ("nl_term", "symbol", "path", "standing", "successes", "failures", "session_id", "learned_at", "body")
"""The fields by which two versions of an agreement are compared; the binding depends on them."""
_FOLLOWING = {
    ("", OURS): OURS,
    (OURS, BASE): BASE,
    (OURS, BETWEEN): THEIRS,
    (BASE, BETWEEN): THEIRS,
    (THEIRS, THEIRS): "",
}
"""The version that begins after a mark, by the version it stands in; any other line is no mark there."""
FORM, VERSION = "shirube_map", 1
BOUND = ("path", "line", "digest", "sketch", "commit")
"""The fields of a binding, merged as a whole: half of one binding and half of another would fit no code."""
TOLD = ("similarity", "session_id", "intent", "learned_at", "path", "line")
"""What an agreement from elsewhere may or may not tell."""
CAUTIOUS = (Standing.EXPIRED, Standing.DEMOTED, Standing.AGREED)
"""Where two branches changed the standing differently, the first of these wins: the more cautious one."""


class Merged(Struct, frozen=True):
    """The merged file, and the conflicts that somebody should review; the file keeps both sides of them."""

    text: str
    conflicts: tuple[Message, ...] = ()


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of a map file with their common base, which may be empty."""
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
    binding = _later(*(tuple(getattr(version, name) for name in BOUND) for version in (start, mine, other)))
    standings = (mine.standing, other.standing)
    cautious = next(standing for standing in CAUTIOUS if standing in standings)
    merged = replace(
        mine,
        **dict(zip(BOUND, binding, strict=True)),
        similarity=_later(start.similarity, mine.similarity, other.similarity),
        session_id=_later(start.session_id, mine.session_id, other.session_id) or "",
        intent=_later(start.intent, mine.intent, other.intent) or "",
        learned_at=min(filter(None, (mine.learned_at, other.learned_at)), default=""),
        imported_at=max(mine.imported_at, other.imported_at),
        last_used=max(mine.last_used, other.last_used),
        successes=_sum(start.successes, mine.successes, other.successes),
        failures=_sum(start.failures, mine.failures, other.failures),
        standing=_later(start.standing, *standings) if start.standing in standings else cautious,
        body=body,
        extra=tuple(dict.fromkeys([*mine.extra, *other.extra])),
    )
    return Merged(to_page(merged), (say("pages.text_changed", agreement=mine.label),) if added else ())


def only_one(text: str, name: str = "") -> Agreement:
    """Return the agreement of a page; refuse a page of an older tool that lists several."""
    agreements = from_page(text, name)
    if len(agreements) != 1:
        raise BadArgument("map.several_symbols")
    return agreements[0]


def _later(base: Value, ours: Value, theirs: Value) -> Value:
    return theirs if ours == base else ours


def _sum(base: int, ours: int, theirs: int) -> int:
    return max(0, ours + theirs - base)


def _body(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Return the merged text, section by section, and whether both sides changed one."""
    if theirs in (ours, base) or ours == base:
        return (theirs if ours == base else ours), False
    start, mine, other = (sections(text) for text in (base, ours, theirs))
    merged, both = [], False
    for heading in dict.fromkeys([*mine, *other]):
        before, here, there = start.get(heading, ""), mine.get(heading, ""), other.get(heading, "")
        text = _joined(before, here, there)
        both |= text not in (here, there) and not lists_files(heading)
        merged += [f"{heading}\n\n{text}".strip("\n")] if text else []
    return "\n\n".join(merged), both


def _joined(base: str, ours: str, theirs: str) -> str:
    """Return a text that both sides may have changed: ours without what they took out, then what only they have."""
    if theirs in (ours, base) or ours == base:
        return theirs if ours == base else ours
    is_list = all(line.startswith(("- ", "* ")) for line in f"{ours}\n{theirs}".split("\n") if line)
    between = "\n" if is_list else "\n\n"
    # The line of a file in a list may have moved in both branches, so parts are compared without it.
    line = re.compile(r"^([-*] `[^`]+?):\d+`")
    start, mine, other = (
        {line.sub(r"\1`", part): part for part in text.split(between)} for text in (base, ours, theirs)
    )
    kept = [part for key, part in mine.items() if key in other or key not in start]
    return between.join([*kept, *(part for key, part in other.items() if key not in mine and key not in start)]).strip(
        "\n"
    )


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
    evidence = _joined(*(str(pair.get("code_evidence") or "") for pair in (base or {}, ours, theirs)))
    later = {key: value for key, value in theirs.items() if base and ours.get(key) == base.get(key)}
    return {key: value for key, value in {**ours, **later, "code_evidence": evidence}.items() if key != CHECKSUM}


# --- conflicts ---------------------------------------------------------------------------------------------


class Versions(Struct, frozen=True):
    """The two versions of a page, git's names for them, and their common base (empty when git does not show it)."""

    ours: str
    theirs: str
    base: str = ""
    our_name: str = ""
    their_name: str = ""


def versions_of(text: str) -> Versions | None:
    """Return both versions of a page with git's conflict marks; None without marks, or with only some of them."""
    whole: dict[str, list[str]] = {OURS: [], BASE: [], THEIRS: []}
    names: dict[str, str] = {}
    inside = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark, name = line[:7], line[7:].strip()
        following = None if mark == BETWEEN and name else _FOLLOWING.get((inside, mark))
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


def differing(one: Agreement, other: Agreement) -> tuple[str, ...]:
    """Return the fields in which two versions differ."""
    return tuple(name for name in COMPARED if getattr(one, name) != getattr(other, name))


def disputed(agreements: Iterable[Agreement]) -> list[tuple[Agreement, ...]]:
    """Return groups of agreements with one term but different symbols; those learned together do not conflict."""
    own = [
        item for item in agreements if not item.origin and not item.is_convention and item.standing == Standing.AGREED
    ]
    groups = groupby(sorted(own, key=lambda item: item.key), key=lambda item: plain_term(item.nl_term))
    several = [tuple(group) for _, group in groups]
    return [group for group in several if len({(item.session_id, item.learned_at) for item in group}) > 1]


# --- the map as one file -----------------------------------------------------------------------------------


def write_bundle(agreements: Iterable[Agreement], project: str, exported_at: str) -> str:
    """Return the map as one JSON file; it holds whole pages, so that nothing is lost."""
    pages = [to_page(item) for item in sorted(agreements, key=lambda item: item.key) if not item.origin]
    bundle = {FORM: VERSION, "project": project, "exported_at": exported_at, "pages": pages}
    return json.dumps(bundle, ensure_ascii=False, indent=1) + "\n"


def is_bundle(text: str) -> bool:
    """Tell whether a text is an exported map, and not a file of pairs."""
    return text.lstrip().startswith("{") and f'"{FORM}"' in text[:200]


def read_bundle(text: str) -> tuple[tuple[Agreement, ...], tuple[Message, ...]]:
    """Return the agreements of an exported map, and what in it could not be read."""
    try:
        bundle = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("pages.map_not_json", error=verbatim(str(error))) from None
    if not isinstance(bundle, dict) or bundle.get(FORM) != VERSION or not isinstance(bundle.get("pages"), list):
        raise BadArgument("pages.no_exported")
    agreements: list[Agreement] = []
    problems = []
    for number, page in enumerate(bundle["pages"], 1):
        try:
            agreements += from_page(page if isinstance(page, str) else "")
        except UsageError as error:
            problems.append(say("pages.page", number=number, why=error.message))
    return tuple(agreements), tuple(problems)


def bring(others: Iterable[Agreement], own: Iterable[Agreement]) -> MapChanges:
    """Return what agreements of another project add to our own; ours stay, with the others' evidence added.

    A new agreement is unbound: the code it was bound to in the other project means nothing here.
    """
    known = {item.key: item for item in own if not item.origin}
    written: dict[tuple[str, str], Agreement] = {}
    new: list[str] = []
    changed: dict[str, None] = {}
    same = 0
    for other in others:
        before = written.get(other.key) or known.get(other.key)
        after = _joined_with(before, unbound(other), own=other.key in known) if before else unbound(other)
        if before is None:
            new.append(other.label)
        elif after == before:
            same += 1
        elif other.label not in new:
            changed[other.label] = None
        written[other.key] = after
    brought = tuple(item for key, item in written.items() if item != known.get(key))
    return MapChanges(brought, tuple(new), tuple(changed), same)


def _joined_with(before: Agreement, other: Agreement, *, own: bool) -> Agreement:
    """Return one agreement of two; of two that come from elsewhere the fuller one gets what it lacks from the other."""
    if own:
        return with_evidence(before, evidence_of(other))
    fuller, less = sorted((before, other), key=lambda item: -sum(bool(getattr(item, name)) for name in TOLD))
    lacking = {name: getattr(less, name) for name in TOLD if not getattr(fuller, name)}
    return with_evidence(replace(fuller, **lacking), evidence_of(less))


def unbound(agreement: Agreement) -> Agreement:
    """Return an agreement without its binding; its path and line stay as a hint."""
    return replace(agreement, digest="", sketch="", commit="", file="", origin="", imported_at="", last_used="")
