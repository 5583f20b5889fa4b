"""The map by hand: adding, changing, expiring, listing and checking what was agreed."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, ShirubeError, UnknownName, counted
from shirube.knowledge.agreement import AGREEMENT, CONVENTION, Agreement, Standing, State, plain_symbol, plain_term
from shirube.knowledge.lookup import Near
from shirube.knowledge.page import new_body, with_evidence
from shirube.knowledge.pairs import write_pairs
from shirube.operations.code import IndexedCode, bind
from shirube.operations.maps import FACT, AgreementView, Atlas, Spot, current
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LONGEST_TERM = 200


@dataclass(frozen=True, slots=True)
class AddRequest:
    """What ``add_agreement`` takes."""

    nl_term: str = arg(..., "The words people use; for a convention, what it is about.")
    symbol: tuple[str, ...] = arg((), "What they mean in the code, qualified where needed; several are allowed.")
    code_evidence: str = arg("", "What in the code shows it; for a convention, the rule itself.")
    doc_type: str = arg(AGREEMENT, "agreement, or convention: a rule of the project without a symbol.")
    path: str = arg("", "The file that defines it, when several define that name.")
    session_id: str = arg("", "The session in which it was learned.")


@dataclass(frozen=True, slots=True)
class Written:
    """What was written into the map."""

    agreements: tuple[AgreementView, ...]
    agreement_file: str
    """The page of the first, below the project."""
    map_updated: bool
    note: str
    problems: tuple[str, ...] = ()


def _add(workspace: "Workspace", request: AddRequest, call: Call) -> Written:
    made = _asked(request)
    # It is bound to what the code says now, wherever that stands: the whole tree is looked at first.
    workspace.keeper.refresh(call.progress, patient=True, now=True)
    code, known = IndexedCode(workspace), _own(workspace)
    bound = [_renewed(known, bind(workspace, one, code), request.code_evidence) for one in made]
    return written(workspace, [replace(one, learned_at=one.learned_at or workspace.moment()) for one in bound])


def _asked(request: AddRequest) -> list[Agreement]:
    if request.doc_type not in (AGREEMENT, CONVENTION):
        raise UnknownName("doc_type", request.doc_type, (AGREEMENT, CONVENTION))
    term = " ".join(request.nl_term.split())
    if not plain_term(term) or len(term) > LONGEST_TERM:
        raise BadArgument(
            f"the term has {len(term)} characters", f"give the words people use, 1 to {LONGEST_TERM} characters"
        )
    symbols = list(dict.fromkeys(filter(None, map(plain_symbol, request.symbol))))
    if (request.doc_type == AGREEMENT) != bool(symbols):
        hint = "give 'symbol', or doc_type 'convention' and the rule as code_evidence"
        raise BadArgument("an agreement needs a symbol, and a convention has none", hint)
    if request.doc_type == CONVENTION and not request.code_evidence.strip():
        raise BadArgument("the convention says nothing", "give the rule as code_evidence")
    start = Agreement(term, doc_type=request.doc_type, path=request.path, session_id=request.session_id, successes=1)
    return [replace(start, symbol=symbol) for symbol in symbols] or [start]


def _renewed(known: dict[tuple[str, str], Agreement], made: Agreement, evidence: str) -> Agreement:
    """Return the page that is to be written: a new one, or the one there is with what is new."""
    before = known.get(made.key)
    if before is None:
        return replace(made, body=new_body(made, evidence))
    again = replace(
        before,
        **{name: getattr(made, name) for name in ("path", "line", "digest", "sketch", "commit")},
        standing=Standing.AGREED,
    )
    return with_evidence(again, evidence)


def written(workspace: "Workspace", agreements: list[Agreement], note: str = "") -> Written:
    """Write pages, keep the pairs in step, and return what was written; the map answers with it at once."""
    from shirube.knowledge.files import AGREEMENTS

    saved = [workspace.map.save(one) for one in agreements]
    keep_pairs(workspace)
    atlas = Atlas(workspace)
    views = tuple(atlas.view(atlas.spot(Near(one, one.similarity or 0.0, ""))) for one in saved)
    said = note or "the map answers with it from the next question on"
    first = f"{AGREEMENTS}/{saved[0].file}" if saved else ""
    return Written(views, first, bool(saved), said, atlas.loaded.problems)


def keep_pairs(workspace: "Workspace") -> None:
    """Write ``learned_pairs.json`` as the pages have it.

    One that somebody edited waits for ``sync_map``, and so does one that may have the last words of a broken page.
    """
    from shirube.knowledge.pairs import is_ours, read_pairs

    try:
        before = workspace.map.read_pairs()
        _, pairs, problems = read_pairs(before) if before else ({}, (), ())
    except ShirubeError:  # told when the map is loaded
        return
    if problems or not all(map(is_ours, pairs)) or workspace.map.load().unread:
        return
    made = write_pairs(workspace.map.load().agreements, workspace.embedder.name)
    if made != before:
        workspace.map.write_pairs(made)


def _own(workspace: "Workspace") -> dict[tuple[str, str], Agreement]:
    return {one.key: one for one in workspace.map.load().agreements if not one.origin}


# --- changing ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What ``edit_agreement`` takes."""

    agreement: str = arg(..., "Its term, 'term → symbol', or the name of its file.")
    symbol: str = arg("", "Another symbol that is meant.")
    path: str = arg("", "Another file that defines it.")
    code_evidence: str = arg("", "Evidence to add.")
    confirm: bool = arg(False, "It was checked: bind it to the code as it is now, and trust it again.")


