"""What a file uses and who uses it, as a graph (seed 001)."""

from typing import TYPE_CHECKING

from shirube.engine.graph.closure import FILE, Closure, ClosureLimits, close
from shirube.features.lookup.scope import scope_file
from shirube.features.lookup.symbol_results import DepsResult, DrawingFormat, Together
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer

if TYPE_CHECKING:
    from shirube.features.lookup.symbol_operations import DepsRequest
    from shirube.workspace import Workspace

DEPTH, NODES = 3, 100
"""Three steps as in seed 001; a hundred nodes are about five thousand tokens."""
TOGETHER = 10
"""How many files that change together with it are named."""


def deps_closure(workspace: "Workspace", request: "DepsRequest", call: Call) -> DepsResult:
    """Answer the operation of this name."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    path = scope_file(workspace, request.path)
    limits = ClosureLimits(request.max_depth, request.include_packages, request.limit)
    closure = close(workspace.store, path, request.direction, limits)
    answer, advice = _judged(workspace, request, closure)
    return DepsResult(
        root=path,
        direction=request.direction,
        nodes=closure.nodes,
        edges=closure.edges,
        answer=answer,
        truncated=closure.truncated,
        whole_to=closure.whole_to,
        drawing=_drawn(closure, request.format),
        changes_with=_together(workspace, closure) if request.history else (),
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness((path,)),
        next=advice,
    )


def _judged(workspace: "Workspace", request: "DepsRequest", closure: Closure) -> tuple[Answer, Message]:
    """Say what the graph means: "none" only where imports can be read and all of them were."""
    from shirube.engine.index.resolvers import LANGUAGES

    found = len(closure.nodes) > 1
    if workspace.keeper.building:
        return (Answer.PARTIAL if found else Answer.UNKNOWN), say("index.building")
    language = workspace.store.files((closure.root,))[closure.root].language
    if language not in LANGUAGES and not found:
        return Answer.UNKNOWN, say("deps.not_followed", language=language)
    if not found:
        return Answer.NONE, say(f"deps.none_{request.direction.value}")
    if closure.truncated:
        return Answer.PARTIAL, say("deps.whole_to", depth=closure.whole_to)
    lost = sum(node.kind not in (FILE, "package") for node in closure.nodes)
    if lost:
        return Answer.PARTIAL, say("deps.unplaced", count=lost)
    first = closure.nodes[1]
    return Answer.FOUND, say("deps.read", path=first.target) if first.kind == FILE else NOTHING


def _drawn(closure: Closure, format: DrawingFormat) -> str:
    from shirube.engine.graph.closure import dot, mermaid

    if format is DrawingFormat.GRAPH:
        return ""
    return dot(closure) if format is DrawingFormat.DOT else mermaid(closure)


def _together(workspace: "Workspace", closure: Closure) -> tuple[Together, ...]:
    from shirube.engine.repo.history import cochange, recency

    commits = workspace.history()
    recent = recency(commits, workspace.now_seconds())
    shares = cochange(commits, (closure.root,))
    there = workspace.store.files(list(shares))
    linked = {node.target for node in closure.nodes}
    best = sorted((path for path in shares if path in there), key=lambda path: (-shares[path], path))[:TOGETHER]
    return tuple(
        Together(path, round(shares[path], 3), round(recent.get(path, 0.0), 3), path in linked) for path in best
    )
