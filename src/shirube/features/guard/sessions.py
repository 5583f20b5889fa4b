"""The session operations: start, status, list, revert, and the submissions of a model."""

import secrets
from functools import reduce
from typing import TYPE_CHECKING

from shirube.codec import Shown, record_from, replace
from shirube.engine.search.roles import Role, role_of
from shirube.engine.store.disk import SESSION
from shirube.errors import BadArgument, UnknownSession
from shirube.features.guard import recording, results, state, steps
from shirube.features.guard import session_store as store
from shirube.features.guard.advice import call as proposed
from shirube.features.guard.advice import next_steps
from shirube.features.guard.branch import current_branch
from shirube.features.guard.evidence import Facts, named_in, paths_in
from shirube.features.guard.outcomes import note_decision, note_failure, session_meant
from shirube.features.guard.phases import allowed_operations, coverage, lacks_of, requirements_of
from shirube.features.guard.steps import Step
from shirube.features.guard.stored_session import read_stored
from shirube.features.guard.writes import allowed_paths, check_write
from shirube.features.map.answers import told
from shirube.features.map.facts import read_outcome
from shirube.features.map.records import Result, outcomes
from shirube.features.map.written import LOOKED_THROUGH, demote_reverted, note_left
from shirube.features.plan.frame import ASKED, SLOTS, Intent, Slot, extraction_prompt, guidance_for
from shirube.features.plan.sense import cosine_of
from shirube.messages import Message, say, verbatim
from shirube.operation import Call, canonical_name
from shirube.types import MapHit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from shirube.features.guard import operations
    from shirube.types import Hit
    from shirube.workspace import Workspace

HANDLE_BYTES = 6
"""Long enough that nobody guesses the handle of another session, short enough to type."""
SHOWN = 50
"""How many files, symbols, checks and refusals an answer lists."""
MOST_QUERY = 4000
EXPECTED = 10
"""How many files of the server's own search a session remembers, …"""
LIKELY = 3
"""… and how many of them it tells."""
MOST_LINES = 60
"""Of a longer place, the lines around the best match are told."""
UNSURE = 0.1
"""Below this confidence a search finds more often nothing than the right file (decision 35)."""
MOST_CLAIMED = 50
"""How many symbols and files one call may name."""
NAMED = 2
"""A name that more files define does not say which one is meant."""


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
    note_left(workspace)
    demote_reverted(workspace, LOOKED_THROUGH)
    failed = earlier_failure(workspace, query)
    scaled = workspace.config.guard.evidence == "scaled"
    agreed = told(workspace, query, call)
    looks = scaled and intent is not Intent.QUESTION
    facts = Facts(workspace, call.operations)
    expected, unsure = _expected(workspace, facts, query, agreed, call) if looks else ((), False)
    session = steps.begin(
        f"s_{secrets.token_hex(HANDLE_BYTES)}",
        intent,
        query,
        workspace.moment(),
        client=call.client,
        branch=current_branch(workspace.root, workspace.now_seconds()),
        scaled=scaled,
        expected=expected,
        unsure=unsure,
        failed_before=failed is not None,
    )
    slots = _slots(request.frame)
    session, verdict = (
        steps.set_frame(session, slots, cosine_of(workspace.embedder)) if slots else (session, state.Verdict(True))
    )
    store.open_session(workspace, session)
    session = _tell(workspace, session, "start_session", query, agreed)
    frame = {"status": "set"}
    if session.frame is None:
        prompt = extraction_prompt(query, ASKED[intent])
        frame = {"status": "pending", "extraction_prompt": prompt, "next_step": "set_query_frame"}
    return results.StartResult(
        session_id=session.id,
        intent=intent,
        phase=session.phase,
        risk=session.risk,
        query_frame=frame,
        allowed_operations=allowed_operations(session.phase, call.operations, session.scaled),
        likely=session.expected[:LIKELY],
        unsure=session.unsure,
        agreed=agreed,
        errors=(*verdict.errors, *_not_there(workspace, facts, session)),
        earlier_failure=failed,
        degraded=tuple(map(verbatim, (*notes, *workspace.notes))),
        next=callable_steps(next_steps(session), call),
    )


def _not_there(workspace: "Workspace", facts: Facts, session: state.Session) -> "Iterator[Message]":
    """Yield which files the request names that do not exist, unless something new is wanted."""
    from shirube.features.lookup.coverage import nearest_path

    named = paths_in(session.request) if session.intent is not Intent.IMPLEMENT else ()
    for text in named:
        if not facts.resolve(text)[0] and not facts.unclear(text) and not (workspace.root / text).exists():
            near = nearest_path(text, workspace.store.files())
            yield say("session.named_similar" if near else "session.named_nothing", path=text, near=near)


