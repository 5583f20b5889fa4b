"""Finds the uses of a symbol, what a change would affect, and what a file depends on."""

from collections import Counter
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.graph.closure import FILE, Closure, ClosureLimits, close, dot, mermaid
from shirube.engine.history.together import day
from shirube.engine.store.lookups import NameMentions, Skipped
from shirube.engine.store.scope import is_glob
from shirube.errors import BadArgument
from shirube.features.lookup import symbol_results as results
from shirube.features.lookup.coverage import UNREAD, Covered, coverage, judge, refresh_index, scope_file, scope_of
from shirube.features.lookup.symbols import describe_definitions, find_definitions, is_aside, with_code
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call, pack_cursor, unpack_cursor
from shirube.types import Answer, Scope

if TYPE_CHECKING:
    from shirube.engine.graph.impact import Impact
    from shirube.engine.graph.references import Uses
    from shirube.engine.history.together import Companion
    from shirube.engine.store.port import Definition
    from shirube.engine.store.store import Store
    from shirube.features.lookup.symbol_operations import (
        DefinitionsRequest,
        DepsRequest,
        ImpactRequest,
        ReferencesRequest,
    )
    from shirube.workspace import Workspace

MOST_DEFINITIONS = 20
"""How many definitions are listed beside the references."""
CODED = 2
"""How many definitions are shown with their code."""
MOST = 20
"""How many files and symbols one request may name."""
MOST_TOUCHED = 6
"""How many symbols are named that past commits touched in a file."""
TOGETHER = 10
"""How many files that often change together with the root are listed."""
DRAWINGS = {results.DrawingFormat.DOT: dot, results.DrawingFormat.MERMAID: mermaid}


def find_references(workspace: "Workspace", request: "ReferencesRequest", call: Call) -> results.ReferencesResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.definitions import Spelled, exact_ask, find_exact, nearest_names, read_name
    from shirube.engine.graph.references import UsesMark, UsesPage, find_uses

    spelled = read_name(request.symbol)
    if not spelled.name:
        raise BadArgument("symbols.no_name", example=step("find_references", symbol="Session.start"))
    before, mark = 0, None
    if request.cursor:
        already, turn, file, line, column = unpack_cursor(request.cursor, int, int, str, int, int)
        before, mark = int(already), UsesMark(int(turn), str(file), int(line), int(column))
    scope = scope_of(workspace, request.path, request.language)
    bare = exact_ask(Spelled(spelled.name), Scope())
    first = (exact_ask(spelled, Scope()), bare, NameMentions(spelled.name, scope), Skipped(UNREAD))
    workspace.store.intend(lambda: first)
    notes = refresh_index(workspace, call)
    where = _where_defined(workspace, request.defined_in)
    found = find_exact(workspace.store, spelled, where)
    uses = find_uses(workspace.store, spelled, found, scope, UsesPage(request.limit, mark, request.prose))
    covered = coverage(workspace, scope, (*notes, *uses.degraded), found=bool(uses.items))
    near = () if found or uses.items else nearest_names(workspace.store, spelled.name)
    answer, advice = judge(covered, bool(uses.items), _advice(uses, found, near, covered))
    total = before + len(uses.items)
    return results.ReferencesResult(
        symbol=request.symbol,
        references=tuple(uses.items),
        definitions=tuple(describe_definitions(workspace, found[:MOST_DEFINITIONS])),
        total=total,
        by_confidence=dict(Counter(use.how.value for use in uses.items)),
        answer=answer if found or not uses.items else Answer.PARTIAL,
        truncated=uses.next is not None,
        next_cursor=pack_cursor(total, *uses.next) if uses.next else "",
        files=uses.files,
        excluded={"definitions": uses.definitions, "locals": uses.locals, "others": uses.others},
        not_searched=covered.not_searched,
        without_grammar=dict(sorted(uses.unparsed.items())),
        nearest=near,
        degraded=(*notes, *workspace.notes, *uses.degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(use.file for use in uses.items))),
        next=advice,
    )


def _where_defined(workspace: "Workspace", path: str) -> Scope:
    """Return the file, directory or glob that defines what is asked about; refuse a file that is not indexed."""
    scope = scope_of(workspace, path, ())
    if scope.path and not is_glob(scope.path) and not workspace.has_directory(scope.path):
        scope_file(workspace, scope.path)
    return scope


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


