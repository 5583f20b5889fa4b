"""What learning from outcomes does to the ranking, measured on the requests that were made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UsageError
from shirube.operations.asking import Asked, query_of
from shirube.operations.model import Call, Operation, arg
from shirube.operations.outcomes import digest_now
from shirube.outcomes.effect import Effect, Replay, Trial, effect, replays
from shirube.outcomes.insights import held
from shirube.outcomes.log import lessons

if TYPE_CHECKING:
    from shirube.workspace import Workspace

DEEP = 20
"""How many files of an answer are looked through: what stands later is not found."""
TRIAL = 0.15
"""The bound that is tried where learning is off."""
MOST_BOUND = 0.5


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """What ``get_learning_effect`` takes."""

    limit: int = arg(20, "How many of the last requests to ask again.", low=1, high=200)
    prior: float = arg(0.0, "The bound to try, up to 0.5; 0: outcomes.prior, or 0.15 where that is off.")


@dataclass(frozen=True, slots=True)
class EffectResult:
    """Past requests asked again, without and with what was learnt before each of them."""

    active: bool
    """Whether searches go by it now (outcomes.prior)."""
    prior: float
    """The bound that was tried."""
    effect: Effect
    replays: tuple[Replay, ...]
    """The requests, the oldest first."""
    outcomes: int
    """How many outcomes can be learnt from."""
    next: str


def _effect(workspace: "Workspace", request: EffectRequest, call: Call) -> EffectResult:
    config = workspace.config.outcomes
    if not 0 <= request.prior <= MOST_BOUND:
        raise BadArgument(f"prior is {request.prior:g}", f"give a share from 0 to {MOST_BOUND}")
    bound = request.prior or config.prior or TRIAL
    known = lessons(workspace.journal)
    kept = [held(one, lambda path: digest_now(workspace, path)) for one in known]

    def rank(question: str, learned: Mapping[str, float]) -> Sequence[str]:
        call.deadline.check()
        return _ranked(workspace, question, learned)

    found = replays(known, kept, rank, Trial(bound, config.prior_samples, request.limit))
    taught = sum(bool(one.request and (one.files or one.analysis.related_files)) for one in known)
    return EffectResult(bool(config.prior), bound, effect(found), found, taught, _advice(workspace, found, taught))


def _ranked(workspace: "Workspace", question: str, learned: Mapping[str, float]) -> Sequence[str]:
    """Return the files for a question, best first; a request without words finds none."""
    from shirube.search import Around, search

    try:
        query = query_of(workspace, Asked(question, DEEP))
    except UsageError:
        return ()
    around = Around(learned=learned, similar=workspace.meaning.passage, background=workspace.embedder.background)
    found = search(query, workspace.store, workspace.embedder, workspace.config.search, around)
    return list(dict.fromkeys(hit.path for hit in found.hits))


def _advice(workspace: "Workspace", found: Sequence[Replay], taught: int) -> str:
    if found:
        return ""
    least = workspace.config.outcomes.prior_samples
    if taught < least:
        return f"{taught} outcomes with files are known; from {least} on requests that come later can be compared"
    return "no request that ended well came after enough was known; record_outcome tells of the next one"


GET_LEARNING_EFFECT = Operation(
    name="get_learning_effect",
    summary="Does learning from outcomes help here? Past requests asked again, without and with what was learnt before "
    "each of them.",
    request=EffectRequest,
    result=EffectResult,
    function=_effect,
    group="insights",
)
