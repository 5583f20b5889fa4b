"""What one plan teaches the next: which goals are alike, what helped, and what led nowhere."""

from collections.abc import Iterable
from hashlib import sha256

from shirube.features.plan.expect import forms_of, goal_words
from shirube.features.plan.record import Ground, Iteration, Outcome, PlanStatus

ALIKE = 0.5
"""Goals that share this part of their words are alike; upstream logged such goals and never used them."""
HELPED = 0.01
"""A turn that made one surer by this much helped."""
IN_VAIN = 0.5
"""A question whose answer is worth less than this share of the best one was in vain."""


def goal_terms(goal: str) -> tuple[str, ...]:
    """Return what a goal is about, whatever its form: ``"How does routing work?"`` → ``("rout",)``."""
    return tuple(sorted({term for word in goal_words(goal) for term in forms_of(word)[0]}))


def key_of(*parts: object) -> str:
    """Return a short name for some values."""
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:24]


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the share of all terms of two goals that both have."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left | right else 0.0


def helped(outcome: Outcome) -> tuple[Ground, ...]:
    """Return the grounds of the turns that made a successful plan surer, the most helpful first."""
    if outcome.status is not PlanStatus.SUCCESS:
        return ()
    gains: dict[Ground, float] = {}
    for before, after in zip(outcome.iterations, outcome.iterations[1:], strict=False):
        gain = after.confidence - before.confidence
        if gain >= HELPED and after.step.ground not in (Ground.GIVEN, Ground.MAP):
            gains[after.step.ground] = max(gain, gains.get(after.step.ground, 0.0))
    return tuple(sorted(gains, key=lambda ground: -gains[ground]))


def in_vain(outcome: Outcome) -> tuple[Iteration, ...]:
    """Return the refinements that failed, found nothing, or found far worse than the best."""
    best = max((turn.evaluation.score for turn in outcome.iterations), default=0.0)
    return tuple(
        turn
        for turn in outcome.iterations[1:]
        if turn.error or not turn.results or turn.evaluation.score < IN_VAIN * best
    )
