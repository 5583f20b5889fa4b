"""The session operations: start, status, list, revert, and the submissions of a model."""

import secrets
from functools import reduce
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.store.disk import SESSION
from shirube.errors import BadArgument, UnknownSession
from shirube.features.guard import results, state, steps
from shirube.features.guard import session_store as store
from shirube.features.guard.advice import next_steps
from shirube.features.guard.evidence import Facts
from shirube.features.guard.outcomes import note_decision, note_failure
from shirube.features.guard.phases import allowed_operations, coverage, lacks_of, requirements_of
from shirube.features.guard.steps import Step
from shirube.features.guard.stored_session import read_stored
from shirube.features.guard.writes import allowed_paths, check_write
from shirube.features.map.facts import read_outcome
from shirube.features.map.records import Result, outcomes
from shirube.features.plan.frame import SLOTS, Intent, Slot, extraction_prompt, guidance_for
from shirube.messages import say, verbatim
from shirube.operation import Call, canonical_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shirube.features.guard import operations
    from shirube.workspace import Workspace

HANDLE_BYTES = 6
"""Long enough that nobody guesses the handle of another session, short enough to type."""
SHOWN = 50
"""How many files, symbols, checks and refusals an answer lists."""
MOST_QUERY = 4000


def start_session(workspace: "Workspace", request: "operations.StartSessionRequest", call: Call) -> results.StartResult:
    """Answer the operation of this name."""
    known = [intent.value for intent in Intent]
    if request.intent.upper() not in known:
        raise BadArgument("session.no_intent", name=request.intent[:80], known=known)
    query = request.query.strip()
    if not query or len(query) > MOST_QUERY:
        raise BadArgument("session.query_long" if query else "session.query_empty", count=len(query), most=MOST_QUERY)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    intent = Intent(request.intent.upper())
    failed = earlier_failure(workspace, query)
    session = steps.begin(f"s_{secrets.token_hex(HANDLE_BYTES)}", intent, query, workspace.moment(), call.client)
    store.open_session(workspace, session)
    frame = {"status": "pending", "extraction_prompt": extraction_prompt(query), "next_step": "set_query_frame"}
    return results.StartResult(
        session_id=session.id,
        intent=intent,
        phase=session.phase,
        risk=session.risk,
        query_frame=frame,
        allowed_operations=allowed_operations(session.phase, call.operations),
        earlier_failure=failed,
        degraded=tuple(map(verbatim, (*notes, *workspace.notes))),
        next=callable_steps(next_steps(session), call),
    )


def earlier_failure(workspace: "Workspace", request: str) -> results.EarlierFailure | None:
    """Record that the previous session failed, if the request clearly says so and no outcome was recorded."""
    judged = read_outcome(request)
    before = workspace.journal.documents(SESSION, 1)
    sure = judged.outcome is Result.FAILURE and judged.confidence >= workspace.config.outcomes.failure
    if not before or not sure or outcomes(workspace.journal, before[0].key):
        return None
    record = note_failure(workspace, before[0].key, request, judged.confidence)
    return results.EarlierFailure(before[0].key, record, judged.confidence, judged.why)


def take_step(
    workspace: "Workspace", name: str, call: Call, step: "Callable[[state.Session, Facts], Step]"
) -> results.StepResult:
    """Take a step in the session of a call, store the new session, and return the result."""
    facts = Facts(workspace, call.operations)
    session, verdict = store.change_session(workspace, call.session_id, lambda held: step(held, facts))
    if not verdict.accepted:
        reasons = verdict.errors or (verdict.message,)
        reason = reduce(lambda first, more: say("session.also", first=first, second=more), reasons)
        store.refuse(workspace, session, name, reason)
    return step_result(session, verdict, facts, call)


