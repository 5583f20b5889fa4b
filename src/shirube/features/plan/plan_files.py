"""Lists, shows, exports and imports stored plans."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from shirube.codec import pack, plain, replace, unpack
from shirube.compat.gistdex import read_plan, read_queries
from shirube.engine.repo.read import read_bytes, resolve_inside
from shirube.engine.store.disk import PageFolder
from shirube.errors import BadArgument, NoPermission, RepoError, UnknownName
from shirube.features.plan.plan_store import KNOWLEDGE, PLANS, TEMPLATES, Template, goal_terms, key_of
from shirube.features.plan.results import KeptPlan, PlanExport, PlanImport, PlanLine, PlanList, PlanPage
from shirube.messages import say, step
from shirube.operation import Call, offset_of, pack_cursor

if TYPE_CHECKING:
    from shirube.features.plan import operations
    from shirube.workspace import Workspace

FORMAT = "shirube-plans"
VERSION = 1
MAX_BYTES = 1 << 26
"""The largest export that can be imported."""
MAX_FILE_BYTES = 1 << 24
MOST_FILES = 5_000
"""How many files of each folder of an earlier program's directory are imported."""


def list_plans(workspace: "Workspace", request: "operations.ListPlansRequest", call: Call) -> PlanList:
    """Answer the operation of this name."""
    if request.status not in ("", "success", "partial", "failed"):
        raise UnknownName("status", request.status, ("success", "partial", "failed"))
    wanted = set(goal_terms(request.query))
    plans = (unpack(KeptPlan, document.body) for document in workspace.journal.documents(PLANS))
    plans = (plan for plan in plans if not wanted or wanted & set(plan.terms))
    chosen = [plan for plan in plans if request.status in ("", plan.status.value)]
    offset = offset_of(request.cursor)
    end = offset + request.limit
    lines = []
    for plan in chosen[offset:end]:
        best, turns = plan.finalResults, len(plan.iterations)
        first = f"{best.data[0].path}:{best.data[0].start_line}" if best.data else ""
        line = PlanLine(plan.planId, plan.goal, plan.status.value, best.confidence, turns, plan.madeAt, first)
        lines.append(line)
    advice = say("plan.show", call=step("show_plan", plan_id=lines[0].planId)) if lines else say("plan.none")
    more = len(chosen) > end
    return PlanList(tuple(lines), len(chosen), more, pack_cursor(end) if more else "", advice)


def show_plan(workspace: "Workspace", request: "operations.ShowPlanRequest", call: Call) -> PlanPage:
    """Answer the operation of this name."""
    found = [one for one in workspace.journal.documents(PLANS) if one.key.startswith(request.plan_id)]
    if not found or not request.plan_id:
        raise UnknownName("plan", request.plan_id, [one.key for one in workspace.journal.documents(PLANS)])
    if len(found) > 1:
        raise BadArgument("plan.begin_with", count=len(found), id=request.plan_id)
    offset = offset_of(request.cursor)
    end = offset + request.limit
    plan = unpack(PlanPage, found[0].body)
    more = len(plan.iterations) > end
    turns = plan.iterations[offset:end]
    return replace(plan, iterations=turns, truncated=more, next_cursor=pack_cursor(end) if more else "")


def export_plans(workspace: "Workspace", request: "operations.ExportPlansRequest", call: Call) -> PlanExport:
    """Answer the operation of this name."""
    kept = [one for one in workspace.journal.documents(PLANS) if not request.plans or one.key in request.plans]
    if unknown := set(request.plans) - {one.key for one in kept}:
        raise UnknownName("plan", min(unknown), [one.key for one in kept])
    plans = [plain(unpack(KeptPlan, one.body)) for one in kept]
    templates = [one.body for one in workspace.journal.documents(TEMPLATES)]
    whole = {"format": FORMAT, "version": VERSION, "plans": plans, "templates": templates}
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    # What could steer a terminal or a reader stays an escape; to json.dumps only some of it is special.
    document = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    if request.path:
        _write(workspace, request.path, document)
    return PlanExport(len(plans), len(templates), request.path, "" if request.path else document)


