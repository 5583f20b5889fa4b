"""What is agreed in two ways: the versions side by side, what differs marked, and a button under each."""

from shirube.doors.web.diff import only_here
from shirube.doors.web.html import Child, Html, cut, el, join
from shirube.doors.web.parts import badge, button, facts, moment, note
from shirube.doors.web.visit import Visit
from shirube.features.map.results import ConflictSide, ConflictsResult, MapConflict

MOST = 20
"""Conflicts that are shown at once; the next come when these are decided."""


def shown_conflicts(visit: Visit, found: ConflictsResult) -> Html | None:
    """Return everything that waits for a decision, or nothing."""
    words = visit.words
    if not found.conflicts and not found.problems:
        return None
    cards = [_conflict(visit, one) for one in found.conflicts[:MOST]]
    left = len(found.conflicts) - MOST
    return el(
        "section",
        el("h2", words("conflict.title", count=len(found.conflicts))),
        el("p", words("conflict.about"), class_="dim"),
        join(note(words("map.problem", text=visit.say(text)), "bad") for text in found.problems),
        cards,
        el("p", words("conflict.more", count=left), class_="dim") if left > 0 else None,
        class_="card conflicts",
        id="conflicts",
    )


def _conflict(visit: Visit, one: MapConflict) -> Html:
    words, sides = visit.words, one.sides
    kind = badge(words.term("conflict_kind", one.kind), "warn")
    head = el("div", el("h3", cut(sides[0].nl_term, 200)), el("span", kind, class_="what"), class_="head")
    columns = [_side(visit, one, side, sides[number - 1]) for number, side in enumerate(sides)]
    both = button(visit, "/map/resolve", words("conflict.both"), {"conflict": one.conflict, "keep": "both"})
    return el(
        "article",
        head,
        el("div", columns, class_="versus"),
        el("div", both, class_="acts") if one.kind == "page" else None,
        class_="stack-of",
    )


def _side(visit: Visit, one: MapConflict, side: ConflictSide, other: ConflictSide) -> Html:
    """Return one version; what the other has otherwise is marked."""
    words = visit.words

    def compared(mine: str, theirs: str, tag: str) -> Child:
        return el(tag, only_here(cut(mine, 1500), cut(theirs, 1500))) if mine else ""

    told = words("agreement.counts", successes=side.successes, failures=side.failures)
    before = words("agreement.counts", successes=other.successes, failures=other.failures)
    standing, was = (words.term("standing", version.standing) for version in (side, other))
    rows = [
        (words("conflict.symbol"), compared(side.symbol, other.symbol, "code")),
        (words("conflict.path"), compared(side.path, other.path, "code")),
        (words("conflict.evidence"), compared(side.evidence, other.evidence, "blockquote")),
        (words("conflict.standing"), only_here(standing, was)),
        (words("conflict.fared"), only_here(told, before)),
        (words("conflict.learned"), moment(side.learned_at) if side.learned_at else ""),
        (words("conflict.who"), cut(side.who, 100)),
        (words("conflict.when"), moment(side.when) if side.when else ""),
    ]
    keep = {"conflict": one.conflict, "keep": side.keep}
    label = words("conflict.keep", what=cut(side.label if one.kind == "page" else side.symbol, 60))
    acts = el("div", button(visit, "/map/resolve", label, keep, "primary"), class_="acts")
    return el("section", el("h4", cut(side.label, 120)), facts(rows), acts, class_="side")
