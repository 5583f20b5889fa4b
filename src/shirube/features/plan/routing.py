"""The Router of seed 003: turns a question into an execution plan, runs it, and records the decision."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import Record, pack, read_request, record_from, replace, shown_json, unpack
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.lookup.coverage import is_current
from shirube.features.lookup.results import SearchResult, TextResult
from shirube.features.lookup.symbol_results import DefinitionsResult, ReferencesResult, StructureResult, SymbolsResult
from shirube.features.map.facts import read_facts
from shirube.features.map.records import Decision, add_record
from shirube.features.plan.anchor import Anchor, anchor_of
from shirube.features.plan.frame import Intent, QueryFrame, Slot, assess_risk, frame_from
from shirube.features.plan.reading import read_frame, read_intent
from shirube.features.plan.results import DecisionLog, ExecutionStep, QueryResult, RoutedHit, StepOutput
from shirube.features.plan.run import cause
from shirube.features.plan.sense import cosine_of
from shirube.messages import NOTHING, Message, say
from shirube.operation import OPERATIONS, Call, Context

if TYPE_CHECKING:
    from shirube.engine.embed.port import Embedder
    from shirube.engine.graph.found import Reference
    from shirube.features.lookup.results import TextMatch
    from shirube.features.lookup.symbol_results import Defined
    from shirube.features.plan.operations import QueryRequest
    from shirube.workspace import Workspace

SLOT_TOOLS: Mapping[str, tuple[str, ...]] = {
    "target_feature": ("find_definitions", "get_symbols"),
    "trigger_condition": ("search_text",),
    "observed_issue": ("search_text", "query"),
    "desired_action": ("find_references", "analyze_structure"),
}
"""Which operations fill an open slot (seed 003)."""
ALL_TOOLS = ("search", "find_definitions", "find_references", "get_symbols", "search_text", "analyze_structure")
FIRST: Mapping[Intent, tuple[str, ...]] = {
    Intent.IMPLEMENT: (),
    Intent.MODIFY: ("find_references",),
    Intent.INVESTIGATE: ("search", "analyze_structure"),
    Intent.QUESTION: ("search",),
}
"""The operations an intent puts first; IMPLEMENT uses all tools, QUESTION as few as possible."""
PHASES: Mapping[Intent, tuple[str, ...]] = {
    Intent.IMPLEMENT: ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY"),
    Intent.MODIFY: ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY"),
    Intent.INVESTIGATE: ("EXPLORATION", "READY"),
    Intent.QUESTION: ("READY",),
}

LISTED = 20


class RouteContext(Struct, frozen=True):
    """What the Router knows in addition to the request."""

    indexed: bool = True
    """Whether the index covers the current project."""
    explored: bool = False
    """Whether anything was explored already."""
    symbol: str = ""
    file_path: str = ""
    path: str = ""
    session_id: str = ""
    anchor: Anchor = Anchor()
    """What the request leads to."""


class ExecutionPlan(Struct, frozen=True):
    """What will be run for a question."""

    steps: tuple[ExecutionStep, ...]
    reasoning: Message
    decision_log: DecisionLog


def create_plan(frame: QueryFrame, intent: Intent, context: RouteContext, timestamp: str = "") -> ExecutionPlan:
    """Choose the operations for a question: those that fill its open slots, in the order its intent requires."""
    risk, reason = assess_risk(intent, frame), NOTHING
    if not context.indexed:
        reason = say("plan.not_indexed")
    elif "target_feature" in frame.missing and not context.explored and not context.symbol:
        reason = say("plan.no_target")
    given = {"find_definitions": context.symbol, "find_references": context.symbol}
    given |= {"get_symbols": context.file_path, "analyze_structure": context.file_path}
    tools = dict.fromkeys([*(tool for tool, about in given.items() if about), *select_tools(frame, intent)])
    steps = tuple(_steps(tuple(tools), frame, context))
    log = DecisionLog(
        query=frame.raw_query,
        timestamp=timestamp,
        intent=intent.value,
        required_phases=PHASES[intent],
        missing_slots=frame.missing,
        risk_level=risk.value,
        tools_planned=tuple(dict.fromkeys(step.tool for step in steps)),
        needs_bootstrap=bool(reason),
        bootstrap_reason=reason,
        session_id=context.session_id,
    )
    known = [say("plan.slot", name=name, value=frame.value(name)) for name in frame.slots] or say("plan.no_slot")
    missing = frame.missing or say("plan.no_slot")
    reasons = say("plan.reasoning", intent=intent.value, risk=risk.value, known=known, missing=missing)
    if reason:
        reasons = say("plan.then", first=reasons, second=say("plan.look_around", why=reason))
    return ExecutionPlan(steps, reasons, log)


def select_tools(frame: QueryFrame, intent: Intent) -> tuple[str, ...]:
    """Return the names of the operations: those of the intent, then those of the open slots.

    ``query`` becomes ``search``, because ``query`` is the Router itself.
    """
    if intent is Intent.QUESTION:
        names = FIRST[intent]
    elif intent is Intent.IMPLEMENT:
        names = ALL_TOOLS
    else:
        names = (*FIRST[intent], *(tool for slot in frame.missing for tool in SLOT_TOOLS[slot]))
    own = ("search" if name == "query" else name for name in names)
    return tuple(dict.fromkeys([*own, "search"]))


def _steps(tools: tuple[str, ...], frame: QueryFrame, context: RouteContext) -> "list[ExecutionStep]":
    name, file, literal = context.anchor.name, context.anchor.path, context.anchor.literal
    scope = {"path": context.path} if context.path else {}
    made: Mapping[str, tuple[dict[str, str], Message]] = {
        "search": ({"query": frame.raw_query, **scope}, say("plan.likely")),
        "find_definitions": ({"symbol": name, **scope}, say("plan.where_defined", name=name)),
        "find_references": ({"symbol": name, **scope}, say("plan.who_uses", name=name)),
        "get_symbols": ({"path": file}, say("plan.file_defines", path=file)),
        "search_text": ({"patterns": literal, **scope}, say("plan.where_written", text=literal)),
        "analyze_structure": ({"path": file or context.path}, say("plan.how_built", path=file or context.path)),
    }
    return [ExecutionStep(tool, *made[tool]) for tool in tools if all(made[tool][0].values())]


def query(workspace: "Workspace", request: "QueryRequest", call: Call) -> QueryResult:
    """Answer the operation of this name."""
    if not request.question.strip():
        raise BadArgument("plan.no_question")
    intent, sure = _intent(request)
    frame, doubts = _frame(request, intent, workspace.embedder)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    known = read_facts(workspace.journal, request.session_id) if request.session_id else None
    indexed, explored = bool(workspace.store.size()) and is_current(notes), known is not None and bool(known.explored)
    given = Anchor(request.symbol, request.file_path)
    try:
        anchor = anchor_of(workspace, frame, given) if indexed else given
    except ShirubeError:  # what cannot be searched for is told by the step that tries to
        call.deadline.check()
        anchor = given
    context = record_from(RouteContext, request, indexed=indexed, explored=explored, anchor=anchor)
    plan = create_plan(frame, intent, context, workspace.moment())
    decision = plan.decision_log
    add_record(workspace.journal, unpack(Decision, shown_json(decision)))
    outputs, hits = _execute(workspace, plan, call)
    shown = request.show_plan
    return record_from(
        QueryResult,
        decision,
        question=request.question,
        intent_confidence=sure,
        reasoning=plan.reasoning if shown else NOTHING,
        slots=tuple(f"{name}: {slot.value}" for name, slot in frame.slots.items()),
        plan=plan.steps if shown else (),
        results=tuple(hits[:LISTED]),
        total_results=len(hits),
        step_outputs=tuple(outputs),
        decision_log=decision if shown else None,
        degraded=(*notes, *workspace.notes, *doubts),
        next=_advice(plan, hits),
    )


def _intent(request: "QueryRequest") -> tuple[Intent, float]:
    if request.intent:
        if request.intent.upper() not in set(Intent):
            raise UnknownName("intent", request.intent, [intent.value for intent in Intent])
        return Intent(request.intent.upper()), 1.0
    reading = read_intent(request.question)
    return reading.intent, reading.confidence


def _frame(request: "QueryRequest", intent: Intent, embedder: "Embedder") -> tuple[QueryFrame, list[Message]]:
    """Return the frame that was sent, filled up by what the words tell, and what is doubtful about it."""
    read = read_frame(request.question, intent)
    if request.frame is None:
        return read, []
    sent = {name: Slot(**one) if one else None for name, one in pack(request.frame).items()}
    frame, doubts = frame_from(request.question, sent, cosine=cosine_of(embedder))
    notes = [say("session.of", name=name, reason=doubt) for name, doubt in doubts.items()]
    return replace(read, slots={**read.slots, **frame.slots}), notes


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
    if plan.decision_log.needs_bootstrap:
        return say("plan.look_around_first", why=plan.decision_log.bootstrap_reason)
    return say("plan.no_places")
