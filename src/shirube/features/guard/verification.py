"""Out of verification: every hypothesis decided, each by a call that was really made."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.advice import VERIFIERS, next_steps
from shirube.features.guard.evidence import false_names
from shirube.features.guard.facts import Facts
from shirube.features.guard.names import is_blank, name_parts
from shirube.features.guard.risk import risk_of
from shirube.features.guard.state import Hypothesis, Phase, Recorded, Session
from shirube.features.guard.steps import Step
from shirube.features.guard.verdict import Verdict
from shirube.features.plan.frame import Certainty, QueryFrame
from shirube.messages import NOTHING, Message, say

DECISIONS = ("confirmed", "rejected")


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
    errors = [*_faults(session, decided, facts)]
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
    found = []
    for item in decided:
        wanted = _plain(item.hypothesis)
        for one in session.hypotheses:
            if wanted in (one.id, _plain(one.text)):
                found.append((one, item))
    return found


def _faults(session: Session, decided: Sequence[Decided], facts: Facts) -> list[Message]:
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
