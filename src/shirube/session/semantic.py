"""Out of the semantic phase: what is supposed, and why looking was not enough."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shirube.session.advice import call, next_steps, semantic_call
from shirube.session.gates import semantic_reasons
from shirube.session.names import is_blank
from shirube.session.state import Hypothesis, Phase, Session
from shirube.session.steps import Step
from shirube.session.understanding import slot_hypotheses
from shirube.session.verdict import Verdict

MOST_HYPOTHESES = 20
CONFIDENCES = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Supposed:
    """Something supposed, and how surely."""

    text: str
    confidence: str = "medium"


def submit_semantic(session: Session, supposed: Sequence[Supposed], reason: str, queries: Sequence[str]) -> Step:
    """Go on to VERIFICATION with hypotheses, for a reason that fits what is missing."""
    errors = [*_reason_faults(session, reason), *_faults(supposed), *_query_faults(session, queries)]
    if errors:
        back = call(session, "revert_to_exploration", "or look around more", keep_results=True)
        return session, Verdict(
            False,
            "the hypotheses were not taken",
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
    message = f"{len(changed.hypotheses)} hypotheses to verify"
    return changed, Verdict(True, message, next=next_steps(changed))


def _reason_faults(session: Session, reason: str) -> list[str]:
    allowed = semantic_reasons(session.missing)
    if reason in allowed:
        return []
    return [f"reason '{reason}' does not fit what is missing ({', '.join(session.missing)}): {', '.join(allowed)}"]


def _faults(supposed: Sequence[Supposed]) -> list[str]:
    texts = [one.text.strip() for one in supposed]
    faults = [f"hypothesis {at} says nothing" for at, text in enumerate(texts, 1) if is_blank(text)]
    faults += [f"hypothesis '{text[:80]}' is given twice" for text in dict.fromkeys(texts) if texts.count(text) > 1]
    faults += [
        f"confidence '{one.confidence}' is none of {', '.join(CONFIDENCES)}"
        for one in supposed
        if one.confidence not in CONFIDENCES
    ]
    if not texts:
        faults.append("no hypothesis was given")
    if len(texts) > MOST_HYPOTHESES:
        faults.append(f"{len(texts)} hypotheses were given, the limit is {MOST_HYPOTHESES}")
    return faults


def _query_faults(session: Session, queries: Sequence[str]) -> list[str]:
    asked = {line.strip() for one in session.calls for line in one.asked.splitlines()}
    unasked = [query for query in queries if query.strip() not in asked]
    return [f"search query '{query[:80]}': no call of this session asked it" for query in unasked]
