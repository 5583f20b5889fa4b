"""Bringing files somebody else found into the order of a text's meaning (seed 001)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UnknownName
from shirube.operations.asking import lacking
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MOST = 50


@dataclass(frozen=True, slots=True)
class Offered:
    """A file, and what it was worth to whoever found it."""

    path: str = arg(..., "A file of the project.")
    score: float = arg(0.0, "Its score so far.")


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """What ``semantic_rerank`` takes."""

    text: str = arg(..., "What the files are to be about.")
    candidates: tuple[Offered, ...] = arg(..., "1 to 50 files, each {path, score?}.")
    k: int | None = arg(None, "How many to return (default: all).", low=1, high=MOST)
    profile: str = arg("", "Whose weight of likeness counts: default, bugfix, testfail, …")


@dataclass(frozen=True, slots=True)
class Reranked:
    """combined = base + the profile's structural weight × semantic."""

    path: str
    semantic: float
    base: float
    combined: float


@dataclass(frozen=True, slots=True)
class RerankResult:
    """The files in their new order, and those the index does not know."""

    candidates: tuple[Reranked, ...]
    unknown: tuple[str, ...]
    model: str
    degraded: tuple[str, ...]
    next: str = ""


def _semantic_rerank(workspace: "Workspace", request: RerankRequest, call: Call) -> RerankResult:
    from shirube.repo.read import resolve_inside

    if not 1 <= len(request.candidates) <= MOST:
        raise BadArgument(f"{len(request.candidates)} candidates were given", f"give 1 to {MOST} files")
    if not request.text.strip():
        raise BadArgument("the text is empty", "say what the files are to be about")
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
        next="unknown files are not indexed: see index_status" if unknown else "",
    )


def _degraded(workspace: "Workspace") -> tuple[str, ...]:
    return lacking(workspace) if workspace.embedder.trained else ("model: none, so likeness is that of the words",)


def _likeness(workspace: "Workspace", text: str, paths: list[str]) -> dict[str, float]:
    """Return how near each file's nearest chunk is; a file without chunks is unlike everything."""
    import numpy as np

    from shirube.embed.quantize import nearness

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


SEMANTIC_RERANK = Operation(
    name="semantic_rerank",
    summary="Which of these files mean what this text says? The same files in a new order.",
    request=RerankRequest,
    result=RerankResult,
    function=_semantic_rerank,
    group="search",
)
