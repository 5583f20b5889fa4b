"""Asking for files, in seed 001's shape."""

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.query_building import Asked, ask, judged, next_cursor, query_of
from shirube.features.lookup.results import FileFound, FilesResult
from shirube.features.lookup.scope import scope_path
from shirube.operation import Call
from shirube.types import Hit, Mode

if TYPE_CHECKING:
    from shirube.features.lookup.operations import FilesRequest
    from shirube.workspace import Workspace

LIMIT = 50
_ENDING = re.compile(r"\w[\w.+-]*")


def files_search(workspace: "Workspace", request: "FilesRequest", call: Call) -> FilesResult:
    """Answer the operation of this name."""
    asked = Asked(
        text=request.query,
        limit=request.limit,
        cursor=request.cursor,
        mode=Mode.AUTO,
        path=_pattern(workspace, request),
        languages=(request.lang,) if request.lang else (),
        profile=request.profile,
        boost_profile=request.boost_profile,
    )
    query = query_of(workspace, asked)
    found, notes = ask(workspace, query, asked, call)
    hits = found.hits[: max(0, len(found.ranked) - query.offset)]  # the best place of each file comes first
    more = len(found.ranked) > query.offset + query.limit
    answer, advice = judged(workspace, query, found, notes)
    return FilesResult(
        query=request.query,
        results=tuple(_file(hit, request.compact) for hit in hits),
        answer=answer,
        confidence=found.confidence,
        total=len(found.ranked),
        truncated=more,
        next_cursor=next_cursor(query, found) if more else "",
        degraded=(*notes, *workspace.notes, *found.degraded),
        freshness=workspace.freshness(tuple(hit.path for hit in hits)),
        next=advice,
    )


def _pattern(workspace: "Workspace", request: "FilesRequest") -> str:
    """Return one glob for directory and ending."""
    place = scope_path(workspace, request.path_prefix)
    if not request.ext:
        return place
    ending = request.ext.removeprefix(".")
    if not _ENDING.fullmatch(ending):
        raise BadArgument("asking.ending", name=request.ext)
    return f"{place}/**/*.{ending}" if place else f"*.{ending}"


def _file(hit: Hit, compact: bool) -> FileFound:
    ext = PurePosixPath(hit.path).suffix
    return FileFound(hit.path, hit.start_line, hit.language, ext, hit.score, hit.why, "" if compact else hit.preview)
