"""Records how a session turned out, and updates the map accordingly; a session is represented by plain facts here."""

from hashlib import sha256
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument, ToolFailed, UsageError
from shirube.features.guard.phases import confirm_symbols
from shirube.features.guard.results import OutcomeResult
from shirube.features.guard.session_store import change_session, load_session
from shirube.features.guard.state import Confirmed, Verdict
from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.agreements import keep_pairs
from shirube.features.map.code_state import IndexedCode, bind, digest_now
from shirube.features.map.facts import ACCEPTED, SLOTS, SessionFacts, judge_outcome, read_facts
from shirube.features.map.page import new_body, with_evidence
from shirube.features.map.records import Analysis, Decision, Outcome, Result, WrittenFile, add_record
from shirube.features.map.states import Standing
from shirube.messages import NOTHING, Message, language_of, say, spoken, verbatim
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.operations import OutcomeRequest
    from shirube.features.map.facts import ConfirmedSymbol
    from shirube.workspace import Workspace


def facts(workspace: "Workspace", session_id: str) -> SessionFacts:
    """Return the facts of a session, even an expired one; refuse an unknown handle."""
    known = read_facts(workspace.journal, session_id)
    if known is None:
        load_session(workspace, session_id)  # raises the error that tells the user what to do
        raise AssertionError("a session that is there has facts")
    return known


def keep_confirmed(workspace: "Workspace", session_id: str, symbols: "tuple[ConfirmedSymbol, ...]") -> SessionFacts:
    """Store confirmed symbols in their session; the latest decision on each counts, and a doubtful one raises risk."""
    confirmed = tuple(
        Confirmed(item.nl_term, item.symbol, item.path, item.evidence, item.similarity or 0.0, item.tier)
        for item in symbols
    )
    change_session(workspace, session_id, lambda session: (confirm_symbols(session, *confirmed), Verdict(True)))
    return facts(workspace, session_id)


def record_outcome(workspace: "Workspace", request: "OutcomeRequest", call: Call) -> OutcomeResult:
    """Answer the operation of this name."""
    known = facts(workspace, request.session_id)
    outcome, confidence, why = _judged(request)
    workspace.keeper.refresh(call.progress, patient=True)
    record = _reported(workspace, request, known, outcome)
    name = add_record(workspace.journal, record)
    learned = _learned(workspace, known, record, OutcomeResult(name, known.session_id, outcome, confidence, why))
    return replace(learned, problems=tuple(map(verbatim, workspace.map.load().problems)))


def _judged(request: "OutcomeRequest") -> tuple[Result, float, str]:
    if request.outcome is not None:
        return request.outcome, 1.0, "told"
    if not request.trigger_message.strip():
        raise BadArgument("session.no_outcome")
    judged = judge_outcome(request.trigger_message)
    return judged.outcome or Result.SUCCESS, judged.confidence, judged.why


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


def _reported(workspace: "Workspace", request: "OutcomeRequest", known: SessionFacts, outcome: Result) -> Outcome:
    """Return the record of an outcome, with the analysis that the caller reported."""
    record, why = _record(workspace, known, outcome), request.analysis
    return replace(
        record,
        phase_at_outcome=request.phase_at_outcome.upper() or record.phase_at_outcome,
        intent=request.intent.upper() or record.intent,
        analysis=Analysis(
            why.root_cause, why.failure_point, why.related_symbols, why.related_files, why.user_feedback_summary
        ),
        trigger_message=request.trigger_message,
    )


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
        files=tuple(
            WrittenFile(path, _digest_at_head(workspace, path), digest_now(workspace, path) or "")
            for path in known.targets
        ),
        commit=workspace.head(),
    )


def _digest_at_head(workspace: "Workspace", path: str) -> str:
    from shirube.config import child_environment
    from shirube.engine.repo.git import run_git
    from shirube.engine.repo.process import Limits

    limits = Limits(5.0, workspace.config.index.max_file_bytes)
    try:
        shown = run_git(workspace.root, ["show", f"HEAD:./{path}"], limits, child_environment())
    except ToolFailed:
        return ""
    return sha256(shown.stdout).hexdigest() if shown.ok else ""


