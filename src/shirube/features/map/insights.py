"""What outcomes have in common: of one session, of all, and what became of the files. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from shirube.features.map.records import Decision, Outcome, Result, Written
from shirube.messages import Message, say

NOT_SAID = "not said"


class Fate(StrEnum):
    """What became of a file that a session wrote."""

    SURVIVED = "survived"
    EDITED = "edited"
    """It was changed again since."""
    REVERTED = "reverted"
    """It is again what it was before."""
    REMOVED = "removed"
    UNKNOWN = "unknown"


class Rate(Struct, frozen=True):
    """How often something took part, and how often it went wrong then."""

    total: int
    failures: int
    failure_rate: float


class SessionAnalysis(Struct, frozen=True):
    """The shape seed 003 gives the analysis of one session."""

    had_decision: bool
    had_outcome: bool
    final_outcome: Result | None
    tools_planned: tuple[str, ...]
    failure_point: str


def analyse(decision: Decision | None, outcomes: Sequence[Outcome]) -> SessionAnalysis:
    """Join what was decided with how it turned out; the last word counts."""
    last = outcomes[-1] if outcomes else None
    points = [one.analysis.failure_point or one.phase_at_outcome for one in outcomes if one.outcome != Result.SUCCESS]
    return SessionAnalysis(
        had_decision=decision is not None,
        had_outcome=last is not None,
        final_outcome=last.outcome if last else None,
        tools_planned=decision.tools_planned if decision else (),
        failure_point=next((point for point in reversed(points) if point), ""),
    )


def last_words(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return the last outcome of each session, in the order in which they came."""
    last: dict[str, Outcome] = {}
    for one in outcomes:
        last.pop(one.session_id, None)
        last[one.session_id] = one
    return last


def rates(outcomes: Iterable[Outcome], of: Callable[[Outcome], Iterable[str]]) -> dict[str, Rate]:
    """Return for each thing an outcome has (an operation, a risk) how often it was there and how often it failed."""
    total: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for one in outcomes:
        for name in dict.fromkeys(of(one)):
            total[name] += 1
            failed[name] += one.outcome == Result.FAILURE
    return {name: Rate(count, failed[name], round(failed[name] / count, 3)) for name, count in total.most_common()}


def failure_points(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return where it went wrong, the most frequent first."""
    points: Counter[str] = Counter()
    for one in outcomes:
        if one.outcome != Result.SUCCESS:
            points[one.analysis.failure_point or one.phase_at_outcome or NOT_SAID] += 1
    return dict(points.most_common())


def fate(file: Written, now: str | None) -> Fate:
    """Tell what became of a file; ``now`` is the SHA-256 of what it holds, empty when it is gone, None if unknown."""
    if now is None or not file.after:
        return Fate.UNKNOWN
    if now == file.after:
        return Fate.SURVIVED
    if now == file.before:  # a file that was not there before, and is not there again
        return Fate.REVERTED
    return Fate.EDITED if now else Fate.REMOVED


def held(outcome: Outcome, now: Callable[[str], str | None]) -> bool:
    """Tell whether what a session wrote is still there as far as anybody knows."""
    fates = [fate(file, now(file.path)) for file in outcome.files]
    return not any(one in (Fate.REVERTED, Fate.REMOVED) for one in fates)


def suggestions(last: Sequence[Outcome], fates: dict[str, int]) -> tuple[Message, ...]:
    """Say in words what stands out, from five sessions on; fewer show nothing."""
    if len(last) < 5:
        return (say("insights.few", count=len(last)),)
    said = []
    whole = sum(one.outcome == Result.FAILURE for one in last) / len(last)
    for code, table in (
        ("insights.operation_fails", rates(last, lambda one: one.operations)),
        ("insights.risk_fails", rates(last, _risk)),
    ):
        for name, rate in table.items():
            if rate.total >= 3 and rate.failure_rate >= whole + 0.2:
                shares = {"rate": f"{rate.failure_rate:.0%}", "whole": f"{whole:.0%}"}
                said.append(say(code, name=name, count=rate.total, **shares))
    lost = fates.get(Fate.REVERTED, 0) + fates.get(Fate.REMOVED, 0)
    if lost:
        said.append(say("insights.lost", count=lost))
    points = failure_points(last)
    if points and next(iter(points.values())) >= 3:
        said.append(say("insights.most_at", point=next(iter(points))))
    return tuple(said) or (say("insights.nothing_stands_out"),)


def _risk(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.risk_level,) if outcome.risk_level else ()
