"""What is agreed in two ways: git's marks in a page, read as the two versions they stand for; one term, two symbols."""

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct

from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.states import Standing

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
