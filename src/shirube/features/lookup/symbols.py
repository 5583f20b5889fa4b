"""Finds the definitions of a name, the symbols and structure of files, and the function around a line."""

from typing import TYPE_CHECKING

from shirube.codec import UNNAMED, record_from
from shirube.errors import BadArgument, UnknownName
from shirube.features.lookup import symbol_results as results
from shirube.features.lookup.coverage import Covered, coverage, judge, refresh_index, scope_file, scope_of
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call, offset_of, pack_cursor, unpack_cursor
from shirube.types import KINDS, Answer, Scope, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shirube.engine.graph.definitions import Branch
    from shirube.engine.store.port import Definition
    from shirube.features.lookup import symbol_operations as operations
    from shirube.workspace import Workspace

MOST_LOOKED = 50
"""How many files are searched for a name that has no definition."""
MOST_SYMBOLS = 600
"""How many symbols one answer holds; a directory listing ends before the file that would exceed it."""
CONTENT_LINES = 400
"""How many lines of a function are shown."""


def find_definitions(
    workspace: "Workspace", request: "operations.DefinitionsRequest", call: Call
) -> results.DefinitionsResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import find_alike, find_exact, nearest_names, read_name

    spelled = read_name(request.symbol)
    if not spelled.name:
        raise BadArgument("symbols.no_name", example=step("symbol", symbol="Session.start"))
    _check_kind(request.kind)
    offset = offset_of(request.cursor)
    scope = scope_of(workspace, request.path, request.language)

    def look() -> "tuple[tuple[Definition, ...], str]":
        for match, find in (("exact", find_exact), ("similar", find_alike)):
            named = find(workspace.store, spelled, scope)
            if found := [item for item in named if not request.kind or item.symbol.kind == request.kind]:
                return tuple(sorted(found, key=lambda item: is_aside(item.path, item.symbol))), match
            if request.exact_match:
                break
        return (), "none"

    notes = refresh_index(workspace, call)
    found, match = look()
    covered = coverage(workspace, scope, notes, symbols=True, found=match == "exact")
    shown = found[offset : offset + request.limit]
    near = () if found else nearest_names(workspace.store, spelled.name)
    elsewhere = () if found else find_exact(workspace.store, spelled, Scope())[:1]
    hint = next((_elsewhere(one) for one in describe_definitions(workspace, elsewhere)), NOTHING)
    answer, advice = judge(covered, bool(found), _advice(shown, near, covered))
    if hint and not covered.building:
        advice = hint
    elif answer == Answer.NONE and not request.kind and (places := _files_with_name(workspace, spelled.name, scope)):
        # The parser may have missed a definition there: a syntax error, a macro, or a name inside an expression.
        others = say("symbols.and_more", count=len(places) - 1) if len(places) > 1 else NOTHING
        answer, advice = Answer.UNKNOWN, say("symbols.stands_in", place=places[0], more=others)
    more = len(found) > offset + request.limit
    return results.DefinitionsResult(
        symbol=request.symbol,
        definitions=tuple(describe_definitions(workspace, shown)),
        total=len(found),
        answer=Answer.PARTIAL if answer == Answer.FOUND and match != "exact" else answer,
        match=match,
        nearest=near,
        truncated=more,
        next_cursor=pack_cursor(offset + request.limit) if more else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(dict.fromkeys(item.path for item in shown))),
        next=advice,
    )


def is_aside(path: str, symbol: "Symbol | results.Defined") -> tuple[bool, bool]:
    """Tell whether it is a heading or key of a document, and whether it stands beside the implementation: in a test."""
    from shirube.engine.search.roles import Role, role_of

    beside = "tests" in symbol.scope.split(".") or role_of(path, "") is not Role.IMPLEMENTATION
    return symbol.kind in UNNAMED - {"module"}, beside


def _elsewhere(one: results.Defined) -> Message:
    place = f"{one.file}:{one.line}"
    return say("symbols.elsewhere", name=one.qualified, place=place, language=one.language, kind=one.kind)


