"""Editing the map by hand: adding, changing, expiring, listing and checking agreements."""

from contextlib import suppress
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.map.agreement import AGREEMENT, CONVENTION, Agreement, plain_symbol, plain_term
from shirube.features.map.answers import FACT, MapReader, current, last_use
from shirube.features.map.check import check
from shirube.features.map.code_state import IndexedCode, bind
from shirube.features.map.files import AGREEMENTS
from shirube.features.map.lookup import Near
from shirube.features.map.merge import BOUND, differing
from shirube.features.map.page import from_page, new_body, retitled, with_evidence
from shirube.features.map.pairs import is_ours, read_pairs, write_pairs
from shirube.features.map.records import outcomes
from shirube.features.map.results import (
    AgreementEvent,
    AgreementHistory,
    AgreementsResult,
    AgreementView,
    WrittenAgreement,
)
from shirube.features.map.states import Standing, State
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.map import operations
    from shirube.workspace import Workspace

LONGEST_TERM = 200
WORST = (State.GONE, State.MOVED, State.CHANGED, State.UNBOUND, State.FRESH)
SHOWN = ("symbol", "path", "standing", "successes", "failures")
"""Fields whose values a history shows; for the text it reports only that it changed."""


def add_agreement(workspace: "Workspace", request: "operations.AddAgreementRequest", call: Call) -> WrittenAgreement:
    """Answer the operation of this name."""
    if request.doc_type not in (AGREEMENT, CONVENTION):
        raise UnknownName("doc_type", request.doc_type, (AGREEMENT, CONVENTION))
    term = " ".join(request.nl_term.split())
    if not plain_term(term) or len(term) > LONGEST_TERM:
        raise BadArgument("map.term_long", count=len(term), most=LONGEST_TERM)
    symbols = list(dict.fromkeys(filter(None, map(plain_symbol, request.symbol))))
    if (request.doc_type == AGREEMENT) != bool(symbols):
        raise BadArgument("map.needs_symbol")
    if request.doc_type == CONVENTION and not request.code_evidence.strip():
        raise BadArgument("map.says_nothing")
    start = Agreement(term, doc_type=request.doc_type, path=request.path, session_id=request.session_id, successes=1)
    # The agreement is bound to the current code, in whatever file, so the whole tree is checked for changes first.
    workspace.keeper.refresh(call.progress, patient=True, now=True)
    code, known = IndexedCode(workspace), {item.key: item for item in workspace.map.load().own}
    agreements = []
    for item in [replace(start, symbol=symbol) for symbol in symbols or [""]]:
        bound, before = bind(workspace, item, code), known.get(item.key)
        if workspace.embedder.trained and not bound.is_convention:
            bound = replace(bound, similarity=round(workspace.similarity(bound.nl_term, [bound.symbol])[0], 3))
        if before is None:
            after = replace(bound, body=new_body(bound, request.code_evidence))
        else:
            binding = {name: getattr(bound, name) for name in BOUND}
            after = with_evidence(replace(before, **binding, standing=Standing.AGREED), request.code_evidence)
        agreements.append(replace(after, learned_at=after.learned_at or workspace.moment()))
    return written(workspace, agreements)


def written(workspace: "Workspace", agreements: list[Agreement], note: Message = NOTHING) -> WrittenAgreement:
    """Write pages, update the pairs, and return what was written; the map uses it at once."""
    saved = [workspace.map.save(item) for item in agreements]
    keep_pairs(workspace)
    reader = MapReader(workspace)
    views = tuple(reader.view(reader.spot(Near(item, item.similarity or 0.0))) for item in saved)
    first = f"{AGREEMENTS}/{saved[0].file}" if saved else ""
    return WrittenAgreement(views, first, bool(saved), note or say("map.answers"), reader.loaded.problems)


