"""Every step of a session, as a pure function that returns the next session and a verdict.

First: begin, set the frame, revert and add files. Then the three submissions, each of which leaves its phase.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.text.tokens import folded
from shirube.features.guard.advice import (
    SHOWERS,
    VERIFIERS,
    call,
    claim_call,
    for_lacks,
    frame_call,
    look_below,
    look_call,
    next_steps,
    semantic_call,
)
from shirube.features.guard.evidence import (
    Facts,
    check_claims,
    false_names,
    file_faults,
    is_blank,
    name_parts,
    names_in,
    paths_in,
    tells_of,
)
from shirube.features.guard.phases import blocking_slots, lacks_of, risk_of, semantic_reasons
from shirube.features.guard.stakes import claim
from shirube.features.guard.state import (
    WRITERS,
    AgreementHit,
    Hypothesis,
    NextCall,
    Phase,
    Recorded,
    Session,
    Understanding,
    Verdict,
)
from shirube.features.guard.writes import belongs
from shirube.features.map.same_term import names_term, same
from shirube.features.plan.frame import ASKED, SLOTS, Certainty, Intent, Slot, frame_from
from shirube.features.plan.sense import Cosine
from shirube.messages import NOTHING, Message, say, step

Step = tuple[Session, Verdict]
MAP_READY = 0.8
"""An agreement at least this similar to the request ends exploration (seed 004) …"""
MAP_VERIFY = 0.7
"""… and one at least this similar does so once it is confirmed."""
MOST_HYPOTHESES = 20
CONFIDENCES = ("high", "medium", "low")
DECISIONS = ("confirmed", "rejected")


def begin(id: str, intent: Intent, request: str, created_at: str, **more: Any) -> Session:
    """Return a new session; a question needs no exploration, and may not write either."""
    phase = Phase.READY if intent is Intent.QUESTION else Phase.EXPLORATION
    session = Session(id, intent, request, created_at, phase, **more)
    return replace(session, risk=risk_of(session))


def set_frame(session: Session, slots: Mapping[str, Slot | None], cosine: Cosine | None = None) -> Step:
    """Fill slots of the request's frame; one whose quote is not in the request or means something else is supposed.

    Slots that are not sent keep their values. Slots can be filled in any phase but READY.
    """
    filled = {name: slot for name, slot in slots.items() if slot is not None and not is_blank(slot.value)}
    frame, doubts = frame_from(session.request, filled, ASKED[session.intent], cosine)
    notes = tuple(say("session.of", name=name, reason=reason) for name, reason in doubts.items())
    if not frame.slots or not doubts.keys() <= set(SLOTS):
        message = say("session.frame_not_taken" if doubts else "session.no_slot")
        return session, Verdict(False, message, notes or (say("session.give_slot"),), next=(frame_call(session),))
    if session.phase is Phase.READY and session.intent is not Intent.QUESTION and not session.scaled:
        back = call(session, "revert_to_exploration", say("session.old_frame"), keep_results=True)
        return session, Verdict(False, say("session.understood_already"), next=(back,))
    merged = replace(frame, slots={**session.asked_frame.slots, **frame.slots})
    changed = replace(session, frame=merged)
    changed = replace(changed, risk=risk_of(changed))
    settling = (frame_call(changed),) if blocking_slots(changed) else ()
    message = say("session.frame_taken" if session.scaled else "session.risk", risk=changed.risk, names=list(filled))
    return changed, Verdict(True, message, notes, next=(*settling, *next_steps(changed)))


def revert(session: Session, keep_results: bool, last: int) -> Step:
    """Go back to exploration; unless the results are kept, forget everything but the request.

    ``last`` is the number of the latest event: after a reset, events up to it stay on disk but no longer count.
    """
    back = replace(session, phase=Phase.EXPLORATION, missing=(), hypotheses=(), semantic_reason="", map_used=NOTHING)
    back = replace(back, refuted=_refuted(session))
    if not keep_results:
        names = ("client", "branch", "scaled", "expected", "unsure", "failed_before")
        kept = {name: getattr(session, name) for name in names}
        back = begin(session.id, session.intent, session.request, session.created_at, **kept)
        back = replace(back, phase=Phase.EXPLORATION, since=last)
    message = say("session.back_kept" if keep_results else "session.back_reset")
    return back, Verdict(True, message, next=next_steps(back))


def _refuted(session: Session) -> tuple[Hypothesis, ...]:
    return (*session.refuted, *(item for item in session.hypotheses if item.status == "rejected"))


def add_files(session: Session, files: tuple[str, ...], facts: Facts, is_folder: Callable[[str], bool]) -> Step:
    """Count files as explored if a call of this session returned them, and directories if it returned a file there."""
    look = tuple(_ways_to_see(session, files[:3], facts, is_folder))
    if session.phase is not Phase.READY:
        return session, Verdict(False, say("session.for_ready", phase=session.phase), next=look)
    errors = tuple(_add_faults(session, files, facts, is_folder))
    if errors or not files:
        return session, Verdict(False, say("session.nothing_added"), errors or (say("session.no_file"),), next=look)
    changed = replace(session, added=tuple(dict.fromkeys((*session.added, *files))))
    return changed, Verdict(True, say("session.added", count=len(files)), next=next_steps(changed))


def _add_faults(
    session: Session, paths: tuple[str, ...], facts: Facts, is_folder: Callable[[str], bool]
) -> Iterator[Message]:
    for path in paths:
        if is_folder(path):
            if not any(path == "." or file.startswith(f"{path}/") for file in session.countable):
                yield say("session.folder_not_returned", path=path)
        elif path not in session.countable:
            yield from file_faults(session, [path], facts)
        elif session.scaled and not belongs(session, path):
            yield say("guard.apart", path=path)


def _ways_to_see(
    session: Session, paths: tuple[str, ...], facts: Facts, is_folder: Callable[[str], bool]
) -> Iterator[NextCall]:
    """Yield the call that lets each of some paths count: a look at it, or the claim of what was looked at."""
    for path in paths:
        if is_folder(path):
            yield look_below(session, path)
        elif not facts.known([path]):
            yield call(session, "files_search", say("session.if_exists"), query=path.rpartition("/")[2])
        elif path in session.looked_at and session.phase is Phase.READY:
            yield claim_call(session, files=[path])
        else:
            yield look_call(session, path, say("session.look_first"))


def submit_understanding(session: Session, claims: Understanding, facts: Facts, feature: str = "") -> Step:
    """Leave exploration: for READY when the claims suffice, else for SEMANTIC; with a false claim nothing changes.

    A fresh agreement about the request is a short cut (seed 004), but it makes only its own files count as explored.
    A claim of nothing after going back is the claim that was kept. A scaled claim is judged by what is at stake.
    """
    kept = session.understanding if session.phase is Phase.EXPLORATION else None
    if kept is not None and claims == Understanding(notes=claims.notes):
        symbols, files = () if kept.shown else kept.symbols, kept.files if session.scaled else ()
        claims = replace(kept, symbols=symbols, files=files, notes=claims.notes or kept.notes, shown=False)
    if session.scaled:
        named, note = _with_feature(session, feature)
        hit = best_map_hit(named)
        agreed = hit is not None and {*claims.symbols, *claims.files} <= {hit.symbol, *hit.files}
        after, verdict = _cut_short(named, hit, facts) if hit and agreed else claim(named, claims, facts)
        return after, replace(verdict, errors=(*verdict.errors, note)) if note else verdict
    understanding, errors = check_claims(session, claims, facts)
    if errors:
        again = call(session, "submit_understanding", say("session.without_false"))
        return session, Verdict(False, say("session.not_so"), errors, next=(*_calls_to_look(session, claims), again))
    understood = replace(session, understanding=understanding)
    if (hit := best_map_hit(session)) is not None:
        return _cut_short(understood, hit, facts)
    lacks = lacks_of(understood, understanding, facts)
    if any(lack.key == "required_tools" for lack in lacks):
        message = say("session.tools_unused")
        return session, Verdict(False, message, lacks=lacks, next=tuple(for_lacks(session, lacks)))
    if not lacks:
        ready = replace(understood, phase=Phase.READY, missing=())
        return ready, Verdict(True, say("session.understood"), next=next_steps(ready))
    missing = tuple(lack.key for lack in lacks)
    changed = replace(understood, phase=Phase.SEMANTIC, missing=missing)
    back = call(changed, "revert_to_exploration", say("session.look_more"), keep_results=True)
    looks = (one for one in for_lacks(changed, lacks) if one.operation != "submit_understanding")
    steps, reasons = (*next_steps(changed), *looks, back), semantic_reasons(missing)
    return changed, Verdict(True, say("session.suppose"), lacks=lacks, reasons=reasons, next=steps)


def _with_feature(session: Session, feature: str) -> tuple[Session, Message]:
    """Return the session with the request's words for what it is about; or a note that these are not its words."""
    if is_blank(feature):
        return session, NOTHING
    frame, doubts = frame_from(session.request, {"target_feature": Slot(feature, feature)})
    if doubts or not frame.slots:
        return session, say("session.not_feature", quote=feature[:80])
    slots = {**frame.slots, **session.asked_frame.slots}
    return replace(session, frame=replace(frame, slots=slots)), NOTHING


