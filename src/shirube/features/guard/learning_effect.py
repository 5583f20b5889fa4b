"""What learning from outcomes does to the ranking, measured on the requests that were made here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UsageError
from shirube.features.guard.insight_results import EffectResult
from shirube.features.lookup.query_building import Asked, query_of
from shirube.features.map.code_state import digest_now
from shirube.features.map.effect import Trial, effect, replays
from shirube.features.map.insights import held
from shirube.features.map.log import lessons
from shirube.features.map.records import Replay
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.insight_operations import EffectRequest
    from shirube.workspace import Workspace

DEEP = 20
"""How many files of an answer are looked through: what stands later is not found."""
TRIAL = 0.15
"""The bound that is tried where learning is off."""
MOST_BOUND = 0.5


def get_learning_effect(workspace: "Workspace", request: "EffectRequest", call: Call) -> EffectResult:
    """Answer the operation of this name."""
    config = workspace.config.outcomes
    if not 0 <= request.prior <= MOST_BOUND:
        raise BadArgument("insights.prior", value=f"{request.prior:g}", most=MOST_BOUND)
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
    from shirube.engine.search import Around, search

    try:
        query = query_of(workspace, Asked(question, DEEP))
    except UsageError:
        return ()
    around = Around(learned=learned, similar=workspace.meaning.passage, background=workspace.embedder.background)
    found = search(query, workspace.store, workspace.embedder, workspace.config.search, around)
    return list(dict.fromkeys(hit.path for hit in found.hits))


def _advice(workspace: "Workspace", found: Sequence[Replay], taught: int) -> Message:
    if found:
        return NOTHING
    least = workspace.config.outcomes.prior_samples
    if taught < least:
        return say("insights.too_few", count=taught, least=least)
    return say("insights.late")
