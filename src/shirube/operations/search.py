"""Asking for code."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shirube.operations.asking import Asked, ask, judged, next_cursor, query_of
from shirube.operations.model import Call, Operation, arg
from shirube.types import Hit, Judgement, Mode, SearchResult

if TYPE_CHECKING:
    from shirube.workspace import Workspace

WHOLE = 10_000
"""Lines of a hit in a detailed answer: no chunk is longer."""


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
    planId: str = arg("", "The plan this question belongs to.")  # noqa: N815
    expectedKeywords: tuple[str, ...] = arg((), "Words a good answer has: the hits are judged by them.")  # noqa: N815
    evaluateResult: bool = arg(False, "Judge the hits, by expectedKeywords or the query.")  # noqa: N815


def _search(workspace: "Workspace", request: SearchRequest, call: Call) -> SearchResult:
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
    function=_search,
    group="search",
    aliases=ALIASES,
)