def _edit(workspace: "Workspace", request: EditRequest, call: Call) -> Written:
    if not (request.symbol or request.path or request.code_evidence or request.confirm):
        raise BadArgument("nothing is to be changed", "give symbol, path, code_evidence or confirm")
    current(workspace, call)
    before = find_agreement(workspace, request.agreement)
    after = with_evidence(before, request.code_evidence)
    if request.symbol or request.path or request.confirm:
        after = _rebound(workspace, after, request)
    if after.key != before.key and after.key in _own(workspace):
        raise BadArgument(f"{after.nl_term} → {after.symbol} is there already", "expire the one that is wrong")
    kept = (
        after
        if after.key == before.key
        else replace(after, file="", body=after.body.replace(before.symbol, after.symbol))
    )
    result = written(workspace, [kept], "changed")
    if after.key != before.key:
        workspace.map.remove(before)
        keep_pairs(workspace)
    return result


def _rebound(workspace: "Workspace", agreement: Agreement, request: EditRequest) -> Agreement:
    """Bind to what is meant now; code that moved is followed when the change is confirmed."""
    code = IndexedCode(workspace)
    if request.confirm and not request.symbol and not request.path and not agreement.is_convention:
        from shirube.knowledge.check import check

        found = check(agreement, code)
        if found.path:
            symbol = found.symbol if found.renamed else agreement.symbol
            agreement = replace(agreement, path=found.path, symbol=symbol)
    changed = replace(
        agreement,
        symbol=plain_symbol(request.symbol) or agreement.symbol,
        path=request.path or ("" if request.symbol else agreement.path),
        standing=Standing.AGREED if request.confirm else agreement.standing,
        last_used=workspace.moment() if request.confirm else agreement.last_used,
    )
    return bind(workspace, changed, code)


@dataclass(frozen=True, slots=True)
class ExpireRequest:
    """What ``expire_agreement`` takes."""

    agreement: str = arg(..., "Its term, 'term → symbol', or the name of its file.")
    delete: bool = arg(False, "Delete the page instead of marking it.")


def _expire(workspace: "Workspace", request: ExpireRequest, call: Call) -> Written:
    found = find_agreement(workspace, request.agreement)
    if not request.delete:
        return written(workspace, [replace(found, standing=Standing.EXPIRED)], "expired: it answers no more as a fact")
    workspace.map.remove(found)
    keep_pairs(workspace)
    return Written((), "", True, f"deleted {found.file}", workspace.map.load().problems)


def find_agreement(workspace: "Workspace", name: str) -> Agreement:
    """Return the agreement somebody means, or refuse with the nearest."""
    own = _own(workspace).values()
    term, _, symbol = (part.strip() for part in name.replace("->", "→").partition("→"))
    wanted = plain_term(term)
    found = [
        one
        for one in own
        if name in (one.file, one.file.removesuffix(".md"))
        or (plain_term(one.nl_term) == wanted and (not symbol or one.symbol == plain_symbol(symbol)))
    ]
    if len(found) > 1:
        pairs = ", ".join(f"'{one.nl_term} → {one.symbol}'" for one in found[:5])
        raise BadArgument(f"{len(found)} agreements are meant by '{name}'", f"say which one: {pairs}")
    if not found:
        raise UnknownName("agreement", name, [label for one in own for label in (one.nl_term, one.file)])
    return found[0]


# --- looking -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What ``list_agreements`` and ``check_agreements`` take."""

    query: str = arg("", "Only those with these characters in term, symbol or path.")
    doc_type: str = arg("", "Only agreements, or only conventions.")
    state: State | None = arg(None, "Only those whose code is in this state.")
    limit: int = arg(100, "How many.", low=1, high=10_000)


