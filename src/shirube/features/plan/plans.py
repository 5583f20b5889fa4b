"""Working towards a goal: ask, compare with what was expected, ask better, remember (seed 002)."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from shirube.codec import pack, plain, replace, unpack
from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup.query_building import check_words
from shirube.features.map.answers import map_notes
from shirube.features.plan.memory import goal_terms, key_of
from shirube.features.plan.presets import Preset
from shirube.features.plan.record import (
    Evaluation,
    EvaluationMode,
    Expectation,
    Found,
    InitialMode,
    Iteration,
    Outcome,
    PlanStatus,
    RefinementMethod,
    Step,
    Stop,
    Strategy,
)
from shirube.features.plan.results import FinalResults, KnowledgePlace, PlanIteration, PlanMetadata, PlanReport
from shirube.messages import Message, say
from shirube.operation import Call
from shirube.types import Judgement

if TYPE_CHECKING:
    from shirube.features.plan.operations import PlanRequest
    from shirube.workspace import Workspace

SHOWN = 10
"""Results of each turn that are kept and shown."""
MARGIN_SECONDS = 1.0
"""A plan ends so much before its caller gives up, so that the caller gets what was found."""
KNOWLEDGE = "knowledge"


def query_plan(workspace: "Workspace", request: "PlanRequest", call: Call) -> PlanReport:
    """Answer the operation of this name."""
    from shirube.features.plan.plan_store import LATEST, PLANS
    from shirube.features.plan.project_access import checked_patterns

    preset = _preset(workspace, request)
    goal = " ".join((request.goal or preset.goal).split())
    _check(workspace, goal, request)
    expected = _expected(request, preset)
    checked_patterns(expected.patterns)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    key = key_of(goal_terms(goal), _options(request, expected))
    latest = None if request.fresh else workspace.journal.get(LATEST, key)
    same = latest is not None and latest.body["generation"] == workspace.generation()
    kept = workspace.journal.get(PLANS, latest.body["planId"]) if latest is not None and same else None
    if kept is not None:
        return _again(kept.body)
    return _made(workspace, replace(request, goal=goal), expected, preset, (key, notes), call)


def _made(
    workspace: "Workspace",
    request: "PlanRequest",
    expected: Expectation,
    preset: Preset,
    known: tuple[str, tuple[Message, ...]],
    call: Call,
) -> PlanReport:
    from shirube.features.plan.plan_store import LATEST, PLANS, remember

    confidences: dict[Step, float] = {}
    outcome = _run(workspace, request, expected, preset, call, confidences)
    plan_id = str(uuid4())
    report = _report(workspace, plan_id, outcome, known[1])
    if outcome.results and request.save is not KnowledgePlace.NONE:
        report = replace(report, structuredKnowledgePath=_write(workspace, request, outcome, plan_id))
    if request.save is KnowledgePlace.PROJECT:
        report = replace(report, savedAt=_write_plan(workspace, report))
    body = pack(report if request.saveIntermediateResults else _lean(report))
    workspace.journal.put(PLANS, plan_id, {**body, "madeAt": workspace.moment(), "terms": goal_terms(request.goal)})
    if outcome.status is not PlanStatus.FAILED and outcome.stopped is not Stop.DEADLINE:
        workspace.journal.put(LATEST, known[0], {"planId": plan_id, "generation": workspace.generation()})
    remember(workspace, plan_id, outcome, confidences)
    return report


def _run(
    workspace: "Workspace",
    request: "PlanRequest",
    expected: Expectation,
    preset: Preset,
    call: Call,
    confidences: dict[Step, float],
) -> Outcome:
    from shirube.features.plan.plan_store import lessons, remembering
    from shirube.features.plan.project_access import world_of
    from shirube.features.plan.run import Judged, make_plan, run_plan

    seconds = min(float(request.timeoutSeconds), max(0.1, call.deadline.left(1e6) - MARGIN_SECONDS))
    deadline = call.deadline.within(seconds)
    world = remembering(workspace, world_of(workspace, request.goal, deadline), request.fresh)
    search = world.search

    def noting(step: Step) -> Found:
        found = search(step)
        confidences[step] = found.confidence
        return found

    world = replace(world, search=noting)
    preferred, avoided = lessons(workspace, request.goal)
    strategy = _strategy(request, preset)
    most = request.maxIterations
    plan = make_plan(
        request.goal,
        expected,
        world,
        Judged(EvaluationMode(request.evaluationMode or preset.evaluation_mode), preset.weights),
        strategy=strategy,
        queries=(*request.initialQueries, *preset.queries),
        max_iterations=most,
        preferred=preferred,
        avoided=avoided,
    )

    def tell(turn: Iteration) -> None:
        step, end = turn.step, turn.error
        end = end or say("plan.sure", score=f"{turn.evaluation.score:.2f}", share=f"{turn.confidence:.0%}")
        call.progress(say("plan.turn", number=turn.number, most=most, text=step.text, why=step.why, end=end), 0, 0)

    return run_plan(plan, world, workspace.config.plan, tell)


# --- what was asked -----------------------------------------------------------------------------------------


def _preset(workspace: "Workspace", request: "PlanRequest") -> Preset:
    from shirube.features.plan.ready_plans import presets

    if not request.preset:
        return Preset("")
    known = presets(workspace)
    if request.preset not in known:
        raise UnknownName("preset", request.preset, known)
    return known[request.preset]


def _check(workspace: "Workspace", goal: str, request: "PlanRequest") -> None:
    check_words("goal", goal, say("plan.say_goal"))
    config = workspace.config
    known = {config.embed.model, workspace.embedder.name, config.store.backend}
    known |= {"sqlite"} if config.store.backend == "embedded" else set()
    if request.provider and request.provider.lower() not in known:
        raise UnknownName("provider", request.provider, known)
    if request.db and request.db not in (":memory:",) and Path(request.db).name not in _index_names(workspace):
        raise BadArgument("plan.not_the_index", name=request.db[:80])
    if request.db == ":memory:" and config.store.backend != "memory":
        raise BadArgument("plan.not_in_memory", generation=workspace.generation())


def _index_names(workspace: "Workspace") -> set[str]:
    folder = workspace.directory
    return {folder.name, *(path.name for path in folder.glob("*.sqlite"))}


def _expected(request: "PlanRequest", preset: Preset) -> Expectation:
    sent = request.expectedResults
    keywords = tuple(dict.fromkeys([*sent.keywords, *preset.keywords]))
    patterns = tuple(dict.fromkeys([*sent.contentPatterns, *preset.patterns]))
    return Expectation(
        keywords=keywords,
        patterns=patterns,
        min_matches=preset.min_matches if sent.minMatches is None else sent.minMatches,
        confidence=preset.confidence if sent.confidence is None else sent.confidence,
        given=bool(keywords),
    )


def _strategy(request: "PlanRequest", preset: Preset) -> Strategy:
    sent = request.strategy
    return Strategy(
        InitialMode(sent.initialMode or preset.initial_mode),
        RefinementMethod(sent.refinementMethod or preset.refinement_method),
        (*sent.expansionRules, *preset.rules),
    )


def _options(request: "PlanRequest", expected: Expectation) -> str:
    """Return what makes two requests for one goal different."""
    kept = pack(request)
    for name in ("goal", "fresh", "save", "topic", "timeoutSeconds", "saveIntermediateResults", "provider", "db"):
        kept.pop(name)
    return json.dumps({**kept, "expected": pack(expected)}, sort_keys=True)


# --- what is returned and kept ------------------------------------------------------------------------------


def judgement(evaluation: Evaluation) -> Judgement:
    """Return an evaluation as it goes over the wire."""
    metrics = evaluation.metrics
    return Judgement(
        score=evaluation.score,
        keywordMatch=metrics.keyword_match,
        patternMatch=metrics.pattern_match,
        semanticSimilarity=metrics.semantic_similarity,
        coverage=round(metrics.coverage, 4),
        precision=metrics.precision,
        recall=metrics.recall,
        feedback=evaluation.feedback,
        suggestions=evaluation.suggestions,
        matched=evaluation.matched,
        unmatched=evaluation.unmatched,
    )


def _report(workspace: "Workspace", plan_id: str, outcome: Outcome, notes: tuple[Message, ...]) -> PlanReport:
    return PlanReport(
        planId=plan_id,
        goal=outcome.goal,
        status=outcome.status,
        stopped=say(f"plan.{outcome.stopped.value}"),
        iterations=tuple(_iteration(turn, outcome) for turn in outcome.iterations),
        finalResults=FinalResults(
            data=outcome.results[:SHOWN],
            confidence=outcome.confidence,
            matchedExpectations=outcome.evaluation.matched,
            unmatchedExpectations=outcome.evaluation.unmatched,
            evaluation=judgement(outcome.evaluation),
        ),
        metadata=PlanMetadata(len(outcome.iterations), outcome.seconds, outcome.cache_hits, outcome.improvement),
        savedAt=f"{workspace.state_directory.name}/journal#plan/{plan_id}",
        errors=outcome.errors,
        degraded=(*notes, *workspace.notes, *map_notes(workspace)),
        next=_advice(outcome),
    )


def _iteration(turn: Iteration, outcome: Outcome) -> PlanIteration:
    return PlanIteration(
        iterationNumber=turn.number,
        query=turn.step.text,
        why=turn.step.why,
        mode=turn.step.mode.value,
        expectedKeywords=outcome.expected.keywords,
        actualResults=turn.results[:SHOWN],
        evaluationScore=turn.evaluation.score,
        evaluation=judgement(turn.evaluation),
        confidence=turn.confidence,
        feedback=turn.evaluation.feedback,
        refinements=turn.refinements,
        error=turn.error,
        cached=turn.cached,
        seconds=turn.seconds,
    )


def _advice(outcome: Outcome) -> Message:
    if outcome.status is PlanStatus.FAILED:
        return say("plan.all_failed" if outcome.errors else "plan.otherwise")
    if not outcome.results:
        return say("plan.more_time")
    first = outcome.results[0]
    place: dict[str, Any] = {"path": first.path, "start": first.start_line, "end": first.end_line}
    if outcome.status is PlanStatus.SUCCESS or not outcome.evaluation.suggestions:
        return say("asking.read_lines", **place)
    return say("plan.read_or", **place, other=outcome.evaluation.suggestions[0])


def _lean(report: PlanReport) -> PlanReport:
    return replace(report, iterations=tuple(replace(turn, actualResults=()) for turn in report.iterations))


def _write(workspace: "Workspace", request: "PlanRequest", outcome: Outcome, plan_id: str) -> str:
    from shirube.engine.store.disk import PageFolder
    from shirube.features.plan.page import knowledge_page

    made_at = workspace.moment()
    topic = request.topic or outcome.goal
    entry = {"goal": outcome.goal, "planId": plan_id, "madeAt": made_at, "confidence": outcome.confidence}
    if request.save is KnowledgePlace.PROJECT:
        pages = PageFolder(workspace.root / ".shirube" / KNOWLEDGE, workspace.root)
    else:
        pages = PageFolder(workspace.state_directory / KNOWLEDGE)
    path = pages.write(topic, knowledge_page(outcome, plan_id, made_at), entry)
    return path.relative_to(workspace.root).as_posix() if request.save is KnowledgePlace.PROJECT else str(path)


def _write_plan(workspace: "Workspace", report: PlanReport) -> str:
    from shirube.engine.store.disk import PageFolder

    pages = PageFolder(workspace.root / ".shirube" / "plans", workspace.root)
    text = json.dumps(plain(report), ensure_ascii=False, indent=1) + "\n"
    entry = {"goal": report.goal, "status": report.status.value, "madeAt": workspace.moment()}
    return pages.write(report.planId, text, entry, ".json").relative_to(workspace.root).as_posix()


def _again(body: dict[str, Any]) -> PlanReport:
    """Return a plan that was made before: every turn of it is a hit of the cache."""
    report = restored(body)
    turns = tuple(replace(turn, cached=True) for turn in report.iterations)
    metadata = replace(report.metadata, cacheHits=len(turns), totalTime=0.0)
    return replace(report, iterations=turns, metadata=metadata)


def restored(body: dict[str, Any]) -> PlanReport:
    """Return a plan from what was kept of it."""
    return unpack(PlanReport, body)