def step_result(session: state.Session, verdict: state.Verdict, facts: Facts, call: Call) -> results.StepResult:
    """Return the result of a step, as the operations answer it."""
    frame = session.asked_frame
    understood = session.understanding or state.Understanding()
    symbols = (*(item.symbol for item in session.confirmed if item.approved), *understood.symbols)
    return results.StepResult(
        session_id=session.id,
        accepted=verdict.accepted,
        phase=session.phase,
        risk=session.risk,
        message=verdict.message,
        evaluated_confidence="high" if session.phase is state.Phase.READY else "low",
        errors=verdict.errors,
        missing_requirements=verdict.lacks,
        semantic_reasons=verdict.reasons,
        missing_slots=frame.missing,
        guidance=guidance_for(frame.missing) if session.phase is state.Phase.EXPLORATION else {},
        hypotheses=session.hypotheses,
        mapped_symbols=tuple(dict.fromkeys(symbols))[:SHOWN],
        coverage=covered(session, facts),
        next=callable_steps(verdict.next, call),
    )


def covered(session: state.Session, facts: Facts, *more: str) -> state.Coverage:
    """Return how many of the files around the files to be written the session explored."""
    targets = allowed_paths(session) | frozenset(more)
    if not targets and session.understanding is not None:
        targets = frozenset(session.understanding.files)
    return coverage(facts.around, targets, session.explored) if targets else state.Coverage()


def callable_steps(steps: tuple[state.NextCall, ...], call: Call) -> tuple[state.NextCall, ...]:
    """Return the proposed calls that this client can make, each once; if none, all of them with a note how to call."""
    able = [step for step in steps if step.operation in call.operations]
    if not able:
        able = [replace(step, why=say("session.not_listed", why=step.why, operation=step.operation)) for step in steps]
    return tuple({(step.operation, str(step.arguments)): step for step in able}.values())


def get_session_status(
    workspace: "Workspace", request: "operations.SessionStatusRequest", call: Call
) -> results.SessionStatus:
    """Answer the operation of this name."""
    session = store.load_session(workspace, request.session_id or latest_session(workspace))
    facts = Facts(workspace, call.operations)
    frame, seen = session.asked_frame, _seen(session, facts)
    return results.SessionStatus(
        session_id=session.id,
        intent=session.intent,
        request=session.request,
        phase=session.phase,
        risk=session.risk,
        may_write=session.phase is state.Phase.READY and session.intent in state.WRITERS,
        created_at=session.created_at,
        slots={name: frame.slots[name] for name in SLOTS if name in frame.slots},
        missing_slots=frame.missing,
        requirements=tuple(row for row in requirements_of(session, seen, facts) if row.needed),
        missing_requirements=lacks_of(session, seen, facts) if session.phase is not state.Phase.READY else (),
        explored_files=tuple(sorted(session.explored))[:SHOWN],
        symbols=session.symbols[:SHOWN],
        tools_used=session.tools,
        confirmed=session.confirmed,
        hypotheses=session.hypotheses,
        map_used=session.map_used,
        checks=session.checks[-SHOWN:],
        refusals=session.refusals[-SHOWN:],
        coverage=covered(session, facts),
        total_calls=len(session.calls),
        calls=session.calls if request.detailed else (),
        allowed_operations=allowed_operations(session.phase, call.operations),
        next=callable_steps(next_steps(session), call),
    )


def _seen(session: state.Session, facts: Facts) -> state.Understanding:
    known = tuple(sorted(facts.known(session.explored)))
    understood = session.understanding or state.Understanding()
    return state.Understanding(session.symbols, understood.entry_points, known, understood.patterns)


def latest_session(workspace: "Workspace") -> str:
    """Return the handle of the work tree's most recently changed session."""
    documents = workspace.journal.documents(SESSION, 1)
    if not documents:
        raise UnknownSession("session.none_yet")
    return documents[0].key


def list_sessions(
    workspace: "Workspace", request: "operations.ListSessionsRequest", call: Call
) -> results.SessionsResult:
    """Answer the operation of this name."""
    documents = workspace.journal.documents(SESSION, request.limit + 1)
    lines = []
    for document in documents[: request.limit]:
        session = state.unpack_session(document.body)
        expired = store.is_expired(workspace, read_stored(workspace.journal, document))
        line = (session.id, session.intent, session.phase, session.risk, session.request, session.created_at)
        lines.append(results.SessionLine(*line, expired=expired))
    advice = say("session.status" if lines else "session.begins")
    return results.SessionsResult(tuple(lines), len(documents) > request.limit, advice)


