"""Shares the map between files, branches and projects: sync, merge, export, import, and conflicts."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shirube.codec import record_from, replace
from shirube.compat.codeintel import SETTINGS, left_settings, page_with_term, read_log
from shirube.engine.repo.read import resolve_inside
from shirube.errors import BadArgument, ShirubeError, UnknownName, UsageError
from shirube.features.map import merge, results
from shirube.features.map.agreement import Agreement, plain_symbol
from shirube.features.map.agreements import keep_pairs
from shirube.features.map.answers import states_of
from shirube.features.map.check import unproved
from shirube.features.map.code_state import IndexedCode, bind
from shirube.features.map.files import AGREEMENTS
from shirube.features.map.page import evidence_of, files_of, from_page, with_evidence
from shirube.features.map.pairs import MapChanges, from_pair, read_pairs, take_in, write_pairs
from shirube.features.map.states import Standing, State
from shirube.features.map.written import demote_reverted
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call, NoArguments

if TYPE_CHECKING:
    from shirube.features.map import operations
    from shirube.workspace import Workspace

LOGS = ("decisions", "outcomes")
TAKEN = frozenset({"learned_pairs.json", "agreements", "logs", "config.json"})
"""What is read in the directory of an earlier program."""
OURS, THEIRS, BOTH = "ours", "theirs", "both"
IMPORTED = "imports"
"""The kind of document that records which logs were imported."""


def sync_map(workspace: "Workspace", request: NoArguments, call: Call) -> results.MapReport:
    """Answer the operation of this name."""
    workspace.keeper.refresh(call.progress, patient=True)
    joined, demoted = _join_doubles(workspace), demote_reverted(workspace)
    edits, waits, pairs = MapChanges(), bool(workspace.map.load().unread), ""
    try:
        pairs = workspace.map.read_pairs()
        edits = take_in(pairs, workspace.map.load().own, workspace.map.load().unread) if pairs else edits
    except ShirubeError:  # reported when the map is loaded
        waits = True
    # Loading the map reports what is wrong with the pairs, so the report leaves it out here.
    changes = replace(edits, changed=(*joined, *edits.changed), problems=())
    report = _taken(workspace, "learned_pairs.json", changes)
    agreements = workspace.map.load().agreements
    conflicts = (*edits.conflicts, *_still_differing(edits.agreements, agreements))
    if not (waits or edits.problems) and (pairs or agreements):
        workspace.map.write_pairs(write_pairs(agreements, workspace.embedder.name))
    advice = say("map.problems") if waits or edits.problems else report.next
    return replace(report, demoted=demoted, conflicts=conflicts, next=advice)


def _still_differing(edited: tuple[Agreement, ...], now: tuple[Agreement, ...]) -> Iterator[Message]:
    """Return what was taken in and does not fit: a place where the symbol is not, or a second meaning of a term."""
    found = {item.key: item for item in now if not item.origin}
    for item in edited:
        after = found.get(item.key)
        if after and item.path and after.path != item.path:
            yield say("pages.elsewhere", agreement=item.label, path=item.path, known=after.path)
    keys = {item.key for item in edited}
    for several in merge.disputed(now):
        if keys & {item.key for item in several}:
            yield say("pages.disputed", term=several[0].nl_term, symbols=[item.symbol for item in several])


def _join_doubles(workspace: "Workspace") -> list[str]:
    """Join pages for the same pair, split pages with several symbols, and return the labels of what changed."""
    pages: dict[str, tuple[Agreement, ...]] = {}
    texts, _ = workspace.map.pages(AGREEMENTS)  # loading the map reports what cannot be read
    for name, text in texts.items():
        with suppress(ShirubeError):
            pages[name] = from_page(text, name)
    firsts: dict[tuple[str, str], Agreement] = {}
    joined: list[Agreement] = []
    for listed in pages.values():
        for item in listed:
            if before := firsts.get(item.key):
                firsts[item.key] = with_evidence(before, evidence_of(item))
            else:
                firsts[item.key] = item if len(listed) == 1 else replace(item, file="")
            joined += [item] if before or len(listed) > 1 else []
    for key in dict.fromkeys(item.key for item in joined):
        firsts[key] = workspace.map.save(firsts[key])
    for name in pages.keys() - {item.file for item in firsts.values()}:
        workspace.map.remove(Agreement("", file=name))
    return list(dict.fromkeys(item.label for item in joined))


def _taken(workspace: "Workspace", source: str, changes: MapChanges) -> results.MapReport:
    """Save the changes, bind agreements that are not bound yet, and report the result."""
    now = workspace.moment()
    for item in changes.agreements:
        workspace.map.save(replace(item, imported_at=now) if item.label in changes.new else item)
    for item in changes.gone:
        workspace.map.remove(item)
    code = IndexedCode(workspace)
    bound, not_bound = 0, list[Message]()
    for item in workspace.map.load().own:
        if item.is_convention or item.digest:
            continue
        try:
            workspace.map.save(_bound(workspace, replace(item, imported_at=item.imported_at or now), code))
            bound += 1
        except UsageError as error:
            not_bound.append(say("pages.at", where=item.label, why=error.message))
    states = states_of(workspace)
    stale = sum(count for state, count in states.items() if state not in (State.FRESH, State.UNBOUND))
    advice = say("map.stale_which", count=stale) if stale else NOTHING
    return record_from(
        results.MapReport,
        changes,
        source=source,
        bound=bound,
        not_bound=tuple(not_bound),
        demoted=(),
        states=states,
        conflicts=(),
        problems=(*changes.problems, *workspace.map.load().problems),
        logs={},
        left_out=(),
        total=len(workspace.map.load().own),
        next=say("map.not_bound", count=len(not_bound)) if not_bound else advice,
    )


def _bound(workspace: "Workspace", item: Agreement, code: IndexedCode) -> Agreement:
    """Bind an agreement in a file that it names, or else in any file; refuse one whose evidence is not in the code."""
    if name := unproved(item, code):
        raise BadArgument("map.unproved", name=name)
    for path in files_of(item):
        with suppress(UsageError):
            return bind(workspace, replace(item, path=path), code)
    return bind(workspace, replace(item, path=""), code)


# --- merging -----------------------------------------------------------------------------------------------


def merge_agreements(
    workspace: "Workspace", request: "operations.MergeAgreementsRequest", call: Call
) -> results.MergeResult:
    """Answer the operation of this name."""
    names = [resolve_inside(workspace.root, path) for path in (request.ours, request.theirs)]
    for name in names:
        if not (workspace.root / name).is_file():
            raise BadArgument("map.no_file", path=name)
    base = workspace.map.text(resolve_inside(workspace.root, request.base)) if request.base else ""
    ours, theirs = (workspace.map.text(name) for name in names)
    done = merge.merge(base, ours, theirs)
    workspace.map.write(names[0], done.text)
    advice = say("map.look") if done.conflicts else NOTHING
    return results.MergeResult(names[0], done.conflicts, not done.conflicts, advice)


# --- export and import -------------------------------------------------------------------------------------


def export_map(workspace: "Workspace", request: "operations.ExportMapRequest", call: Call) -> results.ExportMapResult:
    """Answer the operation of this name."""
    own = workspace.map.load().own
    text = merge.write_bundle(own, workspace.root.name, workspace.moment())
    name = resolve_inside(workspace.root, request.path) if request.path else ""
    if name and (workspace.root / name).is_dir():
        raise BadArgument("map.directory", path=name)
    if name and (workspace.root / name).exists() and not merge.is_bundle(workspace.map.text(name)):
        raise BadArgument("map.no_export", path=name)
    if name:
        workspace.map.write(name, text)
    return results.ExportMapResult(name, "" if name else text, len(own), workspace.map.load().problems)


def import_map(workspace: "Workspace", request: "operations.ImportMapRequest", call: Call) -> results.MapReport:
    """Answer the operation of this name."""
    if bool(request.path) == bool(request.text):
        raise BadArgument("map.path_or_text")
    workspace.keeper.refresh(call.progress, patient=True)
    name = resolve_inside(workspace.root, request.path) if request.path else ""
    if name and (workspace.root / name).is_dir():
        return _import_code_intel(workspace, name)
    text = request.text or workspace.map.text(name)
    if not text:
        raise BadArgument("map.nothing_at", path=request.path)
    if merge.is_bundle(text):
        others, problems = merge.read_bundle(text)
        changes = replace(merge.bring(others, workspace.map.load().own), problems=problems)
    else:
        changes = take_in(text, workspace.map.load().own)
    report = _taken(workspace, name or "text", changes)
    keep_pairs(workspace)
    return report


def _import_code_intel(workspace: "Workspace", name: str) -> results.MapReport:
    folder = workspace.map
    if not TAKEN & {*(names := folder.names(name))}:
        raise BadArgument("map.nothing_at", path=name)
    pages, unread = folder.pages(f"{name}/agreements")
    faults = [*unread]
    agreements, problems = from_code_intel(_old_text(workspace, f"{name}/learned_pairs.json", faults), pages)
    brought = merge.bring(agreements, workspace.map.load().own)
    logs = _take_logs(workspace, name, faults)
    left = _left_out(workspace, name, [other for other in names if other not in TAKEN], faults)
    report = _taken(workspace, name, replace(brought, problems=(*problems, *faults)))
    keep_pairs(workspace)
    return replace(report, logs=logs, left_out=left)


def _old_text(workspace: "Workspace", path: str, faults: list[Message]) -> str:
    """Return a file of an earlier program; empty, and a line in ``faults``, when it cannot be read."""
    try:
        return workspace.map.text(path)
    except ShirubeError as error:
        faults.append(error.message)
        return ""


def _left_out(workspace: "Workspace", name: str, others: list[str], faults: list[Message]) -> tuple[Message, ...]:
    """Return what is not taken over, with what to set instead; settings that cannot be read go to ``faults``."""
    home, left = PurePosixPath(name), list[Message]()
    for file in SETTINGS:
        path = str((home.parent if file.startswith("devrag") else home) / file)
        try:
            text = _old_text(workspace, path, faults)
            left += left_settings(path, text, workspace.config) if text else ()
        except BadArgument as error:
            faults.append(error.message)
    left += [say("left_out.others", folder=name, names=others)] if others else []
    return tuple(dict.fromkeys(left))


def from_code_intel(pairs: str, pages: Mapping[str, str]) -> tuple[list[Agreement], list[Message]]:
    """Return the agreements an earlier program left, and what cannot be read.

    The same pair may come several times, because that program wrote a success in three places.
    """
    agreements: list[Agreement] = []
    problems: list[Message] = []
    for name, text in sorted(pages.items()):
        try:
            found = from_page(page_with_term(name, text))
            agreements += [replace(item, successes=item.successes or 1) for item in found]
        except UsageError as error:
            problems.append(say("pages.at", where=f"agreements/{name}", why=error.message))
    if pairs.strip():
        try:
            _, listed, faults = read_pairs(pairs)
        except BadArgument as error:
            listed, faults = (), (error.message,)
        agreements += map(from_pair, listed)
        problems += [say("pages.at", where="learned_pairs.json", why=fault) for fault in faults]
    return agreements, problems


def _take_logs(workspace: "Workspace", name: str, faults: list[Message]) -> dict[str, int]:
    """Import the records of the earlier program, each only once: a second import must not count them twice."""
    taken: dict[str, int] = {}
    for stream in LOGS:
        records, broken = read_log(_old_text(workspace, f"{name}/logs/{stream}.jsonl", faults).split("\n"))
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


# --- conflicts ---------------------------------------------------------------------------------------------


def list_conflicts(workspace: "Workspace", request: NoArguments, call: Call) -> results.ConflictsResult:
    """Answer the operation of this name."""
    marked, unread = _marked(workspace)
    found, problems = [], list(unread)
    for name, versions in marked.items():
        try:
            ours, theirs = (merge.only_one(text, name) for text in (versions.ours, versions.theirs))
            one = _side(workspace, OURS, versions.our_name or OURS, ours)
            other = _side(workspace, THEIRS, versions.their_name or THEIRS, theirs, "MERGE_HEAD")
            found.append(results.MapConflict(name, "page", merge.differing(ours, theirs), (one, other)))
        except ShirubeError as error:
            problems.append(say("pages.at", where=name, why=error.message))
    for several in merge.disputed(workspace.map.load().agreements):
        sides = tuple(_side(workspace, item.symbol, item.file, item) for item in several)
        differing = merge.differing(several[0], several[-1])
        found.append(results.MapConflict(several[0].nl_term, "term", differing, sides))
    if not found:
        return results.ConflictsResult((), tuple(problems), NOTHING)
    first = step("resolve_conflict", conflict=found[0].conflict, keep=found[0].sides[0].keep)
    return results.ConflictsResult(tuple(found), tuple(problems), say("map.resolve", call=first))


def _marked(workspace: "Workspace") -> tuple[dict[str, merge.Versions], tuple[Message, ...]]:
    """Return the pages that have git's conflict marks, and which pages cannot be read."""
    texts, problems = workspace.map.pages(AGREEMENTS)
    read = ((name, merge.versions_of(text)) for name, text in texts.items())
    return {name: versions for name, versions in read if versions is not None}, problems


