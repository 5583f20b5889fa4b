"""The map between files, branches and projects: sync, merge, export, import."""

from contextlib import suppress
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument, ShirubeError, UsageError
from shirube.features.map.agreement import Agreement
from shirube.features.map.answers import states_of
from shirube.features.map.code_state import IndexedCode, bind, digest_now
from shirube.features.map.codeintel import from_code_intel, read_log
from shirube.features.map.insights import held, last_words
from shirube.features.map.log import outcomes
from shirube.features.map.merge import merge
from shirube.features.map.page import evidence_of, from_page, with_evidence
from shirube.features.map.pairs import Taken, take_in, write_pairs
from shirube.features.map.records import Result
from shirube.features.map.results import ExportMapResult, MapReport, MergeResult
from shirube.features.map.share import Brought, bring, is_bundle, read_bundle, unbound, write_bundle
from shirube.features.map.states import Standing, State
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.map.operations import (
        ExportMapRequest,
        ImportMapRequest,
        MergeAgreementsRequest,
        SyncMapRequest,
    )
    from shirube.workspace import Workspace

CODE_INTEL = ".code-intel"
LOGS = ("decisions", "outcomes")
REVERTED = "map-reverted"
"""The kind of document that remembers of which sessions the agreements were demoted for what became of their files."""
IMPORTED = "imports"
"""The kind of document that remembers which logs were taken."""


def sync_map(workspace: "Workspace", request: "SyncMapRequest", call: Call) -> MapReport:
    """Answer the operation of this name."""
    workspace.keeper.refresh(call.progress, patient=True)
    joined, demoted = _join_doubles(workspace), demote_reverted(workspace)
    found, waits, pairs = Taken(), bool(workspace.map.load().unread), ""
    try:
        pairs = workspace.map.read_pairs()
        found = take_in(pairs, _own(workspace), workspace.map.load().unread) if pairs else found
    except ShirubeError:  # told when the map is loaded
        waits = True
    taken = Brought(found.agreements, found.new, (*joined, *found.changed), found.same)
    report = _taken(workspace, "learned_pairs.json", taken)
    if not (waits or found.problems):
        made = write_pairs(workspace.map.load().agreements, workspace.embedder.name)
        if made != pairs and (pairs or workspace.map.load().agreements):
            workspace.map.write_pairs(made)
    advice = say("map.problems") if waits or found.problems else report.next
    return replace(report, demoted=demoted, conflicts=found.conflicts, next=advice)


def _own(workspace: "Workspace") -> tuple[Agreement, ...]:
    return tuple(one for one in workspace.map.load().agreements if not one.origin)


def _join_doubles(workspace: "Workspace") -> list[str]:
    """Make one page of several for the same pair, and several of one page with several symbols; return the pairs."""
    from shirube.features.map.files import AGREEMENTS

    pages: dict[str, tuple[Agreement, ...]] = {}
    texts, _ = workspace.map.pages(AGREEMENTS)  # what cannot be read is told when the map is loaded
    for name, text in texts.items():
        with suppress(ShirubeError):
            pages[name] = from_page(text, name)
    firsts: dict[tuple[str, str], Agreement] = {}
    joined: list[Agreement] = []
    for found in pages.values():
        for one in found:
            before = firsts.get(one.key)
            firsts[one.key] = with_evidence(before, evidence_of(one)) if before else _own_page(one, found)
            joined += [one] if before or len(found) > 1 else []
    for key in dict.fromkeys(one.key for one in joined):
        firsts[key] = workspace.map.save(firsts[key])
    for name in pages.keys() - {one.file for one in firsts.values()}:
        workspace.map.remove(Agreement("", file=name))
    return list(dict.fromkeys(one.label for one in joined))


def _own_page(one: Agreement, beside: tuple[Agreement, ...]) -> Agreement:
    return one if len(beside) == 1 else replace(one, file="")


def _taken(workspace: "Workspace", source: str, brought: Brought) -> MapReport:
    """Write what was brought, bind what is not bound yet, and say what became of it."""
    for one in brought.agreements:
        workspace.map.save(one)
    code = IndexedCode(workspace)
    bound, not_bound = 0, list[Message]()
    for one in _own(workspace):
        if one.is_convention or one.digest:
            continue
        try:
            workspace.map.save(_bound(workspace, one, code))
            bound += 1
        except UsageError as error:
            not_bound.append(say("pages.at", where=one.label, why=error.message))
    states = states_of(workspace)
    return MapReport(
        source=source,
        new=brought.new,
        changed=brought.changed,
        same=brought.same,
        bound=bound,
        not_bound=tuple(not_bound),
        demoted=(),
        states=states,
        conflicts=(),
        problems=(*brought.problems, *workspace.map.load().problems),
        logs={},
        total=len(_own(workspace)),
        next=_advice(not_bound, states),
    )


def _bound(workspace: "Workspace", one: Agreement, code: IndexedCode) -> Agreement:
    """Bind an agreement; the file it names is a hint that may be out of date."""
    try:
        return bind(workspace, one, code)
    except UsageError:
        if not one.path:
            raise
        return bind(workspace, replace(one, path=""), code)


