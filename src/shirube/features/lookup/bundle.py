"""What to read: a bundle of snippets for a goal within a token budget, or some lines of one file (seed 001)."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument, SmallBudget
from shirube.features.lookup.coverage import current_file, scope_file
from shirube.features.lookup.query_building import SearchInput, ask, foresee, judge_answer, query_of
from shirube.features.lookup.results import BundleResult, ContextItem, EarlierChange, SnippetResult, SnippetView
from shirube.messages import NOTHING, Argument, Message, say, step
from shirube.operation import Call
from shirube.types import Answer, Query, Symbol

if TYPE_CHECKING:
    from shirube.features.lookup.context import Bundle, Clues, Room
    from shirube.features.lookup.context.fit import Snippet, SourceFiles
    from shirube.features.lookup.operations import BundleRequest, SnippetRequest
    from shirube.workspace import Workspace

POOL = 100
"""How many files the search may contribute: a large budget has room for many."""
MOST_SNIPPETS = 200
PAST_SHARE = 0.25
"""How much of the budget past commits may take."""
PAST_FILES = 5
"""How many files of a past commit are named."""
RESERVED = 40
"""Tokens of a text that are no snippets: what was left out, and notes."""
WINDOW = 150
"""How many lines are shown by default, as in the program of seed 001; a file up to this size is shown whole."""
MOST = 600
"""How many lines one answer shows at most."""
HEADED = 12
"""Tokens of the head of some lines, beside their place and name."""
PLACE = re.compile(r"(.+):([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?")


def context_bundle(workspace: "Workspace", request: "BundleRequest", call: Call) -> BundleResult:
    """Answer the operation of this name."""
    from shirube.engine.search.pipeline import FRAME_SURE
    from shirube.engine.search.question import read_question
    from shirube.features.lookup.context import Room, Tools, assemble
    from shirube.features.lookup.context.gather import definition_asks

    foresee(workspace, request.goal, request.editing_path, recent=bool(request.failing_tests))
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    clues = _clues(workspace, request)
    workspace.store.intend(lambda: definition_asks(clues))
    settings = workspace.config
    profile = request.profile or clues.profile or settings.search.profile
    asked = SearchInput(
        text=clues.question + "".join(f" tag:{tag}" for tag in request.tags),
        limit=POOL,
        path=request.path,
        profile=profile,
        boost_profile=request.boost_profile,
        editing=clues.editing,
        preview_lines=0,
        may_be_pasted=False,
    )
    query = replace(query_of(workspace, asked), additive=True)
    found, more_notes = ask(workspace, query, asked, call)
    asking, weights = read_question(clues.question, settings.search), settings.search.profiles[profile]
    tools = replace(Tools.of(workspace.store, workspace.embedder, asking, settings.context, weights), scope=query.scope)
    budget = request.budget or settings.context.budget
    past, past_tokens = _past_changes(workspace, query, request.past, budget)
    reserved = RESERVED if call.tokens else 0
    room = Room(budget, request.limit or MOST_SNIPPETS, settings.context.largest, reserved)
    try:
        bundle = assemble(clues, found, tools, replace(room, reserved=reserved + past_tokens))
    except SmallBudget:  # snippets come before past commits
        past, past_tokens = (), 0
        bundle = assemble(clues, found, tools, room)
    answer, advice = judge_answer(workspace, query, found, more_notes)
    confidence = found.confidence
    if bundle.snippets:
        # A snippet that the request itself named is certainly what the caller meant.
        named = any(tag.startswith("artifact:") for snippet in bundle.snippets for tag in snippet.why)
        answer = Answer.FOUND if named else answer
        confidence = max(confidence, FRAME_SURE) if named else confidence
        advice = _advice(bundle, room)
    degraded = dict.fromkeys([*notes, *more_notes, *workspace.notes, *found.degraded])
    return BundleResult(
        goal=request.goal,
        profile=profile,
        context=tuple(_item(snippet, tools.pages, request.compact) for snippet in bundle.snippets),
        tokens_estimate=bundle.tokens + past_tokens,
        budget=budget,
        answer=answer,
        confidence=confidence,
        omitted=bundle.omitted,
        omitted_total=bundle.omitted_total,
        warnings=(*bundle.warnings, *degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.path for one in bundle.snippets))),
        next=advice,
        past_changes=past,
    )


def _past_changes(
    workspace: "Workspace", query: Query, most: int, budget: int
) -> tuple[tuple[EarlierChange, ...], int]:
    """Return past commits like the goal, without bodies, within their share of the budget, and what they cost."""
    from shirube.engine.text.budget import estimate_tokens
    from shirube.features.lookup.past_changes import similar_changes

    fitting: list[EarlierChange] = []
    spent = 0
    for change in similar_changes(workspace, replace(query, limit=most)) if most else ():
        short = replace(change, body="", files=change.files[:PAST_FILES])
        short = replace(short, more_files=change.more_files + len(change.files) - len(short.files))
        files = (f"{file.path} {' '.join(file.symbols)}" for file in short.files)
        cost = estimate_tokens("\n".join([short.commit, short.date, short.subject, *files]))
        if spent + cost > budget * PAST_SHARE:
            break
        fitting.append(short)
        spent += cost
    return tuple(fitting), spent


def _clues(workspace: "Workspace", request: "BundleRequest") -> "Clues":
    from shirube.features.lookup.context import Artifacts, Locator, read_clues

    if not request.goal.strip():
        raise BadArgument("bundle.no_goal")
    editing = tuple(dict.fromkeys(scope_file(workspace, path) for path in request.editing_path))
    artifacts = Artifacts(editing, request.failing_tests, request.last_diff, request.hints)
    return read_clues(request.goal, artifacts, Locator(workspace.store, str(workspace.root)))


def _item(snippet: "Snippet", pages: "SourceFiles", compact: bool) -> ContextItem:
    preview = "" if compact else pages.text(snippet.path, snippet.start, snippet.end)
    span, whole = (snippet.start, snippet.end), snippet.whole
    why, score, tokens = snippet.why, snippet.score, snippet.tokens
    return ContextItem(snippet.path, span, snippet.symbol, snippet.kind, preview, why, score, tokens, whole)


def _advice(bundle: "Bundle", room: "Room") -> Message:
    """Return how to see more: all of what was cut, else the best that was left out, else the lines in their file."""
    part = next((one for one in bundle.snippets if not one.whole), None)
    if part is not None:
        call = step("snippets_get", path=part.path, start_line=part.start)
        return say("bundle.shows_all", call=call, what=part.symbol or say("bundle.it"))
    best = bundle.omitted[0] if bundle.omitted else None
    if best is not None and best.reason == "budget":
        larger = Argument("budget", room.budget + best.tokens)
        return say("bundle.would_hold", budget=larger, path=best.path, start=best.range[0], end=best.range[1])
    if best is not None and room.limit < MOST_SNIPPETS:
        larger = Argument("limit", room.limit + 1)
        return say("bundle.would_show", limit=larger, path=best.path, start=best.range[0], end=best.range[1])
    return say("asking.read_line", path=bundle.snippets[0].path, line=bundle.snippets[0].start)


def snippets_get(workspace: "Workspace", request: "SnippetRequest", call: Call) -> SnippetResult:
    """Answer the operation of this name."""
    from shirube.engine.text.budget import estimate_tokens, tokens_of
    from shirube.features.lookup.context.fit import SourceFiles, innermost, lines_around

    request = _without_place(workspace, request)
    path = current_file(workspace, request.path, call)
    pages, symbols = SourceFiles(workspace.store), workspace.store.symbols(path)
    total = len(_lines(pages, path))
    view = _view(request, total)
    start, end = _span(request, view, pages, symbols, path)
    line = min(max(start, request.start_line or start), end)
    first, last = start, end
    around = innermost(symbols, line) if view in (SnippetView.SYMBOL, SnippetView.LINES) else None
    symbol = around.qualified if around else ""
    if view is SnippetView.OUTLINE:
        content = _outline(symbols)
    else:
        lines = pages.lines(path)[start - 1 : end]
        if request.include_line_numbers:
            lines = [f"{number:>{len(str(end))}}→{text}" for number, text in enumerate(lines, start)]
        head, room = tokens_of(f"{path}:{end}-{end} {symbol}") + HEADED, call.text_tokens
        room = max(1, room - head) if room and not request.compact else 0
        first, last = (start - 1 + number for number in lines_around(lines, line - start + 1, MOST, room))
        content = "\n".join(lines[first - start : last - start + 1])
    return SnippetResult(
        path=path,
        view=view,
        startLine=first,
        endLine=last,
        totalLines=total,
        symbolName=symbol,
        symbolKind=around.kind if around else "",
        content="" if request.compact else content,
        tokens=estimate_tokens(content),
        truncated=(first, last) != (start, end),
        freshness=workspace.freshness((path,)),
        next=_further((start, first, last, end)),
    )


def _further(lines: tuple[int, int, int, int]) -> Message:
    """Say how to read the lines that are left out: those before the first shown, those after the last, or both."""
    start, first, last, end = lines
    rest = say("asking.the_rest", start=last + 1, end=end) if last < end else NOTHING
    if first == start:
        return rest
    above = say("asking.above", start=start, end=first - 1)
    return say("asking.above_and", above=above, rest=rest) if rest else above


def _without_place(workspace: "Workspace", request: "SnippetRequest") -> "SnippetRequest":
    """Return a request that names a place as answers do (``path:start-end``, ``path:line``) with its lines apart."""
    place = PLACE.fullmatch(request.path)
    if place is None or request.start_line or request.end_line or workspace.store.files((request.path,)):
        return request
    path, start, end = place.groups()
    return replace(request, path=path, start_line=int(start), end_line=int(end) if end else None)


def _lines(pages: "SourceFiles", path: str) -> Sequence[str]:
    """Return the lines of a file; a trailing line break does not count as an empty last line."""
    lines = pages.lines(path)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _view(request: "SnippetRequest", total: int) -> SnippetView:
    if request.view is not SnippetView.AUTO:
        return request.view
    if request.start_line is None and request.end_line is None:
        return SnippetView.FULL if total <= WINDOW else SnippetView.OUTLINE
    return SnippetView.SYMBOL if request.end_line is None else SnippetView.LINES


def _span(
    request: "SnippetRequest", view: SnippetView, pages: "SourceFiles", symbols: Sequence[Symbol], path: str
) -> tuple[int, int]:
    """Return the first and last line to show; refuse lines that do not exist."""
    from shirube.features.lookup.context.fit import innermost

    total = len(_lines(pages, path))
    start = request.start_line or 1
    end = request.end_line or min(total, start + WINDOW - 1)
    if start > total:
        raise BadArgument("asking.past_end", line=start, path=path, count=total)
    if request.end_line is not None and end < start:
        raise BadArgument("asking.backwards", start=start, end=end)
    if view in (SnippetView.FULL, SnippetView.OUTLINE):
        return 1, total
    if view is SnippetView.LINES:
        return start, min(end, total)
    if (symbol := innermost(symbols, start)) is not None:
        return symbol.start_line, symbol.end_line
    piece = pages.piece_at(path, start)
    inside = piece is not None and piece.start_line <= start
    return (piece.start_line, piece.end_line) if piece is not None and inside else (start, min(end, total))


def _outline(symbols: Sequence[Symbol]) -> str:
    """Return the symbols of a file, one on each line, indented by nesting."""
    lines = []
    for symbol in symbols:
        depth = symbol.qualified.count(".") - symbol.name.count(".")
        what = symbol.signature or f"{symbol.kind} {symbol.name}"
        lines.append(f"{symbol.start_line}-{symbol.end_line}  {'  ' * depth}{what}")
    return "\n".join(lines)
