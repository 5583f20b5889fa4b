"""Asking what a change would touch."""

import os
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.coverage import brought_up, coverage, judge
from shirube.features.lookup.scope import scope_file
from shirube.features.lookup.symbol_results import Cochanged, ImpactResult
from shirube.features.lookup.symbols import described
from shirube.messages import Message, say
from shirube.operation import Call
from shirube.types import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from shirube.engine.graph.impact import Impact
    from shirube.engine.store.port import Definition
    from shirube.features.lookup.symbol_operations import ImpactRequest
    from shirube.workspace import Workspace

MOST = 20
"""Files or symbols in one question."""
LIMIT = 50


def analyze_impact(workspace: "Workspace", request: "ImpactRequest", call: Call) -> ImpactResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.impact import Changed, exercising, weigh
    from shirube.engine.repo.history import cochange

    _check(request)
    notes = brought_up(workspace, call)
    names = [name for name in request.files if _is_symbol(workspace, name)]
    files = tuple(dict.fromkeys(scope_file(workspace, path) for path in request.files if path not in names))
    named = tuple(one for name in (*request.symbols, *names) for one in _meant(workspace, name))
    touched = tuple(dict.fromkeys([*files, *(one.path for one in named)]))
    languages = {path: record.language for path, record in workspace.store.files().items()}
    shares = {path: share for path, share in cochange(workspace.history(), touched).items() if path in languages}
    impact = weigh(workspace.store, Changed(files, named, _roles(languages), shares))
    anything = bool(impact.must or impact.should)
    covered = coverage(workspace, Scope(), notes, found=anything)
    answer, advice = judge(covered, anything, _advice(impact, covered.files))
    documents = [one for one in impact.should if one.role == "doc"]
    together = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    every = [*impact.must, *impact.should]
    lists = {
        "must_verify": len(impact.must),
        "should_verify": len(impact.should),
        "callers": len(impact.callers),
        "tests": len(exercising(every)),
        "documents": len(documents),
        "cochanged": len(together),
    }
    return ImpactResult(
        files=files,
        symbols=tuple(described(workspace, impact.looked_up[: request.limit])),
        must_verify=tuple(impact.must[: request.limit]),
        should_verify=tuple(impact.should[: request.limit]),
        callers=tuple(impact.callers[: request.limit]),
        tests=exercising(every)[: request.limit],
        documents=tuple(documents[: request.limit]),
        cochanged=tuple(Cochanged(path, round(share, 3)) for path, share in together[: request.limit]),
        totals=lists,
        truncated=max(lists.values()) > request.limit,
        answer=answer,
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes, *dict.fromkeys(impact.notes)),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.file for one in every[: request.limit]))),
        next=advice,
    )


def _check(request: "ImpactRequest") -> None:
    count = len(request.files) + len(request.symbols)
    if not count:
        raise BadArgument("impact.nothing")
    if count > MOST:
        raise BadArgument("impact.too_many", count=count, most=MOST)


def _is_symbol(workspace: "Workspace", name: str) -> bool:
    """Tell whether something that was given as a file is the name of a symbol, and of no file."""
    from shirube.engine.graph.definitions import find_exact, read_name

    if "/" in name or os.path.lexists(workspace.root / name):
        return False
    return bool(find_exact(workspace.store, read_name(name), Scope()))


def _meant(workspace: "Workspace", name: str) -> "tuple[Definition, ...]":
    from shirube.engine.graph.definitions import find_exact, read_name, unknown_symbol

    spelled = read_name(name)
    found = find_exact(workspace.store, spelled, Scope()) if spelled.name else ()
    if not found:
        raise unknown_symbol(workspace.store, name)
    return found


def _roles(languages: dict[str, str]) -> "Callable[[str], str]":
    from shirube.engine.search.rank import role_of

    return lambda path: role_of(path, languages.get(path, "")).value


def _advice(impact: "Impact", files: int) -> Message:
    if impact.must:
        first = impact.must[0]
        return say("impact.read", path=first.file, line=first.line)
    if impact.should:
        return say("impact.unsure")
    return say("impact.none", count=files)