def _advice(not_bound: list[Message], states: dict[str, int]) -> Message:
    if not_bound:
        return say("map.not_bound", count=len(not_bound))
    stale = sum(count for state, count in states.items() if state not in (State.FRESH, State.UNBOUND))
    return say("map.stale_which", count=stale) if stale else NOTHING


# --- merging -----------------------------------------------------------------------------------------------


def merge_agreements(workspace: "Workspace", request: "MergeAgreementsRequest", call: Call) -> MergeResult:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside

    names = [resolve_inside(workspace.root, path) for path in (request.ours, request.theirs)]
    for name in names:
        if not (workspace.root / name).is_file():
            raise BadArgument("map.no_file", path=name)
    base = workspace.map.text(resolve_inside(workspace.root, request.base)) if request.base else ""
    ours, theirs = (workspace.map.text(name) for name in names)
    done = merge(base, ours, theirs)
    workspace.map.write(names[0], done.text)
    advice = say("map.look") if done.conflicts else NOTHING
    return MergeResult(names[0], done.conflicts, not done.conflicts, advice)


# --- export and import -------------------------------------------------------------------------------------


def export_map(workspace: "Workspace", request: "ExportMapRequest", call: Call) -> ExportMapResult:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside

    own = _own(workspace)
    text = write_bundle(own, workspace.root.name, workspace.moment())
    name = resolve_inside(workspace.root, request.path) if request.path else ""
    if name and (workspace.root / name).is_dir():
        raise BadArgument("map.directory", path=name)
    if name and (workspace.root / name).exists() and not is_bundle(workspace.map.text(name)):
        raise BadArgument("map.no_export", path=name)
    if name:
        workspace.map.write(name, text)
    return ExportMapResult(name, "" if name else text, len(own), workspace.map.load().problems)


def import_map(workspace: "Workspace", request: "ImportMapRequest", call: Call) -> MapReport:
    """Answer the operation of this name."""
    from shirube.engine.repo.read import resolve_inside

    if bool(request.path) == bool(request.text):
        raise BadArgument("map.path_or_text")
    workspace.keeper.refresh(call.progress, patient=True)
    name = resolve_inside(workspace.root, request.path) if request.path else ""
    if name and (workspace.root / name).is_dir():
        return _import_code_intel(workspace, name)
    text = request.text or workspace.map.text(name)
    if not text:
        raise BadArgument("map.nothing_at", path=request.path)
    source = name or "text"
    if is_bundle(text):
        others, problems = read_bundle(text)
        return _kept(workspace, source, replace(bring(others, _own(workspace), elsewhere=True), problems=problems))
    taken = take_in(text, _own(workspace))
    return _kept(workspace, source, Brought(taken.agreements, taken.new, taken.changed, taken.same, taken.problems))


def _import_code_intel(workspace: "Workspace", name: str) -> MapReport:
    folder = workspace.map
    pages, unread = folder.pages(f"{name}/agreements")
    found = from_code_intel(folder.text(f"{name}/learned_pairs.json"), pages)
    brought = bring(map(unbound, found.agreements), _own(workspace), elsewhere=True)
    report = _kept(workspace, name, replace(brought, problems=(*found.problems, *unread)))
    return replace(report, logs=_take_logs(workspace, name))


def _take_logs(workspace: "Workspace", name: str) -> dict[str, int]:
    """Take over what the earlier program recorded, once: a second import must not count it twice."""
    taken: dict[str, int] = {}
    for stream in LOGS:
        records, broken = read_log(workspace.map.text(f"{name}/logs/{stream}.jsonl").split("\n"))
        known = {str(event.body.get("record_id", "")) for event in workspace.journal.events(stream)} - {""}
        new = [one for one in records if str(one.get("record_id", "")) not in known or not one.get("record_id")]
        if workspace.journal.get(IMPORTED, f"{name}/{stream}") is not None:
            new = [one for one in new if one.get("record_id")]
        for record in new:
            workspace.journal.append(stream, {**record, "imported_from": name})
        if records:
            workspace.journal.put(IMPORTED, f"{name}/{stream}", {"records": len(records)})
        taken |= {stream: len(new)} if new else {}
        taken |= {f"{stream} not readable": broken} if broken else {}
    return taken


def _kept(workspace: "Workspace", source: str, brought: Brought) -> MapReport:
    from shirube.features.map.agreements import keep_pairs

    report = _taken(workspace, source, brought)
    keep_pairs(workspace)
    return report


def demote_reverted(workspace: "Workspace") -> tuple[str, ...]:
    """Make hypotheses of agreements that come from a success whose files were reverted or removed since; once each."""
    lost = {
        one.session_id
        for one in last_words(outcomes(workspace.journal)).values()
        if one.outcome == Result.SUCCESS and not held(one, lambda path: digest_now(workspace, path))
    }
    new = [handle for handle in lost if workspace.journal.get(REVERTED, handle) is None]
    demoted = []
    for one in workspace.map.load().agreements if new else ():
        if one.session_id in new and not one.origin:
            workspace.map.save(replace(one, failures=one.failures + 1, standing=Standing.DEMOTED))
            demoted.append(f"{one.nl_term} → {one.symbol}")
    for handle in new:
        workspace.journal.put(REVERTED, handle, {"at": workspace.moment()})
    return tuple(demoted)