def _expected(
    workspace: "Workspace", facts: Facts, query: str, agreed: tuple[MapHit, ...], call: Call
) -> tuple[tuple[state.Expected, ...], bool]:
    """Return where a change probably belongs, and whether nobody knows.

    What was agreed comes first, then what the request names, then what a search finds.
    """
    from shirube.features.lookup.operations import SearchRequest
    from shirube.features.lookup.search import search_forest

    found = search_forest(workspace, SearchRequest(query=query, limit=EXPECTED), replace(call, tokens=0))
    hits = {hit.path: hit for hit in reversed((*found.forest_hits, *agreed))}
    named = [(hit.path, hit.symbol, True) for hit in agreed if hit.alone and hit.fresh]
    named += [(path, "", True) for text in paths_in(query) if (path := facts.resolve(text)[0])]
    for name in named_in(query):
        places = facts.defined(name)
        sure = any(mark in name for mark in "._") or any(mark in query for mark in (f"`{name}`", f"{name}("))
        named += [(path, name, sure) for path in places if len(places) <= NAMED]
        named += [(path, "", sure) for path in facts.resolve(name)[:1] if path and not places]
    first = [_place(path, hits.get(path), symbol, sure) for path, symbol, sure in named]
    code_first = sorted(found.forest_hits, key=lambda hit: role_of(hit.path, hit.language) is Role.TEST)
    rest = [_place(hit.path, hit, "", named=False) for hit in code_first]
    best: dict[str, state.Expected] = {}
    for place in (*first, *rest):
        best.setdefault(place.path, place)
    ranked = tuple(place for path, place in best.items() if path)[:EXPECTED]
    guessed = found.confidence < UNSURE or not found.shown().places  # no word of the request is there
    return ranked, guessed and not any(place.named for place in ranked)


def _tell(
    workspace: "Workspace", session: state.Session, operation: str, asked: str, agreed: tuple[MapHit, ...]
) -> state.Session:
    """Record what the map told a session, and the files that it expects; return the session with that."""
    listed = tuple(place.path for place in session.expected)
    if not agreed and not listed:
        return session
    recorded = recording.with_shown(state.Recorded(operation, asked=asked), Shown(map_hits=agreed))
    store.record_event(workspace, session.id, replace(recorded, listed=listed))
    return store.load_session(workspace, session.id)