# --- the map -----------------------------------------------------------------------------------------------


def _learned(workspace: "Workspace", known: SessionFacts, record: Outcome, result: OutcomeResult) -> OutcomeResult:
    language = language_of(known.request)  # the note is for the user, so it is in the user's language
    if record.outcome == Result.SUCCESS:
        files, refused = _agree(workspace, known)
        note = spoken(say("session.learned" if files else "session.nothing_confirmed"), language)
        first = files[0] if files else ""
        return replace(
            result, map_updated=bool(files), agreement_file=first, agreement_files=files, not_agreed=refused, note=note
        )
    if record.outcome == Result.FAILURE:
        demoted = _demote(workspace, known)
        note = spoken(say("session.demoted"), language) if demoted else NOTHING
        return replace(result, map_updated=bool(demoted), demoted=demoted, note=note)
    return result


def _agree(workspace: "Workspace", known: SessionFacts) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Write an agreement for each confirmed symbol, credit those the session used; return their files and refusals."""
    from shirube.features.map.files import AGREEMENTS

    own = {item.key: item for item in workspace.map.load().agreements if not item.origin}
    code, files, refused = IndexedCode(workspace), [], []
    for item in known.confirmed:
        if item.tier not in ACCEPTED or not item.nl_term:
            continue
        before = own.get((plain_term(item.nl_term), item.symbol))
        try:
            agreement = _agreement(workspace, known, item, before, code)
        except UsageError as error:
            refused.append(say("session.not_agreed", term=item.nl_term, symbol=item.symbol, reason=error.message))
            continue
        own[agreement.key] = workspace.map.save(agreement)
        files.append(f"{AGREEMENTS}/{own[agreement.key].file}")
    confirmed = {(plain_term(item.nl_term), item.symbol) for item in known.confirmed}
    for key in _used(known) - confirmed:
        if key in own and own[key].standing == Standing.AGREED:
            own[key] = workspace.map.save(
                replace(own[key], successes=own[key].successes + 1, last_used=workspace.moment())
            )
            files.append(f"{AGREEMENTS}/{own[key].file}")
    if files:
        keep_pairs(workspace)
    return tuple(dict.fromkeys(files)), tuple(refused)


def _agreement(
    workspace: "Workspace", known: SessionFacts, item: "ConfirmedSymbol", before: Agreement | None, code: IndexedCode
) -> Agreement:
    """Return the agreement for a confirmed symbol: bound to the current code, with one more success."""
    start = before or Agreement(item.nl_term, item.symbol, learned_at=workspace.moment())
    bound = bind(workspace, replace(start, path=item.path or start.path), code)
    agreement = replace(
        bound,
        similarity=round(item.similarity, 3) if item.similarity is not None else bound.similarity,
        session_id=known.session_id,
        intent=known.intent,
        last_used=workspace.moment(),
        successes=bound.successes + 1,
        standing=Standing.AGREED,
    )
    if before is not None:
        return with_evidence(agreement, item.evidence)
    others = [path for path in known.targets if path != agreement.path]
    return replace(agreement, body=new_body(agreement, item.evidence, others, dict(known.frame)))


def _demote(workspace: "Workspace", known: SessionFacts) -> tuple[str, ...]:
    """Demote the agreements that a failed session used or confirmed to hypotheses; return their terms."""
    wanted = {(plain_term(item.nl_term), item.symbol) for item in known.confirmed} | _used(known)
    demoted = []
    for item in workspace.map.load().agreements:
        if item.key in wanted and not item.origin:
            workspace.map.save(replace(item, failures=item.failures + 1, standing=Standing.DEMOTED))
            demoted.append(f"{item.nl_term} → {item.symbol}")
    if demoted:
        keep_pairs(workspace)
    return tuple(demoted)


def _used(known: SessionFacts) -> set[tuple[str, str]]:
    return {(plain_term(term), symbol) for term, symbol in known.used_agreements}
