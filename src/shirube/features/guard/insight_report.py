"""What outcomes of sessions have in common, whether what they wrote survived, and whether learning from it helps."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from shirube.engine.store.disk import GATE, SESSION, stream_of
from shirube.errors import BadArgument, UnknownName, UsageError
from shirube.features.guard import results
from shirube.features.lookup.query_building import SearchInput, query_of
from shirube.features.map import insights
from shirube.features.map.code_state import digest_now
from shirube.features.map.facts import read_facts
from shirube.features.map.learning import Trial, effect, prior_of, replays
from shirube.features.map.records import Outcome, Replay, decisions, forget, last_words, lessons, outcomes
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal
    from shirube.features.guard import insight_operations as operations
    from shirube.workspace import Workspace

DEEP = 20
"""How many files of an answer are looked through: what stands later is not found."""
TRIAL = 0.15
"""The bound that is tried where learning is off."""
MOST_BOUND = 0.5


def get_session_analysis(
    workspace: "Workspace", request: "operations.SessionAnalysisRequest", call: Call
) -> results.AnalysisResult:
    """Answer the operation of this name."""
    journal, handle = workspace.journal, request.session_id
    made, told = decisions(journal, handle), outcomes(journal, handle)
    if not made and not told and read_facts(journal, handle) is None:
        known = {one.session_id for one in decisions(journal)} | {one.session_id for one in outcomes(journal)}
        raise UnknownName("session", handle, known)
    files = told[-1].files if told else ()
    return results.AnalysisResult(
        session_id=handle,
        decision=made[-1] if made else None,
        outcomes=told,
        analysis=insights.analyse(made[-1] if made else None, told),
        files={file.path: insights.fate(file, digest_now(workspace, file.path)).value for file in files},
    )


def get_improvement_insights(
    workspace: "Workspace", request: "operations.InsightsRequest", call: Call
) -> results.InsightsResult:
    """Answer the operation of this name."""
    journal = workspace.journal
    last = list(last_words(outcomes(journal)).values())[-request.limit :]
    gate = journal.events(GATE)
    known = {one.session_id for one in decisions(workspace.journal)}
    fates: Counter[str] = Counter()
    for one in last:
        fates.update(insights.fate(file, digest_now(workspace, file.path)).value for file in one.files)
    return results.InsightsResult(
        total_sessions_with_outcomes=len(last),
        sessions_with_decisions=sum(one.session_id in known for one in last),
        tool_failure_correlation=insights.rates(last, lambda one: one.operations),
        risk_level_correlation=insights.rates(last, lambda one: (one.risk_level,) if one.risk_level else ()),
        common_failure_points=insights.failure_points(last),
        survival=dict(fates.most_common()),
        gate=insights.gate_rates(event.body for event in gate),
        gate_days=insights.gate_days(
            (workspace.moment_of(event.at_ns // 1_000_000_000)[:10], event.body) for event in gate
        ),
        writes=insights.write_rates(
            (event.body for event in journal.events(stream_of(handle)))
            for handle in journal.keys(SESSION)[: request.limit]
        ),
        map_effect=_table(("used" if _by_map(journal, one) else "not used", one) for one in last),
        prior=_told(workspace),
        suggestions=insights.suggestions(last, dict(fates)),
    )


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


def get_outcome_stats(workspace: "Workspace", request: "operations.StatsRequest", call: Call) -> results.StatsResult:
    """Answer the operation of this name."""
    told = outcomes(workspace.journal)
    return results.StatsResult(
        total=len(told),
        by_outcome=dict(Counter(one.outcome.value for one in told)),
        by_intent=_table((one.intent or "unknown", one) for one in told),
        by_phase=_table((one.phase_at_outcome or "unknown", one) for one in told),
        semantic=_table(("used" if one.semantic_used else "not used", one) for one in told),
        automatic=sum(one.automatic for one in told),
        sessions=len({one.session_id for one in told}),
        by_day=_table((one.timestamp[:10] or "unknown", one) for one in sorted(told, key=lambda one: one.timestamp)),
        latest=tuple(map(_line, reversed(told[len(told) - min(request.latest, len(told)) :]))),
    )


def _line(one: Outcome) -> results.ToldRate:
    point = one.analysis.failure_point or one.analysis.root_cause
    return results.ToldRate(one.session_id, one.outcome.value, one.request, one.timestamp, one.automatic, point)


def _table(rows: Iterable[tuple[str, Outcome]]) -> dict[str, dict[str, int]]:
    table: dict[str, Counter[str]] = {}
    for name, one in rows:
        table.setdefault(name, Counter())[one.outcome.value] += 1
    return {name: dict(counts) for name, counts in table.items()}


def forget_outcomes(workspace: "Workspace", request: "operations.ForgetRequest", call: Call) -> results.ForgetResult:
    """Answer the operation of this name."""
    return results.ForgetResult(forget(workspace.journal), say("insights.from_now"))


def get_learning_effect(
    workspace: "Workspace", request: "operations.EffectRequest", call: Call
) -> results.EffectResult:
    """Answer the operation of this name."""
    config = workspace.config.outcomes
    if not 0 <= request.prior <= MOST_BOUND:
        raise BadArgument("insights.prior", value=f"{request.prior:g}", most=MOST_BOUND)
    bound = request.prior or config.prior or TRIAL
    known = lessons(workspace.journal)
    kept = [insights.held(one, lambda path: digest_now(workspace, path)) for one in known]

    def rank(question: str, learned: Mapping[str, float]) -> Sequence[str]:
        call.deadline.check()
        return _ranked(workspace, question, learned)

    found = replays(known, kept, rank, Trial(bound, config.prior_samples, request.limit))
    taught = sum(bool(one.request and (one.files or one.analysis.related_files)) for one in known)
    return results.EffectResult(
        bool(config.prior), bound, effect(found), found, taught, _advice(workspace, found, taught)
    )


def _ranked(workspace: "Workspace", question: str, learned: Mapping[str, float]) -> Sequence[str]:
    """Return the files for a question, best first; a request without words finds none."""
    from shirube.engine.search import Around, search

    try:
        query = query_of(workspace, SearchInput(question, DEEP))
    except UsageError:
        return ()
    around = Around(learned=learned, similar=workspace.meaning.passage, background=workspace.embedder.background)
    found = search(query, workspace.store, workspace.embedder, workspace.config.search, around)
    return list(dict.fromkeys(hit.path for hit in found.hits))


def _advice(workspace: "Workspace", found: Sequence[Replay], taught: int) -> Message:
    if found:
        return NOTHING
    least = workspace.config.outcomes.prior_samples
    if taught < least:
        return say("insights.too_few", count=taught, least=least)
    return say("insights.late")
