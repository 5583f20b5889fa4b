"""Bringing files somebody else found into the order of a text's meaning (seed 001)."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup.query_building import lacking
from shirube.features.lookup.results import Reranked, RerankResult
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.lookup.operations import RerankRequest
    from shirube.workspace import Workspace

MOST = 50


def semantic_rerank(workspace: "Workspace", request: "RerankRequest", call: Call) -> RerankResult:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside

    if not 1 <= len(request.candidates) <= MOST:
        raise BadArgument("asking.candidates", count=len(request.candidates), most=MOST)
    if not request.text.strip():
        raise BadArgument("asking.no_text")
    profiles = workspace.config.search.profiles
    name = request.profile or workspace.config.search.profile
    if name not in profiles:
        raise UnknownName("profile", name, profiles)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    offered = {resolve_inside(workspace.root, one.path): one.score for one in request.candidates}
    known = workspace.store.files(list(offered))
    likeness = _likeness(workspace, request.text, [path for path in offered if path in known])
    weight = profiles[name].structural
    ranked = [
        Reranked(path, round(value, 4), offered[path], round(offered[path] + weight * value, 4))
        for path, value in likeness.items()
    ]
    ranked.sort(key=lambda one: (-one.combined, one.path))
    unknown = tuple(path for path in offered if path not in likeness)
    return RerankResult(
        candidates=tuple(ranked[: request.k]),
        unknown=unknown,
        model=workspace.embedder.name,
        degraded=(*notes, *workspace.notes, *_degraded(workspace)),
        next=say("asking.unknown_files") if unknown else NOTHING,
    )


def _degraded(workspace: "Workspace") -> tuple[Message, ...]:
    return lacking(workspace) if workspace.embedder.trained else (say("asking.no_model"),)


def _likeness(workspace: "Workspace", text: str, paths: list[str]) -> dict[str, float]:
    """Return how near each file's nearest chunk is; a file without chunks is unlike everything."""
    import numpy as np

    from shirube.engine.embed.quantize import nearness

    embedder = workspace.embedder
    wanted = embedder.query(text)[0]
    found = {}
    for path in paths:
        rows = np.frombuffer(workspace.store.vectors(path), dtype=np.int8).reshape(-1, embedder.dimensions)
        if len(rows):
            plain = rows.astype(np.float32)
            cosines = plain @ wanted / np.maximum(np.linalg.norm(plain, axis=1), 1e-9)
            found[path] = nearness(float(cosines.max()), embedder.background)
    return found
