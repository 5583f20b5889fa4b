"""What a file uses and who uses it, as a graph (seed 001)."""

from typing import TYPE_CHECKING

from shirube.graph import Closure, Direction, close
from shirube.graph.closure import FILE, Limits
from shirube.operations.declare import Call
from shirube.operations.results.symbols import DepsResult, DrawingFormat, Together
from shirube.operations.scope import scope_file
from shirube.types import Answer

if TYPE_CHECKING:
    from shirube.operations.declared.symbols import DepsRequest
    from shirube.workspace import Workspace

DEPTH, NODES = 3, 100
"""Three steps as in seed 001; a hundred nodes are about five thousand tokens."""
TOGETHER = 10
"""How many files that change together with it are named."""


def deps_closure(workspace: "Workspace", request: "DepsRequest", call: Call) -> DepsResult:
    """Answer the operation of this name."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    path = scope_file(workspace, request.path)
    limits = Limits(request.max_depth, request.include_packages, request.limit)
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


def _judged(workspace: "Workspace", request: "DepsRequest", closure: Closure) -> tuple[Answer, str]:
    """Say what the graph means: "none" only where imports can be read and all of them were."""
    from shirube.index.resolve import LANGUAGES

    found = len(closure.nodes) > 1
    if workspace.keeper.building:
        advice = "the index is still being built; ask again in a moment for a whole answer"
        return (Answer.PARTIAL if found else Answer.UNKNOWN), advice
    language = workspace.store.files((closure.root,))[closure.root].language
    if language not in LANGUAGES and not found:
        return Answer.UNKNOWN, f"imports of {language} files are not followed; search_text for its name"
    if not found:
        way = "imports it" if request.direction is Direction.INBOUND else "is imported by it"
        if request.direction is Direction.BOTH:
            way = "imports it or is imported by it"
        return Answer.NONE, f"no indexed file {way}; what is loaded by name or configuration is found by search_text"
    if closure.truncated:
        return Answer.PARTIAL, f"whole to depth {closure.whole_to}; a smaller max_depth, or a higher limit, shows all"
    lost = sum(node.kind not in (FILE, "package") for node in closure.nodes)
    if lost:
        return Answer.PARTIAL, f"{lost} imports could not be placed (kind unresolved)"
    return Answer.FOUND, f"read {closure.nodes[1].target}" if closure.nodes[1].kind == FILE else ""


def _drawn(closure: Closure, format: DrawingFormat) -> str:
    from shirube.graph.drawing import dot, mermaid

    if format is DrawingFormat.GRAPH:
        return ""
    return dot(closure) if format is DrawingFormat.DOT else mermaid(closure)


def _together(workspace: "Workspace", closure: Closure) -> tuple[Together, ...]:
    from shirube.repo.history import cochange, recency

    commits = workspace.history()
    recent = recency(commits, workspace.now_seconds())
    shares = cochange(commits, (closure.root,))
    there = workspace.store.files(list(shares))
    linked = {node.target for node in closure.nodes}
    best = sorted((path for path in shares if path in there), key=lambda path: (-shares[path], path))[:TOGETHER]
    return tuple(
        Together(path, round(shares[path], 3), round(recent.get(path, 0.0), 3), path in linked) for path in best
    )
