"""What to read for a goal, under a budget of tokens (seed 001)."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.lookup.query_building import Asked, ask, judged, query_of
from shirube.features.lookup.results import BundleResult, ContextItem, Omitted
from shirube.features.lookup.scope import scope_file
from shirube.messages import Argument, Message, say, step
from shirube.operation import Call
from shirube.types import Answer

if TYPE_CHECKING:
    from shirube.features.lookup.context import Bundle, Clues
    from shirube.features.lookup.operations import BundleRequest
    from shirube.workspace import Workspace

LONG = 400_000
"""Characters of a diff or of what a test run printed."""
POOL = 100
"""Files the search may offer: a large budget has room for many."""
MOST_SNIPPETS = 200


def context_bundle(workspace: "Workspace", request: "BundleRequest", call: Call) -> BundleResult:
    """Answer the operation of this name."""
    from shirube.features.lookup.context import Bench, Room, assemble

    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    clues = _clues(workspace, request)
    settings = workspace.config
    profile = request.profile or clues.profile or settings.search.profile
    asked = _asked(request, clues, profile)
    query = query_of(workspace, asked)
    found, more_notes = ask(workspace, query, asked, call)
    bench = Bench(workspace.store, workspace.embedder, settings.context, settings.search.profiles[profile])
    room = Room(request.budget or settings.context.budget, request.limit or MOST_SNIPPETS, settings.context.largest)
    bundle = assemble(clues, found, bench, room)
    answer, advice = judged(workspace, query, found, more_notes)
    if bundle.snippets:
        answer = Answer.FOUND if _is_evidence(bundle) else answer
        advice = _advice(bundle, room.budget)
    degraded = dict.fromkeys([*notes, *more_notes, *workspace.notes, *found.degraded])
    return BundleResult(
        goal=request.goal,
        profile=profile,
        context=_items(workspace, bundle, request.compact),
        tokens_estimate=bundle.tokens,
        budget=room.budget,
        answer=answer,
        confidence=found.confidence,
        omitted=tuple(
            Omitted(one.path, (one.start, one.end), one.symbol, one.score, one.tokens, one.reason)
            for one in bundle.left
        ),
        omitted_total=bundle.left_total,
        warnings=(*bundle.warnings, *degraded),
        freshness=workspace.freshness(tuple(dict.fromkeys(one.path for one in bundle.snippets))),
        next=advice,
    )


def _clues(workspace: "Workspace", request: "BundleRequest") -> "Clues":
    from shirube.features.lookup.context import Artifacts, Locator, read_clues

    if not request.goal.strip():
        raise BadArgument("bundle.no_goal")
    editing = tuple(dict.fromkeys(scope_file(workspace, path) for path in request.editing_path))
    artifacts = Artifacts(editing, request.failing_tests, request.last_diff, request.hints)
    return read_clues(request.goal, artifacts, Locator(workspace.store, str(workspace.root)))


def _asked(request: "BundleRequest", clues: "Clues", profile: str) -> Asked:
    tags = "".join(f" tag:{tag}" for tag in request.tags)
    return Asked(
        text=clues.question + tags,
        limit=POOL,
        path=request.path,
        profile=profile,
        boost_profile=request.boost_profile,
        editing=clues.editing,
        preview_lines=0,
    )


def _items(workspace: "Workspace", bundle: "Bundle", compact: bool) -> tuple[ContextItem, ...]:
    texts: dict[str, list[str]] = {}
    items = []
    for one in bundle.snippets:
        if not compact and one.path not in texts:
            texts[one.path] = workspace.store.text(one.path).split("\n")
        preview = "" if compact else "\n".join(texts[one.path][one.start - 1 : one.end])
        place = (one.start, one.end)
        items.append(
            ContextItem(one.path, place, one.symbol, one.kind, preview, one.why, one.score, one.tokens, one.whole)
        )
    return tuple(items)


def _is_evidence(bundle: "Bundle") -> bool:
    """Tell whether something was named rather than found: then it is what was meant."""
    return any(tag.startswith("artifact:") for one in bundle.snippets for tag in one.why)


def _advice(bundle: "Bundle", budget: int) -> Message:
    part = next((one for one in bundle.snippets if not one.whole), None)
    if part is not None:
        call = step("snippets_get", path=part.path, start_line=part.start)
        return say("bundle.shows_all", call=call, what=part.symbol or say("bundle.it"))
    if bundle.left:
        best = bundle.left[0]
        larger = Argument("budget", budget + best.tokens)
        return say("bundle.would_hold", budget=larger, path=best.path, start=best.start, end=best.end)
    return say("asking.read_line", path=bundle.snippets[0].path, line=bundle.snippets[0].start)
