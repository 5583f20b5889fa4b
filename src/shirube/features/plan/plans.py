"""The operation ``query_plan``: ask, compare with the expectations, ask better, and store the plan (seed 002)."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from shirube.codec import pack, plain, record_from, replace
from shirube.engine.store.disk import PageFolder
from shirube.errors import BadArgument, UnknownName, Unreachable
from shirube.features.lookup.query_building import check_words
from shirube.features.map.answers import map_notes
from shirube.features.plan import plan_store
from shirube.features.plan.evaluate import Judge, goal_words, keywords_of
from shirube.features.plan.presets import Preset, presets
from shirube.features.plan.project_access import checked_patterns, frequencies, matcher, project_access
from shirube.features.plan.record import (
    Evaluation,
    EvaluationMode,
    Expectation,
    InitialMode,
    Iteration,
    PlanOutcome,
    PlanResult,
    PlanStatus,
    RefinementMethod,
    RefinementStrategy,
    StepResults,
    Stop,
)
from shirube.features.plan.results import FinalResults, KnowledgePlace, PlanIteration, PlanMetadata, PlanReport
from shirube.features.plan.run import make_plan, run_plan
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Hit, Judgement

if TYPE_CHECKING:
    from shirube.features.plan.operations import PlanRequest
    from shirube.workspace import Workspace

SHOWN = 10
"""How many results of each turn are stored and shown."""
FOLDERS = {KnowledgePlace.PROJECT: ".shirube", KnowledgePlace.GISTDEX: ".gistdex/cache"}
"""The folders of the project that a plan and its page can be written to: ours, or that of seed 002's program."""
MARGIN_SECONDS = 1.0
"""A plan ends this long before its caller gives up, so that the caller gets what was found."""


def query_plan(workspace: "Workspace", request: "PlanRequest", call: Call) -> PlanReport:
    """Answer the operation of this name."""
    preset = _preset(workspace, request)
    goal = " ".join((request.goal or preset.goal).split())
    _check(workspace, goal, request)
    expected = _expected(request, preset)
    checked_patterns(expected.patterns)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    request = replace(request, goal=goal)
    key = plan_store.key_of(plan_store.goal_terms(goal), _options(request, expected))
    earlier = None if request.fresh else plan_store.latest(workspace, key)
    lesson = plan_store.PlanLesson() if request.fresh else plan_store.lesson(workspace, goal)
    if earlier and earlier.is_final(workspace.generation(), lesson) and _is_saved(request, earlier.report):
        return _again(earlier.report)
    same = earlier is not None and earlier.latest.generation == workspace.generation()
    plan_id = earlier.report.planId if earlier and same else str(uuid4())
    if earlier and earlier.report.status is not PlanStatus.PARTIAL:
        earlier = None
    if earlier:  # it may have been asked in other words, and goes on in its own
        request, plan_id = replace(request, goal=earlier.report.goal), earlier.report.planId
    outcome, memory = _run(workspace, request, _asked(request, expected, preset), earlier, lesson, call)
    if lacks := workspace.store.lacks():  # what is found in a part of the project says nothing of a goal
        raise Unreachable("store.base_needed", error=lacks)
    report = _report(workspace, plan_id, outcome, notes)
    if earlier and same and rank(report) <= rank(earlier.report):
        memory = say("plan.no_surer", turns=len(earlier.report.iterations))
        report = replace(report, status=earlier.report.status, finalResults=earlier.report.finalResults)
    return _kept(workspace, request, outcome, replace(report, memory=memory), plan_store.Latest(key, lesson.key))


def _is_saved(request: "PlanRequest", report: PlanReport) -> bool:
    """Tell whether an earlier run has written what this request wants written."""
    if request.save is not KnowledgePlace.STATE or request.topic:
        return request.save is KnowledgePlace.NONE
    return bool(report.structuredKnowledgePath) or not report.finalResults.data


