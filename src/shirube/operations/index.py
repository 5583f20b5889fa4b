"""Keeping the index, and telling what it holds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.operations.maps import states_of
from shirube.operations.model import Call, Operation, arg
from shirube.types import Freshness, Skip, SyncReport

if TYPE_CHECKING:
    from shirube.index.job import Job
    from shirube.index.keeper import Keeper
    from shirube.workspace import Workspace

SHOWN = 50
"""How many changed or skipped files an answer names; the totals tell of the rest."""


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What ``sync_index`` takes."""

    full: bool = arg(False, "Read every file again instead of trusting time stamps.")
    wait: bool = arg(True, "Wait for the end; false returns at once, and index_status tells of the progress.")
    cancel: bool = arg(False, "Stop the sync that runs; what it has done is kept.")


@dataclass(frozen=True, slots=True)
class JobStatus:
    """The sync that runs, or the last one that did."""

    job_id: str
    state: str
    """running, done, failed"""
    step: str
    done: int
    total: int
    error: str


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync changed; with ``job.state`` "running" it is still at it."""

    job: JobStatus
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    totals: dict[str, int]
    seconds: float
    map: dict[str, int]
    """How many agreements are fresh, changed, moved, gone; empty without a map."""
    warnings: tuple[str, ...]
    truncated: bool
    next: str


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """What ``index_status`` takes."""

    limit: int = arg(SHOWN, "How many skipped files to name.", low=0, high=10_000)
    look: bool = arg(
        True, "Compare the whole tree with the index; false answers at once, and may leave needs_sync open."
    )


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index holds, how fresh it is, and what it leaves out."""

    root: str
    state: str
    """empty, building, complete"""
    files: int
    chunks: int
    symbols: int
    edges: int
    waiting: int
    source_bytes: int
    disk_bytes: int
    languages: dict[str, int]
    lexical: str
    model: str
    needs_sync: bool | None
    """Whether the index differs from the tree; None when it does not look so, and the tree was not looked at."""
    watching: str
    """How the tree is followed (events, polling and why, by another process), or empty."""
    job: JobStatus | None
    freshness: Freshness
    skipped: dict[str, int]
    """How many paths are left out for each reason."""
    skips: tuple[Skip, ...]
    notes: tuple[str, ...]
    """Files that were indexed less than well, with the reason."""
    warnings: tuple[str, ...]
    truncated: bool
    next: str
    unembedded: int = 0
    """Files that have no vectors of the model yet, and are found by their words alone."""


def _sync(workspace: "Workspace", request: SyncRequest, call: Call) -> SyncResult:
    keeper = workspace.keeper
    if request.cancel:
        if keeper.job is None:
            raise BadArgument("no sync runs that could be cancelled", "sync_index without cancel starts one")
        keeper.close()
        job = keeper.job
    elif request.wait or not call.lasting:
        job = keeper.sync(full=request.full, progress=call.progress, deadline=call.deadline)
    else:
        job = keeper.start(request.full)
    report = job.report or SyncReport()
    lists = (report.added, report.changed, report.removed)
    return SyncResult(
        job=_job_status(job),
        added=report.added[:SHOWN],
        changed=report.changed[:SHOWN],
        removed=report.removed[:SHOWN],
        renamed=report.renamed[:SHOWN],
        totals=_counts(report),
        seconds=report.seconds,
        map={} if job.running else states_of(workspace),
        warnings=(*workspace.warnings(), *_troubles(workspace), *_waited(request, call)),
        truncated=any(len(paths) > SHOWN for paths in lists),
        next=_next(job, report),
    )


def _waited(request: SyncRequest, call: Call) -> tuple[str, ...]:
    """Say that the wish not to wait could not be heard."""
    if request.wait or request.cancel or call.lasting:
        return ()
    return ("wait=false has no effect here: a sync ends with its process, so it was waited for",)


def _next(job: "Job", report: SyncReport) -> str:
    if job.running:
        return "index_status tells how far it is; search answers from what is done"
    if job.error is not None:
        return "sync_index goes on from there"
    return (
        "search"
        if report.files
        else "nothing to index here: see source_dirs and ignore rules; '!pattern' in .shirubeignore takes files back"
    )


def _troubles(workspace: "Workspace") -> tuple[str, ...]:
    return (workspace.keeper.trouble,) if workspace.keeper.trouble else ()


def _last_job(keeper: "Keeper") -> JobStatus | None:
    """Return the job that runs; when none does, the last sync."""
    making = keeper.embedding
    job = making if making is not None and making.running else keeper.job
    return _job_status(job) if job is not None else None


def _job_status(job: "Job") -> JobStatus:
    state = "running" if job.running else "failed" if job.error is not None else "done"
    return JobStatus(job.id, state, *job.step, error=str(job.error or ""))


def _counts(report: SyncReport) -> dict[str, int]:
    return {
        "files": report.files,
        "added": len(report.added),
        "changed": len(report.changed),
        "removed": len(report.removed),
        "renamed": len(report.renamed),
        "parsed": report.parsed,
        "reused": report.reused,
        "skipped": report.skipped,
    }


def _status(workspace: "Workspace", request: StatusRequest, call: Call) -> IndexStatus:
    totals, skips = workspace.store.totals(), workspace.store.skips()
    keeper = workspace.keeper
    counts: dict[str, int] = {}
    for skip in skips:
        counts[skip.reason] = counts.get(skip.reason, 0) + 1
    notes = tuple(f"{path}: {note}" for path, note in workspace.store.remarks())
    stale = keeper.needs_sync() if request.look else keeper.is_outdated() or None
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
        needs_sync=stale,
        watching=keeper.watching,
        job=_last_job(keeper),
        freshness=workspace.freshness(()),
        skipped=dict(sorted(counts.items())),
        skips=skips[: request.limit],
        notes=notes[: request.limit],
        warnings=(*workspace.warnings(), *_troubles(workspace)),
        truncated=len(skips) > request.limit or len(notes) > request.limit,
        next="sync_index" if stale else "search",
    )


SYNC_INDEX = Operation(
    name="sync_index",
    summary="Bring the index up to date with the files on disk and tell what changed; safe to call at any time.",
    request=SyncRequest,
    result=SyncResult,
    function=_sync,
    group="index",
    read_only=False,
    aliases={"force": "full"},
)

INDEX_STATUS = Operation(
    name="index_status",
    summary="What does the index hold, how fresh is it, and which files does it leave out and why?",
    request=StatusRequest,
    result=IndexStatus,
    function=_status,
    group="index",
)
