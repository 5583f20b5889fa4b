"""A map as one file, to be carried to another project or another machine, and back."""

import json
from collections.abc import Iterable

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.page import evidence_of, from_page, to_page, with_evidence
from shirube.messages import Message, say, verbatim

FORM = "shirube_map"
VERSION = 1


class Brought(Struct, frozen=True):
    """What another map adds to this one."""

    agreements: tuple[Agreement, ...] = ()
    """New and changed ones, to be written."""
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: int = 0
    problems: tuple[Message, ...] = ()


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


def bring(others: Iterable[Agreement], own: Iterable[Agreement], *, elsewhere: bool) -> Brought:
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
    return Brought(tuple(written.values()), tuple(new), tuple(changed), same)


def unbound(agreement: Agreement) -> Agreement:
    """Return an agreement that rests on nothing yet; where it stood before is only a guess."""
    return replace(agreement, digest="", sketch="", commit="", file="", origin="", last_used="")
