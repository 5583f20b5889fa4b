"""Reports what session outcomes have in common, whether their edits survived, and whether learning from them helps."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from shirube.codec import record_from
from shirube.engine.store.disk import GATE, SESSION, stream_of
from shirube.errors import BadArgument, UnknownName, UsageError
from shirube.features.guard import results
from shirube.features.lookup.query_building import SearchInput, query_of
from shirube.features.map import insights
from shirube.features.map.facts import read_facts
from shirube.features.map.learning import Trial, effect, prior_of, replays
from shirube.features.map.records import Outcome, Result, decisions, forget, last_words, lessons, outcomes
from shirube.features.map.written import Fate, Settled, is_undone, settle, without_outcome
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call, NoArguments

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal
    from shirube.features.guard import insight_operations as operations
    from shirube.workspace import Workspace

DEEP = 20
"""How many files of a search result count; a file ranked later counts as not found."""
TRIAL = 0.15
"""The bound on the learned prior that the report tries when learning is off."""
MOST_BOUND = 0.5


def get_session_analysis(
    workspace: "Workspace", request: "operations.SessionAnalysisRequest", call: Call
) -> results.AnalysisResult:
    """Answer the operation of this name."""
    journal, handle = workspace.journal, request.session_id
    decided, reported = decisions(journal, handle), outcomes(journal, handle)
    if not decided and not reported and read_facts(journal, handle) is None:
        known = {one.session_id for one in decisions(journal)} | {one.session_id for one in outcomes(journal)}
        raise UnknownName("session", handle, known)
    files = settle(workspace, reported[-1:] or without_outcome(workspace, [handle])).get(handle, {})
    return results.AnalysisResult(
        session_id=handle,
        decision=decided[-1] if decided else None,
        outcomes=reported,
        analysis=insights.analyse(decided[-1] if decided else None, reported),
        files={path: one.fate.value for path, one in files.items()},
        commits={path: one.commit for path, one in files.items() if one.commit},
    )


def get_improvement_insights(
    workspace: "Workspace", request: "operations.InsightsRequest", call: Call
) -> results.InsightsResult:
    """Answer the operation of this name."""
    journal = workspace.journal
    last = list(last_words(_telling(journal)).values())[-request.limit :]
    gate = journal.events(GATE)
    read = [(outcome, read_facts(journal, outcome.session_id)) for outcome in last]
    known = {decision.session_id for decision in decisions(workspace.journal)}
    told = {outcome.session_id for outcome in outcomes(journal)}
    left = without_outcome(workspace, [key for key in journal.keys(SESSION)[: request.limit] if key not in told])
    settled = settle(workspace, [*last, *left])
    files = [one for found in settled.values() for one in found.values() if one.fate is not Fate.UNWRITTEN]
    undone = sum(item.outcome == Result.SUCCESS and is_undone(settled[item.session_id].values()) for item in last)
    return results.InsightsResult(
        total_sessions_with_outcomes=len(last),
        sessions_with_decisions=sum(outcome.session_id in known for outcome in last),
        tool_failure_correlation=insights.rates(last, lambda outcome: outcome.operations),
        risk_level_correlation=insights.rates(last, lambda item: (item.risk_level,) if item.risk_level else ()),
        common_failure_points=insights.failure_points(last),
        survival=dict(Counter(one.fate.value for one in files).most_common()),
        lines=_lines(files),
        undone=undone,
        gate=insights.gate_rates(event.body for event in gate),
        gate_days=insights.gate_days(
            (workspace.moment_of(event.at_ns // 1_000_000_000)[:10], event.body) for event in gate
        ),
        writes=insights.write_rates(
            (event.body for event in journal.events(stream_of(handle)))
            for handle in journal.keys(SESSION)[: request.limit]
        ),
        map_effect=_table(("used" if facts and facts.used_agreements else "not used", told) for told, facts in read),
        prior=_told(workspace),
        suggestions=insights.suggestions(last, undone),
    )


def _telling(journal: "Journal") -> list[Outcome]:
    """Return the outcomes that tell how work goes; a success of a session that called and wrote nothing does not."""
    return [
        told
        for told in outcomes(journal)
        if told.outcome != Result.SUCCESS
        or told.operations
        or told.files
        or read_facts(journal, told.session_id) is None
    ]


def _lines(files: Iterable[Settled]) -> dict[str, int]:
    """Count written lines by what became of them; those of which git knows nothing yet are left out."""
    counts: Counter[str] = Counter()
    for one in files:
        if one.fate in (Fate.KEPT, Fate.CHANGED, Fate.REVERTED):
            counts[Fate.KEPT.value] += one.kept
            counts[(Fate.REVERTED if one.fate is Fate.REVERTED else Fate.CHANGED).value] += one.lines - one.kept
    return {name: count for name, count in counts.most_common() if count}


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
    reported = _telling(workspace.journal)
    latest = reported[len(reported) - min(request.latest, len(reported)) :]
    by_time = sorted(reported, key=lambda outcome: outcome.timestamp)
    return results.StatsResult(
        total=len(reported),
        by_outcome=dict(Counter(outcome.outcome.value for outcome in reported)),
        by_intent=_table((outcome.intent or "unknown", outcome) for outcome in reported),
        by_phase=_table((outcome.phase_at_outcome or "unknown", outcome) for outcome in reported),
        semantic=_table(("used" if outcome.semantic_used else "not used", outcome) for outcome in reported),
        automatic=sum(outcome.automatic for outcome in reported),
        sessions=len({outcome.session_id for outcome in reported}),
        by_day=_table((outcome.timestamp[:10] or "unknown", outcome) for outcome in by_time),
        latest=tuple(
            record_from(results.ToldRate, item, failure_point=item.analysis.failure_point or item.analysis.root_cause)
            for item in reversed(latest)
        ),
    )


def _table(rows: Iterable[tuple[str, Outcome]]) -> dict[str, dict[str, int]]:
    table: dict[str, Counter[str]] = {}
    for name, outcome in rows:
        table.setdefault(name, Counter())[outcome.outcome.value] += 1
    return {name: dict(counts) for name, counts in table.items()}


def forget_outcomes(workspace: "Workspace", request: NoArguments, call: Call) -> results.ForgetResult:
    """Answer the operation of this name."""
    return results.ForgetResult(forget(workspace.journal), say("insights.from_now"))


def get_learning_effect(
    workspace: "Workspace", request: "operations.EffectRequest", call: Call
) -> results.EffectResult:
    """Answer the operation of this name."""
    from shirube.engine.search import Around, search

    config = workspace.config.outcomes
    if not 0 <= request.prior <= MOST_BOUND:
        raise BadArgument("insights.prior", value=f"{request.prior:g}", most=MOST_BOUND)
    bound = request.prior or config.prior or TRIAL
    known = lessons(workspace.journal)
    settled = settle(workspace, known)
    held = [not is_undone(settled[lesson.session_id].values()) for lesson in known]

    def rank(question: str, learned: Mapping[str, float]) -> Sequence[str]:
        call.deadline.check()
        try:
            query = query_of(workspace, SearchInput(question, DEEP))
        except UsageError:  # the question has no words
            return ()
        around = Around(learned=learned, similar=workspace.meaning.passage, background=workspace.embedder.background)
        found = search(query, workspace.store, workspace.embedder, workspace.config.search, around)
        return list(dict.fromkeys(hit.path for hit in found.hits))

    replayed = replays(known, held, rank, Trial(bound, config.prior_samples, request.limit))
    taught = sum(bool(lesson.request and (lesson.files or lesson.analysis.related_files)) for lesson in known)
    advice, least = NOTHING, config.prior_samples
    if not replayed:
        advice = say("insights.too_few", count=taught, least=least) if taught < least else say("insights.late")
    return results.EffectResult(bool(config.prior), bound, effect(replayed), replayed, taught, advice)
