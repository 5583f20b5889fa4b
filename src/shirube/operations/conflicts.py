"""What two branches or two people left undecided in the map, side by side, and the decision."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.knowledge.agreement import Agreement, Standing, plain_symbol
from shirube.knowledge.conflict import Versions, differing, disputed, versions_of
from shirube.knowledge.merge import merge
from shirube.knowledge.page import evidence_of, from_page
from shirube.operations.agreements import keep_pairs
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shirube.repo.history import Change
    from shirube.workspace import Workspace

OURS, THEIRS, BOTH = "ours", "theirs", "both"


@dataclass(frozen=True, slots=True)
class ConflictsRequest:
    """What ``list_conflicts`` takes: nothing."""


@dataclass(frozen=True, slots=True)
class Side:
    """One version: what it says, whose it is, and since when."""

    keep: str
    """What to hand to resolve_conflict to keep this version alone."""
    label: str
    """The branch, or the page."""
    nl_term: str
    symbol: str
    path: str
    evidence: str
    standing: str
    successes: int
    failures: int
    learned_at: str
    session_id: str
    who: str
    """Who wrote it last, as git knows; empty when it does not."""
    when: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something that is agreed in two ways."""

    conflict: str
    """What to hand to resolve_conflict: the file of the page, or the term."""
    kind: str
    """page: git's marks are in it; term: the same words are agreed to mean different symbols."""
    differs: tuple[str, ...]
    """In what the sides differ."""
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class ConflictsResult:
    """Everything that waits for a decision."""

    conflicts: tuple[Conflict, ...]
    problems: tuple[str, ...]
    """Pages whose versions cannot be read either, with the reason."""
    next: str


def _list(workspace: "Workspace", request: ConflictsRequest, call: Call) -> ConflictsResult:
    marked, unread = _marked(workspace)
    found, problems = [], list(unread)
    for name, versions in marked.items():
        try:
            found.append(_page_conflict(workspace, name, versions))
        except ShirubeError as error:
            problems.append(f"{name}: {error.message}")
    found += [_term_conflict(workspace, several) for several in disputed(workspace.map.load().agreements)]
    advice = f"resolve_conflict(conflict='{found[0].conflict}', keep='{found[0].sides[0].keep}')" if found else ""
    return ConflictsResult(tuple(found), tuple(problems), advice)


def _marked(workspace: "Workspace") -> tuple[dict[str, Versions], tuple[str, ...]]:
    """Return the pages that git left with marks, and what cannot be read."""
    from shirube.knowledge.files import AGREEMENTS

    texts, problems = workspace.map.pages(AGREEMENTS)
    read = ((name, versions_of(text)) for name, text in texts.items())
    return {name: versions for name, versions in read if versions is not None}, problems


def _page_conflict(workspace: "Workspace", name: str, versions: Versions) -> Conflict:
    from shirube.knowledge.files import AGREEMENTS

    ours, theirs = (_one(text, name) for text in (versions.ours, versions.theirs))
    names = (versions.our_name or OURS, versions.their_name or THEIRS)
    sides = []
    for keep, label, one, head in zip((OURS, THEIRS), names, (ours, theirs), ("HEAD", "MERGE_HEAD"), strict=True):
        changes = workspace.changes(f"{AGREEMENTS}/{name}", 1, head)
        sides.append(_side(workspace, keep, label, one, changes))
    return Conflict(name, "page", differing(ours, theirs), tuple(sides))


def _one(text: str, name: str) -> Agreement:
    found = from_page(text, name)
    if len(found) > 1:
        raise BadArgument("the page lists several symbols", "run 'shirube map sync' on both branches first")
    return found[0]


def _term_conflict(workspace: "Workspace", several: tuple[Agreement, ...]) -> Conflict:
    from shirube.knowledge.files import AGREEMENTS

    sides = []
    for one in several:
        changes = workspace.changes(f"{AGREEMENTS}/{one.file}", 1)
        sides.append(_side(workspace, one.symbol, one.file, one, changes))
    return Conflict(several[0].nl_term, "term", differing(several[0], several[-1]), tuple(sides))


def _side(workspace: "Workspace", keep: str, label: str, one: Agreement, changes: "Sequence[Change]") -> Side:
    return Side(
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


@dataclass(frozen=True, slots=True)
class ResolveRequest:
    """What ``resolve_conflict`` takes."""

    conflict: str = arg(..., "The file of the page, or the term, as list_conflicts names it.")
    keep: str = arg(..., "ours, theirs or both (joined, nothing lost); for a term, the symbol that is meant.")


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """What was decided."""

    conflict: str
    kept: str
    """What was asked for; empty when there was nothing to decide any more."""
    expired: tuple[str, ...]
    """Agreements that no longer count; their pages are kept."""
    left: int
    """Conflicts that still wait."""
    note: str


def _resolve(workspace: "Workspace", request: ResolveRequest, call: Call) -> ResolveResult:
    marked, agreements = _marked(workspace)[0], workspace.map.load().agreements
    terms = {several[0].nl_term: several for several in disputed(agreements)}
    expired: tuple[str, ...] = ()
    kept, note = request.keep, ""
    if request.conflict in marked:
        note = _resolve_page(workspace, request, marked[request.conflict])
    elif request.conflict in terms:
        expired = _resolve_term(workspace, request, terms[request.conflict])
    elif any(request.conflict in (one.file, one.nl_term) for one in agreements):
        kept, note = "", "nothing is undecided there any more"  # asked twice, or decided elsewhere
    else:
        raise UnknownName("conflict", request.conflict, [*marked, *terms])
    keep_pairs(workspace)
    left = len(_marked(workspace)[0]) + len(disputed(workspace.map.load().agreements))
    return ResolveResult(request.conflict, kept, expired, left, note)


def _resolve_page(workspace: "Workspace", request: ResolveRequest, versions: Versions) -> str:
    from shirube.knowledge.files import AGREEMENTS

    if request.keep not in (OURS, THEIRS, BOTH):
        raise UnknownName("side", request.keep, (OURS, THEIRS, BOTH))
    if request.keep == BOTH:
        done = merge(versions.base, versions.ours, versions.theirs)
        text, note = done.text, "; ".join(done.conflicts)
    else:
        text, note = (versions.ours if request.keep == OURS else versions.theirs), ""
        _one(text, request.conflict)
    workspace.map.write(f"{AGREEMENTS}/{request.conflict}", text)
    return note


def _resolve_term(workspace: "Workspace", request: ResolveRequest, several: tuple[Agreement, ...]) -> tuple[str, ...]:
    kept = plain_symbol(request.keep)
    if kept not in [one.symbol for one in several]:
        raise UnknownName("symbol", request.keep, [one.symbol for one in several])
    others = [one for one in several if one.symbol != kept]
    for one in others:
        workspace.map.save(replace(one, standing=Standing.EXPIRED))
    return tuple(f"{one.nl_term} → {one.symbol}" for one in others)


LIST_CONFLICTS = Operation(
    name="list_conflicts",
    summary="What is agreed in two ways? Pages a merge left undecided and terms with different symbols, side by side.",
    request=ConflictsRequest,
    result=ConflictsResult,
    function=_list,
    group="map",
)

RESOLVE_CONFLICT = Operation(
    name="resolve_conflict",
    summary="Which of the two is right? Keep one version of a page or join both; keep one symbol of a term and expire "
    "the others.",
    request=ResolveRequest,
    result=ResolveResult,
    function=_resolve,
    group="map",
    read_only=False,
)