def _side(workspace: "Workspace", keep: str, label: str, item: Agreement, head: str = "HEAD") -> results.ConflictSide:
    changes = workspace.changes(f"{AGREEMENTS}/{item.file}", 1, head)
    return record_from(
        results.ConflictSide,
        item,
        keep=keep,
        label=label,
        evidence=evidence_of(item),
        who=changes[0].who if changes else "",
        when=workspace.moment_of(changes[0].seconds) if changes else "",
    )


def resolve_conflict(workspace: "Workspace", request: "operations.ResolveRequest", call: Call) -> results.ResolveResult:
    """Answer the operation of this name."""
    marked, agreements = _marked(workspace)[0], workspace.map.load().agreements
    terms = {several[0].nl_term: several for several in merge.disputed(agreements)}
    expired: list[str] = []
    kept, note = request.keep, NOTHING
    settled = ""
    if request.conflict in marked:
        settled, note = request.conflict, _resolve_page(workspace, request, marked[request.conflict])
    elif request.conflict in terms:
        symbols, meant = [item.symbol for item in terms[request.conflict]], plain_symbol(request.keep)
        if meant not in symbols:
            raise UnknownName("symbol", request.keep, symbols)
        for item in terms[request.conflict]:
            if item.symbol != meant:
                workspace.map.save(replace(item, standing=Standing.EXPIRED))
                expired.append(item.label)
    elif any(request.conflict in (one.file, one.nl_term) for one in agreements):
        kept, note = "", say("map.decided")  # resolved already: a repeated call, or an edit by hand
    else:
        raise UnknownName("conflict", request.conflict, [*marked, *terms])
    keep_pairs(workspace, settled)
    left = len(_marked(workspace)[0]) + len(merge.disputed(workspace.map.load().agreements))
    return results.ResolveResult(request.conflict, kept, tuple(expired), left, note)


def _resolve_page(workspace: "Workspace", request: "operations.ResolveRequest", versions: merge.Versions) -> Message:
    if request.keep not in (OURS, THEIRS, BOTH):
        raise UnknownName("side", request.keep, (OURS, THEIRS, BOTH))
    if request.keep == BOTH:
        base = versions.base or workspace.text_at(":1", f"{AGREEMENTS}/{request.conflict}")
        done = merge.merge(base, versions.ours, versions.theirs)
        text, note = done.text, next(iter(done.conflicts), NOTHING)
    else:
        text, note = (versions.ours if request.keep == OURS else versions.theirs), NOTHING
        merge.only_one(text, request.conflict)
    workspace.map.write(f"{AGREEMENTS}/{request.conflict}", text)
    return note
