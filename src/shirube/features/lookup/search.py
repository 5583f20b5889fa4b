"""Searches the map first, then the index; returns places or files, best first, or reranks given files."""

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup import results
from shirube.features.lookup.coverage import scope_path
from shirube.features.lookup.query_building import (
    SearchInput,
    ask,
    foresee,
    judge_answer,
    missing_vectors,
    next_cursor,
    query_of,
)
from shirube.features.map.answers import CheckedAgreement, MapReader, answers, looked_up, map_notes, note_use, tier
from shirube.features.map.states import Tier
from shirube.messages import NOTHING, say
from shirube.operation import Call
from shirube.types import Answer, Collection, Hit, MapHit, Mode, Status

if TYPE_CHECKING:
    from shirube.features.lookup.operations import FilesRequest, RerankRequest, SearchRequest, SemanticSearchRequest
    from shirube.workspace import Workspace

PLACE_TOKENS = 25
"""A text names about one place for so many of its tokens."""
MOST_PLACES = 60
MAP_HITS = 5
"""How many agreements are listed beside the hits (seed 003)."""
_ENDING = re.compile(r"\w[\w.+-]*")
"""A file's ending without its dot: ``py``, ``tar.gz``."""
MOST_CANDIDATES = 50
"""How many files ``semantic_rerank`` accepts at once."""


def search(workspace: "Workspace", request: "SearchRequest", call: Call) -> results.SearchResult:
    """Ask the map first, then the code; a fact of the map that is near enough answers alone (seed 004 §1.3)."""
    said = SearchInput(request.query, 0).said()
    foresee(workspace, said)
    if not _map_may_answer(workspace, request, said):
        return search_forest(workspace, request, call)
    reader, agreements = looked_up(workspace, said, MAP_HITS, call)
    lines = _lines_wanted(request, call) or workspace.config.search.preview_lines
    if said == request.query and not _is_judged(request) and answers(workspace, agreements):
        return _from_map(reader, request.query, agreements, lines)
    found = search_forest(workspace, request, call)
    hits = tuple(reader.hit(checked, lines) for checked in agreements)
    return replace(found, map_hits=hits, degraded=(*found.degraded, *map_notes(workspace)))


def _from_map(
    reader: MapReader, query: str, agreements: tuple[CheckedAgreement, ...], lines: int
) -> results.SearchResult:
    """Return an answer from the map alone, and record that the best agreement was used."""
    workspace, best = reader.workspace, agreements[0]
    note_use(workspace, best)
    hits = tuple(reader.hit(checked, lines) for checked in agreements)
    first = hits[0]
    code = "map.read" if tier(workspace, best) == Tier.READY else "map.check_and_read"
    return results.SearchResult(
        query=query,
        source=Collection.MAP,
        status=Status.PREVIOUS_SUCCESS,
        short_circuit=True,
        map_hits=hits,
        total_chunks=workspace.store.size(),
        answer=Answer.FOUND,
        confidence=round(best.near.similarity * best.agreement.confidence, 3),
        degraded=(*workspace.notes, *map_notes(workspace)),
        freshness=workspace.freshness(
            tuple(dict.fromkeys(checked.finding.path for checked in agreements if checked.finding.path))
        ),
        total=len(hits),
        next=say(code, path=first.path, start=first.start_line, end=first.end_line),
    )


def _map_may_answer(workspace: "Workspace", request: "SearchRequest", said: str) -> bool:
    """Tell whether to ask the map: it is not empty, and the request has no filter and wants the first page."""
    loaded = workspace.map.load()
    if not (loaded.agreements or loaded.problems):
        return False
    from shirube.engine.text.query_terms import read_query

    narrowed = (request.cursor, request.skip, request.path, request.languages, request.kinds, request.mode != Mode.AUTO)
    return not any(narrowed) and not read_query(said).filters


