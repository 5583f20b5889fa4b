"""Every step of a session, as a pure function from a session to the session after it and a verdict.

Beginning, framing, going back and adding files; then the three submissions, each the way out of its phase.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.guard.advice import VERIFIERS, call, for_lacks, frame_call, next_steps, semantic_call
from shirube.features.guard.evidence import Facts, check_claims, false_names, is_blank, name_parts
from shirube.features.guard.phases import lacks_of, risk_of, semantic_reasons
from shirube.features.guard.state import (
    AgreementHit,
    Hypothesis,
    Lack,
    NextCall,
    Phase,
    Recorded,
    Session,
    Understanding,
    Verdict,
)
from shirube.features.plan.frame import Certainty, Intent, QueryFrame, Slot, frame_from
from shirube.messages import NOTHING, Message, say

Step = tuple[Session, Verdict]
MAP_READY = 0.8
MAP_VERIFY = 0.7
"""Seed 004: an agreement this near ends exploration, or leaves only its own confirmation to be done."""
MOST_HYPOTHESES = 20
CONFIDENCES = ("high", "medium", "low")
DECISIONS = ("confirmed", "rejected")


def begin(id: str, intent: Intent, request: str, created_at: str, client: str = "") -> Session:
    """Return a new session; a question needs no exploration, and may not write either."""
    phase = Phase.READY if intent is Intent.QUESTION else Phase.EXPLORATION
    session = Session(id, intent, request, created_at, phase, client=client)
    return replace(session, risk=risk_of(session))


def set_frame(session: Session, slots: Mapping[str, Slot | None]) -> Step:
    """Take the request apart, all slots or none: a quote has to stand in the request and to mean its value.

    What is not sent again is kept; an open slot can be filled later, in any phase but the last.
    """
    said = {name: slot for name, slot in slots.items() if slot is not None and not is_blank(slot.value)}
    frame, wrong = frame_from(session.request, said)
    if wrong:
        errors = tuple(say("session.of", name=name, reason=reason) for name, reason in wrong.items())
        return session, Verdict(False, say("session.frame_not_taken"), errors, next=(frame_call(session),))
    if not frame.slots:
        errors = (say("session.give_slot"),)
        return session, Verdict(False, say("session.no_slot"), errors, next=(frame_call(session),))
    if session.phase is Phase.READY and session.intent is not Intent.QUESTION:
        back = call(session, "revert_to_exploration", say("session.old_frame"), keep_results=True)
        return session, Verdict(False, say("session.understood_already"), next=(back,))
    merged = replace(frame, slots={**session.asked_frame.slots, **frame.slots})
    changed = replace(session, frame=merged)
    changed = replace(changed, risk=risk_of(changed))
    return changed, Verdict(True, say("session.risk", risk=changed.risk), next=next_steps(changed))


def revert(session: Session, keep_results: bool, last: int) -> Step:
    """Go back to exploration; without results everything but the request is forgotten.

    ``last`` is the number of the last thing recorded: what came before is set aside by a reset, not destroyed.
    """
    back = replace(session, phase=Phase.EXPLORATION, missing=(), hypotheses=(), semantic_reason="", map_used=NOTHING)
    if not keep_results:
        back = begin(session.id, session.intent, session.request, session.created_at)
        back = replace(back, phase=Phase.EXPLORATION, since=last)
    message = say("session.back_kept" if keep_results else "session.back_reset")
    return back, Verdict(True, message, next=next_steps(back))


def add_files(session: Session, files: tuple[str, ...], facts: Facts, is_folder: Callable[[str], bool]) -> Step:
    """Take files as explored that a call of this session brought up, and directories in which one did."""
    if session.phase is not Phase.READY:
        why = say("session.looking")
        look = tuple(call(session, "snippets_get", why, path=path) for path in files[:3])
        return session, Verdict(False, say("session.for_ready", phase=session.phase), next=look)
    errors = tuple(_add_faults(session, files, facts, is_folder))
    if errors or not files:
        look = tuple(call(session, "snippets_get", say("session.look_first"), path=path) for path in files[:3])
        return session, Verdict(False, say("session.nothing_added"), errors or (say("session.no_file"),), next=look)
    changed = replace(session, added=tuple(dict.fromkeys((*session.added, *files))))
    return changed, Verdict(True, say("session.added", count=len(files)), next=next_steps(changed))


def _add_faults(
    session: Session, paths: tuple[str, ...], facts: Facts, is_folder: Callable[[str], bool]
) -> Iterator[Message]:
    returned, known = session.returned | session.explored, facts.known(paths)
    for path in paths:
        if is_folder(path):
            if not any(path == "." or one.startswith(f"{path}/") for one in returned):
                yield say("session.folder_not_returned", path=path)
        elif path not in known:
            yield say("session.not_indexed", path=path)
        elif path not in returned:
            yield say("session.not_returned", path=path)


def submit_understanding(session: Session, claims: Understanding, facts: Facts) -> Step:
    """Leave exploration: to READY with enough that is so, to SEMANTIC with too little; a false claim changes nothing.

    A fresh agreement about the request cuts it short (seed 004), but seeds only the files it rests on.
    """
    understanding, errors = check_claims(session, claims, facts)
    if errors:
        look = call(session, "submit_understanding", say("session.without_false"))
        return session, Verdict(False, say("session.not_so"), errors, next=(*_looks(session, claims), look))
    understood = replace(session, understanding=understanding)
    if (hit := best_map_hit(session)) is not None:
        return _by_map(understood, hit, facts)
    lacks = lacks_of(understood, understanding, facts)
    if any(lack.key == "required_tools" for lack in lacks):
        message = say("session.tools_unused")
        return session, Verdict(False, message, lacks=lacks, next=tuple(for_lacks(session, lacks)))
    return _entered(understood, lacks)


def _entered(session: Session, lacks: tuple[Lack, ...]) -> Step:
    missing = tuple(lack.key for lack in lacks)
    if not lacks:
        ready = replace(session, phase=Phase.READY, missing=())
        return ready, Verdict(True, say("session.understood"), next=next_steps(ready))
    changed = replace(session, phase=Phase.SEMANTIC, missing=missing)
    back = call(changed, "revert_to_exploration", say("session.look_more"), keep_results=True)
    steps = (*next_steps(changed), *for_lacks(changed, lacks), back)
    message = say("session.suppose")
    return changed, Verdict(True, message, lacks=lacks, reasons=semantic_reasons(missing), next=steps)


def _looks(session: Session, claims: Understanding) -> tuple[NextCall, ...]:
    names = (*claims.symbols, *claims.entry_points)
    known = [name for name in names if name not in session.symbols]
    found = [call(session, "find_definitions", say("session.if_exists"), symbol=name) for name in known[:1]]
    unseen = [path for path in claims.files if path not in session.explored]
    return (*found, *(call(session, "snippets_get", say("session.look_first"), path=path) for path in unseen[:1]))


# --- the map -----------------------------------------------------------------------------------------------


def best_map_hit(session: Session) -> AgreementHit | None:
    """Return the nearest fresh agreement about this request that a call of this session brought up, if it is near."""
    hits = [
        hit
        for one in session.calls
        for hit in one.maps
        if one.ok and hit.fresh and hit.similarity >= MAP_VERIFY and is_about(session, hit, one.asked)
    ]
    return max(hits, key=lambda hit: (hit.similarity, hit.term, hit.symbol), default=None)


def is_about(session: Session, hit: AgreementHit, asked: str) -> bool:
    """Tell whether an agreement was found by the request's own words: another question's answer is no short cut."""
    text = f"{session.request}\n{session.asked_frame.value('target_feature') if session.frame else ''}"
    terms = set(index_terms(text))
    return any(words and words <= terms for words in (_telling(hit.term), _telling(asked.partition("\n")[0])))


def _telling(text: str) -> set[str]:
    return set(index_terms(text)) - stop_words()


def _by_map(session: Session, hit: AgreementHit, facts: Facts) -> Step:
    known = facts.known(hit.files)
    seeded = tuple(path for path in hit.files if path in known)
    words = say("session.agreed", term=hit.term, symbol=hit.symbol, files=seeded or say("session.nowhere"))
    changed = replace(session, added=tuple(dict.fromkeys((*session.added, *seeded))), map_used=words, missing=())
    open_slots = slot_hypotheses(changed, 1)
    if hit.similarity >= MAP_READY and not open_slots:
        ready = replace(changed, phase=Phase.READY)
        message = say("session.agreed_ready", words=words)
        return ready, Verdict(True, message, next=next_steps(ready))
    supposed = Hypothesis(f"h{len(open_slots) + 1}", str(words), "high")
    near = () if hit.similarity >= MAP_READY else (supposed,)
    waiting = replace(changed, phase=Phase.VERIFICATION, hypotheses=(*open_slots, *near))
    message = say("session.agreed_confirm", words=words)
    return waiting, Verdict(True, message, next=next_steps(waiting))


def slot_hypotheses(session: Session, first: int) -> tuple[Hypothesis, ...]:
    """Return the slots that were filled without a quote, as hypotheses to be decided."""
    frame = session.asked_frame
    if session.intent is Intent.QUESTION:
        return ()
    return tuple(
        Hypothesis(f"h{number}", f"{name}: {frame.value(name)}", slot=name)
        for number, name in enumerate(frame.hypotheses, first)
    )


def submit_semantic(session: Session, supposed: Sequence[Hypothesis], reason: str, queries: Sequence[str]) -> Step:
    """Go on to VERIFICATION with hypotheses, for a reason that fits what is missing."""
    errors = [*_reason_faults(session, reason), *_hypothesis_faults(supposed), *_query_faults(session, queries)]
    if errors:
        back = call(session, "revert_to_exploration", say("session.look_more"), keep_results=True)
        message, reasons = say("session.hypotheses_not_taken"), semantic_reasons(session.missing)
        return session, Verdict(False, message, tuple(errors), reasons=reasons, next=(semantic_call(session), back))
    own = tuple(replace(one, id=f"h{at}", text=one.text.strip()) for at, one in enumerate(supposed, 1))
    hypotheses = (*own, *slot_hypotheses(session, len(own) + 1))
    changed = replace(session, phase=Phase.VERIFICATION, semantic_reason=reason, hypotheses=hypotheses)
    message = say("session.to_verify", count=len(changed.hypotheses))
    return changed, Verdict(True, message, next=next_steps(changed))


def _reason_faults(session: Session, reason: str) -> list[Message]:
    allowed = semantic_reasons(session.missing)
    if reason in allowed:
        return []
    return [say("session.reason_unfit", reason=reason, missing=session.missing, allowed=allowed)]


def _hypothesis_faults(supposed: Sequence[Hypothesis]) -> list[Message]:
    texts = [one.text.strip() for one in supposed]
    faults = [say("session.hypothesis_blank", number=at) for at, text in enumerate(texts, 1) if is_blank(text)]
    twice = [text[:80] for text in dict.fromkeys(texts) if texts.count(text) > 1]
    faults += [say("session.hypothesis_twice", text=text) for text in twice]
    faults += [
        say("session.no_confidence", confidence=one.confidence, known=CONFIDENCES)
        for one in supposed
        if one.confidence not in CONFIDENCES
    ]
    if not texts:
        faults.append(say("session.no_hypothesis"))
    if len(texts) > MOST_HYPOTHESES:
        faults.append(say("session.many_hypotheses", count=len(texts), most=MOST_HYPOTHESES))
    return faults


def _query_faults(session: Session, queries: Sequence[str]) -> list[Message]:
    asked = {line.strip() for one in session.calls for line in one.asked.splitlines()}
    unasked = [query for query in queries if query.strip() not in asked]
    return [say("session.not_asked", query=query[:80]) for query in unasked]


class Decided(Struct, frozen=True):
    """What became of a hypothesis, and by which call."""

    hypothesis: str
    """Its id or its text."""
    status: str
    tool: str
    target: str
    result: str
    files: tuple[str, ...] = ()


def submit_verification(session: Session, decided: Sequence[Decided], facts: Facts) -> Step:
    """Go on to READY when all are decided and one is confirmed; back to EXPLORATION when all are rejected."""
    matched = {one.id: (item, _evidence(session, item)) for one, item in _pairs(session, decided)}
    errors = [*_decision_faults(session, decided, facts)]
    errors += [say("session.undecided", id=one.id) for one in session.hypotheses if one.id not in matched]
    if errors:
        message = say("session.verification_not_taken")
        return session, Verdict(False, message, tuple(dict.fromkeys(errors)), next=next_steps(session))
    settled = tuple(_settled(one, *matched[one.id]) for one in session.hypotheses)
    changed = _with_slots(replace(session, hypotheses=settled))
    if any(one.status == "confirmed" for one in settled):
        ready = replace(changed, phase=Phase.READY, missing=())
        rejected = [one.text for one in settled if one.status == "rejected"]
        code = "session.verified_but" if rejected else "session.verified"
        return ready, Verdict(True, say(code, rejected="; ".join(rejected)), next=next_steps(ready))
    back = replace(changed, phase=Phase.EXPLORATION, hypotheses=())
    return back, Verdict(True, say("session.all_rejected"), next=next_steps(back))


def _pairs(session: Session, decided: Sequence[Decided]) -> list[tuple[Hypothesis, Decided]]:
    return [
        (hypothesis, item)
        for item in decided
        for hypothesis in session.hypotheses
        if _plain(item.hypothesis) in (hypothesis.id, _plain(hypothesis.text))
    ]


def _decision_faults(session: Session, decided: Sequence[Decided], facts: Facts) -> list[Message]:
    known = {_plain(text) for one in session.hypotheses for text in (one.id, one.text)}
    faults = []
    for item in decided:
        name = item.hypothesis[:80]
        if _plain(item.hypothesis) not in known:
            faults.append(say("session.other_hypothesis", name=name))
        elif item.status not in DECISIONS:
            faults.append(say("session.no_status", name=name, status=item.status))
        elif fault := _evidence_fault(session, item, facts):
            faults.append(say("session.of", name=name, reason=fault))
    names = [_plain(item.hypothesis) for item in decided]
    twice = [name[:80] for name in dict.fromkeys(names) if names.count(name) > 1]
    return faults + [say("session.decided_twice", name=name) for name in twice]


def _evidence_fault(session: Session, item: Decided, facts: Facts) -> Message:
    if item.tool not in VERIFIERS:
        return say("session.no_evidence", tool=item.tool, known=sorted(VERIFIERS))
    if is_blank(item.target) or is_blank(item.result):
        return say("session.evidence_blank")
    made = _evidence(session, item)
    if made is None:
        return say("session.no_such_call", tool=item.tool, target=item.target[:80])
    shown = {*made.seen, *made.listed}
    if wrong := [path for path in item.files if path not in shown]:
        return say("session.not_in_call", path=wrong[0])
    if false := false_names(session, item.result, facts):
        return say("session.result_false", names=false)
    return NOTHING


def _evidence(session: Session, item: Decided) -> Recorded | None:
    """Return the latest call that asked for the target by its words, one with hits before one that proved absence."""
    fitting = [one for one in session.calls if one.operation == item.tool and one.tells and _asked(one, item.target)]
    return max(fitting, key=lambda one: (one.hits > 0, one.number), default=None)


def _asked(made: Recorded, target: str) -> bool:
    """Tell whether a call asked for a target: as it stands, or for the last part of its name."""
    wanted = _plain(target)
    lines = [_plain(line) for line in made.asked.splitlines()]
    last = name_parts(target)[-1:]
    return wanted in lines or (bool(last) and _plain(last[0]) in lines)


def _settled(one: Hypothesis, item: Decided, made: Recorded | None) -> Hypothesis:
    words = f"{item.tool}({item.target}): {item.result}"
    return replace(one, status=item.status, evidence=words, call=made.number if made else 0)


def _with_slots(session: Session) -> Session:
    """Return the session with confirmed slots as facts and without the rejected ones."""
    frame = session.asked_frame
    slots = dict(frame.slots)
    for one in session.hypotheses:
        if one.slot and one.slot in slots:
            held = slots.pop(one.slot)
            if one.status == "confirmed" or held.certainty is Certainty.FACT:  # a quote was given meanwhile
                slots[one.slot] = replace(held, certainty=Certainty.FACT)
    changed = replace(session, frame=QueryFrame(frame.raw_query, slots, frame.mapped_symbols))
    return replace(changed, risk=risk_of(changed))


def _plain(text: str) -> str:
    from shirube.engine.text.tokens import normalise

    return " ".join(normalise(text).lower().split())