def _files_with_name(workspace: "Workspace", name: str, scope: Scope) -> list[str]:
    """Return code files whose text contains a name that no symbol has; at most ``MOST_LOOKED`` are searched."""
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


def describe_definitions(workspace: "Workspace", found: "Iterable[Definition]") -> "Iterable[results.Defined]":
    """Return definitions as an answer shows them."""
    from shirube.engine.graph.definitions import name_line

    lines: dict[str, list[str]] = {}
    found = list(found)
    records = workspace.store.files(sorted({item.path for item in found}))
    for item in found:
        if item.path not in lines:
            lines[item.path] = workspace.store.text(item.path).split("\n")
        symbol = item.symbol
        yield results.Defined(
            name=symbol.name,
            file=item.path,
            line=name_line(lines[item.path], symbol),
            kind=symbol.kind,
            scope=symbol.scope,
            signature=symbol.signature,
            qualified=symbol.qualified,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
            language=records[item.path].language if item.path in records else "",
            doc=symbol.doc.partition("\n")[0],
        )


def with_code(workspace: "Workspace", defined: results.Defined, code: bool) -> results.DefinedCode:
    """Return a definition with its code and what is defined inside it, or without."""
    from shirube.engine.graph.definitions import nest

    if not code:
        return record_from(results.DefinedCode, defined)
    lines = workspace.store.text(defined.file).split("\n")[defined.start_line - 1 : defined.end_line]
    content, truncated = "\n".join(line.rstrip("\r") for line in lines[:CONTENT_LINES]), len(lines) > CONTENT_LINES
    inside = [
        symbol
        for symbol in workspace.store.symbols(defined.file)
        if defined.start_line <= symbol.start_line <= defined.end_line and symbol.scope.startswith(defined.qualified)
    ]
    members = tuple(map(element_of, nest(inside)))
    return record_from(results.DefinedCode, defined, content=content, truncated=truncated, members=members)


def _check_kind(kind: str) -> None:
    if kind and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)


# --- by place ----------------------------------------------------------------------------------------------


def get_symbols(workspace: "Workspace", request: "operations.SymbolsRequest", call: Call) -> results.SymbolsResult:
    """Answer the operation of this name."""
    from shirube.engine.store.port import Definition

    _check_kind(request.kind)
    offset = offset_of(request.cursor)
    notes = refresh_index(workspace, call)
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
    return results.SymbolsResult(
        path=request.path,
        symbols=tuple(describe_definitions(workspace, shown)),
        total=len(found),
        answer=answer,
        truncated=more,
        next_cursor=pack_cursor(offset + request.limit) if more else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(dict.fromkeys(item.path for item in shown))),
        next=advice or say("symbols.then"),
    )


def files_at(workspace: "Workspace", scope: Scope) -> list[str]:
    """Return the indexed files of a scope in order; refuse a path that does not exist, and suggest the nearest."""
    from shirube.engine.store.scope import ScopeFilter, is_glob

    meant = ScopeFilter(scope)
    records = workspace.store.files()
    paths = sorted(path for path, file in records.items() if file.language and meant(path, file.language))
    if not paths and scope.path and not is_glob(scope.path) and not workspace.has_directory(scope.path):
        scope_file(workspace, scope.path)  # raises the error that names the nearest path
    return paths


def analyze_structure(
    workspace: "Workspace", request: "operations.StructureRequest", call: Call
) -> results.StructureResult:
    """Answer the operation of this name."""
    notes = refresh_index(workspace, call)
    scope = scope_of(workspace, request.path, ())
    paths = files_at(workspace, scope)
    (after,) = unpack_cursor(request.cursor, str) if request.cursor else ("",)
    left = [path for path in paths if path > str(after)]
    shown = _shown(workspace, left[: request.limit])
    covered = coverage(workspace, scope, notes, symbols=True)
    more = len(left) > len(shown)
    answer, advice = judge(covered, bool(paths), say("symbols.more_files") if more else NOTHING)
    return results.StructureResult(
        path=request.path,
        files=shown,
        total=len(paths),
        answer=answer,
        truncated=more,
        next_cursor=pack_cursor(shown[-1].file) if more and shown else "",
        not_searched=covered.not_searched,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness(tuple(item.file for item in shown)),
        next=advice,
    )


