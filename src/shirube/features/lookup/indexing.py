"""Updates the index, and reports its state."""

from collections import Counter
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, told
from shirube.features.lookup.coverage import scope_of
from shirube.features.lookup.results import IndexStatus, JobStatus, SyncResult
from shirube.features.map.answers import states_of
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import SyncReport

if TYPE_CHECKING:
    from shirube.engine.index.job import Job
    from shirube.features.lookup.index_operations import IndexStatusRequest, SyncRequest
    from shirube.workspace import Workspace

SHOWN = 50
"""How many changed files an answer names; the totals count the rest."""


def sync_index(workspace: "Workspace", request: "SyncRequest", call: Call) -> SyncResult:
    """Answer the operation of this name."""
    keeper = workspace.keeper
    part = scope_of(workspace, request.path, ()).path
    if request.cancel:
        if keeper.job is None:
            raise BadArgument("index.none_runs")
        keeper.cancel()
        job = keeper.job
    elif request.wait or not call.lasting:
        job = keeper.sync(full=request.full, progress=call.progress, deadline=call.deadline)
    else:
        job = keeper.start(request.full)
    report = job.report or SyncReport()
    waited = () if request.wait or request.cancel or call.lasting else (say("index.no_wait"),)
    whole = (say("index.whole_project", path=part),) if part else ()
    lists = (report.added, report.changed, report.removed)
    advice = say("index.search" if report.files else "index.nothing")
    if job.running or job.error is not None:
        advice = say("index.how_far" if job.running else "index.goes_on")
    return SyncResult(
        job=_job_status(job),
        added=report.added[:SHOWN],
        changed=report.changed[:SHOWN],
        removed=report.removed[:SHOWN],
        renamed=report.renamed[:SHOWN],
        totals={
            "files": report.files,
            "added": len(report.added),
            "changed": len(report.changed),
            "removed": len(report.removed),
            "renamed": len(report.renamed),
            "parsed": report.parsed,
            "reused": report.reused,
            "skipped": report.skipped,
            "commits": report.commits,
        },
        seconds=report.seconds,
        map={} if job.running or not request.sync_map else states_of(workspace),
        warnings=(*workspace.warnings(), *filter(None, [report.renewed]), *_troubles(workspace), *waited, *whole),
        truncated=any(len(paths) > SHOWN for paths in lists),
        next=advice,
    )


def _troubles(workspace: "Workspace") -> tuple[Message, ...]:
    keeper = workspace.keeper
    history = keeper.history
    problems = history.pending() or history.problems()
    return (*([keeper.trouble] if keeper.trouble else []), *problems, *history.lacks())


def _job_status(job: "Job") -> JobStatus:
    state = "running" if job.running else "failed" if job.error is not None else "done"
    return JobStatus(job.id, state, *job.step, error=told(job.error) if job.error is not None else NOTHING)


def index_status(workspace: "Workspace", request: "IndexStatusRequest", call: Call) -> IndexStatus:
    """Answer the operation of this name."""
    totals, skips = workspace.store.totals(), workspace.store.skips()
    keeper = workspace.keeper
    counts = Counter(skip.reason for skip in skips)
    notes = tuple(say("index.note", path=path, note=note) for path, note in workspace.store.remarks())
    stale = keeper.needs_sync() if request.look else keeper.is_outdated() or None
    job = keeper.embedding if keeper.embedding is not None and keeper.embedding.running else keeper.job
    return IndexStatus(
        root=str(workspace.root),
        state=keeper.state,
        files=totals.files,
        chunks=totals.chunks,
        symbols=totals.symbols,
        edges=totals.edges,
        waiting=totals.waiting,
        source_bytes=totals.source_bytes,
        disk_bytes=totals.disk_bytes,
        languages=dict(sorted(totals.languages.items(), key=lambda item: (-item[1], item[0]))),
        lexical=totals.lexical,
        model=workspace.embedder.name,
        unembedded=keeper.unembedded,
        commits=len(workspace.store.commits()),
        needs_sync=stale,
        watching=keeper.watching,
        job=_job_status(job) if job is not None else None,
        freshness=workspace.freshness(()),
        skipped=dict(sorted(counts.items())),
        skips=skips[: request.limit],
        notes=notes[: request.limit],
        warnings=(*workspace.warnings(), *_troubles(workspace), *filter(None, [workspace.store.lacks(now=True)])),
        truncated=len(skips) > request.limit or len(notes) > request.limit,
        next=say("index.sync" if stale else "index.search"),
        store=totals.place,
        dead=totals.dead,
    )
