"""What a model says of a request and of the code, held against what is so."""

from typing import TYPE_CHECKING

from shirube.features.guard import semantic, understanding, verification
from shirube.features.guard.evidence import Claims
from shirube.features.guard.outcomes import note_decision
from shirube.features.guard.results import StepResult
from shirube.features.guard.sessions import take_step
from shirube.features.guard.steps import set_frame
from shirube.features.plan.frame import SLOTS, Slot
from shirube.operation import Call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shirube.features.guard.operations import (
        FrameRequest,
        SlotGiven,
        SubmitSemanticRequest,
        UnderstandingRequest,
        VerificationRequest,
    )
    from shirube.workspace import Workspace


def set_query_frame(workspace: "Workspace", request: "FrameRequest", call: Call) -> StepResult:
    """Answer the operation of this name."""
    given: dict[str, SlotGiven | None] = {name: getattr(request, name) for name in SLOTS}
    slots = {name: Slot(slot.value, slot.quote) for name, slot in given.items() if slot is not None}
    result = take_step(workspace, "set_query_frame", call, lambda session, facts: set_frame(session, slots))
    if result.accepted:
        note_decision(workspace, call.session_id, tuple(step.operation for step in result.next))
    return result


def submit_understanding(workspace: "Workspace", request: "UnderstandingRequest", call: Call) -> StepResult:
    """Answer the operation of this name."""
    claims = Claims(
        symbols=request.symbols_identified,
        entry_points=request.entry_points,
        files=_inside(workspace, request.files_analyzed),
        patterns=request.existing_patterns,
        callers=_inside(workspace, request.callers),
        notes=request.notes,
    )
    return take_step(
        workspace,
        "submit_understanding",
        call,
        lambda session, facts: understanding.submit_understanding(session, claims, facts),
    )


def submit_semantic(workspace: "Workspace", request: "SubmitSemanticRequest", call: Call) -> StepResult:
    """Answer the operation of this name."""
    supposed = [semantic.Supposed(one.text, one.confidence.lower()) for one in request.hypotheses]
    reason, queries = request.semantic_reason.strip().lower(), request.search_queries
    return take_step(
        workspace,
        "submit_semantic",
        call,
        lambda session, facts: semantic.submit_semantic(session, supposed, reason, queries),
    )


def submit_verification(workspace: "Workspace", request: "VerificationRequest", call: Call) -> StepResult:
    """Answer the operation of this name."""
    decided = [
        verification.Decided(
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
        workspace,
        "submit_verification",
        call,
        lambda session, facts: verification.submit_verification(session, decided, facts),
    )


def _inside(workspace: "Workspace", paths: "Iterable[str]") -> tuple[str, ...]:
    """Return paths as the index has them; a line behind a path is taken off."""
    from shirube.engine.repo.read import resolve_inside

    return tuple(resolve_inside(workspace.root, path.partition(":")[0] or path) for path in paths)