def _calls_to_look(session: Session, claims: Understanding) -> tuple[NextCall, ...]:
    """Propose calls that look at the first unseen name and the first unseen file of the claims."""
    names = [name for name in (*claims.symbols, *claims.entry_points) if name not in session.symbols]
    paths = [path for path in claims.files if path not in session.explored]
    return (
        *(call(session, "symbol", say("session.if_exists"), symbol=name) for name in names[:1]),
        *(call(session, "snippets_get", say("session.look_first"), path=path) for path in paths[:1]),
    )


# --- the map -----------------------------------------------------------------------------------------------


def best_map_hit(session: Session) -> AgreementHit | None:
    """Return the most similar fresh agreement about the very term of this request that the session was shown."""
    hits = [
        hit
        for past in session.calls
        for hit in past.maps
        if past.ok and hit.fresh and hit.alone and hit.similarity >= MAP_VERIFY and is_about(session, hit, past.asked)
    ]
    return max(hits, key=lambda hit: (hit.similarity, hit.term, hit.symbol), default=None)


def is_about(session: Session, hit: AgreementHit, asked: str) -> bool:
    """Tell whether the request is about an agreement's term, or about the other words that found it.

    The feature that the frame names is that term, or a whole clause of the request is: an agreement on users does not
    shorten "delete users".
    """
    feature = session.asked_frame.value("target_feature") if session.frame else ""
    return any(
        same(feature, term) if feature else names_term(session.request, term)
        for term in (hit.term, asked.partition("\n")[0])
    )


