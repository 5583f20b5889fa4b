"""What the operations of group ``index`` return."""

from shirube.codec import Record
from shirube.messages import Message
from shirube.types import Freshness, Skip


class JobStatus(Record):
    """The sync that runs, or the last one that did."""

    job_id: str
    state: str
    """running, done, failed"""
    step: Message
    done: int
    total: int
    error: Message


class SyncResult(Record):
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
    warnings: tuple[Message, ...]
    truncated: bool
    next: Message


class IndexStatus(Record):
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
    watching: Message
    """How the tree is followed (events, polling and why, by another process), or empty."""
    job: JobStatus | None
    freshness: Freshness
    skipped: dict[str, int]
    """How many paths are left out for each reason."""
    skips: tuple[Skip, ...]
    notes: tuple[Message, ...]
    """Files that were indexed less than well, with the reason."""
    warnings: tuple[Message, ...]
    truncated: bool
    next: Message
    unembedded: int = 0
    """Files that have no vectors of the model yet, and are found by their words alone."""
