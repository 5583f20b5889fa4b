"""Asking who uses a symbol: seed 003's ``find_references``."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.coverage import Covered, brought_up, coverage, judge, scope_of
from shirube.features.lookup.query_building import looked_again
from shirube.features.lookup.scope import scope_file
from shirube.features.lookup.symbol_results import ReferencesResult
from shirube.features.lookup.symbols import described
from shirube.messages import Message, say, step
from shirube.operation import Call, pack_cursor, unpack_cursor
from shirube.types import Answer, Scope

if TYPE_CHECKING:
    from shirube.engine.graph.definitions import Spelled
    from shirube.engine.graph.references import Uses, UsesMark
    from shirube.engine.store.port import Definition
    from shirube.features.lookup.symbol_operations import ReferencesRequest
    from shirube.workspace import Workspace

LIMIT = 50
MOST_DEFINITIONS = 20
"""Definitions named beside the references."""


def find_references(workspace: "Workspace", request: "ReferencesRequest", call: Call) -> ReferencesResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import nearest_names, read_name

    spelled = read_name(request.symbol)
    if not spelled.name:
        raise BadArgument("symbols.no_name", example=step("find_references", symbol="Session.start"))
    before, mark = _mark(request.cursor)
    scope = scope_of(workspace, request.path, request.language)
    notes = brought_up(workspace, call)
    found, uses = _look(workspace, request, (spelled, scope, mark))
    if not uses.items and not notes:
        # Before it is said that nobody uses something, the tree is looked at once more.
        notes, is_another = looked_again(workspace, call)
        if is_another:
            found, uses = _look(workspace, request, (spelled, scope, mark))
    covered = coverage(workspace, scope, (*notes, *uses.degraded), found=bool(uses.items))
    near = () if found or uses.items else nearest_names(workspace.store, spelled.name)
    answer, advice = judge(covered, bool(uses.items), _advice(uses, found, near, covered))
    total = before + len(uses.items)
    return ReferencesResult(
        symbol=request.symbol,
        references=tuple(uses.items),
        definitions=tuple(described(workspace, found[:MOST_DEFINITIONS])),
        total=total,
        by_confidence=_counted(uses),
        answer=answer if found or not uses.items else Answer.PARTIAL,
        truncated=uses.next is not None,
        next_cursor=pack_cursor(total, *uses.next) if uses.next else "",
        files=uses.files,
        excluded={"definitions": uses.definitions, "locals": uses.locals, "others": uses.others},
        not_searched=covered.not_searched,
        without_grammar=dict(sorted(uses.unparsed.items())),
        nearest=near,
        degraded=(*notes, *workspace.notes, *uses.degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.file for one in uses.items))),
        next=advice,
    )


def _look(
    workspace: "Workspace", request: "ReferencesRequest", asked: "tuple[Spelled, Scope, UsesMark | None]"
) -> "tuple[tuple[Definition, ...], Uses]":
    from shirube.engine.graph.definitions import find_exact
    from shirube.engine.graph.references import UsesPage, find_uses

    spelled, scope, mark = asked
    where = Scope(scope_file(workspace, request.defined_in)) if request.defined_in else Scope()
    found = find_exact(workspace.store, spelled, where)
    return found, find_uses(workspace.store, spelled, found, scope, UsesPage(request.limit, mark, request.prose))


def _mark(cursor: str) -> "tuple[int, UsesMark | None]":
    from shirube.engine.graph.references import UsesMark

    if not cursor:
        return 0, None
    before, turn, file, line, column = unpack_cursor(cursor, int, int, str, int, int)
    return int(before), UsesMark(int(turn), str(file), int(line), int(column))


def _counted(uses: "Uses") -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in uses.items:
        counts[one.how.value] = counts.get(one.how.value, 0) + 1
    return counts


def _advice(uses: "Uses", found: "tuple[Definition, ...]", near: tuple[str, ...], covered: Covered) -> Message:
    if uses.next:
        return say("symbols.more_uses")
    if uses.items:
        first = uses.items[0]
        return say("asking.read_line", path=first.file, line=first.line) if found else say("symbols.only_names")
    if found:
        return say("symbols.unused", count=covered.files)
    if uses.locals:
        return say("symbols.local", count=uses.locals)
    nowhere = say("symbols.nowhere", count=covered.files)
    return say("symbols.nowhere_near", nowhere=nowhere, hint=say("symbols.near", names=near)) if near else nowhere