def _cut_short(session: Session, hit: AgreementHit, facts: Facts) -> Step:
    """Let an agreement replace exploration: go to READY if it is similar and no slot is open, else to VERIFICATION."""
    known = facts.known(hit.files)
    explored = tuple(path for path in hit.files if path in known)
    agreed = say("session.agreed", term=hit.term, symbol=hit.symbol, files=explored or say("session.nowhere"))
    understood = session.understanding or Understanding((hit.symbol,), files=explored)
    changed = replace(session, agreed=explored, understanding=understood, map_used=agreed, missing=())
    open_slots = slot_hypotheses(changed, first := _first_number(session))
    if hit.similarity >= MAP_READY and not open_slots:
        ready = replace(changed, phase=Phase.READY)
        message = say("session.agreed_ready", words=agreed)
        return ready, Verdict(True, message, next=next_steps(ready))
    doubtful = Hypothesis(f"h{first + len(open_slots)}", str(agreed), "high")
    to_confirm = () if hit.similarity >= MAP_READY else (doubtful,)
    waiting = replace(changed, phase=Phase.VERIFICATION, hypotheses=(*open_slots, *to_confirm))
    message = say("session.agreed_confirm", words=agreed)
    return waiting, Verdict(True, message, next=next_steps(waiting))


def _first_number(session: Session) -> int:
    """Return the number of the next hypothesis: what was refuted keeps its own, and nothing is called like it."""
    return max((int(item.id[1:]) for item in _refuted(session)), default=0) + 1