def symbol(
    workspace: "Workspace", defining: "DefinitionsRequest", using: "ReferencesRequest", call: Call
) -> results.SymbolResult:
    """Answer the operation of this name: what ``find_definitions`` and ``find_references`` tell, as one."""
    _where_defined(workspace, using.defined_in)
    defined = find_definitions(workspace, defining, call)
    names = {one.name for one in defined.definitions}
    similar = defined.match == "similar" and len(names) == 1
    used = find_references(workspace, replace(using, symbol=names.pop()) if similar else using, call)
    nothing_defined = bool(used.references) and not defined.definitions
    used_by = Counter(use.definition for use in used.references)
    # Symbols of the program before headings and keys, implementations before tests, the most used first.
    best = sorted(
        defined.definitions,
        key=lambda one: (*is_aside(one.file, one), one.kind == "impl", -used_by[f"{one.file}:{one.start_line}"]),
    )
    uses = tuple(results.by_file(used.references))
    code = 0 if using.cursor else CODED
    return results.SymbolResult(
        symbol=using.symbol,
        definitions=tuple(with_code(workspace, one, number < code) for number, one in enumerate(best)),
        uses=uses,
        total_definitions=defined.total,
        total_uses=used.total,
        files=used.files,
        answer=used.answer if nothing_defined else defined.answer,
        match=defined.match,
        nearest=defined.nearest,
        truncated=used.truncated,
        next_cursor=used.next_cursor,
        not_searched=defined.not_searched,
        degraded=tuple(dict.fromkeys((*defined.degraded, *used.degraded))),
        freshness=workspace.freshness(tuple({one.file: None for one in best} | {one.file: None for one in uses})),
        next=_symbol_advice(defined, used),
    )


def _symbol_advice(defined: results.DefinitionsResult, used: results.ReferencesResult) -> Message:
    """Return the next step; none where everything is told."""
    if used.truncated:
        return say("symbols.further_uses")
    if not used.references:
        return used.next if defined.match == "exact" else defined.next
    if not defined.definitions:
        return used.next
    return say("symbols.several") if defined.total > 1 else NOTHING


def analyze_impact(workspace: "Workspace", request: "ImpactRequest", call: Call) -> results.ImpactResult:
    """Answer the operation of this name."""
    from shirube.engine.graph.impact import Changed, exercising, weigh
    from shirube.engine.search.roles import role_of

    _check(request)
    notes, unread = refresh_index(workspace, call), workspace.read_history(call)
    names = [name for name in request.files if _is_symbol(workspace, name)]
    files = tuple(dict.fromkeys(scope_file(workspace, path) for path in request.files if path not in names))
    named = tuple(found for name in (*request.symbols, *names) for found in _meant(workspace, name))
    touched = tuple(dict.fromkeys([*files, *(found.path for found in named)]))
    changed_with = _cochanged(workspace.store, touched, named)
    known = workspace.store.files([one.file for one in changed_with])
    together = [one for one in changed_with if one.file in known]
    shares = {one.file: (one.share, _said_together(one)) for one in together}

    def role(path: str) -> str:
        record = workspace.store.files((path,)).get(path)
        return role_of(path, record.language if record else "").value

    impact = weigh(workspace.store, Changed(files, named, role, shares))
    anything = bool(impact.must or impact.should)
    covered = coverage(workspace, Scope(), notes, found=anything)
    answer, advice = judge(covered, anything, _impact_advice(impact, covered.files))
    if answer == Answer.NONE and impact.unlisted:
        answer = Answer.UNKNOWN
    documents = [found for found in impact.should if found.role == "doc"]
    every = [*impact.must, *impact.should]
    lists = {
        "must_verify": len(impact.must),
        "should_verify": len(impact.should),
        "callers": len(impact.callers),
        "tests": len(exercising(every)),
        "documents": len(documents),
        "cochanged": len(together),
    }
    return results.ImpactResult(
        files=files,
        symbols=tuple(describe_definitions(workspace, impact.looked_up[: request.limit])),
        must_verify=tuple(impact.must[: request.limit]),
        should_verify=tuple(impact.should[: request.limit]),
        callers=tuple(impact.callers[: request.limit]),
        tests=exercising(every)[: request.limit],
        documents=tuple(documents[: request.limit]),
        cochanged=tuple(together[: request.limit]),
        totals=lists,
        truncated=max(lists.values()) > request.limit,
        answer=answer,
        not_searched=covered.not_searched,
        degraded=(
            *notes,
            *unread,
            *workspace.notes,
            *dict.fromkeys(impact.notes),
            *(_unlisted(impact) if anything else ()),
        ),
        freshness=workspace.freshness(tuple(dict.fromkeys(found.file for found in every[: request.limit]))),
        next=advice,
    )


def _cochanged(store: "Store", paths: tuple[str, ...], named: "tuple[Definition, ...]") -> list[results.Cochanged]:
    """Return the files that changed together with these; first those that did when one of the named symbols changed."""
    from shirube.engine.history.together import companions

    found = {path: _described(path, one) for path, one in companions(store, paths).items()}
    by_symbol: dict[str, results.Cochanged] = {}
    for definition in named:
        name = definition.symbol.name
        for path, one in companions(store, (definition.path,), (name,)).items():
            known = by_symbol.get(path)
            touching = (*(known.touching if known else ()), name)
            best = known if known and known.share >= one.share else _described(path, one)
            by_symbol[path] = replace(best, touching=tuple(dict.fromkeys(touching)))
    return sorted((found | by_symbol).values(), key=lambda one: (not one.touching, -one.share, one.file))


