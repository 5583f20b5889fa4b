"""What the operations of group ``plan`` return."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from shirube.codec import Record, Shown, ShownPlace, symbol_of
from shirube.features.plan.record import PlanResult, PlanStatus
from shirube.messages import NOTHING, Message
from shirube.types import Judgement


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


class RoutedHit(Record):
    """A place that a step found; the first step that found it is named."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    content: str
    tool: str


class StepOutput(Record):
    """What one step brought."""

    tool: str
    reason: Message
    status: str
    """ok, empty, failed, or unavailable."""
    found: int
    message: Message = NOTHING


class QueryResult(Record):
    """What ``query`` returns, in seed 003's shape."""

    question: str
    intent: str
    intent_confidence: float
    reasoning: Message
    needs_bootstrap: bool
    risk_level: str
    missing_slots: tuple[str, ...]
    slots: tuple[str, ...]
    """What the slots say, as ``name: value``."""
    plan: tuple[ExecutionStep, ...]
    results: tuple[RoutedHit, ...]
    total_results: int
    step_outputs: tuple[StepOutput, ...]
    decision_log: DecisionLog | None
    degraded: tuple[Message, ...] = ()
    next: Message = NOTHING

    def shown(self) -> Shown:
        """Return every place that is listed."""
        return Shown(tuple(ShownPlace(hit.path, hit.start_line, hit.end_line, hit.symbol) for hit in self.results))


class PlanIteration(Record):
    """One turn."""

    iterationNumber: int
    query: str
    why: Message
    mode: str
    expectedKeywords: tuple[str, ...]
    actualResults: tuple[PlanResult, ...]
    evaluationScore: float
    evaluation: Judgement
    confidence: float
    feedback: Message
    refinements: tuple[Message, ...]
    error: Message = NOTHING
    cached: bool = False
    seconds: float = 0.0


class FinalResults(Record):
    """The results of all turns, fused."""

    data: tuple[PlanResult, ...]
    confidence: float
    matchedExpectations: tuple[str, ...]
    unmatchedExpectations: tuple[str, ...]
    evaluation: Judgement


class PlanMetadata(Record):
    """What it took."""

    totalIterations: int
    totalTime: float
    cacheHits: int
    improvementRate: float


class PlanReport(Record):
    """What ``query_plan`` returns, in seed 002's shape."""

    planId: str
    goal: str
    status: PlanStatus
    stopped: Message
    """Why no further question was asked."""
    iterations: tuple[PlanIteration, ...]
    finalResults: FinalResults
    metadata: PlanMetadata
    savedAt: str
    structuredKnowledgePath: str = ""
    errors: tuple[Message, ...] = ()
    degraded: tuple[Message, ...] = ()
    memory: Message = NOTHING
    """What earlier runs had a part in: that it went on behind one, or a rule that was learned and what it gained."""
    next: Message = NOTHING

    def shown(self) -> Shown:
        """Return the places of every turn, then those of all turns fused."""
        results = [result for turn in self.iterations for result in turn.actualResults] + [*self.finalResults.data]
        places = [(result, symbol_of(result.kind, result.symbol)) for result in results]
        return Shown(tuple(ShownPlace(one.path, one.start_line, one.end_line, symbol) for one, symbol in places))


class PlanPage(PlanReport):
    """A plan with some of its turns; ``metadata`` says how many there are."""

    truncated: bool = False
    next_cursor: str = ""


class KeptPlan(PlanReport):
    """A plan as the journal keeps it."""

    madeAt: str = ""
    terms: tuple[str, ...] = ()
    """What its goal is about."""


class PlanLine(Record):
    """A plan in a list."""

    planId: str
    goal: str
    status: str
    confidence: float
    iterations: int
    madeAt: str
    first: str
    """The first result."""


class PlanList(Record):
    """The plans, the last one first."""

    plans: tuple[PlanLine, ...]
    total: int
    truncated: bool
    next_cursor: str = ""
    next: Message = NOTHING


class PresetLine(Record):
    """A preset with its measure of a good answer."""

    name: str
    description: Message
    source: Message
    keywords: tuple[str, ...]
    contentPatterns: tuple[str, ...]
    minMatches: int
    confidence: float
    evaluationMode: str
    expansionRules: tuple[str, ...]
    weights: tuple[str, ...]
    """What each of the six measures counts, as ``name=weight``."""


class PresetList(Record):
    """The presets, and the files that could not be read."""

    presets: tuple[PresetLine, ...]
    templates: tuple[Message, ...]
    """Goals that worked out before: what helped, in which run, and how much."""
    unusable: tuple[Message, ...] = ()
    next: Message = NOTHING


class PlanExport(Record):
    """What was exported; ``document`` is what ``import_plans`` takes."""

    plans: int
    templates: int
    path: str
    document: str


class PlanImport(Record):
    """What was taken in."""

    plans: int
    templates: int
    known: int
    """Plans that were here already."""
    pages: int
    refused: tuple[Message, ...]
    next: Message = NOTHING


class KnowledgePlace(StrEnum):
    """Where knowledge is saved."""

    STATE = "state"
    PROJECT = "project"
    GISTDEX = "gistdex"
    NONE = "none"
