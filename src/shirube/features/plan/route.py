"""The Router: from an intent and a frame to the operations that would answer, with the reasons on record."""

from collections.abc import Mapping

from msgspec import Struct

from shirube.features.plan.frame import QueryFrame, Risk, assess_risk
from shirube.features.plan.intent import Intent
from shirube.messages import NOTHING, Message, say

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
"""What an intent puts first; IMPLEMENT wants all, QUESTION as little as possible."""
PHASES: Mapping[Intent, tuple[str, ...]] = {
    Intent.IMPLEMENT: ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY"),
    Intent.MODIFY: ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY"),
    Intent.INVESTIGATE: ("EXPLORATION", "READY"),
    Intent.QUESTION: ("READY",),
}


class Context(Struct, frozen=True):
    """What the Router knows besides the request."""

    indexed: bool = True
    """Whether the index covers the project as it is."""
    explored: bool = False
    """Whether anything was explored already."""
    symbol: str = ""
    file_path: str = ""
    path: str = ""
    session_id: str = ""


class ExecutionStep(Struct, frozen=True):
    """One operation to run, and why."""

    tool: str
    arguments: Mapping[str, str] = {}
    reason: Message = NOTHING


class DecisionLog(Struct, frozen=True):
    """What was decided, for those who learn from it later; the names are seed 003's."""

    query: str
    timestamp: str
    intent: str
    required_phases: tuple[str, ...]
    missing_slots: tuple[str, ...]
    risk_level: str
    tools_planned: tuple[str, ...]
    needs_bootstrap: bool
    bootstrap_reason: Message
    session_id: str


class ExecutionPlan(Struct, frozen=True):
    """What will be run for a question."""

    steps: tuple[ExecutionStep, ...]
    reasoning: Message
    needs_bootstrap: bool
    intent: Intent
    risk_level: Risk
    missing_slots: tuple[str, ...]
    decision_log: DecisionLog


def create_plan(frame: QueryFrame, intent: Intent, context: Context, timestamp: str = "") -> ExecutionPlan:
    """Choose the operations for a question: what would fill its open slots, in the order its intent asks for."""
    missing = frame.missing
    risk = assess_risk(intent, frame)
    reason = _bootstrap(frame, context)
    steps = tuple(_steps(select_tools(frame, intent), frame, context))
    log = DecisionLog(
        query=frame.raw_query,
        timestamp=timestamp,
        intent=intent.value,
        required_phases=PHASES[intent],
        missing_slots=missing,
        risk_level=risk.value,
        tools_planned=tuple(dict.fromkeys(step.tool for step in steps)),
        needs_bootstrap=bool(reason),
        bootstrap_reason=reason,
        session_id=context.session_id,
    )
    return ExecutionPlan(steps, _reasoning(intent, frame, risk, reason), bool(reason), intent, risk, missing, log)


def select_tools(frame: QueryFrame, intent: Intent) -> tuple[str, ...]:
    """Return the operations by name: those of the intent, then those of the open slots; ``query`` is ``search``.

    The Router cannot answer by asking itself, so where seed 003 says ``query`` the ranked search is meant.
    """
    if intent is Intent.QUESTION:
        names = FIRST[intent]
    elif intent is Intent.IMPLEMENT:
        names = ALL_TOOLS
    else:
        names = (*FIRST[intent], *(tool for slot in frame.missing for tool in SLOT_TOOLS[slot]))
    own = ("search" if name == "query" else name for name in names)
    return tuple(dict.fromkeys([*own, "search"]))


def _steps(tools: tuple[str, ...], frame: QueryFrame, context: Context) -> "list[ExecutionStep]":
    target = context.symbol or frame.value("target_feature")
    issue = frame.value("observed_issue") or frame.value("trigger_condition")
    scope = {"path": context.path} if context.path else {}
    made: Mapping[str, tuple[dict[str, str], Message]] = {
        "search": ({"query": frame.raw_query, **scope}, say("plan.likely")),
        "find_definitions": ({"symbol": target, **scope}, say("plan.where_defined", name=target)),
        "find_references": ({"symbol": target, **scope}, say("plan.who_uses", name=target)),
        "get_symbols": ({"path": context.file_path}, say("plan.file_defines")),
        "search_text": ({"patterns": issue, **scope}, say("plan.where_written", text=issue)),
        "analyze_structure": ({"path": context.file_path or context.path}, say("plan.how_built")),
    }
    return [ExecutionStep(tool, *made[tool]) for tool in tools if all(made[tool][0].values())]


def _bootstrap(frame: QueryFrame, context: Context) -> Message:
    if not context.indexed:
        return say("plan.not_indexed")
    if "target_feature" in frame.missing and not context.explored and not context.symbol:
        return say("plan.no_target")
    return NOTHING


def _reasoning(intent: Intent, frame: QueryFrame, risk: Risk, bootstrap: Message) -> Message:
    known = [say("plan.slot", name=name, value=frame.value(name)) for name in frame.slots] or say("plan.no_slot")
    missing = frame.missing or say("plan.no_slot")
    said = say("plan.reasoning", intent=intent.value, risk=risk.value, known=known, missing=missing)
    return say("plan.then", first=said, second=say("plan.look_around", why=bootstrap)) if bootstrap else said