def search_forest(workspace: "Workspace", request: "SearchRequest", call: Call) -> results.SearchResult:
    """Answer the operation of this name."""
    asked = SearchInput(
        text=request.query,
        limit=request.limit or max(workspace.config.search.limit, min(call.tokens // PLACE_TOKENS, MOST_PLACES)),
        cursor=request.cursor,
        skip=request.skip,
        by_turns=bool(call.tokens),
        mode=request.mode,
        path=request.path,
        languages=request.languages,
        kinds=request.kinds,
        profile=request.profile,
        boost_profile=request.boost_profile,
        editing=request.editing,
        preview_lines=_lines_wanted(request, call),
    )
    found = _ask_forest(workspace, asked, call)
    judgement = None
    if _is_judged(request):
        judgement = workspace.judged(found.query, request.expected_keywords, found.forest_hits, request.plan_id)
    return replace(found, planId=request.plan_id, evaluation=judgement)


def _is_judged(request: "SearchRequest") -> bool:
    """Tell whether the hits are to be judged; those of a plan are, since it keeps the score."""
    return bool(request.evaluate_result or request.expected_keywords or request.plan_id)


def _lines_wanted(request: "SearchRequest", call: Call) -> int | None:
    """Return how many lines of each hit are wanted: all, or as many as are configured (None)."""
    from shirube.engine.search.places import ALL_LINES

    return ALL_LINES if call.tokens or request.response_format == results.ResponseFormat.DETAILED else None


def _ask_forest(workspace: "Workspace", asked: SearchInput, call: Call) -> results.SearchResult:
    """Ask the index alone; shared by every search that may end there."""
    query = query_of(workspace, asked)
    found, notes = ask(workspace, query, asked, call)
    answer, advice = judge_answer(workspace, query, found, notes)
    return results.SearchResult(
        query=query.text,
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
    )


def semantic_search(workspace: "Workspace", request: "SemanticSearchRequest", call: Call) -> results.SearchResult:
    """Ask by meaning: first the map, then, unless it answers, the code by its vectors."""
    text = f"{request.query} {request.target_feature}".strip()
    limit, lines = request.n_results or workspace.config.search.limit, workspace.config.search.preview_lines
    hits: tuple[MapHit, ...] = ()
    if request.collection != results.SearchedCollection.FOREST:
        reader, agreements = looked_up(workspace, SearchInput(text, 0).said(), min(limit, MAP_HITS), call)
        if answers(workspace, agreements):
            return _from_map(reader, request.query, agreements, lines)
        hits = tuple(reader.hit(checked, lines) for checked in agreements)
        if request.collection == results.SearchedCollection.MAP:
            problems = reader.loaded.problems
            return results.SearchResult(
                query=request.query,
                source=Collection.MAP,
                map_hits=hits,
                total_chunks=workspace.store.size(),
                answer=Answer.PARTIAL if hits else Answer.UNKNOWN if problems else Answer.NONE,
                degraded=problems,
                total=len(hits),
                next=say("asking.hypotheses" if hits else "asking.ask_forest"),
            )
    found = _ask_forest(workspace, SearchInput(text, limit, mode=Mode.DENSE, path=request.path), call)
    notes = map_notes(workspace) if request.collection != results.SearchedCollection.FOREST else ()
    return replace(found, query=request.query, map_hits=hits, next_cursor="", degraded=(*found.degraded, *notes))


def files_search(workspace: "Workspace", request: "FilesRequest", call: Call) -> results.FilesResult:
    """Answer the operation of this name."""
    asked = SearchInput(
        text=request.query + "".join(f" tag:{tag}" for tag in request.tags),
        limit=request.limit,
        cursor=request.cursor,
        mode=Mode.AUTO,
        path=_glob_of(workspace, request),
        languages=(request.lang,) if request.lang else (),
        profile=request.profile,
        boost_profile=request.boost_profile,
    )
    query = replace(query_of(workspace, asked), files=True)
    found, notes = ask(workspace, query, asked, call)
    answer, advice = judge_answer(workspace, query, found, notes)
    return results.FilesResult(
        query=query.text,
        results=tuple(_file_found(hit, request.compact) for hit in found.hits),
        answer=answer,
        confidence=found.confidence,
        total=found.total,
        truncated=found.more,
        next_cursor=next_cursor(query, found),
        degraded=(*notes, *workspace.notes, *found.degraded),
        freshness=workspace.freshness(tuple(hit.path for hit in found.hits)),
        next=advice,
    )


def _glob_of(workspace: "Workspace", request: "FilesRequest") -> str:
    """Return one glob for the directory and the ending of a request: ``src`` and ``py`` → ``src/**/*.py``."""
    place = scope_path(workspace, request.path_prefix)
    if not request.ext:
        return place
    ending = request.ext.removeprefix(".")
    if not _ENDING.fullmatch(ending):
        raise BadArgument("asking.ending", name=request.ext)
    return f"{place}/**/*.{ending}" if place else f"*.{ending}"


def _file_found(hit: Hit, compact: bool) -> results.FileFound:
    ext, line = PurePosixPath(hit.path).suffix, hit.match_line or hit.start_line
    preview = "" if compact else hit.preview
    return results.FileFound(hit.path, line, hit.language, ext, hit.score, hit.why, preview)


def semantic_rerank(workspace: "Workspace", request: "RerankRequest", call: Call) -> results.RerankResult:
    """Answer the operation of this name."""
    from shirube.engine.embed.quantize import nearness
    from shirube.engine.repo.read import resolve_inside
    from shirube.features.lookup.context.gather import cosines

    if not 1 <= len(request.candidates) <= MOST_CANDIDATES:
        raise BadArgument("asking.candidates", count=len(request.candidates), most=MOST_CANDIDATES)
    if not request.text.strip():
        raise BadArgument("asking.no_text")
    profiles = workspace.config.search.profiles
    name = request.profile or workspace.config.search.profile
    if name not in profiles:
        raise UnknownName("profile", name, profiles)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    offered = {resolve_inside(workspace.root, item.path): item.score for item in request.candidates}
    known = workspace.store.files(list(offered))
    # How near the text is to the nearest chunk of each file; one without vectors has none.
    embedder = workspace.embedder
    wanted = embedder.query(request.text)[0]
    by_path = {path: cosines(workspace.store.vectors(path), wanted) for path in offered if path in known}
    similarities = {path: nearness(max(values), embedder.background) for path, values in by_path.items() if values}
    weight = profiles[name].structural
    ranked = [
        results.Reranked(path, round(similarity, 4), offered[path], round(offered[path] + weight * similarity, 4))
        for path, similarity in similarities.items()
    ]
    ranked.sort(key=lambda item: (-item.combined, item.path))
    unknown = tuple(path for path in offered if path not in similarities)
    missing = missing_vectors(workspace) if workspace.embedder.trained else (say("asking.no_model"),)
    return results.RerankResult(
        candidates=tuple(ranked[: request.k]),
        unknown=unknown,
        model=workspace.embedder.name,
        degraded=(*notes, *workspace.notes, *missing),
        next=say("asking.unknown_files") if unknown else NOTHING,
    )
