"""Asking how a file or directory is built: seed 003's ``analyze_structure`` and ``get_function_at_line``."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.coverage import brought_up, coverage, judge, scope_of
from shirube.features.lookup.scope import scope_file
from shirube.features.lookup.symbol_results import (
    FunctionText,
    LineResult,
    StructureElement,
    StructureFile,
    StructureResult,
)
from shirube.features.lookup.symbols import files_at
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call, pack_cursor, unpack_cursor
from shirube.types import Answer, Symbol

if TYPE_CHECKING:
    from shirube.engine.graph.definitions import Branch
    from shirube.features.lookup.symbol_operations import LineRequest, StructureRequest
    from shirube.workspace import Workspace

MOST_FILES = 50
MOST_SYMBOLS = 600
"""Symbols in one answer; a directory is cut at the file where there are more."""
CONTENT_LINES = 400
"""Lines of a function that are shown."""


def analyze_structure(workspace: "Workspace", request: "StructureRequest", call: Call) -> StructureResult:
    """Answer the operation of this name."""
    notes = brought_up(workspace, call)
    scope = scope_of(workspace, request.path, ())
    paths = files_at(workspace, scope)
    (after,) = unpack_cursor(request.cursor, str) if request.cursor else ("",)
    left = [path for path in paths if path > str(after)]
    shown = _shown(workspace, left[: request.limit])
    covered = coverage(workspace, scope, notes, symbols=True)
    more = len(left) > len(shown)
    answer, advice = judge(covered, bool(paths), say("symbols.more_files") if more else NOTHING)
    return StructureResult(
        path=request.path,
        files=shown,
        total=len(paths),
        answer=answer,
        truncated=more,
        next_cursor=pack_cursor(shown[-1].file) if more and shown else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(one.file for one in shown)),
        next=advice,
    )


def _shown(workspace: "Workspace", paths: list[str]) -> tuple[StructureFile, ...]:
    """Return files as long as there is room for their symbols; the first is always whole."""
    from shirube.engine.graph.definitions import nest

    records = workspace.store.files(paths)
    shown: list[StructureFile] = []
    room = MOST_SYMBOLS
    for path in paths:
        symbols = workspace.store.symbols(path)
        room -= len(symbols)
        if room < 0 and shown:
            break
        tree = tuple(map(_element, nest(symbols)))
        shown.append(StructureFile(path, records[path].language, records[path].lines, tree))
    return tuple(shown)


def _element(branch: "Branch") -> StructureElement:
    one = branch.symbol
    inside = tuple(map(_element, branch.children))
    return StructureElement(one.name, one.kind, one.start_line, one.end_line, one.signature, inside)


# --- around a line -----------------------------------------------------------------------------------------


def get_function_at_line(workspace: "Workspace", request: "LineRequest", call: Call) -> LineResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import FUNCTIONS, around

    notes = brought_up(workspace, call)
    path = scope_file(workspace, request.file_path)
    record = workspace.store.files((path,))[path]
    if request.line > record.lines:
        raise BadArgument("symbols.past_end", line=request.line, path=record.path, count=record.lines)
    symbols = workspace.store.symbols(record.path)
    near = around(symbols, request.line)
    inner = next((one for one in near if one.kind in FUNCTIONS), None)
    covered = coverage(workspace, scope_of(workspace, record.path, ()), notes, symbols=True)
    answer, advice = judge(covered, inner is not None, _told(symbols, request.line, bool(covered.not_searched)))
    if inner is None and covered.not_searched:
        answer = Answer.UNKNOWN
    return LineResult(
        file=record.path,
        line=request.line,
        function=_function(workspace.store.text(record.path), inner) if inner else None,
        enclosing=tuple(one.qualified for one in near),
        language=record.language,
        lines=record.lines,
        answer=answer,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness((record.path,)),
        next=_uses(inner, record.path) if inner else advice,
    )


def _uses(symbol: Symbol, path: str) -> Message:
    return say("symbols.call", call=step("find_references", symbol=symbol.qualified, defined_in=path))


def _told(symbols: tuple[Symbol, ...], line: int, unread: bool) -> Message:
    from shirube.engine.graph.definitions import FUNCTIONS

    if unread:
        return say("symbols.no_grammar")
    later = [one for one in symbols if one.kind in FUNCTIONS and one.start_line > line]
    following = min(later, key=lambda one: one.start_line, default=None)
    if following is None:
        return say("symbols.no_function", line=line)
    return say("symbols.next_function", line=line, symbol=following.qualified, start=following.start_line)


def _function(text: str, symbol: Symbol) -> FunctionText:
    lines = text.split("\n")[symbol.start_line - 1 : symbol.end_line]
    return FunctionText(
        name=symbol.name,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        content="\n".join(line.rstrip("\r") for line in lines[:CONTENT_LINES]),
        qualified=symbol.qualified,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        truncated=len(lines) > CONTENT_LINES,
    )