def _write(workspace: "Workspace", path: str, document: str) -> None:
    target = workspace.root / resolve_inside(workspace.root, path)
    if target.is_dir():
        raise BadArgument("plan.is_directory", path=path)
    try:
        if target.exists() and not is_export(target.read_text("utf-8", "replace")[:1000]):
            raise BadArgument("plan.exists", path=path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(document + "\n", "utf-8")
    except OSError as error:
        raise NoPermission("plan.not_written", path=path, error=error.strerror) from None


def is_export(text: str) -> bool:
    """Tell whether a file begins as an export of plans does."""
    return f'"format": "{FORMAT}"' in text


def import_plans(workspace: "Workspace", request: "operations.ImportPlansRequest", call: Call) -> PlanImport:
    """Answer the operation of this name."""
    if bool(request.path) == bool(request.document):
        raise BadArgument("plan.path_or_document")
    if request.path and (workspace.root / resolve_inside(workspace.root, request.path)).is_dir():
        return take_in(workspace, *_read_gistdex(workspace, request.path))
    text = request.document
    if request.path:
        inside = resolve_inside(workspace.root, request.path)
        if not (workspace.root / inside).is_file():
            raise BadArgument("plan.no_file", path=request.path)
        text = read_bytes(workspace.root, inside, MAX_BYTES).decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("plan.no_json", error=str(error)) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadArgument("plan.no_export")
    if not isinstance(found.get("version"), int) or found["version"] > VERSION:
        raise BadArgument("plan.newer")
    return take_in(workspace, found)


def _read_gistdex(workspace: "Workspace", path: str) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """Return the plans and queries of a .gistdex directory as a document, and its notes as pages."""
    inside = resolve_inside(workspace.root, path)
    cache = inside if PurePosixPath(inside).name == "cache" else f"{inside}/cache"
    if not (workspace.root / cache).is_dir():
        raise BadArgument("plan.no_gistdex", path=cache)
    plans = [plan for _, text in _files(workspace, cache, ("plans",), ".json") if (plan := read_plan(text))]
    queries = [query for _, text in _files(workspace, cache, ("", "queries"), ".json") for query in read_queries(text)]
    return {"plans": [*plans, *queries]}, tuple(_files(workspace, cache, ("knowledge", "structured"), ".md"))


def _files(workspace: "Workspace", cache: str, folders: tuple[str, ...], ending: str) -> Iterator[tuple[str, str]]:
    """Yield the stem and the text of each file; skip links and unreadable files."""
    for folder in folders:
        for path in sorted((workspace.root / cache / folder).glob(f"*{ending}"))[:MOST_FILES]:
            with suppress(RepoError):
                name = path.relative_to(workspace.root).as_posix()
                yield path.stem, read_bytes(workspace.root, name, MAX_FILE_BYTES).decode("utf-8", "replace")


def take_in(workspace: "Workspace", document: dict[str, Any], pages: tuple[tuple[str, str], ...] = ()) -> PlanImport:
    """Store imported plans, templates and pages; a plan that exists already stays as it is."""
    journal, taken, known, refused = workspace.journal, 0, 0, []
    for body in document.get("plans", ()):
        try:
            report = unpack(PlanPage, body)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            refused.append(say("plan.not_whole", error=str(error)))
            continue
        if journal.get(PLANS, report.planId) is not None:
            known += 1
            continue
        kept = {"madeAt": str(body.get("madeAt", "")), "terms": goal_terms(report.goal)}
        journal.put(PLANS, report.planId, {**pack(report), **kept})
        taken += 1
    templates = [body for body in document.get("templates", ()) if isinstance(body, dict) and "goal" in body]
    for body in templates:
        terms = goal_terms(str(body["goal"]))
        template = Template(str(body["goal"]), terms, tuple(map(str, body.get("grounds", ()))))
        journal.put(TEMPLATES, key_of(terms), pack(template))
    for topic, text in pages:
        PageFolder(workspace.state_directory / KNOWLEDGE).write(topic, text, {"source": "gistdex"})
    return PlanImport(taken, len(templates), known, len(pages), tuple(refused), say("plan.list"))
