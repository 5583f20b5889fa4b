"""Asking for code."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shirube.operations.asking import Asked, ask, judged, next_cursor, query_of
from shirube.operations.maps import Spot, answers, from_map, looked_up, map_notes
from shirube.operations.model import Call, Operation, arg
from shirube.types import Answer, Collection, Hit, Judgement, MapHit, Mode, SearchResult

if TYPE_CHECKING:
    from shirube.workspace import Workspace

WHOLE = 10_000
"""Lines of a hit in a detailed answer: no chunk is longer."""
MAP_HITS = 5
"""Agreements that are named beside the hits (seed 003)."""


class Format(StrEnum):
    """How much of a hit is shown."""

    CONCISE = "concise"
    DETAILED = "detailed"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What ``search`` takes."""

    query: str = arg(..., 'Words, a symbol, a question, a "phrase"; English or Japanese; lang: path: kind: inside.')
    limit: int | None = arg(None, "How many hits (default 10).", low=1, high=100)
    mode: Mode = arg(Mode.AUTO, "Which legs take part; auto chooses.")
    profile: str = arg("", "What for: default, bugfix, testfail, typeerror, feature, refactor.")
    boost_profile: str = arg("", "Which files first: default, docs, balanced, code, none.")
    path: str = arg("", "Only below this directory, or paths matching this glob (src/**, *.py).")
    languages: tuple[str, ...] = arg((), "Only these languages (python, typescript, …).")
    kinds: tuple[str, ...] = arg((), "Only these kinds of symbol (function, class, section, …).")
    editing: tuple[str, ...] = arg((), "Files at hand: what they import, resemble or change with gains.")
    response_format: Format = arg(Format.CONCISE, "concise: first lines of each hit; detailed: all of it.")
    cursor: str = arg("", "next_cursor of the previous answer, for the next page.")
    planId: str = arg("", "The plan it belongs to.")  # noqa: N815
    expectedKeywords: tuple[str, ...] = arg((), "Words to judge the hits by.")  # noqa: N815
    evaluateResult: bool = arg(False, "Judge the hits.")  # noqa: N815


def _search(workspace: "Workspace", request: SearchRequest, call: Call) -> SearchResult:
    """Ask the map first; where it has a fact that is near enough, the forest is not asked (seed 004 §1.3)."""
    if not _is_wide(workspace, request):
        return _search_forest(workspace, request, call)
    atlas, spots = looked_up(workspace, request.query, MAP_HITS, call)
    lines = WHOLE if request.response_format == Format.DETAILED else workspace.config.search.preview_lines
    if answers(workspace, spots):
        return from_map(atlas, request.query, spots, lines)
    found = _search_forest(workspace, request, call)
    hits = tuple(atlas.hit(spot, lines) for spot in spots)
    return replace(found, map_hits=hits, degraded=(*found.degraded, *map_notes(workspace)))


def _is_wide(workspace: "Workspace", request: SearchRequest) -> bool:
    """Tell whether the map may answer: there is one, and the question is not narrowed, nor a later page."""
    loaded = workspace.map.load()
    if not (loaded.agreements or loaded.problems):
        return False
    from shirube.text import read_query

    narrowed = (request.cursor, request.path, request.languages, request.kinds, request.mode != Mode.AUTO)
    return not any(narrowed) and not read_query(request.query).filters


def _search_forest(workspace: "Workspace", request: SearchRequest, call: Call) -> SearchResult:
    asked = Asked(
        text=request.query,
        limit=request.limit or workspace.config.search.limit,
        cursor=request.cursor,
        mode=request.mode,
        path=request.path,
        languages=request.languages,
        kinds=request.kinds,
        profile=request.profile,
        boost_profile=request.boost_profile,
        editing=request.editing,
        preview_lines=WHOLE if request.response_format == Format.DETAILED else None,
    )
    query = query_of(workspace, asked)
    found, notes = ask(workspace, query, asked, call)
    answer, advice = judged(workspace, query, found, notes)
    return SearchResult(
        query=request.query,
        forest_hits=found.hits,
        total_chunks=workspace.store.size(),
        answer=answer,
        confidence=found.confidence,
        degraded=(*notes, *workspace.notes, *found.degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(hit.path for hit in found.hits))),
        truncated=found.more,
        total=found.total,
        next_cursor=next_cursor(query, found),
        next=advice,
        planId=request.planId,
        evaluation=_evaluated(workspace, request, found.hits),
    )


