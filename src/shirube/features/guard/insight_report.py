"""What the outcomes of sessions have in common, and whether what they wrote survived."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shirube.engine.store.disk import GATE, SESSION, stream_of
from shirube.errors import UnknownName
from shirube.features.guard.insight_results import AnalysisResult, ForgetResult, InsightsResult, StatsResult, ToldRate
from shirube.features.map.code_state import digest_now
from shirube.features.map.insights import analyse, failure_points, fate, last_words, rates, suggestions
from shirube.features.map.learning import prior_of
from shirube.features.map.log import decisions, forget, outcomes, read_facts
from shirube.features.map.records import Outcome
from shirube.features.map.refusals import gate_days, gate_rates, write_rates
from shirube.messages import Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal
    from shirube.features.guard.insight_operations import (
        ForgetRequest,
        InsightsRequest,
        SessionAnalysisRequest,
        StatsRequest,
    )
    from shirube.workspace import Workspace


def get_session_analysis(workspace: "Workspace", request: "SessionAnalysisRequest", call: Call) -> AnalysisResult:
    """Answer the operation of this name."""
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


def get_improvement_insights(workspace: "Workspace", request: "InsightsRequest", call: Call) -> InsightsResult:
    """Answer the operation of this name."""
    journal = workspace.journal
    last = list(last_words(outcomes(journal)).values())[-request.limit :]
    gate = journal.events(GATE)
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
        gate=gate_rates(event.body for event in gate),
        gate_days=gate_days((workspace.moment_of(event.at_ns // 1_000_000_000)[:10], event.body) for event in gate),
        writes=write_rates(_happened(journal, handle) for handle in journal.keys(SESSION)[: request.limit]),
        map_effect=_table(("used" if _by_map(journal, one) else "not used", one) for one in last),
        prior=_told(workspace),
        suggestions=suggestions(last, dict(fates)),
    )


def _happened(journal: "Journal", handle: str) -> Iterable[Mapping[str, Any]]:
    return (event.body for event in journal.events(stream_of(handle)))


def _by_map(journal: "Journal", outcome: Outcome) -> bool:
    facts = read_facts(journal, outcome.session_id)
    return facts is not None and bool(facts.used_agreements)


def _told(workspace: "Workspace") -> Message:
    config = workspace.config.outcomes
    if not config.prior:
        return say("insights.off")
    count = len(prior_of(workspace).lessons)
    if not count:
        return say("insights.nothing_yet", count=config.prior_samples)
    return say("insights.may_move", count=count, share=f"{config.prior:.0%}")


def get_outcome_stats(workspace: "Workspace", request: "StatsRequest", call: Call) -> StatsResult:
    """Answer the operation of this name."""
    told = outcomes(workspace.journal)
    return StatsResult(
        total=len(told),
        by_outcome=dict(Counter(one.outcome.value for one in told)),
        by_intent=_table((one.intent or "unknown", one) for one in told),
        by_phase=_table((one.phase_at_outcome or "unknown", one) for one in told),
        semantic=_table(("used" if one.semantic_used else "not used", one) for one in told),
        automatic=sum(one.automatic for one in told),
        sessions=len({one.session_id for one in told}),
        by_day=_table((one.timestamp[:10] or "unknown", one) for one in sorted(told, key=lambda one: one.timestamp)),
        latest=tuple(_line(one) for one in reversed(told[len(told) - min(request.latest, len(told)) :])),
    )


def _line(one: Outcome) -> ToldRate:
    point = one.analysis.failure_point or one.analysis.root_cause
    return ToldRate(one.session_id, one.outcome.value, one.request, one.timestamp, one.automatic, point)


def _table(rows: Iterable[tuple[str, Outcome]]) -> dict[str, dict[str, int]]:
    table: dict[str, Counter[str]] = {}
    for name, one in rows:
        table.setdefault(name, Counter())[one.outcome.value] += 1
    return {name: dict(counts) for name, counts in table.items()}


def forget_outcomes(workspace: "Workspace", request: "ForgetRequest", call: Call) -> ForgetResult:
    """Answer the operation of this name."""
    return ForgetResult(forget(workspace.journal), say("insights.from_now"))
