"""Asking for symbols by name or by place: seed 003's ``find_definitions`` and ``get_symbols``."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup.coverage import Covered, brought_up, coverage, judge, scope_of
from shirube.features.lookup.query_building import looked_again
from shirube.features.lookup.scope import scope_file
from shirube.features.lookup.symbol_results import Defined, DefinitionsResult, SymbolsResult
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call, offset_of, pack_cursor
from shirube.types import KINDS, Answer, Scope, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shirube.engine.store.port import Definition
    from shirube.features.lookup.symbol_operations import DefinitionsRequest, SymbolsRequest
    from shirube.workspace import Workspace

LIMIT = 50
MOST_LISTED = 200
MOST_LOOKED = 50
"""Files that are looked into for a name that nothing defines."""


def find_definitions(workspace: "Workspace", request: "DefinitionsRequest", call: Call) -> DefinitionsResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import nearest_names, read_name

    spelled = read_name(request.symbol)
    if not spelled.name:
        raise BadArgument("symbols.no_name", example=step("find_definitions", symbol="Session.start"))
    _check_kind(request.kind)
    offset = offset_of(request.cursor)
    scope = scope_of(workspace, request.path, request.language)
    notes = brought_up(workspace, call)
    found, match = _lookup(workspace, request, scope)
    paths = tuple({one.path for one in found[offset : offset + request.limit]})
    if not notes and (not found or workspace.freshness(paths).stale_files):
        notes, is_another = looked_again(workspace, call)
        if is_another:
            found, match = _lookup(workspace, request, scope)
    covered = coverage(workspace, scope, notes, symbols=True, found=match == "exact")
    shown = found[offset : offset + request.limit]
    near = () if found else nearest_names(workspace.store, spelled.name)
    answer, advice = judge(covered, bool(found), _advice(shown, near, covered))
    if answer == Answer.NONE and not request.kind and (places := _standing(workspace, spelled.name, scope)):
        # A grammar that gives up, a macro, a name inside an expression: nothing says that none of these defines it.
        others = say("symbols.and_more", count=len(places) - 1) if len(places) > 1 else NOTHING
        answer, advice = Answer.UNKNOWN, say("symbols.stands_in", place=places[0], more=others)
    more = len(found) > offset + request.limit
    return DefinitionsResult(
        symbol=request.symbol,
        definitions=tuple(described(workspace, shown)),
        total=len(found),
        answer=Answer.PARTIAL if answer == Answer.FOUND and match != "exact" else answer,
        match=match,
        nearest=near,
        truncated=more,
        next_cursor=pack_cursor(offset + request.limit) if more else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.path for one in shown))),
        next=advice,
    )


def _lookup(
    workspace: "Workspace", request: "DefinitionsRequest", scope: Scope
) -> "tuple[tuple[Definition, ...], str]":
    from shirube.engine.graph.definitions import find_alike, find_exact, read_name

    spelled = read_name(request.symbol)
    for match, find in (("exact", find_exact), ("similar", find_alike)):
        found = tuple(
            one for one in find(workspace.store, spelled, scope) if not request.kind or one.symbol.kind == request.kind
        )
        if found:
            return found, match
        if request.exact_match:
            break
    return (), "none"


def _standing(workspace: "Workspace", name: str, scope: Scope) -> list[str]:
    """Return files of code that have a name which no symbol has; some of them, when they are many."""
    from shirube.engine.parse.languages import language_row

    found = workspace.store.mentions(name, scope).languages
    code = [path for path, language in sorted(found.items()) if language_row(language).grammar]
    return [path for path in code[:MOST_LOOKED] if name in workspace.store.text(path)]


def _advice(shown: "tuple[Definition, ...]", near: tuple[str, ...], covered: Covered) -> Message:
    if shown:
        symbol = shown[0].symbol
        return say("asking.read_lines", path=shown[0].path, start=symbol.start_line, end=symbol.end_line)
    hint = say("symbols.near", names=near) if near else say("symbols.otherwise")
    return say("symbols.unknown", count=covered.files, hint=hint)


def described(workspace: "Workspace", found: "Iterable[Definition]") -> "Iterable[Defined]":
    """Return definitions as an answer shows them."""
    from shirube.engine.graph.definitions import name_line

    lines: dict[str, list[str]] = {}
    found = list(found)
    records = workspace.store.files(sorted({one.path for one in found}))
    for one in found:
        if one.path not in lines:
            lines[one.path] = workspace.store.text(one.path).split("\n")
        symbol = one.symbol
        language = records[one.path].language if one.path in records else ""
        line = name_line(lines[one.path], symbol)
        yield _defined(one.path, symbol, line, language)


def _defined(path: str, symbol: Symbol, line: int, language: str) -> Defined:
    return Defined(
        name=symbol.name,
        file=path,
        line=line,
        kind=symbol.kind,
        scope=symbol.scope,
        signature=symbol.signature,
        qualified=symbol.qualified,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        language=language,
        doc=symbol.doc.partition("\n")[0],
    )


def _check_kind(kind: str) -> None:
    if kind and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)


# --- by place ----------------------------------------------------------------------------------------------


def get_symbols(workspace: "Workspace", request: "SymbolsRequest", call: Call) -> SymbolsResult:
    """Answer the operation of this name."""
    from shirube.engine.store.port import Definition

    _check_kind(request.kind)
    offset = offset_of(request.cursor)
    notes = brought_up(workspace, call)
    scope = scope_of(workspace, request.path, request.language)
    paths = files_at(workspace, scope)
    found = [
        Definition(0, path, symbol)
        for path in paths
        for symbol in workspace.store.symbols(path)
        if not request.kind or symbol.kind == request.kind
    ]
    covered = coverage(workspace, scope, notes, symbols=True)
    shown = found[offset : offset + request.limit]
    code = "symbols.no_symbols_of" if request.kind else "symbols.no_symbols"
    absent = NOTHING if found else say(code, count=len(paths), kind=request.kind)
    answer, advice = judge(covered, bool(found), absent)
    more = len(found) > offset + request.limit
    return SymbolsResult(
        path=request.path,
        symbols=tuple(described(workspace, shown)),
        total=len(found),
        answer=answer,
        truncated=more,
        next_cursor=pack_cursor(offset + request.limit) if more else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.path for one in shown))),
        next=advice or say("symbols.then"),
    )


def files_at(workspace: "Workspace", scope: Scope) -> list[str]:
    """Return the indexed files of a scope in order; a path that names nothing is refused, naming the nearest."""
    from shirube.engine.store.scope import ScopeFilter, is_glob

    meant = ScopeFilter(scope)
    records = workspace.store.files()
    paths = sorted(path for path, one in records.items() if one.language and meant(path, one.language, ""))
    if not paths and scope.path and not is_glob(scope.path) and not (workspace.root / scope.path).is_dir():
        scope_file(workspace, scope.path)
    return paths
