"""What the outcomes of sessions have in common, and whether what they wrote survived."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.errors import UnknownName, counted
from shirube.operations.model import Call, Operation, arg
from shirube.operations.outcomes import digest_now
from shirube.outcomes.insights import (
    Rate,
    SessionAnalysis,
    analyse,
    failure_points,
    fate,
    held,
    last_words,
    rates,
    suggestions,
)
from shirube.outcomes.learning import Prior, learn
from shirube.outcomes.log import decisions, forget, lessons, outcomes, read_facts
from shirube.outcomes.records import Decision, Outcome
from shirube.outcomes.refusals import GateRates, gate_rates
from shirube.store.naming import GATE

if TYPE_CHECKING:
    from shirube.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What ``get_session_analysis`` takes."""

    session_id: str = arg(..., "The session.")


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """Seed 003's shape: what was decided, how it turned out, and the two joined."""

    session_id: str
    decision: Decision | None
    outcomes: tuple[Outcome, ...]
    analysis: SessionAnalysis
    files: dict[str, str]
    """What became of each file it wrote: survived, edited, reverted, removed, unknown."""


def _analysis(workspace: "Workspace", request: AnalysisRequest, call: Call) -> AnalysisResult:
    journal, handle = workspace.journal, request.session_id
    made, told = decisions(journal, handle), outcomes(journal, handle)
    if not made and not told and read_facts(journal, handle) is None:
        known = {one.session_id for one in decisions(journal)} | {one.session_id for one in outcomes(journal)}
        raise UnknownName("session", handle, known)
    files = told[-1].files if told else ()
    return AnalysisResult(
        session_id=handle,
        decision=made[-1] if made else None,
        outcomes=told,
        analysis=analyse(made[-1] if made else None, told),
        files={file.path: fate(file, digest_now(workspace, file.path)).value for file in files},
    )


@dataclass(frozen=True, slots=True)
class InsightsRequest:
    """What ``get_improvement_insights`` takes."""

    limit: int = arg(100, "How many of the last sessions.", low=1, high=10_000)


@dataclass(frozen=True, slots=True)
class InsightsResult:
    """What failures have in common; the first five are seed 003's."""

    total_sessions_with_outcomes: int
    sessions_with_decisions: int
    tool_failure_correlation: dict[str, Rate]
    risk_level_correlation: dict[str, Rate]
    common_failure_points: dict[str, int]
    survival: dict[str, int]
    """What became of the files that sessions wrote."""
    gate: GateRates
    """How often the gate before writes refused, and how often wrongly, as far as that can be seen."""
    prior: str
    """What the ranking has learnt from outcomes, in words."""
    suggestions: tuple[str, ...]


def _insights(workspace: "Workspace", request: InsightsRequest, call: Call) -> InsightsResult:
    last = list(last_words(outcomes(workspace.journal)).values())[-request.limit :]
    known = {one.session_id for one in decisions(workspace.journal)}
    fates: Counter[str] = Counter()
    for one in last:
        fates.update(fate(file, digest_now(workspace, file.path)).value for file in one.files)
    return InsightsResult(
        total_sessions_with_outcomes=len(last),
        sessions_with_decisions=sum(one.session_id in known for one in last),
        tool_failure_correlation=rates(last, lambda one: one.operations),
        risk_level_correlation=rates(last, lambda one: (one.risk_level,) if one.risk_level else ()),
        common_failure_points=failure_points(last),
        survival=dict(fates.most_common()),
        gate=gate_rates(event.body for event in workspace.journal.events(GATE)),
        prior=_told(workspace),
        suggestions=suggestions(last, dict(fates)),
    )


def prior_of(workspace: "Workspace") -> Prior:
    """Return what outcomes have taught the ranking; nothing while it is switched off."""
    config = workspace.config.outcomes
    if not config.prior:
        return Prior()
    known = lessons(workspace.journal)
    lasted = [held(one, lambda path: digest_now(workspace, path)) for one in known]
    return learn(known, config.prior, config.prior_samples, lasted)


def _told(workspace: "Workspace") -> str:
    config = workspace.config.outcomes
    if not config.prior:
        return "off (outcomes.prior is 0)"
    count = len(prior_of(workspace).lessons)
    if not count:
        return f"nothing yet: it takes {config.prior_samples} outcomes with files"
    told = counted(count, "outcome")
    return f"{told} may move a file's score by up to {config.prior:.0%}; forget_outcomes takes it back"


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """What ``get_outcome_stats`` takes: nothing."""


@dataclass(frozen=True, slots=True)
class StatsResult:
    """Outcomes, counted."""

    total: int
    by_outcome: dict[str, int]
    by_intent: dict[str, dict[str, int]]
    by_phase: dict[str, dict[str, int]]
    semantic: dict[str, dict[str, int]]
    """Outcomes with and without a search by sense."""
    automatic: int
    """How many were concluded from the next request."""
    sessions: int


def _stats(workspace: "Workspace", request: StatsRequest, call: Call) -> StatsResult:
    told = outcomes(workspace.journal)
    return StatsResult(
        total=len(told),
        by_outcome=dict(Counter(one.outcome.value for one in told)),
        by_intent=_table((one.intent or "unknown", one) for one in told),
        by_phase=_table((one.phase_at_outcome or "unknown", one) for one in told),
        semantic=_table(("used" if one.semantic_used else "not used", one) for one in told),
        automatic=sum(one.automatic for one in told),
        sessions=len({one.session_id for one in told}),
    )


def _table(rows: Iterable[tuple[str, Outcome]]) -> dict[str, dict[str, int]]:
    table: dict[str, Counter[str]] = {}
    for name, one in rows:
        table.setdefault(name, Counter())[one.outcome.value] += 1
    return {name: dict(counts) for name, counts in table.items()}


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What ``forget_outcomes`` takes: nothing."""


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What the ranking no longer learns from."""

    outcomes: int
    note: str


def _forget(workspace: "Workspace", request: ForgetRequest, call: Call) -> ForgetResult:
    count = forget(workspace.journal)
    return ForgetResult(count, "the ranking learns from outcomes recorded from now on; the records themselves are kept")


GET_SESSION_ANALYSIS = Operation(
    name="get_session_analysis",
    summary="What was decided in a session, how did it turn out, and did what it wrote survive?",
    request=AnalysisRequest,
    result=AnalysisResult,
    function=_analysis,
    group="insights",
)

GET_IMPROVEMENT_INSIGHTS = Operation(
    name="get_improvement_insights",
    summary="What do failed sessions have in common? Operations, risks and points of failure, and what survived.",
    request=InsightsRequest,
    result=InsightsResult,
    function=_insights,
    group="insights",
)

GET_OUTCOME_STATS = Operation(
    name="get_outcome_stats",
    summary="How many sessions succeeded and failed, by intent, phase and use of the search by sense?",
    request=StatsRequest,
    result=StatsResult,
    function=_stats,
    group="insights",
)

FORGET_OUTCOMES = Operation(
    name="forget_outcomes",
    summary="Should the ranking stop going by what was recorded so far? Takes back what it learnt; the records stay.",
    request=ForgetRequest,
    result=ForgetResult,
    function=_forget,
    group="insights",
    read_only=False,
)