def keep_pairs(workspace: "Workspace", settled: str = "") -> None:
    """Update ``learned_pairs.json`` from the pages; what was decided about the page ``settled`` counts for its pair.

    Do nothing if somebody edited it, or if a page is unreadable and the file may have its last copy: ``sync_map`` will.
    """
    try:
        before = workspace.map.read_pairs()
        _, pairs, problems = read_pairs(before) if before else ({}, (), ())
    except ShirubeError:  # loading the map reports it
        return
    edited = [pair for pair in pairs if not is_ours(pair) and pair.get("agreement_file") != settled]
    if problems or edited or workspace.map.load().unread:
        return
    workspace.map.write_pairs(write_pairs(workspace.map.load().agreements, workspace.embedder.name))


# --- changing ----------------------------------------------------------------------------------------------


def edit_agreement(workspace: "Workspace", request: "operations.EditAgreementRequest", call: Call) -> WrittenAgreement:
    """Answer the operation of this name."""
    if not (request.symbol or request.path or request.code_evidence or request.confirm):
        raise BadArgument("map.no_change")
    current(workspace, call)
    before = find_agreement(workspace, request.agreement)
    after = with_evidence(before, request.code_evidence)
    if request.symbol or request.path or request.confirm:
        code = IndexedCode(workspace)
        if not request.symbol and not request.path and not after.is_convention:
            finding = check(after, code)  # to confirm alone means to follow code that moved
            symbol = finding.symbol if finding.path and finding.renamed else after.symbol
            after = replace(after, path=finding.path or after.path, symbol=symbol)
        changed = replace(
            after,
            symbol=plain_symbol(request.symbol) or after.symbol,
            path=request.path or ("" if request.symbol else after.path),
            standing=Standing.AGREED if request.confirm else after.standing,
            last_used=workspace.moment() if request.confirm else after.last_used,
        )
        after = bind(workspace, changed, code)
    renamed = after.key != before.key
    if renamed and any(item.key == after.key for item in workspace.map.load().own):
        raise BadArgument("map.there", agreement=after.label)
    if renamed:
        after = retitled(replace(after, file=""), before)
    result = written(workspace, [after], say("map.changed"))
    if renamed:
        workspace.map.remove(before)
        keep_pairs(workspace)
    return result


def expire_agreement(
    workspace: "Workspace", request: "operations.ExpireAgreementRequest", call: Call
) -> WrittenAgreement:
    """Answer the operation of this name."""
    agreement = find_agreement(workspace, request.agreement)
    if not request.delete:
        return written(workspace, [replace(agreement, standing=Standing.EXPIRED)], say("map.ended"))
    workspace.map.remove(agreement)
    keep_pairs(workspace)
    return WrittenAgreement((), "", True, say("map.deleted", file=agreement.file), workspace.map.load().problems)


def find_agreement(workspace: "Workspace", name: str) -> Agreement:
    """Return the agreement that a term, file or label names; refuse an unknown name, and suggest the nearest."""
    own = workspace.map.load().own
    term, _, symbol = (part.strip() for part in name.replace("->", "→").partition("→"))
    wanted = plain_term(term)
    meant = [
        item
        for item in own
        if name in (item.file, item.file.removesuffix(".md"))
        or (plain_term(item.nl_term) == wanted and (not symbol or item.symbol == plain_symbol(symbol)))
    ]
    if len(meant) > 1:
        names = [f"'{item.label}'" for item in meant[:5]]
        raise BadArgument("map.meant", count=len(meant), name=name, names=names)
    if not meant:
        raise UnknownName("agreement", name, [label for item in own for label in (item.nl_term, item.file)])
    return meant[0]


# --- looking -----------------------------------------------------------------------------------------------