def slot_hypotheses(session: Session, first: int) -> tuple[Hypothesis, ...]:
    """Return the slots that are only supposed, as hypotheses that must be decided."""
    frame = session.asked_frame
    if session.intent is Intent.QUESTION:
        return ()
    return tuple(
        Hypothesis(f"h{number}", f"{name}: {frame.value(name)}", slot=name)
        for number, name in enumerate(blocking_slots(session), first)
    )


def submit_semantic(session: Session, supposed: Sequence[Hypothesis], reason: str, queries: Sequence[str]) -> Step:
    """Go on to VERIFICATION with hypotheses, for a reason that fits what is missing."""
    if errors := tuple(_semantic_faults(session, supposed, reason, queries)):
        back = call(session, "revert_to_exploration", say("session.look_more"), keep_results=True)
        message, reasons = say("session.hypotheses_not_taken"), semantic_reasons(session.missing)
        return session, Verdict(False, message, errors, reasons=reasons, next=(semantic_call(session), back))
    first = _first_number(session)
    own = tuple(replace(item, id=f"h{number}", text=item.text.strip()) for number, item in enumerate(supposed, first))
    hypotheses = (*own, *slot_hypotheses(session, first + len(own)))
    changed = replace(session, phase=Phase.VERIFICATION, semantic_reason=reason, hypotheses=hypotheses)
    message = say("session.to_verify", count=len(changed.hypotheses))
    return changed, Verdict(True, message, next=next_steps(changed))


def _semantic_faults(
    session: Session, supposed: Sequence[Hypothesis], reason: str, queries: Sequence[str]
) -> Iterator[Message]:
    """Yield what is wrong with the reason, the hypotheses and the searches that led there."""
    if reason not in (allowed := semantic_reasons(session.missing)):
        yield say("session.reason_unfit", reason=reason, missing=session.missing, allowed=allowed)
    texts = [item.text.strip() for item in supposed]
    yield from (say("session.hypothesis_blank", number=place) for place, text in enumerate(texts, 1) if is_blank(text))
    yield from (say("session.hypothesis_twice", text=text[:80]) for text, times in Counter(texts).items() if times > 1)
    unknown = (item.confidence for item in supposed if item.confidence not in CONFIDENCES)
    yield from (say("session.no_confidence", confidence=word, known=CONFIDENCES) for word in unknown)
    if not texts:
        yield say("session.no_hypothesis")
    if len(texts) > MOST_HYPOTHESES:
        yield say("session.many_hypotheses", count=len(texts), most=MOST_HYPOTHESES)
    asked = {line.strip() for past in session.calls for line in past.asked.splitlines()}
    yield from (say("session.not_asked", query=query[:80]) for query in queries if query.strip() not in asked)


class Decided(Struct, frozen=True):
    """The decision on a hypothesis, and the call that shows it."""

    hypothesis: str
    """Its id or its text."""
    status: str
    tool: str
    target: str
    result: str
    files: tuple[str, ...] = ()


def submit_verification(session: Session, decided: Sequence[Decided], facts: Facts) -> Step:
    """Go on to READY when all are decided and one is confirmed; back to EXPLORATION when all are rejected."""
    matched = {
        hypothesis.id: (decision, _deciding_call(session, decision))
        for decision in decided
        for hypothesis in session.hypotheses
        if folded(decision.hypothesis) in (hypothesis.id, folded(hypothesis.text))
    }
    errors = _decision_faults(session, decided, facts)
    errors += [say("session.undecided", id=item.id) for item in session.hypotheses if item.id not in matched]
    if errors:
        message = say("session.verification_not_taken")
        return session, Verdict(False, message, tuple(dict.fromkeys(errors)), next=next_steps(session))
    settled = tuple(_with_decision(hypothesis, *matched[hypothesis.id]) for hypothesis in session.hypotheses)
    changed = _with_decided_slots(replace(session, hypotheses=settled))
    confirmed = [hypothesis for hypothesis in settled if hypothesis.status == "confirmed"]
    if confirmed and session.scaled and session.intent in WRITERS:
        texts = [hypothesis.text for hypothesis in confirmed if not hypothesis.slot]
        symbols = dict.fromkeys(name for text in texts for name in names_in(text) if facts.defined(name))
        files = dict.fromkeys(path for text in texts for path in paths_in(text))
        return claim(changed, Understanding(tuple(symbols), files=tuple(files)), facts)
    if confirmed:
        ready = replace(changed, phase=Phase.READY, missing=())
        rejected = [hypothesis.text for hypothesis in settled if hypothesis.status == "rejected"]
        code = "session.verified_but" if rejected else "session.verified"
        return ready, Verdict(True, say(code, rejected="; ".join(rejected)), next=next_steps(ready))
    back = replace(changed, phase=Phase.EXPLORATION, hypotheses=(), refuted=_refuted(changed))
    return back, Verdict(True, say("session.all_rejected"), next=next_steps(back))