def rank(made: PlanOutcome | PlanReport) -> tuple[bool, float]:
    """Return by what one run of a plan is better than another: success, then how sure it is, in hundredths."""
    final = made.finalResults if isinstance(made, PlanReport) else made
    return made.status is PlanStatus.SUCCESS, round(final.confidence, 2)


def _asked(request: "PlanRequest", expected: Expectation, preset: Preset) -> dict[str, Any]:
    """Return what a plan is made of."""
    sent = request.strategy
    return {
        "expected": expected,
        "mode": EvaluationMode(request.evaluation_mode or preset.evaluation_mode),
        "weights": preset.weights,
        "strategy": RefinementStrategy(
            InitialMode(sent.initial_mode or preset.initial_mode),
            RefinementMethod(sent.refinement_method or preset.refinement_method),
            (*sent.expansion_rules, *preset.rules),
        ),
        "queries": (*request.initial_queries, *preset.queries),
    }


def _run(
    workspace: "Workspace",
    request: "PlanRequest",
    asked: dict[str, Any],
    earlier: "plan_store.EarlierPlan | None",
    lesson: "plan_store.PlanLesson",
    call: Call,
) -> tuple[PlanOutcome, Message]:
    """Run a plan; where it does not succeed, also as earlier runs teach, and return the better with what it owes them.

    A plan that ended before its goal goes on: the turns that it has made are taken from memory.
    """
    seconds = min(float(request.timeout_seconds), max(0.1, call.deadline.left(1e6) - MARGIN_SECONDS))
    access = project_access(workspace, request.goal, call.deadline.within(seconds))
    access = plan_store.remembering(workspace, access, request.fresh)
    made = len(earlier.report.iterations) if earlier else 0
    plan = make_plan(request.goal, access=access, max_iterations=made + request.max_iterations, made=made, **asked)

    def tell(turn: Iteration) -> None:
        step, end = turn.step, turn.error
        end = end or say("plan.sure", score=f"{turn.evaluation.score:.2f}", share=f"{turn.confidence:.0%}")
        most = plan.max_iterations
        call.progress(say("plan.turn", number=turn.number, most=most, text=step.text, why=step.why, end=end), 0, 0)

    outcome = run_plan(plan, access, workspace.config.plan, tell)
    memory = say("plan.went_on", turns=made) if made else NOTHING
    if outcome.status is PlanStatus.SUCCESS or not lesson.preferred or access.late():
        return outcome, memory
    taught = replace(plan, preferred=lesson.preferred, avoided=lesson.avoided)
    other = run_plan(taught, access, workspace.config.plan)
    if rank(other) <= rank(outcome):
        return outcome, memory
    sure = {"before": f"{outcome.confidence:.2f}", "after": f"{other.confidence:.2f}"}
    return other, say("plan.learned", **sure, rules=[template.rule for template in lesson.templates])


def _kept(
    workspace: "Workspace", request: "PlanRequest", outcome: PlanOutcome, report: PlanReport, latest: plan_store.Latest
) -> PlanReport:
    """Write the requested pages, store the plan, and return the report with the paths of the pages."""
    if outcome.results and request.save is not KnowledgePlace.NONE:
        report = replace(report, structuredKnowledgePath=_write_page(workspace, request, outcome, report.planId))
    if request.save in FOLDERS:
        name, folder = f"{report.planId}.json", f"{FOLDERS[request.save]}/plans"
        report = replace(report, savedAt=f"{folder}/{name}")
        text = json.dumps(plain(report), ensure_ascii=False, indent=1) + "\n"
        entry = {"goal": report.goal, "status": report.status.value, "madeAt": workspace.moment()}
        PageFolder(workspace.root / folder, workspace.root).write(report.planId, text, entry, name)
    lean = replace(report, iterations=tuple(replace(turn, actualResults=()) for turn in report.iterations))
    body = pack(report if request.save_intermediate_results else lean)
    body |= {"madeAt": workspace.moment(), "terms": plan_store.goal_terms(request.goal)}
    workspace.journal.put(plan_store.PLANS, report.planId, body)
    if outcome.status is not PlanStatus.FAILED:
        done, generation = outcome.stopped is Stop.NOTHING_NEW, workspace.generation()
        latest = replace(latest, planId=report.planId, done=done, generation=generation)
        workspace.journal.put(plan_store.LATEST, latest.key, pack(latest))
    plan_store.remember(workspace, report.planId, outcome)
    return report


