"""Out of the semantic phase: what is supposed, and why looking was not enough."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.advice import call, next_steps, semantic_call
from shirube.features.guard.gates import semantic_reasons
from shirube.features.guard.names import is_blank
from shirube.features.guard.state import Hypothesis, Phase, Session
from shirube.features.guard.steps import Step
from shirube.features.guard.understanding import slot_hypotheses
from shirube.features.guard.verdict import Verdict
from shirube.messages import Message, say

MOST_HYPOTHESES = 20
CONFIDENCES = ("high", "medium", "low")


class Supposed(Struct, frozen=True):
    """Something supposed, and how surely."""

    text: str
    confidence: str = "medium"


def submit_semantic(session: Session, supposed: Sequence[Supposed], reason: str, queries: Sequence[str]) -> Step:
    """Go on to VERIFICATION with hypotheses, for a reason that fits what is missing."""
    errors = [*_reason_faults(session, reason), *_faults(supposed), *_query_faults(session, queries)]
    if errors:
        back = call(session, "revert_to_exploration", say("session.look_more"), keep_results=True)
        return session, Verdict(
            False,
            say("session.hypotheses_not_taken"),
            tuple(errors),
            reasons=semantic_reasons(session.missing),
            next=(semantic_call(session), back),
        )
    own = tuple(Hypothesis(f"h{at}", one.text.strip(), one.confidence) for at, one in enumerate(supposed, 1))
    changed = replace(
        session,
        phase=Phase.VERIFICATION,
        semantic_reason=reason,
        hypotheses=(*own, *slot_hypotheses(session, len(own) + 1)),
    )
    message = say("session.to_verify", count=len(changed.hypotheses))
    return changed, Verdict(True, message, next=next_steps(changed))


def _reason_faults(session: Session, reason: str) -> list[Message]:
    allowed = semantic_reasons(session.missing)
    if reason in allowed:
        return []
    return [say("session.reason_unfit", reason=reason, missing=session.missing, allowed=allowed)]


def _faults(supposed: Sequence[Supposed]) -> list[Message]:
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
