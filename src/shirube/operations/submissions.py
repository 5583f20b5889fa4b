"""What a model says of a request and of the code, held against what is so."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from shirube.operations.model import Call, Operation, arg
from shirube.operations.outcomes import note_decision
from shirube.operations.sessions import StepResult, take_step
from shirube.plan.frame import SLOTS, Slot
from shirube.session.evidence import Claims
from shirube.session.semantic import Supposed, submit_semantic
from shirube.session.steps import set_frame
from shirube.session.understanding import submit_understanding
from shirube.session.verification import Decided, submit_verification

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shirube.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SlotGiven:
    """A slot as a model fills it."""

    PLAIN: ClassVar[str] = "value"

    value: str = arg(..., "In your own words.")
    quote: str = arg("", "The words of the request it was taken from; without them it is a hypothesis.")


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What ``set_query_frame`` takes."""

    session_id: str = arg(..., "Session handle.")
    target_feature: SlotGiven | None = arg(None, "What the request is about.")
    trigger_condition: SlotGiven | None = arg(None, "When it happens.")
    observed_issue: SlotGiven | None = arg(None, "What goes wrong.")
    desired_action: SlotGiven | None = arg(None, "What is wanted.")


@dataclass(frozen=True, slots=True)
class UnderstandingRequest:
    """What ``submit_understanding`` takes."""

    session_id: str = arg(..., "Session handle.")
    symbols_identified: tuple[str, ...] = arg((), "Default: the symbols this session's calls showed.")
    entry_points: tuple[str, ...] = arg((), "Symbols where it begins.")
    files_analyzed: tuple[str, ...] = arg((), "Default: the files this session's calls showed.")
    existing_patterns: tuple[str, ...] = arg((), "How such things are done here, naming code.")
    callers: tuple[str, ...] = arg((), "Files that use what will change.")
    notes: str = arg("", "Anything else.")


@dataclass(frozen=True, slots=True)
class HypothesisGiven:
    """A hypothesis as a model states it."""

    PLAIN: ClassVar[str] = "text"
    """What a bare string stands for."""

    text: str = arg(..., "What you suppose, naming files and symbols.")
    confidence: str = arg("medium", "high, medium or low.")


@dataclass(frozen=True, slots=True)
class SemanticRequest:
    """What ``submit_semantic`` takes."""

    session_id: str = arg(..., "Session handle.")
    hypotheses: tuple[HypothesisGiven, ...] = arg(..., "1 to 20, each {text, confidence?}.")
    semantic_reason: str = arg(..., "One of semantic_reasons of submit_understanding's answer.")
    search_queries: tuple[str, ...] = arg((), "What you searched for; each has to be recorded.")


@dataclass(frozen=True, slots=True)
class EvidenceGiven:
    """The call that decides a hypothesis."""

    tool: str = arg(..., "The operation that was called in this session.")
    target: str = arg(..., "What it was asked for.")
    result: str = arg(..., "What it showed.")
    files: tuple[str, ...] = arg((), "Files it returned.")


@dataclass(frozen=True, slots=True)
class VerifiedGiven:
    """A hypothesis and what became of it."""

    hypothesis: str = arg(..., "Its id (h1) or its text.")
    status: str = arg(..., "confirmed or rejected.")
    evidence: EvidenceGiven = arg(..., "{tool, target, result, files?} of a recorded call.")


@dataclass(frozen=True, slots=True)
class VerificationRequest:
    """What ``submit_verification`` takes."""

    session_id: str = arg(..., "Session handle.")
    verified: tuple[VerifiedGiven, ...] = arg(..., "Every hypothesis, decided.")


def _frame(workspace: "Workspace", request: FrameRequest, call: Call) -> StepResult:
    given: dict[str, SlotGiven | None] = {name: getattr(request, name) for name in SLOTS}
    slots = {name: Slot(slot.value, slot.quote) for name, slot in given.items() if slot is not None}
    result = take_step(workspace, "set_query_frame", call, lambda session, facts: set_frame(session, slots))
    if result.accepted:
        note_decision(workspace, call.session_id, tuple(step.operation for step in result.next))
    return result


def _understanding(workspace: "Workspace", request: UnderstandingRequest, call: Call) -> StepResult:
    claims = Claims(
        symbols=request.symbols_identified,
        entry_points=request.entry_points,
        files=_inside(workspace, request.files_analyzed),
        patterns=request.existing_patterns,
        callers=_inside(workspace, request.callers),
        notes=request.notes,
    )
    return take_step(
        workspace, "submit_understanding", call, lambda session, facts: submit_understanding(session, claims, facts)
    )


def _semantic(workspace: "Workspace", request: SemanticRequest, call: Call) -> StepResult:
    supposed = [Supposed(one.text, one.confidence.lower()) for one in request.hypotheses]
    reason, queries = request.semantic_reason.strip().lower(), request.search_queries
    return take_step(
        workspace, "submit_semantic", call, lambda session, facts: submit_semantic(session, supposed, reason, queries)
    )


def _verification(workspace: "Workspace", request: VerificationRequest, call: Call) -> StepResult:
    decided = [
        Decided(
            one.hypothesis,
            one.status.lower(),
            one.evidence.tool,
            one.evidence.target,
            one.evidence.result,
            _inside(workspace, one.evidence.files),
        )
        for one in request.verified
    ]
    return take_step(
        workspace, "submit_verification", call, lambda session, facts: submit_verification(session, decided, facts)
    )


def _inside(workspace: "Workspace", paths: "Iterable[str]") -> tuple[str, ...]:
    """Return paths as the index has them; a line behind a path is taken off."""
    from shirube.repo.read import resolve_inside

    return tuple(resolve_inside(workspace.root, path.partition(":")[0] or path) for path in paths)


SET_QUERY_FRAME = Operation(
    name="set_query_frame",
    summary="Say what the request is about, slot by slot, each with a quote from it; quotes are checked.",
    request=FrameRequest,
    result=StepResult,
    function=_frame,
    group="session",
    core=True,
    read_only=False,
)
SUBMIT_UNDERSTANDING = Operation(
    name="submit_understanding",
    summary="End EXPLORATION: claims are checked against the index and the recorded calls; READY, or SEMANTIC with "
    "what is missing.",
    request=UnderstandingRequest,
    result=StepResult,
    function=_understanding,
    group="session",
    core=True,
    read_only=False,
    aliases={"symbols": "symbols_identified", "files": "files_analyzed", "patterns": "existing_patterns"},
)
SUBMIT_EXPLORATION = replace(SUBMIT_UNDERSTANDING, name="submit_exploration", core=False)
SUBMIT_SEMANTIC = Operation(
    name="submit_semantic",
    summary="End SEMANTIC: what do you suppose, and why was looking not enough?",
    request=SemanticRequest,
    result=StepResult,
    function=_semantic,
    group="session",
    core=True,
    read_only=False,
    aliases={"devrag_reason": "semantic_reason"},
)
SUBMIT_VERIFICATION = Operation(
    name="submit_verification",
    summary="End VERIFICATION: every hypothesis confirmed or rejected by a call recorded in this session.",
    request=VerificationRequest,
    result=StepResult,
    function=_verification,
    group="session",
    core=True,
    read_only=False,
)
SUBMISSIONS = (SET_QUERY_FRAME, SUBMIT_UNDERSTANDING, SUBMIT_SEMANTIC, SUBMIT_VERIFICATION)