# --- what was asked -----------------------------------------------------------------------------------------


def _preset(workspace: "Workspace", request: "PlanRequest") -> Preset:
    if not request.preset:
        return Preset("")
    known, _ = presets(workspace)
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
    if request.db == ":memory:":
        if config.store.backend != "memory":
            raise BadArgument("plan.not_in_memory", generation=workspace.generation())
    elif request.db:
        files = {workspace.directory.name, *(path.name for path in workspace.directory.glob("*.sqlite"))}
        if Path(request.db).name not in files:
            raise BadArgument("plan.not_the_index", name=request.db[:80])


def _expected(request: "PlanRequest", preset: Preset) -> Expectation:
    sent = request.expected_results
    keywords = tuple(dict.fromkeys([*sent.keywords, *preset.keywords]))
    patterns = tuple(dict.fromkeys([*sent.content_patterns, *preset.patterns]))
    return Expectation(
        keywords=keywords,
        patterns=patterns,
        min_matches=preset.min_matches if sent.min_matches is None else sent.min_matches,
        confidence=preset.confidence if sent.confidence is None else sent.confidence,
        given=bool(keywords),
    )


def _options(request: "PlanRequest", expected: Expectation) -> str:
    """Return the options that distinguish two requests for one goal, as a key."""
    options = pack(request)
    for name in ("goal", "fresh", "save", "topic", "timeout_seconds", "save_intermediate_results", "provider", "db"):
        options.pop(name)
    return json.dumps({**options, "expected": pack(expected)}, sort_keys=True)


# --- what is returned and kept ------------------------------------------------------------------------------


def judgement(evaluation: Evaluation) -> Judgement:
    """Return an evaluation in the form that results show."""
    metrics = evaluation.metrics
    return record_from(
        Judgement,
        evaluation,
        keywordMatch=metrics.keyword_match,
        patternMatch=metrics.pattern_match,
        semanticSimilarity=metrics.semantic_similarity,
        coverage=round(metrics.coverage, 4),
        precision=metrics.precision,
        recall=metrics.recall,
    )


def _report(workspace: "Workspace", plan_id: str, outcome: PlanOutcome, notes: tuple[Message, ...]) -> PlanReport:
    return record_from(
        PlanReport,
        outcome,
        planId=plan_id,
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
        savedAt=f"shirube plans show {plan_id}",
        degraded=(*notes, *workspace.notes, *map_notes(workspace)),
        next=_advice(outcome),
    )


def _iteration(turn: Iteration, outcome: PlanOutcome) -> PlanIteration:
    return record_from(
        PlanIteration,
        turn,
        iterationNumber=turn.number,
        query=turn.step.text,
        why=turn.step.why,
        mode=turn.step.mode.value,
        expectedKeywords=outcome.expected.keywords,
        actualResults=turn.results[:SHOWN],
        evaluationScore=turn.evaluation.score,
        evaluation=judgement(turn.evaluation),
        feedback=turn.evaluation.feedback,
    )


def _advice(outcome: PlanOutcome) -> Message:
    if outcome.status is PlanStatus.FAILED:
        return say("plan.all_failed" if outcome.errors else "plan.otherwise")
    if not outcome.results:
        return say("plan.more_time")
    first = outcome.results[0]
    place: dict[str, Any] = {"path": first.path, "start": first.start_line, "end": first.end_line}
    if outcome.status is PlanStatus.SUCCESS or not outcome.evaluation.suggestions:
        return say("asking.read_lines", **place)
    return say("plan.read_or", **place, other=outcome.evaluation.suggestions[0])