def list_agreements(
    workspace: "Workspace", request: "operations.AgreementsRequest", call: Call, *, by_state: bool
) -> AgreementsResult:
    """Answer ``list_agreements``, ordered by term, or ``check_agreements``, with the stalest first."""
    own = workspace.map.load().own
    notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=by_state) if own else ()
    reader = MapReader(workspace)
    wanted, chosen, views = plain_term(request.query), [], []
    for item in reader.loaded.agreements:
        text = plain_term(f"{item.nl_term} {item.symbol} {item.symbol_normalized} {item.path}")
        chosen += [item] if wanted in text and request.doc_type in ("", item.doc_type) else []
    for done, item in enumerate(chosen):
        call.deadline.check()
        call.progress(say("map.looking"), done, len(chosen))
        views.append(reader.view(reader.spot(Near(item, item.similarity or 0.0)), request.preview_lines))
    states = {state.value: sum(view.state == state for view in views) for state in WORST}
    shown = [view for view in views if request.state in (None, view.state)]
    shown.sort(key=lambda view: (WORST.index(view.state) if by_state else view.doc_type, view.nl_term, view.symbol))
    return AgreementsResult(
        agreements=tuple(shown[: request.limit]),
        total=len(shown),
        states={name: count for name, count in states.items() if count},
        facts=sum(view.certainty == FACT for view in views),
        truncated=len(shown) > request.limit,
        problems=reader.loaded.problems,
        degraded=notes,
        next=_advice(reader, views),
    )


def _advice(reader: MapReader, views: list[AgreementView]) -> Message:
    if reader.loaded.problems:
        return say("map.mend", count=len(reader.loaded.problems))
    if not reader.loaded.agreements:
        pairs = read_pairs(reader.workspace.map.read_pairs() or "[]")[1]
        return say("map.only_pairs", count=len(pairs)) if pairs else say("map.is_empty")
    doubted = [view for view in views if view.certainty != FACT and not view.origin]
    changed = [view for view in doubted if view.state in (State.CHANGED, State.MOVED)]
    gone = [view for view in doubted if view.state == State.GONE]
    if changed:
        first = f"{changed[0].nl_term} → {changed[0].symbol}"
        return say("map.stale", count=len(changed), call=step("edit_agreement", agreement=first, confirm=True))
    if gone:
        return say("map.are_gone", count=len(gone))
    if any(view.state == State.UNBOUND for view in views):
        return say("map.never_bound")
    return NOTHING if views else say("map.none_fits")


def get_agreement_history(
    workspace: "Workspace", request: "operations.AgreementHistoryRequest", call: Call
) -> AgreementHistory:
    """Answer the operation of this name."""
    agreement = find_agreement(workspace, request.agreement)
    path = f"{AGREEMENTS}/{agreement.file}"
    changes = workspace.changes(path, request.limit + 1) if request.limit else ()
    events: list[AgreementEvent] = []
    before: Agreement | None = None
    for change in reversed(changes):
        call.deadline.check()
        text, now = workspace.text_at(change.commit, path), None
        with suppress(ShirubeError):  # the page was not there, or cannot be read
            now = from_page(text)[0]
        names = differing(before, now) if before and now else ()
        shown = [name for name in SHOWN if name in names]
        fields = [f"{name}: {getattr(before, name) or '–'} → {getattr(now, name) or '–'}" for name in shown]
        fields += ["text"] if "body" in names else []
        at = workspace.moment_of(change.seconds)
        events.append(AgreementEvent("committed", at, change.who, what=change.subject, changes=tuple(fields)))
        before = now
    events = events[-request.limit :] if request.limit else []
    if agreement.learned_at:
        events.append(AgreementEvent("learned", agreement.learned_at, session_id=agreement.session_id))
    if agreement.imported_at:
        events.append(AgreementEvent("imported", agreement.imported_at))
    if used := max(agreement.last_used, last_use(workspace, agreement)):
        events.append(AgreementEvent("used", used))
    events += [
        AgreementEvent(outcome.outcome.value, outcome.timestamp, session_id=outcome.session_id, what=outcome.request)
        for outcome in outcomes(workspace.journal)
        if agreement.symbol and agreement.symbol in outcome.symbols
    ]
    ordered = sorted(events, key=lambda event: event.at, reverse=True)
    name, more = f"{agreement.nl_term} → {agreement.symbol}", len(changes) > request.limit
    return AgreementHistory(name, agreement.file, tuple(ordered), more)
