"""Asking for files, in seed 001's shape."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.operations.asking import Asked, ask, judged, next_cursor, query_of
from shirube.operations.model import Call, Operation, arg
from shirube.operations.scope import scope_path
from shirube.types import Answer, Freshness, Hit, Mode, Reason

if TYPE_CHECKING:
    from shirube.workspace import Workspace

LIMIT = 50
_ENDING = re.compile(r"\w[\w.+-]*")


@dataclass(frozen=True, slots=True)
class FilesRequest:
    """What ``files_search`` takes."""

    query: str = arg(..., "Words, a symbol or a question, in English or Japanese.")
    lang: str = arg("", "Only this language.")
    ext: str = arg("", "Only files with this ending (.py).")
    path_prefix: str = arg("", "Only below this directory.")
    limit: int = arg(LIMIT, "How many files.", low=1, high=200)
    profile: str = arg("", "What for: default, bugfix, testfail, typeerror, feature, refactor.")
    boost_profile: str = arg("", "Which files first: default, docs, balanced, code, none.")
    compact: bool = arg(True, "Leave the previews out.")
    cursor: str = arg("", "next_cursor of the previous answer.")


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file that fits, and the first line to look at; the names are seed 001's."""

    path: str
    matchLine: int  # noqa: N815
    lang: str
    ext: str
    score: float
    why: tuple[Reason, ...]
    preview: str = ""


@dataclass(frozen=True, slots=True)
class FilesResult:
    """The files, best first."""

    query: str
    results: tuple[FileFound, ...]
    answer: Answer
    confidence: float
    total: int
    truncated: bool
    next_cursor: str
    degraded: tuple[str, ...]
    freshness: Freshness = field(default_factory=Freshness)
    next: str = ""


def _files_search(workspace: "Workspace", request: FilesRequest, call: Call) -> FilesResult:
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


def _pattern(workspace: "Workspace", request: FilesRequest) -> str:
    """Return one glob for directory and ending."""
    place = scope_path(workspace, request.path_prefix)
    if not request.ext:
        return place
    ending = request.ext.removeprefix(".")
    if not _ENDING.fullmatch(ending):
        raise BadArgument(f"'{request.ext}' is no file ending", "for example .py")
    return f"{place}/**/*.{ending}" if place else f"*.{ending}"


def _file(hit: Hit, compact: bool) -> FileFound:
    ext = PurePosixPath(hit.path).suffix
    return FileFound(hit.path, hit.start_line, hit.language, ext, hit.score, hit.why, "" if compact else hit.preview)


FILES_SEARCH = Operation(
    name="files_search",
    summary="Which files are about this? Ranked paths with the line to begin at and reasons.",
    request=FilesRequest,
    result=FilesResult,
    function=_files_search,
    group="search",
    core=True,
    aliases={"language": "lang", "path": "path_prefix", "top_k": "limit", "k": "limit"},
)