def revert_to_exploration(
    workspace: "Workspace", request: "operations.RevertRequest", call: Call
) -> results.StepResult:
    """Answer the operation of this name."""
    keep, last = request.keep_results, store.last_event(workspace, call.session_id)
    return take_step(workspace, "revert_to_exploration", call, lambda session, _: steps.revert(session, keep, last))


def add_explored_files(workspace: "Workspace", request: "operations.AddFilesRequest", call: Call) -> results.StepResult:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside

    files = tuple(dict.fromkeys(resolve_inside(workspace.root, path) for path in request.files))

    def is_folder(path: str) -> bool:
        return (workspace.root / path).is_dir()

    return take_step(
        workspace, "add_explored_files", call, lambda session, facts: steps.add_files(session, files, facts, is_folder)
    )


def set_query_frame(workspace: "Workspace", request: "operations.FrameRequest", call: Call) -> results.StepResult:
    """Answer the operation of this name."""
    given: dict[str, operations.SlotGiven | None] = {name: getattr(request, name) for name in SLOTS}
    slots = {name: Slot(slot.value, slot.quote) for name, slot in given.items() if slot is not None}
    result = take_step(workspace, "set_query_frame", call, lambda session, facts: steps.set_frame(session, slots))
    if result.accepted:
        note_decision(workspace, call.session_id, tuple(step.operation for step in result.next))
    return result


def submit_understanding(
    workspace: "Workspace", request: "operations.UnderstandingRequest", call: Call
) -> results.StepResult:
    """Answer the operation of this name."""
    claims = state.Understanding(
        symbols=request.symbols_identified,
        entry_points=request.entry_points,
        files=_inside(workspace, request.files_analyzed),
        patterns=request.existing_patterns,
        callers=_inside(workspace, request.callers),
        notes=request.notes,
    )
    return take_step(
        workspace,
        "submit_understanding",
        call,
        lambda session, facts: steps.submit_understanding(session, claims, facts),
    )


def submit_semantic(
    workspace: "Workspace", request: "operations.SubmitSemanticRequest", call: Call
) -> results.StepResult:
    """Answer the operation of this name."""
    supposed = [state.Hypothesis("", item.text, item.confidence.lower()) for item in request.hypotheses]
    reason, queries = request.semantic_reason.strip().lower(), request.search_queries
    return take_step(
        workspace,
        "submit_semantic",
        call,
        lambda session, facts: steps.submit_semantic(session, supposed, reason, queries),
    )


def submit_verification(
    workspace: "Workspace", request: "operations.VerificationRequest", call: Call
) -> results.StepResult:
    """Answer the operation of this name."""
    decided = [
        steps.Decided(
            item.hypothesis,
            item.status.lower(),
            canonical_name(item.evidence.tool),
            item.evidence.target,
            item.evidence.result,
            _inside(workspace, item.evidence.files),
        )
        for item in request.verified
    ]
    return take_step(
        workspace,
        "submit_verification",
        call,
        lambda session, facts: steps.submit_verification(session, decided, facts),
    )


def _inside(workspace: "Workspace", paths: "Iterable[str]") -> tuple[str, ...]:
    """Return paths as the index spells them; a line number after a path is dropped."""
    from shirube.engine.repo.read import resolve_inside

    return tuple(resolve_inside(workspace.root, path.partition(":")[0] or path) for path in paths)


def check_write_target(workspace: "Workspace", request: "operations.WriteRequest", call: Call) -> results.WriteResult:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside
    from shirube.features.guard.tree_snapshot import target_on_disk

    session = store.load_session(workspace, call.session_id)
    facts = Facts(workspace, call.operations)
    target = target_on_disk(workspace.root, resolve_inside(workspace.root, request.file_path))
    check, verdict = check_write(session, target, request.allow_new_files, facts.files)
    store.record_event(workspace, session.id, check)
    return results.WriteResult(
        session_id=session.id,
        path=check.path,
        allowed=check.allowed,
        new=check.new,
        phase=session.phase,
        message=verdict.message,
        coverage=covered(session, facts, check.path),
        explored_files=tuple(sorted(session.explored))[:SHOWN],
        next=callable_steps(verdict.next, call),
    )