def _write_page(workspace: "Workspace", request: "PlanRequest", outcome: PlanOutcome, plan_id: str) -> str:
    made_at = workspace.moment()
    entry = {"goal": outcome.goal, "planId": plan_id, "madeAt": made_at, "confidence": outcome.confidence}
    in_project = FOLDERS.get(request.save)
    folder = workspace.root / in_project if in_project else workspace.state_directory
    pages = PageFolder(folder / plan_store.KNOWLEDGE, workspace.root if in_project else None)
    path = pages.write(request.topic or outcome.goal, knowledge_page(outcome, plan_id, made_at), entry)
    return path.relative_to(workspace.root).as_posix() if in_project else str(path)


def _again(report: PlanReport) -> PlanReport:
    """Return the report of an earlier plan, with every turn marked as a cache hit."""
    turns = tuple(replace(turn, cached=True) for turn in report.iterations)
    metadata = replace(report.metadata, cacheHits=len(turns), totalTime=0.0)
    return replace(report, iterations=turns, metadata=metadata)


# --- the page of knowledge ----------------------------------------------------------------------------------


def knowledge_page(outcome: PlanOutcome, plan_id: str, made_at: str) -> str:
    """Return the Markdown page of a plan: the goal, the results, the confidence, and how they were found."""
    head = [
        "---",
        f"plan_id: {plan_id}",
        f"made_at: {made_at}",
        f"status: {outcome.status.value}",
        f"confidence: {outcome.confidence}",
        "---",
        "",
        f"# {_line(outcome.goal)}",
        "",
        f"{outcome.status.value}, {outcome.confidence:.0%} sure of the first place. {outcome.evaluation.feedback}",
    ]
    expected = [
        f"- found: {', '.join(map(_line, outcome.evaluation.matched)) or 'nothing'}",
        f"- not found: {', '.join(map(_line, outcome.evaluation.unmatched)) or 'nothing'}",
    ]
    places = []
    for result in outcome.results[:SHOWN]:
        name = f" `{_line(result.symbol)}`" if result.symbol else ""
        # The fence must be longer than any run of backticks in the text it encloses.
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", result.preview)), default=0))
        places += [f"### {_line(result.path)}:{result.start_line}-{result.end_line}{name}", ""]
        places += [f"{fence}{result.language}", result.preview, fence, ""]
    turns = []
    for turn in outcome.iterations:
        score, end = f"{turn.evaluation.score:.2f}", _line(turn.error or turn.evaluation.feedback)
        turns.append(f"{turn.number}. {_line(turn.step.text)} ({turn.step.why}): {score}. {end}")
    return "\n".join(
        [*head, "", "## Expected", "", *expected, "", "## Places", "", *places, "## Turns", "", *turns, ""]
    )


def _line(text: str) -> str:
    return " ".join(text.split())


# --- one search, judged as a plan judges its turns ----------------------------------------------------------


def judged_hits(
    workspace: "Workspace", query: str, keywords: tuple[str, ...], hits: tuple[Hit, ...], plan_id: str = ""
) -> Judgement:
    """Return a judgement of the hits; with a plan's id, also store the score with that plan."""
    if plan_id and workspace.journal.get(plan_store.PLANS, plan_id) is None:
        raise UnknownName("plan", plan_id, [item.key for item in workspace.journal.documents(plan_store.PLANS)])
    words = keywords or goal_words(query)
    expected = Expectation(keywords=words, given=bool(keywords))
    judge = Judge(expected, keywords_of(words, lambda terms: frequencies(workspace, terms)), matcher)
    results = tuple(
        PlanResult(hit.path, hit.start_line, hit.end_line, hit.symbol, hit.kind, similarity=hit.similarity)
        for hit in hits
    )
    evaluation = judge.evaluate(StepResults(results, plan_store.texts_of(workspace, results)))
    if plan_id:
        answer = plan_store.StoredAnswer(query, plan_id, evaluation.score, (), workspace.generation(), 0.0, ())
        workspace.journal.put(f"{plan_store.ANSWERS} by hand", plan_store.key_of(plan_id, query), pack(answer))
    return judgement(evaluation)