def _decision_faults(session: Session, decided: Sequence[Decided], facts: Facts) -> list[Message]:
    known = {folded(text) for hypothesis in session.hypotheses for text in (hypothesis.id, hypothesis.text)}
    faults = []
    for decision in decided:
        name = decision.hypothesis[:80]
        if folded(decision.hypothesis) not in known:
            faults.append(say("session.other_hypothesis", name=name))
        elif decision.status not in DECISIONS:
            faults.append(say("session.no_status", name=name, status=decision.status))
        elif fault := _evidence_fault(session, decision, facts):
            faults.append(say("session.of", name=name, reason=fault))
    names = [folded(decision.hypothesis) for decision in decided]
    twice = [name[:80] for name in dict.fromkeys(names) if names.count(name) > 1]
    return faults + [say("session.decided_twice", name=name) for name in twice]


def _evidence_fault(session: Session, decision: Decided, facts: Facts) -> Message:
    if decision.tool not in VERIFIERS:
        return say("session.no_evidence", tool=decision.tool, known=[step(name) for name in SHOWERS])
    if is_blank(decision.target) or is_blank(decision.result):
        return say("session.evidence_blank")
    call = {"tool": decision.tool, "target": decision.target[:80]}
    recorded = _deciding_call(session, decision)
    if recorded is None:
        return say("session.no_such_call", **call)
    shown = {*recorded.seen, *recorded.listed}
    if wrong := [path for path in decision.files if path not in shown]:
        return say("session.not_in_call", path=wrong[0])
    if false := false_names(session, decision.result, facts):
        return say("session.result_false", names=false)
    is_about = tells_of(decision.result, decision.target, recorded, facts)
    return NOTHING if is_about else say("session.result_apart", result=decision.result[:80], **call)


def _deciding_call(session: Session, decision: Decided) -> Recorded | None:
    """Return the latest call that asked for a decision's target, or for the last part of its name.

    Calls with hits precede proofs of absence.
    """
    wanted = set(map(folded, (decision.target, *name_parts(decision.target)[-1:])))
    telling = [past for past in session.calls if decision.tool in past.operations and past.tells]
    fitting = [past for past in telling if not wanted.isdisjoint(map(folded, past.asked.splitlines()))]
    return max(fitting, key=lambda past: (past.hits > 0, past.number), default=None)


def _with_decision(hypothesis: Hypothesis, decision: Decided, recorded: Recorded | None) -> Hypothesis:
    evidence = f"{decision.tool}({decision.target}): {decision.result}"
    return replace(hypothesis, status=decision.status, evidence=evidence, call=recorded.number if recorded else 0)


def _with_decided_slots(session: Session) -> Session:
    """Return the session with the slots of confirmed hypotheses as facts, and without those of rejected ones."""
    frame = session.asked_frame
    slots = dict(frame.slots)
    for hypothesis in session.hypotheses:
        if hypothesis.slot and hypothesis.slot in slots:
            slot = slots.pop(hypothesis.slot)
            if hypothesis.status == "confirmed" or slot.certainty is Certainty.FACT:  # a quote was supplied meanwhile
                slots[hypothesis.slot] = replace(slot, certainty=Certainty.FACT)
    changed = replace(session, frame=replace(frame, slots=slots))
    return replace(changed, risk=risk_of(changed))