def _shown(workspace: "Workspace", paths: list[str]) -> tuple[results.StructureFile, ...]:
    """Return files while there is room for their symbols; the first file is always included."""
    from shirube.engine.graph.definitions import nest
    from shirube.engine.text.budget import tokens_of

    records = workspace.store.files(paths)
    shown: list[results.StructureFile] = []
    room = MOST_SYMBOLS
    for path in paths:
        symbols = workspace.store.symbols(path)
        room -= len(symbols)
        if room < 0 and shown:
            break
        tree = tuple(map(element_of, nest(symbols)))
        size = tokens_of(workspace.store.text(path))
        shown.append(results.StructureFile(path, records[path].language, records[path].lines, tree, size))
    return tuple(shown)


def element_of(branch: "Branch") -> results.StructureElement:
    """Return a symbol with what is in it, as an answer shows it."""
    item = branch.symbol
    inside = tuple(map(element_of, branch.children))
    return results.StructureElement(item.name, item.kind, item.start_line, item.end_line, item.signature, inside)


# --- around a line -----------------------------------------------------------------------------------------


def get_function_at_line(workspace: "Workspace", request: "operations.LineRequest", call: Call) -> results.LineResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import FUNCTIONS, around

    notes = refresh_index(workspace, call)
    path = scope_file(workspace, request.file_path)
    record = workspace.store.files((path,))[path]
    if request.line > record.lines:
        raise BadArgument("symbols.past_end", line=request.line, path=record.path, count=record.lines)
    symbols = workspace.store.symbols(record.path)
    near = around(symbols, request.line)
    inner = next((symbol for symbol in near if symbol.kind in FUNCTIONS), None)
    covered = coverage(workspace, scope_of(workspace, record.path, ()), notes, symbols=True)
    answer, advice = judge(covered, inner is not None, _no_function(symbols, request.line, bool(covered.not_searched)))
    if inner is None and covered.not_searched:
        answer = Answer.UNKNOWN
    uses = step("find_references", symbol=inner.qualified, defined_in=record.path) if inner else ""
    return results.LineResult(
        file=record.path,
        line=request.line,
        function=_function(workspace.store.text(record.path), inner, request.line, call.text_tokens) if inner else None,
        enclosing=tuple(symbol.qualified for symbol in near),
        language=record.language,
        lines=record.lines,
        answer=answer,
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness((record.path,)),
        next=say("symbols.call", call=uses) if inner else advice,
    )


def _no_function(symbols: tuple[Symbol, ...], line: int, unread: bool) -> Message:
    from shirube.engine.graph.definitions import FUNCTIONS

    if unread:
        return say("symbols.no_grammar")
    later = [symbol for symbol in symbols if symbol.kind in FUNCTIONS and symbol.start_line > line]
    following = min(later, key=lambda symbol: symbol.start_line, default=None)
    if following is None:
        return say("symbols.no_function", line=line)
    return say("symbols.next_function", line=line, symbol=following.qualified, start=following.start_line)


def _function(text: str, symbol: Symbol, line: int, tokens: int) -> results.FunctionText:
    """Return a function with its text; of a very long one as many lines around the one asked for as there is room."""
    from shirube.features.lookup.context.fit import lines_around

    lines = [one.rstrip("\r") for one in text.split("\n")[symbol.start_line - 1 : symbol.end_line]]
    first, last = lines_around(lines, line - symbol.start_line + 1, CONTENT_LINES, tokens)
    return results.FunctionText(
        name=symbol.name,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        content="\n".join(lines[first - 1 : last]),
        first_line=symbol.start_line + first - 1,
        qualified=symbol.qualified,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        truncated=last - first + 1 < len(lines),
    )
