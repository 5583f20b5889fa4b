"""Keeping the index, and telling what it holds."""

from dataclasses import dataclass

from shirube.index.sync import SyncReport
from shirube.operations.model import Call, Operation, arg
from shirube.types import Freshness, Skip
from shirube.workspace import Workspace

SHOWN = 50
"""How many changed or skipped files an answer names; the totals tell of the rest."""


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What ``sync_index`` takes."""

    full: bool = arg(False, "Read every file again instead of trusting time stamps.")


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync changed."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    totals: dict[str, int]
    seconds: float
    warnings: tuple[str, ...]
    truncated: bool
    next: str


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """What ``index_status`` takes."""

    limit: int = arg(SHOWN, "How many skipped files to name.", low=0, high=10_000)


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
    needs_sync: bool
    freshness: Freshness
    skipped: dict[str, int]
    """How many paths are left out for each reason."""
    skips: tuple[Skip, ...]
    notes: tuple[str, ...]
    """Files that were indexed less than well, with the reason."""
    warnings: tuple[str, ...]
    truncated: bool
    next: str


def _sync(workspace: Workspace, request: SyncRequest, call: Call) -> SyncResult:
    report = workspace.sync(full=request.full, progress=call.progress, deadline=call.deadline)
    lists = (report.added, report.changed, report.removed)
    return SyncResult(
        added=report.added[:SHOWN],
        changed=report.changed[:SHOWN],
        removed=report.removed[:SHOWN],
        renamed=report.renamed[:SHOWN],
        totals=_counts(report),
        seconds=report.seconds,
        warnings=workspace.warnings(),
        truncated=any(len(paths) > SHOWN for paths in lists),
        next="search" if report.files else "nothing to index here: check index.source_dirs and ignore rules",
    )


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


def _status(workspace: Workspace, request: StatusRequest, call: Call) -> IndexStatus:
    totals, skips = workspace.store.totals(), workspace.store.skips()
    state = workspace.state
    counts: dict[str, int] = {}
    for skip in skips:
        counts[skip.reason] = counts.get(skip.reason, 0) + 1
    notes = tuple(f"{r.path}: {r.note}" for r in workspace.store.files().values() if r.note and r.language)
    stale = workspace.needs_sync()
    return IndexStatus(
        root=str(workspace.root),
        state=state,
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
        needs_sync=stale,
        freshness=workspace.freshness(()),
        skipped=dict(sorted(counts.items())),
        skips=skips[: request.limit],
        notes=notes[: request.limit],
        warnings=workspace.warnings(),
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