def _described(path: str, one: "Companion") -> results.Cochanged:
    return results.Cochanged(path, round(one.share, 3), one.times, day(one.seconds), one.symbols[:MOST_TOUCHED])


def _said_together(one: results.Cochanged) -> Message:
    code = "impact.together_touching" if one.touching else "impact.together"
    return say(code, share=f"{one.share:.0%}", count=one.times, day=one.last, names=one.touching)


def _check(request: "ImpactRequest") -> None:
    count = len(request.files) + len(request.symbols)
    if not count:
        raise BadArgument("impact.nothing")
    if count > MOST:
        raise BadArgument("impact.too_many", count=count, most=MOST)


def _is_symbol(workspace: "Workspace", name: str) -> bool:
    """Tell whether a name given as a file is really a symbol: a symbol has this name, and no file does."""
    from shirube.engine.graph.definitions import find_exact, read_name

    if "/" in name or workspace.has(name):
        return False
    return bool(find_exact(workspace.store, read_name(name), Scope()))


def _meant(workspace: "Workspace", name: str) -> "tuple[Definition, ...]":
    from shirube.engine.graph.definitions import find_exact, read_name, unknown_symbol

    spelled = read_name(name)
    found = find_exact(workspace.store, spelled, Scope()) if spelled.name else ()
    if not found:
        raise unknown_symbol(workspace.store, name)
    return found


def _impact_advice(impact: "Impact", files: int) -> Message:
    if impact.must:
        first = impact.must[0]
        return say("impact.read", path=first.file, line=first.line)
    if impact.should:
        return say("impact.unsure")
    return next(iter(_unlisted(impact)), say("impact.none", count=files))


def _unlisted(impact: "Impact") -> tuple[Message, ...]:
    """Say how many places were counted and not listed, and for which names."""
    if not impact.unlisted:
        return ()
    often = sorted(impact.unlisted, key=lambda name: -impact.unlisted[name])[:MOST_TOUCHED]
    return (say("impact.unlisted", count=sum(impact.unlisted.values()), names=tuple(often), name=often[0]),)


def deps_closure(workspace: "Workspace", request: "DepsRequest", call: Call) -> results.DepsResult:
    """Answer the operation of this name."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    notes += workspace.read_history(call) if request.history else ()
    path = scope_file(workspace, request.path)
    limits = ClosureLimits(request.max_depth, request.include_packages, request.limit)
    closure = close(workspace.store, path, request.direction, limits)
    answer, advice = _judged(workspace, request, closure)
    return results.DepsResult(
        root=path,
        direction=request.direction,
        nodes=closure.nodes,
        edges=closure.edges,
        answer=answer,
        truncated=closure.truncated,
        whole_to=closure.whole_to,
        drawing=DRAWINGS[request.format](closure) if request.format in DRAWINGS else "",
        changes_with=_together(workspace, closure) if request.history else (),
        degraded=(*notes, *workspace.notes),
        freshness=workspace.freshness((path,)),
        next=advice,
    )


def _judged(workspace: "Workspace", request: "DepsRequest", closure: Closure) -> tuple[Answer, Message]:
    """Return what the graph means and what to do next; "none" only if the imports of the language can be followed."""
    from shirube.engine.index.resolvers import LANGUAGES

    found = len(closure.nodes) > 1
    if workspace.keeper.building:
        return (Answer.PARTIAL if found else Answer.UNKNOWN), say("index.building")
    language = workspace.store.files((closure.root,))[closure.root].language
    if language not in LANGUAGES and not found:
        return Answer.UNKNOWN, say("deps.not_followed", language=language)
    if not found:
        return Answer.NONE, say(f"deps.none_{request.direction.value}")
    if closure.truncated:
        return Answer.PARTIAL, say("deps.whole_to", depth=closure.whole_to)
    lost = sum(node.kind not in (FILE, "package") for node in closure.nodes)
    if lost:
        return Answer.PARTIAL, say("deps.unplaced", count=lost)
    first = closure.nodes[1]
    return Answer.FOUND, say("deps.read", path=first.target) if first.kind == FILE else NOTHING


def _together(workspace: "Workspace", closure: Closure) -> tuple[results.Together, ...]:
    from shirube.engine.history.together import companions, recency

    recent = recency(workspace.store, workspace.now_seconds())
    found = companions(workspace.store, (closure.root,))
    there = workspace.store.files(list(found))
    linked = {node.target for node in closure.nodes}
    best = sorted((path for path in found if path in there), key=lambda path: (-found[path].share, path))[:TOGETHER]
    return tuple(
        results.Together(
            path=path,
            share=round(found[path].share, 3),
            recent=round(recent.get(path, 0.0), 3),
            linked=path in linked,
            times=found[path].times,
            last=day(found[path].seconds),
        )
        for path in best
    )
