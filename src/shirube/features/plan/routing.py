"""The Router of seed 003: a question becomes an execution plan, the plan is run, the decision is recorded."""

from typing import TYPE_CHECKING

from shirube.codec import Record, pack, read_request, shown_json, unpack
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.lookup.results import SearchResult, TextResult
from shirube.features.lookup.symbol_results import DefinitionsResult, ReferencesResult, StructureResult, SymbolsResult
from shirube.features.map.log import read_facts, record_decision
from shirube.features.map.records import Decision
from shirube.features.plan.frame import QueryFrame, Slot, frame_from
from shirube.features.plan.intent import Intent, read_intent
from shirube.features.plan.reading import read_frame
from shirube.features.plan.results import QueryResult, RoutedHit, StepOutput
from shirube.features.plan.route import Context as RouteContext
from shirube.features.plan.route import ExecutionPlan, ExecutionStep, create_plan
from shirube.features.plan.run import cause
from shirube.messages import NOTHING, Message, say
from shirube.operation import OPERATIONS, Call, Context

if TYPE_CHECKING:
    from shirube.engine.graph.found import Reference
    from shirube.features.lookup.results import TextMatch
    from shirube.features.lookup.symbol_results import Defined
    from shirube.features.plan.operations import QueryRequest
    from shirube.workspace import Workspace

LISTED = 20


def query(workspace: "Workspace", request: "QueryRequest", call: Call) -> QueryResult:
    """Answer the operation of this name."""
    if not request.question.strip():
        raise BadArgument("plan.no_question")
    intent, sure = _intent(request)
    frame = _frame(request, intent)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    context = RouteContext(
        indexed=bool(workspace.store.size()) and not notes,
        explored=_explored(workspace, request.session_id),
        symbol=request.symbol,
        file_path=request.file_path,
        path=request.path,
        session_id=request.session_id,
    )
    plan = create_plan(frame, intent, context, workspace.moment())
    record_decision(workspace.journal, unpack(Decision, shown_json(plan.decision_log)))
    outputs, hits = _execute(workspace, plan, call)
    shown = request.show_plan
    return QueryResult(
        question=request.question,
        intent=intent.value,
        intent_confidence=sure,
        reasoning=plan.reasoning if shown else NOTHING,
        needs_bootstrap=plan.needs_bootstrap,
        risk_level=plan.risk_level.value,
        missing_slots=plan.missing_slots,
        slots=tuple(f"{name}: {slot.value}" for name, slot in frame.slots.items()),
        plan=plan.steps if shown else (),
        results=tuple(hits[:LISTED]),
        total_results=len(hits),
        step_outputs=tuple(outputs),
        decision_log=plan.decision_log if shown else None,
        degraded=(*notes, *workspace.notes),
        next=_advice(plan, hits),
    )


def _intent(request: "QueryRequest") -> tuple[Intent, float]:
    if request.intent:
        if request.intent.upper() not in set(Intent):
            raise UnknownName("intent", request.intent, [intent.value for intent in Intent])
        return Intent(request.intent.upper()), 1.0
    reading = read_intent(request.question)
    return reading.intent, reading.confidence


def _frame(request: "QueryRequest", intent: Intent) -> QueryFrame:
    """Return the frame that was sent, filled up by what the words tell."""
    read = read_frame(request.question, intent)
    if request.frame is None:
        return read
    sent = {name: Slot(**one) if one else None for name, one in pack(request.frame).items()}
    frame, wrong = frame_from(request.question, sent)
    if wrong:
        name, fault = next(iter(wrong.items()))
        raise BadArgument("plan.bad_slot", name=name, fault=fault)
    return QueryFrame(request.question, {**read.slots, **frame.slots})


def _explored(workspace: "Workspace", session_id: str) -> bool:
    known = read_facts(workspace.journal, session_id) if session_id else None
    return known is not None and bool(known.explored)


def _execute(workspace: "Workspace", plan: ExecutionPlan, call: Call) -> tuple[list[StepOutput], list[RoutedHit]]:
    """Run the steps one after another; one that fails is recorded and the others go on."""
    outputs: list[StepOutput] = []
    hits: dict[tuple[str, int], RoutedHit] = {}
    for step in sorted(plan.steps, key=lambda one: one.tool != "search"):
        call.deadline.check()
        output, found = _step(workspace, step, call)
        outputs.append(output)
        for hit in found:
            hits.setdefault((hit.path, hit.start_line), hit)
    return outputs, list(hits.values())


def _step(workspace: "Workspace", step: ExecutionStep, call: Call) -> tuple[StepOutput, list[RoutedHit]]:
    operation = OPERATIONS.get(step.tool)
    if operation is None:
        return StepOutput(step.tool, step.reason, "unavailable", 0, say("plan.no_operation")), []
    try:
        result = operation.function(Context(workspace, call), read_request(operation.request, step.arguments))
    except ShirubeError as error:
        call.deadline.check()
        return StepOutput(step.tool, step.reason, "failed", 0, cause(error)), []
    found = [RoutedHit(*place, step.tool) for place in _places(result)]
    return StepOutput(step.tool, step.reason, "ok" if found else "empty", len(found)), found


def _places(result: Record) -> list[tuple[str, int, int, str, str]]:
    """Return what an operation that a route may take has found: file, lines, symbol, text."""
    if isinstance(result, SearchResult):
        hits = (*result.map_hits, *result.forest_hits)
        return [(hit.path, hit.start_line, hit.end_line, hit.symbol, hit.preview) for hit in hits]
    if isinstance(result, TextResult):
        return list(map(_line, result.matches))
    if isinstance(result, SymbolsResult):
        return list(map(_defined, result.symbols))
    if isinstance(result, DefinitionsResult | ReferencesResult):
        uses = result.references if isinstance(result, ReferencesResult) else ()
        return [*map(_defined, result.definitions), *map(_line, uses)]
    if isinstance(result, StructureResult):
        parts = [(file.file, part) for file in result.files for part in file.symbols]
        return [(name, part.start_line, part.end_line, part.name, part.signature) for name, part in parts]
    return []


def _line(one: "TextMatch | Reference") -> tuple[str, int, int, str, str]:
    return one.file, one.line, one.line, one.symbol, one.content


def _defined(one: "Defined") -> tuple[str, int, int, str, str]:
    return one.file, one.start_line, one.end_line, one.name, one.signature


def _advice(plan: ExecutionPlan, hits: list[RoutedHit]) -> Message:
    if hits:
        return say("asking.read_lines", path=hits[0].path, start=hits[0].start_line, end=hits[0].end_line)
    if plan.needs_bootstrap:
        return say("plan.look_around_first", why=plan.decision_log.bootstrap_reason)
    return say("plan.no_places")