@dataclass(frozen=True, slots=True)
class ListResult:
    """The agreements, the ones to look at first."""

    agreements: tuple[AgreementView, ...]
    total: int
    states: dict[str, int]
    """How many are fresh, changed, moved, gone, unbound."""
    facts: int
    truncated: bool
    problems: tuple[str, ...]
    """Pages that could not be read, with file, line and cause."""
    degraded: tuple[str, ...]
    next: str


WORST = (State.GONE, State.MOVED, State.CHANGED, State.UNBOUND, State.FRESH)


def _list(workspace: "Workspace", request: ListRequest, call: Call) -> ListResult:
    return _listed(workspace, request, call, by_state=False)


def _check(workspace: "Workspace", request: ListRequest, call: Call) -> ListResult:
    return _listed(workspace, request, call, by_state=True)


def _listed(workspace: "Workspace", request: ListRequest, call: Call, *, by_state: bool) -> ListResult:
    notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=by_state) if _own(workspace) else ()
    atlas = Atlas(workspace)
    chosen = [one for one in atlas.loaded.agreements if _is_wanted(one, request)]
    views = [atlas.view(spot) for spot in _looked_at(atlas, chosen, call)]
    states = {state.value: sum(view.state == state for view in views) for state in WORST}
    shown = [view for view in views if request.state in (None, view.state)]
    if by_state:
        shown.sort(key=lambda view: (WORST.index(view.state), view.nl_term, view.symbol))
    else:
        shown.sort(key=lambda view: (view.doc_type, view.nl_term, view.symbol))
    return ListResult(
        agreements=tuple(shown[: request.limit]),
        total=len(shown),
        states={name: count for name, count in states.items() if count},
        facts=sum(view.certainty == FACT for view in views),
        truncated=len(shown) > request.limit,
        problems=atlas.loaded.problems,
        degraded=notes,
        next=_advice(views, atlas.loaded.problems),
    )


def _looked_at(atlas: Atlas, agreements: list[Agreement], call: Call) -> list[Spot]:
    spots = []
    for done, one in enumerate(agreements):
        call.deadline.check()
        call.progress("looking at agreements", done, len(agreements))
        spots.append(atlas.spot(Near(one, one.similarity or 0.0, "")))
    return spots


def _is_wanted(agreement: Agreement, request: ListRequest) -> bool:
    wanted = plain_term(request.query)
    told = plain_term(f"{agreement.nl_term} {agreement.symbol} {agreement.symbol_normalized} {agreement.path}")
    return wanted in told and request.doc_type in ("", agreement.doc_type)


def _advice(views: list[AgreementView], problems: tuple[str, ...]) -> str:
    if problems:
        return f"mend {counted(len(problems), 'file')} of the map: see problems"
    bad = [view for view in views if view.state not in (State.FRESH, State.UNBOUND) and not view.origin]
    if bad:
        first = f"{bad[0].nl_term} → {bad[0].symbol}"
        told = f"{counted(len(bad), 'rests', 'rest')} on code that changed"
        return f"{told}: check, then edit_agreement(agreement='{first}', confirm=true)"
    if any(view.state == State.UNBOUND for view in views):
        return "some were never bound to code: sync_map binds them"
    return "" if views else "the map is empty: add_agreement, or record_outcome after a success, fills it"


ADD_AGREEMENT = Operation(
    name="add_agreement",
    summary="What do these words mean in this code? Write it into the map (a term and its symbol, or a convention), "
    "bound to the code as it is now.",
    request=AddRequest,
    result=Written,
    function=_add,
    group="map",
    read_only=False,
    aliases={"term": "nl_term", "symbols": "symbol", "evidence": "code_evidence"},
)

EDIT_AGREEMENT = Operation(
    name="edit_agreement",
    summary="What has to be put right in an agreement? Another symbol or file, more evidence, or a confirmation after "
    "the code changed.",
    request=EditRequest,
    result=Written,
    function=_edit,
    group="map",
    read_only=False,
    aliases={"nl_term": "agreement", "evidence": "code_evidence"},
)

EXPIRE_AGREEMENT = Operation(
    name="expire_agreement",
    summary="Which agreement no longer counts? Mark it as expired, or delete its page.",
    request=ExpireRequest,
    result=Written,
    function=_expire,
    group="map",
    read_only=False,
    destructive=True,
    aliases={"nl_term": "agreement"},
)

LIST_AGREEMENTS = Operation(
    name="list_agreements",
    summary="What was agreed about this code? Every term and convention with its state and how far to trust it.",
    request=ListRequest,
    result=ListResult,
    function=_list,
    group="map",
)

CHECK_AGREEMENTS = Operation(
    name="check_agreements",
    summary="Which agreements went stale? Each one compared with the code as it is now: gone, moved, changed, fresh.",
    request=ListRequest,
    result=ListResult,
    function=_check,
    group="map",
)