def _evaluated(workspace: "Workspace", request: SearchRequest, hits: tuple[Hit, ...]) -> Judgement | None:
    """Judge the hits when that was asked for."""
    if not (request.evaluateResult or request.expectedKeywords):
        return None
    from shirube.operations.judge import judged_hits

    return judged_hits(workspace, request.query, request.expectedKeywords, hits, request.planId)


ALIASES = {
    "top_k": "limit",
    "k": "limit",
    "n_results": "limit",
    "language": "languages",
    "lang": "languages",
    "path_prefix": "path",
    "editing_path": "editing",
}

SEARCH = Operation(
    name="search",
    summary="Where in this repository is the code for a question, a symbol or some words? Ranked files with the best "
    "lines, symbol, reasons and preview; English and Japanese.",
    request=SearchRequest,
    result=SearchResult,
    function=_search,
    group="search",
    core=True,
    aliases=ALIASES,
)

SEARCH_FOREST = Operation(
    name="search_forest",
    summary="Where is it in the code itself, whatever was agreed about it? Like search, without the map.",
    request=SearchRequest,
    result=SearchResult,
    function=_search_forest,
    group="search",
    aliases=ALIASES,
)


class Which(StrEnum):
    """Which collection is asked."""

    AUTO = "auto"
    MAP = "map"
    FOREST = "forest"


@dataclass(frozen=True, slots=True)
class SemanticRequest:
    """What ``semantic_search`` takes."""

    query: str = arg(..., "What is meant, in English or Japanese.")
    collection: Which = arg(Which.AUTO, "auto: the map first, then the forest; map; forest.")
    target_feature: str = arg("", "What the request is about, if that is known: asked together with the query.")
    path: str = arg("", "Only below this directory, or paths matching this glob.")
    n_results: int | None = arg(None, "How many hits (default 10).", low=1, high=100)


def _semantic_search(workspace: "Workspace", request: SemanticRequest, call: Call) -> SearchResult:
    """Ask by sense: the map, and unless it answers, the forest by its dense leg."""
    text = f"{request.query} {request.target_feature}".strip()
    limit, lines = request.n_results or workspace.config.search.limit, workspace.config.search.preview_lines
    spots: tuple[Spot, ...] = ()
    if request.collection != Which.FOREST:
        atlas, spots = looked_up(workspace, text, min(limit, MAP_HITS), call)
        if answers(workspace, spots):
            return replace(from_map(atlas, request.query, spots, lines), query=request.query)
        hits = tuple(atlas.hit(spot, lines) for spot in spots)
        if request.collection == Which.MAP:
            return _only_map(workspace, request.query, hits, atlas.loaded.problems)
    asked = SearchRequest(text, limit, Mode.DENSE, path=request.path)
    found = _search_forest(workspace, asked, call)
    notes = map_notes(workspace) if request.collection != Which.FOREST else ()
    hits = hits if spots else ()
    return replace(found, query=request.query, map_hits=hits, next_cursor="", degraded=(*found.degraded, *notes))


def _only_map(workspace: "Workspace", query: str, hits: tuple[MapHit, ...], problems: tuple[str, ...]) -> SearchResult:
    empty = Answer.UNKNOWN if problems else Answer.NONE
    return SearchResult(
        query=query,
        source=Collection.MAP,
        map_hits=hits,
        total_chunks=workspace.store.size(),
        answer=Answer.PARTIAL if hits else empty,
        degraded=problems,
        total=len(hits),
        next="hypotheses: check them in the code" if hits else "nothing was agreed about this; ask the forest",
    )


SEMANTIC_SEARCH = Operation(
    name="semantic_search",
    summary="What means the same as this, in the map of agreements or in the forest of code? By sense rather than by "
    "words; the map answers first unless a collection is named.",
    request=SemanticRequest,
    result=SearchResult,
    function=_semantic_search,
    group="search",
    aliases={"limit": "n_results", "top_k": "n_results", "k": "n_results"},
)
