"""One order: signals add points, what a file is multiplies them, and every share keeps its name."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.engine.search.evidence import Evidence, FileMatch
from shirube.engine.search.roles import Role, is_internal, role_of, superseded
from shirube.engine.search.signals import (
    SIGNALS,
    Signal,
    dependency,
    editing,
    history,
    is_named,
    phrases,
    structural,
    text,
)
from shirube.engine.store import Candidate
from shirube.types import BIG_KINDS, Reason

NO_BOOST = "none"
LEAST_FACTOR = 0.01
"""No file is multiplied away: an answer without it would be a false "none"."""


class Ranked(Struct, frozen=True):
    """A file in its place, with the reasons for it and its chunks, best first."""

    path: str
    score: float
    why: tuple[Reason, ...]
    role: Role
    chunks: tuple[Candidate, ...]


def rank(evidence: Evidence, plain: bool = False, signals: Sequence[Signal] = SIGNALS) -> list[Ranked]:
    """Return the files in order; ``plain`` takes the text alone. Ties go by path."""
    over = superseded(evidence.files) if not plain else frozenset()
    live = (text,) if plain else [signal for signal in signals if _has_evidence(signal, evidence)]
    ranked = [_ranked(evidence, match, live, over, plain) for match in evidence.files.values()]
    return sorted((one for one in ranked if one.score > 0), key=lambda one: (-one.score, one.path))


def _has_evidence(signal: Signal, evidence: Evidence) -> bool:
    """Tell whether a signal can say anything at all: most questions have no phrase, and no file at hand."""
    needed: dict[Signal, object] = {
        phrases: evidence.phrases,
        editing: evidence.editing,
        dependency: evidence.imported,
        structural: evidence.alike,
        history: evidence.recent or evidence.together,
    }
    return bool(needed.get(signal, True))


def _ranked(
    evidence: Evidence, match: FileMatch, signals: Sequence[Signal], over: frozenset[str], plain: bool
) -> Ranked:
    reasons = [reason for signal in signals for reason in signal(evidence, match)]
    score = sum(reason.points for reason in reasons)
    role = role_of(match.path, match.language)
    for name, factor in () if plain else _factors(evidence, match, role, over):
        reasons.append(Reason(f"boost:{name}", score * (factor - 1), f"×{factor:g}"))
        score *= factor
    return Ranked(match.path, score, tuple(reasons), role, _shown(evidence, match))


def _factors(evidence: Evidence, match: FileMatch, role: Role, over: frozenset[str]) -> list[tuple[str, float]]:
    """Return what the file's role, age and privacy multiply its score by; a path that was named lifts them all."""
    boosts = evidence.boosts
    factors = [(role.value, max(getattr(boosts, role), evidence.profile.roles.get(role, 0.0)))]
    if match.path in over:
        factors.append(("superseded", boosts.superseded))
    if is_internal(match.path):
        factors.append(("internal", boosts.internal))
    named = match.path in evidence.editing or is_named(evidence, match.path) or _is_it(evidence, match)
    lifted = [(name, max(factor, boosts.implementation) if named else factor) for name, factor in factors[:1]]
    lifted += [] if named else factors[1:]
    lifted += [("learned", 1 + evidence.learned[match.path])] if match.path in evidence.learned else []
    return [(name, max(LEAST_FACTOR, factor)) for name, factor in lifted if factor != 1.0]


def _is_it(evidence: Evidence, match: FileMatch) -> bool:
    """Tell whether the question is nothing but the name of what this file is about, capitals and all."""
    spelled = evidence.question.spelled.values()
    return evidence.question.bare and any(
        found.symbol.name in spelled and found.symbol.kind in BIG_KINDS and not found.symbol.scope
        for found in match.definitions
    )


def _shown(evidence: Evidence, match: FileMatch) -> tuple[Candidate, ...]:
    """Return the chunks that speak for the file: what defines a name that was asked for comes first."""
    if len(match.chunks) == 1:
        return tuple(match.chunks)
    names = {**evidence.question.names, evidence.question.title: 1.0}
    sure = {found.key for found in match.definitions if names.get(found.symbol.name.lower(), 0.0) == 1.0}
    first = dict.fromkeys(sure, 1) | dict.fromkeys(evidence.written, 0)
    order = sorted(
        match.chunks,
        key=lambda c: (first.get(c.key, 2), -c.lexical, -(c.cosine or 0.0), c.start_line, c.key),
    )
    telling = [c for c in order if c.lexical > 0 or c.cosine is not None or c.key in first]
    return tuple(telling or order[:1])
