"""Records how a session turned out, and updates the map accordingly; a session is represented by plain facts here."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shirube.codec import record_from, replace
from shirube.engine.store.disk import SESSION
from shirube.errors import UsageError
from shirube.features.guard.phases import confirm_symbols
from shirube.features.guard.results import OutcomeResult
from shirube.features.guard.session_store import change_session, load_session
from shirube.features.guard.state import Confirmed, Phase, Verdict
from shirube.features.guard.written_symbols import written_symbols
from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.agreements import keep_pairs
from shirube.features.map.code_state import IndexedCode, bind
from shirube.features.map.facts import ACCEPTED, SLOTS, SessionFacts, judge_outcome, read_facts, topic_of
from shirube.features.map.files import AGREEMENTS
from shirube.features.map.learning import terms_of
from shirube.features.map.message_terms import words
from shirube.features.map.page import new_body, with_evidence
from shirube.features.map.proposals import proposals_for
from shirube.features.map.records import Analysis, Decision, Outcome, Result, add_record
from shirube.features.map.states import Standing
from shirube.features.map.written import LOOKED_THROUGH, demote_reverted, note_written, settle
from shirube.messages import NOTHING, Message, language_of, say, spoken, step, verbatim
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.operations import OutcomeRequest
    from shirube.features.map.facts import ConfirmedSymbol
    from shirube.workspace import Workspace

SHOWN = 3
RECENT = 20
"""How many sessions back a complaint may be about."""
SURE = 0.5
"""Words that say less surely than this that it was a success teach only what was confirmed."""


def facts(workspace: "Workspace", session_id: str) -> SessionFacts:
    """Return the facts of a session, even an expired one; refuse an unknown handle."""
    known = read_facts(workspace.journal, session_id)
    if known is None:
        load_session(workspace, session_id)  # raises the error that tells the user what to do
        raise AssertionError("a session that is there has facts")
    return known


def keep_confirmed(workspace: "Workspace", session_id: str, symbols: "tuple[ConfirmedSymbol, ...]") -> SessionFacts:
    """Store confirmed symbols in their session; the latest decision on each counts, and a doubtful one raises risk."""
    confirmed = [record_from(Confirmed, item, similarity=item.similarity or 0.0) for item in symbols]
    change_session(workspace, session_id, lambda session: (confirm_symbols(session, *confirmed), Verdict(True)))
    return facts(workspace, session_id)


def record_outcome(workspace: "Workspace", request: "OutcomeRequest", call: Call) -> OutcomeResult:
    """Answer the operation of this name."""
    known = facts(workspace, request.session_id)
    outcome, confidence, why = request.outcome, 1.0, "told"
    if outcome is None:
        judged = judge_outcome(request.trigger_message)
        outcome, confidence, why = judged.outcome or Result.SUCCESS, judged.confidence, judged.why
    # An agreement is bound to the current code, so after a success the whole tree is checked for changes first.
    workspace.keeper.refresh(call.progress, patient=True, now=outcome == Result.SUCCESS)
    demote_reverted(workspace, LOOKED_THROUGH)
    record = _record(workspace, known, outcome)
    record = replace(
        record,
        phase_at_outcome=request.phase_at_outcome.upper() or record.phase_at_outcome,
        intent=request.intent.upper() or record.intent,
        semantic_used=record.semantic_used or request.semantic_used,
        analysis=record_from(Analysis, request.analysis),
        trigger_message=request.trigger_message,
    )
    meant, reason = _meant(workspace, known, record, confidence)
    record = replace(record, symbols=tuple(dict.fromkeys((*record.symbols, *(item.symbol for item in meant)))))
    name = add_record(workspace.journal, record)
    settle(workspace, [record])
    result = OutcomeResult(name, known.session_id, outcome, confidence, why)
    taught = replace(known, confirmed=meant) if outcome == Result.SUCCESS else known
    changed = _map_changes(workspace, taught, record, reason)
    problems = tuple(map(verbatim, workspace.map.load().problems))
    return replace(result, **changed, problems=problems)


def note_decision(workspace: "Workspace", session_id: str, planned: tuple[str, ...], bootstrap: str = "") -> str:
    """Record what a session plans to do (seed 003's decision log); return the record's id.

    Called when a session sets its frame, and when the Router makes a plan.
    """
    known = facts(workspace, session_id)
    filled = dict(known.frame)
    decision = Decision(
        session_id=session_id,
        query=known.request,
        timestamp=workspace.moment(),
        intent=known.intent,
        required_phases=("READY",) if known.intent == "QUESTION" else ("EXPLORATION", "READY"),
        missing_slots=tuple(slot for slot in SLOTS if slot not in filled),
        risk_level=known.risk,
        tools_planned=planned,
        needs_bootstrap=bool(bootstrap),
        bootstrap_reason=bootstrap,
    )
    return add_record(workspace.journal, decision)


def session_meant(workspace: "Workspace", request: str) -> str:
    """Return the session that a complaint is about: one whose request shares its words, else the latest; empty without.

    A session that never became READY and wrote nothing has done nothing that could have failed.
    """
    topic = terms_of(topic_of(request)) - terms_of(" ".join(words("message_words")))
    meant = list[tuple[int, str]]()
    for document in workspace.journal.documents(SESSION, RECENT):
        known = facts(workspace, document.key)
        if known.phase == Phase.READY or known.targets:
            meant.append((len(topic & terms_of(known.request)), document.key))
    return max(meant, key=lambda one: one[0], default=(0, ""))[1]


def note_failure(workspace: "Workspace", session_id: str, request: str, confidence: float) -> str:
    """Record that, by a new request, an earlier session failed (seed 003's Step 0); return the record's id.

    ``start_session`` calls it when the confidence of that reading reaches the setting ``outcomes.failure``.
    """
    known = facts(workspace, session_id)
    record = _record(workspace, known, Result.FAILURE)
    record = replace(record, trigger_message=request, automatic=True, confidence=confidence)
    name = add_record(workspace.journal, record)
    _demote(workspace, known)
    return name


def _record(workspace: "Workspace", known: SessionFacts, outcome: Result) -> Outcome:
    return Outcome(
        session_id=known.session_id,
        outcome=outcome,
        timestamp=workspace.moment(),
        phase_at_outcome=known.phase.upper(),
        intent=known.intent.upper(),
        risk_level=known.risk,
        semantic_used=known.semantic_used,
        request=known.request,
        operations=known.operations,
        symbols=tuple(item.symbol for item in known.confirmed),
        files=note_written(workspace, known.session_id, known.targets),
        commit=workspace.head(),
    )


# --- the map -----------------------------------------------------------------------------------------------


def _meant(
    workspace: "Workspace", known: SessionFacts, record: Outcome, confidence: float
) -> "tuple[tuple[ConfirmedSymbol, ...], Message]":
    """Return what a success confirms: what the session confirmed itself, else what it claimed and wrote."""
    if record.outcome != Result.SUCCESS:
        return (), NOTHING
    if not _worked(known, record):
        return (), say("session.never_ready")
    told = tuple(item for item in known.confirmed if item.tier in ACCEPTED and item.nl_term)
    if told:
        return told, NOTHING
    if confidence <= SURE:
        return (), say("session.success_unsure")
    return written_symbols(workspace, known, record.files)


def _worked(known: SessionFacts, record: Outcome) -> bool:
    """Tell whether a session came to the end of looking, or wrote something: else its success shows nothing."""
    return known.phase == "READY" or bool(_written(record))


def _written(record: Outcome) -> list[str]:
    return [file.path for file in record.files if file.before != file.after]


def _map_changes(workspace: "Workspace", known: SessionFacts, record: Outcome, reason: Message) -> dict[str, Any]:
    """Change the map by an outcome; return what the result says about it, with a note in the user's language."""
    language = language_of(known.request)
    if record.outcome == Result.SUCCESS:
        # An agreement opens its files unseen, so a page lists what was written, not what was only asked about.
        learned, refused = _agree(workspace, replace(known, targets=tuple(_written(record))))
        credited = _credit(workspace, known, record) if _worked(known, record) else ()
        files = tuple(dict.fromkeys((*learned.values(), *credited)))
        if learned:
            note = say("session.learned", pairs=list(learned)[:SHOWN], page=files[0])
        elif files:
            note = say("session.used_held")
        else:
            code = "nothing_learned" if _worked(known, record) else "learned_none"
            note = say(f"session.{code}", reason=refused[0] if refused else reason)
        if files:
            keep_pairs(workspace)
        return {
            "map_updated": bool(files),
            "agreement_file": next(iter(files), ""),
            "agreement_files": files,
            "not_agreed": refused,
            "note": spoken(note, language),
            "proposed": spoken(_proposed(workspace, record), language),
        }
    if record.outcome == Result.PARTIAL:
        return {"note": spoken(say("session.partial_teaches"), language)}
    demoted = _demote(workspace, known)
    note = say("session.demoted" if demoted else "session.nothing_demoted")
    return {"map_updated": bool(demoted), "demoted": demoted, "note": spoken(note, language)}


def _proposed(workspace: "Workspace", record: Outcome) -> Message:
    """Return the surest term that the history proposes for what was written; empty without one."""
    written = _written(record)
    found = proposals_for(workspace, written) if written else []
    if not found:
        return NOTHING
    one = found[0]
    call = step("confirm_symbol_relevance", target_feature=one.term, relevant_symbols=[one.symbol.qualified])
    return say("session.proposed", count=len(one.changes), term=one.term, symbol=one.symbol.qualified, call=call)


def _agree(workspace: "Workspace", known: SessionFacts) -> tuple[dict[str, str], tuple[Message, ...]]:
    """Write an agreement for each confirmed symbol; return the page of each pair, and refusals.

    It is bound to the current code, and has one more success.
    """
    own = {item.key: item for item in workspace.map.load().own}
    code, learned, refused = IndexedCode(workspace), dict[str, str](), []
    for item in known.confirmed:
        if item.tier not in ACCEPTED or not item.nl_term:
            continue
        before = own.get((plain_term(item.nl_term), item.symbol))
        try:
            start = before or Agreement(item.nl_term, item.symbol, learned_at=workspace.moment())
            bound = bind(workspace, replace(start, path=item.path or start.path), code)
            agreement = replace(
                bound,
                similarity=round(item.similarity, 3) if item.similarity is not None else bound.similarity,
                session_id=known.session_id,
                intent=known.intent,
                last_used=workspace.moment(),
                successes=bound.successes + (bound.session_id != known.session_id),
                standing=Standing.AGREED,
            )
            if before is None:
                others = [path for path in known.targets if path != agreement.path]
                body = new_body(agreement, item.evidence, others, dict(known.frame))
                agreement = replace(agreement, body=body)
            else:
                agreement = with_evidence(agreement, item.evidence)
            agreement = workspace.map.save(agreement)
        except UsageError as error:
            refused.append(say("session.not_agreed", term=item.nl_term, symbol=item.symbol, reason=error.message))
            continue
        learned[agreement.label] = f"{AGREEMENTS}/{agreement.file}"
    return learned, tuple(refused)


def _credit(workspace: "Workspace", known: SessionFacts, record: Outcome) -> list[str]:
    """Credit the agreements that a success used with it, if it wrote where they lead; return their pages."""
    confirmed = {(plain_term(item.nl_term), item.symbol) for item in known.confirmed}
    used = _used(known) - confirmed
    written = _written(record)
    code, pages = IndexedCode(workspace), []
    for item in workspace.map.load().own:
        leads_there = not written or item.path in written
        if item.key in used and item.standing == Standing.AGREED and leads_there:
            credited = replace(item, successes=item.successes + 1, last_used=workspace.moment())
            with suppress(UsageError):  # its symbol is gone or moved, which the map finds out by itself
                credited = bind(workspace, credited, code) if written else credited
            pages.append(f"{AGREEMENTS}/{workspace.map.save(credited).file}")
    return pages


def _demote(workspace: "Workspace", known: SessionFacts) -> tuple[str, ...]:
    """Demote the agreements that a failed session used, confirmed or taught to hypotheses; return their terms."""
    wanted = {(plain_term(item.nl_term), item.symbol) for item in known.confirmed} | _used(known)
    demoted = []
    for item in workspace.map.load().agreements:
        if (item.key in wanted or item.session_id == known.session_id) and not item.origin:
            workspace.map.save(replace(item, failures=item.failures + 1, standing=Standing.DEMOTED))
            demoted.append(f"{item.nl_term} → {item.symbol}")
    if demoted:
        keep_pairs(workspace)
    return tuple(demoted)


def _used(known: SessionFacts) -> set[tuple[str, str]]:
    return {(plain_term(term), symbol) for term, symbol in known.used_agreements}