def _place(path: str, hit: "Hit | None", symbol: str, named: bool) -> state.Expected:
    if hit is None:
        return state.Expected(path, symbol=symbol, named=named)
    start, end = hit.start_line, hit.end_line
    if end - start > MOST_LINES:
        start = max(start, (hit.match_line or start) - MOST_LINES // 2)
        end = min(end, start + MOST_LINES)
    return state.Expected(path, start, end, symbol or hit.symbol, named)


def _slots(frame: "operations.FrameGiven | operations.FrameRequest") -> dict[str, Slot]:
    given: dict[str, operations.SlotGiven | None] = {name: getattr(frame, name) for name in SLOTS}
    return {name: Slot(slot.value, slot.quote) for name, slot in given.items() if slot is not None}


def earlier_failure(workspace: "Workspace", request: str) -> results.EarlierFailure | None:
    """Record that an earlier session failed, if the request clearly says so and no outcome was recorded."""
    judged = read_outcome(request)
    sure = judged.outcome is Result.FAILURE and judged.confidence >= workspace.config.outcomes.failure
    before = session_meant(workspace, request) if sure else ""
    if not before or outcomes(workspace.journal, before):
        return None
    record = note_failure(workspace, before, request, judged.confidence)
    return results.EarlierFailure(before, record, judged.confidence, judged.why)


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
    mapped = session.mapped[:SHOWN]
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
        missing_slots=() if session.scaled else frame.missing,
        guidance={} if session.scaled or session.phase is not state.Phase.EXPLORATION else guidance_for(frame.missing),
        hypotheses=session.hypotheses,
        mapped_symbols=tuple(item.name for item in mapped),
        mapped=mapped,
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
    frame, understood = session.asked_frame, session.understanding or state.Understanding()
    known = tuple(sorted(facts.known(session.explored)))
    seen = state.Understanding(session.symbols, understood.entry_points, known, understood.patterns)
    return record_from(
        results.SessionStatus,
        session,
        session_id=session.id,
        may_write=session.phase is state.Phase.READY and session.intent in state.WRITERS,
        slots={name: frame.slots[name] for name in SLOTS if name in frame.slots},
        missing_slots=() if session.scaled else frame.missing,
        requirements=tuple(row for row in requirements_of(session, seen, facts) if row.needed),
        missing_requirements=lacks_of(session, seen, facts) if session.phase is not state.Phase.READY else (),
        explored_files=tuple(sorted(session.explored))[:SHOWN],
        symbols=session.symbols[:SHOWN],
        tools_used=session.tools,
        hypotheses=(*session.refuted, *session.hypotheses),
        checks=session.checks[-SHOWN:],
        refusals=session.refusals[-SHOWN:],
        coverage=covered(session, facts),
        total_calls=len(session.calls),
        calls=session.calls if request.detailed else (),
        allowed_operations=allowed_operations(session.phase, call.operations, session.scaled),
        next=callable_steps(next_steps(session), call),
        mapped=session.mapped[:SHOWN],
    )


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
        lines.append(record_from(results.SessionLine, session, session_id=session.id, expired=expired))
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
    slots = _slots(request)
    cosine = cosine_of(workspace.embedder)
    result = take_step(
        workspace, "set_query_frame", call, lambda session, facts: steps.set_frame(session, slots, cosine)
    )
    if not result.accepted:
        return result
    session = store.load_session(workspace, call.session_id)
    feature = session.asked_frame.value("target_feature") if "target_feature" in slots else ""
    agreed = told(workspace, feature, call) if feature else ()
    session = _tell(workspace, session, "set_query_frame", feature, agreed)
    note_decision(workspace, call.session_id, tuple(step.operation for step in result.next))
    return replace(result, agreed=agreed, next=callable_steps(next_steps(session), call) if agreed else result.next)


def submit_understanding(
    workspace: "Workspace", request: "operations.UnderstandingRequest", call: Call
) -> results.StepResult:
    """Answer the operation of this name."""
    _check_count(len(request.symbols) + len(request.files))
    claims = state.Understanding(
        symbols=request.symbols,
        entry_points=request.entry_points,
        files=_inside(workspace, request.files),
        patterns=request.existing_patterns,
        callers=_inside(workspace, request.callers),
        notes=request.why,
    )
    result = take_step(
        workspace,
        "submit_understanding",
        call,
        lambda session, facts: steps.submit_understanding(session, claims, facts, request.feature),
    )
    return _allow_claimed(workspace, result, call)


def _check_count(count: int) -> None:
    if count > MOST_CLAIMED:
        raise BadArgument("session.too_many", count=count, most=MOST_CLAIMED)


def _allow_claimed(workspace: "Workspace", result: results.StepResult, call: Call) -> results.StepResult:
    """Check the files of an accepted claim as ``check_write_target`` would, and tell which may not be written yet."""
    session = store.load_session(workspace, call.session_id)
    may_write = session.scaled and session.phase is state.Phase.READY and session.intent in state.WRITERS
    if not result.accepted or not may_write or session.understanding is None:
        return result
    checked = _check(workspace, session, session.understanding.files, True, call)
    refused = [pair for pair in checked if not pair[0].allowed]
    if not refused:
        return result
    errors = tuple(say("session.of", name=check.path, reason=check.reason) for check, _ in refused)
    steps = callable_steps(refused[0][1].next, call)
    return replace(result, message=say("session.understood"), errors=errors, next=steps)


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
    result = take_step(
        workspace,
        "submit_verification",
        call,
        lambda session, facts: steps.submit_verification(session, decided, facts),
    )
    return _allow_claimed(workspace, result, call)


def _inside(workspace: "Workspace", paths: "Iterable[str]") -> tuple[str, ...]:
    """Return paths as the index spells them; a line number after a path is dropped."""
    from shirube.engine.repo.read import resolve_inside

    return tuple(resolve_inside(workspace.root, path.partition(":")[0] or path) for path in paths)


def check_write_target(workspace: "Workspace", request: "operations.WriteRequest", call: Call) -> results.WriteResult:
    """Answer the operation of this name."""
    if not request.file_path:
        raise BadArgument("session.no_file_given")
    _check_count(len(request.file_path))
    session = store.load_session(workspace, call.session_id)
    checked = _check(workspace, session, request.file_path, request.allow_new_files, call)
    refused = [pair for pair in checked if not pair[0].allowed]
    check, verdict = (refused or checked)[0]
    names = [one.path for one, _ in checked]
    # all that helps the only refused file, else the first call for each
    unblocking = verdict.next if len(refused) == 1 else tuple(step for _, one in refused for step in one.next[:1])
    return results.WriteResult(
        session_id=session.id,
        path=check.path,
        allowed=check.allowed,
        new=check.new,
        phase=session.phase,
        message=verdict.message if refused else say("guard.may_write", path=names),
        coverage=covered(session, Facts(workspace, call.operations), *names),
        explored_files=tuple(sorted(session.explored))[:SHOWN],
        files=tuple(one for one, _ in checked),
        next=callable_steps(unblocking, call),
    )


def _check(
    workspace: "Workspace", session: state.Session, paths: "Iterable[str]", allow_new: bool, call: Call
) -> list[tuple[state.WriteCheck, state.Verdict]]:
    """Judge and record whether files may be written: by whole paths, as the gate; a file of the name is proposed."""
    from shirube.engine.repo.read import resolve_inside
    from shirube.features.guard.tree_snapshot import target_on_disk

    facts, checked = Facts(workspace, call.operations), []
    for given in paths:
        path = resolve_inside(workspace.root, given)
        target = target_on_disk(workspace.root, path)
        check, verdict = check_write(session, target, allow_new, facts.files)
        if not check.allowed and check.new and (meant := facts.resolve(given)[0]):
            again = proposed(session, "check_write_target", say("guard.perhaps_this"), file_path=meant)
            verdict = replace(verdict, next=(again, *verdict.next))
        checked.append((check, verdict))
        store.record_event(workspace, session.id, check)
    return checked
