"""What two branches or two people left undecided in the map, side by side, and the decision."""

from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import ShirubeError, UnknownName
from shirube.features.map.agreement import Agreement, plain_symbol
from shirube.features.map.agreements import keep_pairs
from shirube.features.map.conflict import Versions, differing, disputed, versions_of
from shirube.features.map.merge import merge, only_one
from shirube.features.map.page import evidence_of
from shirube.features.map.results import ConflictSide, ConflictsResult, MapConflict, ResolveResult
from shirube.features.map.states import Standing
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shirube.engine.repo.history import Change
    from shirube.features.map.operations import ConflictsRequest, ResolveRequest
    from shirube.workspace import Workspace

OURS, THEIRS, BOTH = "ours", "theirs", "both"


def list_conflicts(workspace: "Workspace", request: "ConflictsRequest", call: Call) -> ConflictsResult:
    """Answer the operation of this name."""
    marked, unread = _marked(workspace)
    found, problems = [], list(unread)
    for name, versions in marked.items():
        try:
            found.append(_page_conflict(workspace, name, versions))
        except ShirubeError as error:
            problems.append(say("pages.at", where=name, why=error.message))
    found += [_term_conflict(workspace, several) for several in disputed(workspace.map.load().agreements)]
    return ConflictsResult(tuple(found), tuple(problems), _advice(found))


def _advice(found: "Sequence[MapConflict]") -> Message:
    if not found:
        return NOTHING
    first = found[0]
    return say("map.resolve", call=step("resolve_conflict", conflict=first.conflict, keep=first.sides[0].keep))


def _marked(workspace: "Workspace") -> tuple[dict[str, Versions], tuple[Message, ...]]:
    """Return the pages that git left with marks, and what cannot be read."""
    from shirube.features.map.files import AGREEMENTS

    texts, problems = workspace.map.pages(AGREEMENTS)
    read = ((name, versions_of(text)) for name, text in texts.items())
    return {name: versions for name, versions in read if versions is not None}, problems


def _page_conflict(workspace: "Workspace", name: str, versions: Versions) -> MapConflict:
    from shirube.features.map.files import AGREEMENTS

    ours, theirs = (only_one(text, name) for text in (versions.ours, versions.theirs))
    names = (versions.our_name or OURS, versions.their_name or THEIRS)
    sides = []
    for keep, label, one, head in zip((OURS, THEIRS), names, (ours, theirs), ("HEAD", "MERGE_HEAD"), strict=True):
        changes = workspace.changes(f"{AGREEMENTS}/{name}", 1, head)
        sides.append(_side(workspace, keep, label, one, changes))
    return MapConflict(name, "page", differing(ours, theirs), tuple(sides))


def _term_conflict(workspace: "Workspace", several: tuple[Agreement, ...]) -> MapConflict:
    from shirube.features.map.files import AGREEMENTS

    sides = []
    for one in several:
        changes = workspace.changes(f"{AGREEMENTS}/{one.file}", 1)
        sides.append(_side(workspace, one.symbol, one.file, one, changes))
    return MapConflict(several[0].nl_term, "term", differing(several[0], several[-1]), tuple(sides))


def _side(workspace: "Workspace", keep: str, label: str, one: Agreement, changes: "Sequence[Change]") -> ConflictSide:
    return ConflictSide(
        keep=keep,
        label=label,
        nl_term=one.nl_term,
        symbol=one.symbol,
        path=one.path,
        evidence=evidence_of(one),
        standing=one.standing.value,
        successes=one.successes,
        failures=one.failures,
        learned_at=one.learned_at,
        session_id=one.session_id,
        who=changes[0].who if changes else "",
        when=workspace.moment_of(changes[0].seconds) if changes else "",
    )


# --- deciding ----------------------------------------------------------------------------------------------


def resolve_conflict(workspace: "Workspace", request: "ResolveRequest", call: Call) -> ResolveResult:
    """Answer the operation of this name."""
    marked, agreements = _marked(workspace)[0], workspace.map.load().agreements
    terms = {several[0].nl_term: several for several in disputed(agreements)}
    expired: tuple[str, ...] = ()
    kept, note = request.keep, NOTHING
    if request.conflict in marked:
        note = _resolve_page(workspace, request, marked[request.conflict])
    elif request.conflict in terms:
        expired = _resolve_term(workspace, request, terms[request.conflict])
    elif any(request.conflict in (one.file, one.nl_term) for one in agreements):
        kept, note = "", say("map.decided")  # asked twice, or decided elsewhere
    else:
        raise UnknownName("conflict", request.conflict, [*marked, *terms])
    keep_pairs(workspace)
    left = len(_marked(workspace)[0]) + len(disputed(workspace.map.load().agreements))
    return ResolveResult(request.conflict, kept, expired, left, note)


def _resolve_page(workspace: "Workspace", request: "ResolveRequest", versions: Versions) -> Message:
    from shirube.features.map.files import AGREEMENTS

    if request.keep not in (OURS, THEIRS, BOTH):
        raise UnknownName("side", request.keep, (OURS, THEIRS, BOTH))
    if request.keep == BOTH:
        done = merge(versions.base, versions.ours, versions.theirs)
        text, note = done.text, next(iter(done.conflicts), NOTHING)
    else:
        text, note = (versions.ours if request.keep == OURS else versions.theirs), NOTHING
        only_one(text, request.conflict)
    workspace.map.write(f"{AGREEMENTS}/{request.conflict}", text)
    return note


def _resolve_term(workspace: "Workspace", request: "ResolveRequest", several: tuple[Agreement, ...]) -> tuple[str, ...]:
    kept = plain_symbol(request.keep)
    if kept not in [one.symbol for one in several]:
        raise UnknownName("symbol", request.keep, [one.symbol for one in several])
    others = [one for one in several if one.symbol != kept]
    for one in others:
        workspace.map.save(replace(one, standing=Standing.EXPIRED))
    return tuple(one.label for one in others)
