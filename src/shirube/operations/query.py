"""The Router of seed 003: a question becomes an execution plan, the plan is run, the decision is recorded."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shirube.codec.arguments import read_request
from shirube.codec.wire import pack, shown_json
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.operations.declare import OPERATIONS, Call, Context
from shirube.operations.results.plan import QueryResult, RoutedHit, StepOutput
from shirube.outcomes.log import record_decision
from shirube.outcomes.records import Decision
from shirube.plan.frame import QueryFrame, Slot, frame_from
from shirube.plan.intent import Intent, read_intent
from shirube.plan.reading import read_frame
from shirube.plan.route import Context as RouteContext
from shirube.plan.route import ExecutionPlan, ExecutionStep, create_plan

if TYPE_CHECKING:
    from shirube.operations.declared.plan import QueryRequest
    from shirube.workspace import Workspace

LISTED = 20


def query(workspace: "Workspace", request: "QueryRequest", call: Call) -> QueryResult:
    """Answer the operation of this name."""
    if not request.question.strip():
        raise BadArgument("the question is empty", "say what you want to know or do")
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
    record_decision(workspace.journal, Decision(**asdict(plan.decision_log)))
    outputs, hits = _execute(workspace, plan, call)
    shown = request.show_plan
    return QueryResult(
        question=request.question,
        intent=intent.value,
        intent_confidence=sure,
        reasoning=plan.reasoning if shown else "",
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
        raise BadArgument(f"{name}: {fault}", "quote the words of the question, or leave the slot out")
    return QueryFrame(request.question, {**read.slots, **frame.slots})


def _explored(workspace: "Workspace", session_id: str) -> bool:
    from shirube.operations.facts import facts

    return bool(session_id and facts(workspace, session_id).explored)


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
        return StepOutput(step.tool, step.reason, "unavailable", 0, "this operation is not part of the program"), []
    try:
        request = read_request(operation.request, step.arguments)
        result = shown_json(operation.function(Context(workspace, call), request))
    except ShirubeError as error:
        call.deadline.check()
        return StepOutput(step.tool, step.reason, "failed", 0, str(error)), []
    found = [hit for row in _rows(result) if (hit := _hit(row, step.tool))]
    return StepOutput(step.tool, step.reason, "ok" if found else "empty", len(found)), found


_LISTS = ("map_hits", "forest_hits", "matches", "definitions", "references", "symbols", "results", "functions")


def _rows(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the places in any operation's answer, under whichever name it lists them."""
    own = str(result.get("path") or result.get("file") or "")
    rows = [row for name in _LISTS for row in result.get(name) or () if isinstance(row, Mapping)]
    return [{"path": own, **row} for row in rows]


def _hit(row: Mapping[str, Any], tool: str) -> RoutedHit | None:
    path = row.get("path") or row.get("file")
    line = row.get("start_line") or row.get("line") or row.get("line_number")
    if not path or not isinstance(line, int):
        return None
    symbol = str(row.get("symbol") or row.get("name") or "")
    content = str(row.get("preview") or row.get("content") or row.get("line_content") or row.get("signature") or "")
    return RoutedHit(str(path), line, int(row.get("end_line") or line), symbol, content, tool)


def _advice(plan: ExecutionPlan, hits: list[RoutedHit]) -> str:
    if plan.needs_bootstrap and not hits:
        return f"look around first: {plan.decision_log.bootstrap_reason}"
    if not hits:
        return "nothing was found; say it in other words, or make a plan: query_plan"
    return f"read {hits[0].path}:{hits[0].start_line}-{hits[0].end_line}"
