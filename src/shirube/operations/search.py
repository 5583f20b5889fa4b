"""Asking for code."""

import base64
import binascii
import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UnknownName
from shirube.operations.model import Call, Operation, arg
from shirube.types import KINDS, Answer, Mode, Query, Scope, SearchResult

if TYPE_CHECKING:
    from shirube.search.pipeline import Found
    from shirube.workspace import Workspace

UNREAD = ("too_large", "unreadable", "quarantined", "secret", "odd_name")
"""Reasons for which a file that may hold the words is not in the index."""


class Format(StrEnum):
    """How much of a hit is shown."""

    CONCISE = "concise"
    DETAILED = "detailed"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What ``search`` takes."""

    query: str = arg(..., "What to look for, in English or Japanese: words, a symbol, a question.")
    limit: int | None = arg(None, "How many hits (default 10).", low=1, high=100)
    mode: Mode = arg(Mode.AUTO, "Which legs take part; auto chooses.")
    path: str = arg("", "Only below this directory, or paths matching this glob (src/**, *.py).")
    languages: tuple[str, ...] = arg((), "Only these languages (python, typescript, …).")
    kinds: tuple[str, ...] = arg((), "Only these kinds of symbol (function, class, section, …).")
    response_format: Format = arg(Format.CONCISE, "concise: first lines of each hit; detailed: all of it.")
    cursor: str = arg("", "next_cursor of the previous answer, for the next page.")


def _search(workspace: "Workspace", request: SearchRequest, call: Call) -> SearchResult:
    from shirube.search import search

    query = _query(workspace, request)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    config = workspace.config.search
    if request.response_format == Format.DETAILED:
        config = replace(config, preview_lines=10_000)
    found = search(query, workspace.store, workspace.embedder, config)
    if not found.hits and not notes:
        # Before it is said that something is not there, the tree is looked at once more.
        notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
        found = search(query, workspace.store, workspace.embedder, config)
    answer, advice = _judged(workspace, query, found, notes)
    return SearchResult(
        query=request.query,
        forest_hits=found.hits,
        total_chunks=workspace.store.size(),
        answer=answer,
        degraded=(*notes, *workspace.notes, *found.degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(hit.path for hit in found.hits))),
        truncated=found.more,
        total=found.total,
        next_cursor=_cursor(query.offset + query.limit) if found.more else "",
        next=advice,
    )


def _query(workspace: "Workspace", request: SearchRequest) -> Query:
    from shirube.text import index_tokens

    if not index_tokens(request.query):
        raise BadArgument("the query has no word", "say what to look for, for example 'where is the login checked'")
    for language in request.languages:
        workspace.check_language(language)
    for kind in request.kinds:
        if kind not in KINDS:
            raise UnknownName("kind", kind, KINDS)
    scope = Scope(_scope_path(workspace, request.path), request.languages, request.kinds)
    config = workspace.config.search
    mode = request.mode if request.mode != Mode.AUTO else Mode(config.mode)
    return Query(request.query, request.limit or config.limit, _offset(request.cursor), mode, scope)


def _scope_path(workspace: "Workspace", path: str) -> str:
    from shirube.repo.read import resolve_inside
    from shirube.store.scope import is_glob

    if path.startswith("/") and is_glob(path):
        raise BadArgument("a glob must be relative to the project", "for example src/**/*.py")
    if path and not is_glob(path):
        path = resolve_inside(workspace.root, path)
    return "" if path == "." else path


def _judged(workspace: "Workspace", query: Query, found: "Found", notes: tuple[str, ...]) -> tuple[Answer, str]:
    """Say what the hits mean and what to do next; "none" only where the index covers what was asked."""
    hits = found.hits
    if workspace.keeper.building:
        advice = "the index is still being built; ask again in a moment for a whole answer"
        return (Answer.PARTIAL if hits else Answer.UNKNOWN), advice
    if hits:
        sure = Answer.FOUND if found.certain else Answer.PARTIAL
        return sure, f"read {hits[0].path}:{hits[0].start_line}-{hits[0].end_line}"
    if notes:
        return Answer.UNKNOWN, "the index may miss what changed; ask again in a moment"
    if not workspace.covers(query.scope.path):
        where = f"at '{query.scope.path}'" if query.scope.path else "here"
        return Answer.UNKNOWN, f"nothing {where} is indexed; index_status tells what is left out and why"
    if len(query.text.strip()) == 1 and not query.text.isascii():
        return Answer.UNKNOWN, "a single character is only found where it stands alone; ask with its neighbours"
    return Answer.NONE, _no_words(workspace)


def _no_words(workspace: "Workspace") -> str:
    """Advise after a proven absence, naming how many files could not be looked into."""
    hidden = sum(skip.reason in UNREAD for skip in workspace.store.skips())
    left_out = f" ({hidden} files were not read: see index_status)" if hidden else ""
    return f"nothing indexed has these words{left_out}; try others, or leave out path, languages and kinds"


def _cursor(offset: int) -> str:
    return base64.urlsafe_b64encode(json.dumps({"offset": offset}).encode()).decode().rstrip("=")


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        offset = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))["offset"]
    except (binascii.Error, ValueError, KeyError, TypeError, RecursionError):
        offset = None
    if type(offset) is not int or not 0 <= offset <= 10_000:
        raise BadArgument("the cursor is not one of ours", "send next_cursor of an earlier answer, or none")
    return offset


SEARCH = Operation(
    name="search",
    summary="Where in this repository is the code for a question, a symbol or some words? Ranked chunks with "
    "path, lines, symbol, reasons and preview; English and Japanese.",
    request=SearchRequest,
    result=SearchResult,
    function=_search,
    group="search",
    core=True,
    aliases={
        "top_k": "limit",
        "k": "limit",
        "n_results": "limit",
        "language": "languages",
        "path_prefix": "path",
    },
)
