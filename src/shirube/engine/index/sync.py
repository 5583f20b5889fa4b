"""Bringing the index up to date: walk, compare, read, write, resolve, publish."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from msgspec import Struct

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.embed import Embedder
from shirube.engine.index.codec import from_plain
from shirube.engine.index.diff import compare
from shirube.engine.index.links import Linker
from shirube.engine.index.memory import give_back
from shirube.engine.index.reading import Reading, Task
from shirube.engine.repo.walk import WalkOptions, walk
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.port import Change, Entry, Store
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.types import FileRecord, Found, Listing, Skip, SyncReport

KEPT = ("ok", "same", "binary", "quarantined")
"""Readings the index remembers, so that the file is not read again until it changes."""
WRITE_BYTES = 8_000_000
"""Source after which a batch is written, however few files it is."""
PUBLISH_BYTES = 32_000_000
"""Source after which a long build becomes searchable in part, and its tokens leave memory."""

Progress = Callable[[Message, int, int], None]
"""Called with what is being done, how many files are done, and how many there are."""
Read = Callable[[Sequence[Task]], Iterable[Reading]]


class Sources(Struct, frozen=True):
    """What a sync works with; everything that touches the world is handed in."""

    root: Path
    options: WalkOptions
    store: Store
    cache: ParsedCache
    read: Read
    clock_ns: Callable[[], int]
    fingerprint: str
    """Names the parser and the fields; when it differs from the index's, everything is made anew."""
    linker: Linker
    batch_files: int = 64
    seen: Callable[[Listing, int], None] = lambda listing, started_ns: None
    """Told what is there and when the walk began, each time the tree is looked at."""
    embedder: Embedder | None = None
    """The model that has to have read every file, when it is one that workers do not run or did not always run."""


@dataclass(slots=True)
class _Run:
    """What one sync has gathered so far."""

    records: dict[str, FileRecord]
    """What the index knew before …"""
    after: dict[str, FileRecord]
    """… and what it knows when all is written."""
    stats: dict[str, Found]
    relink: bool
    """Whether an earlier sync was interrupted, so that edges may be missing."""
    entries: list[Entry] = field(default_factory=list)
    touched: list[FileRecord] = field(default_factory=list)
    cache_rows: list[tuple[str, bytes]] = field(default_factory=list)
    cache_keys: list[str] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    parsed: int = 0
    reused: int = 0
    bytes: int = 0
    """Source that is read and not yet written …"""
    unpublished: int = 0
    """… and that is written and not yet searchable."""


def sync(sources: Sources, *, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
    """Make the index describe the tree as it is now; what is done stays done when it is interrupted."""
    started = monotonic()
    store = sources.store
    progress(say("steps.looking"), 0, 0)
    started_ns = sources.clock_ns()
    listing = walk(sources.root, sources.options)
    sources.seen(listing, started_ns)
    records = store.files()
    if not records:
        store.note("fingerprint", sources.fingerprint)  # a first build that is interrupted goes on from there
        store.note("begun_ns", str(started_ns))
    stale = store.noted("fingerprint") != sources.fingerprint
    plan = compare(records, listing, full=full or stale)
    look_seconds = monotonic() - started
    gone = set(plan.removed)
    run = _Run(
        records,
        {path: record for path, record in records.items() if path not in gone},
        {found.path: found for found in plan.read},
        relink=store.noted("state") != "complete",
    )
    if plan.read or plan.removed:
        store.note("state", "building")
    if plan.removed:
        store.write(Change(removed=plan.removed))
    known = {} if stale else {path: record.digest for path, record in records.items()}
    tasks = [Task(found.path, known.get(found.path, ""), found.stat.size) for found in plan.read]
    _read_all(sources, tasks, run, progress, deadline)
    removed = _finish(sources, run, listing, progress)
    return SyncReport(
        added=tuple(sorted(run.added)),
        changed=tuple(sorted(run.changed)),
        removed=removed,
        renamed=_renames(records, removed, run),
        files=len(listing.files),
        parsed=run.parsed,
        reused=run.reused,
        skipped=len(run.skips),
        seconds=round(monotonic() - started, 3),
        look_seconds=round(look_seconds, 3),
    )


def _read_all(sources: Sources, tasks: list[Task], run: _Run, progress: Progress, deadline: Deadline) -> None:
    """Read what may have changed and write it batch by batch."""
    now = sources.clock_ns()
    for done, reading in enumerate(sources.read(tasks), 1):
        deadline.check()
        _take(run, reading, now)
        if len(run.entries) >= sources.batch_files or run.bytes >= WRITE_BYTES:
            _flush(sources, run, now)
        progress(say("steps.indexing"), done, len(tasks))
    _flush(sources, run, now)


def _take(run: _Run, reading: Reading, now: int) -> None:
    path = reading.path
    if reading.status not in KEPT:
        if run.after.pop(path, None):
            run.gone.append(path)
        if reading.status != "gone":
            run.skips.append(Skip(path, reading.status, reading.detail))
        return
    stat = run.stats[path].stat
    if reading.status == "same":
        run.after[path] = replace(run.records[path], stat=stat, checked_ns=now)
        run.touched.append(run.after[path])
        return
    (run.changed if path in run.records else run.added).append(path)
    run.digests[path] = reading.digest
    run.entries.append(_entry(run, reading, now))
    run.bytes += stat.size
    run.after[path] = run.entries[-1].record


def _entry(run: _Run, reading: Reading, now: int) -> Entry:
    """Return what the store is to keep; a file that is known but not indexed has no language."""
    stat = run.stats[reading.path].stat
    if reading.status != "ok":
        return Entry(FileRecord(reading.path, reading.digest, stat, "", 0, now, verbatim(reading.status)), b"", ())
    parsed = from_plain(reading.parsed)
    run.reused += reading.reused
    run.parsed += not reading.reused
    run.cache_rows += reading.cache_rows
    run.cache_keys += reading.cache_keys
    notes = [note for note in (reading.detail, *parsed.notes) if note]
    note = say("index.both", one=notes[0], other=notes[1]) if notes[1:] else notes[0] if notes else NOTHING
    record = FileRecord(reading.path, reading.digest, stat, parsed.language, reading.lines, now, note)
    return Entry(record, reading.body, parsed.pieces, parsed.symbols, parsed.imports, reading.vectors, reading.docs)


def _flush(sources: Sources, run: _Run, now: int) -> None:
    if run.entries or run.touched or run.gone:
        sources.store.write(Change(tuple(run.entries), tuple(run.gone), tuple(run.touched)))
    if run.cache_rows:
        sources.cache.put(run.cache_rows, now)
    run.unpublished += run.bytes
    run.entries, run.touched, run.gone, run.cache_rows, run.bytes = [], [], [], [], 0
    if run.unpublished >= PUBLISH_BYTES:
        sources.store.publish()
        give_back()
        run.unpublished = 0


def _finish(sources: Sources, run: _Run, listing: Listing, progress: Progress) -> tuple[str, ...]:
    """Connect, publish and note what was done; return the files that went."""
    store, now, after = sources.store, sources.clock_ns(), run.after
    removed = tuple(sorted(run.records.keys() - after.keys()))
    progress(say("steps.connecting"), len(after), len(after))
    changed = {*run.added, *run.changed}
    sources.linker.link(store, after, changed, everything=run.relink or bool(run.added or removed))
    progress(say("steps.publishing"), len(after), len(after))
    store.publish()
    unindexed = [Skip(r.path, *_unindexed(r.note)) for r in after.values() if not r.language]
    run.skips += [*listing.skipped, *unindexed]
    if set(run.skips) != set(store.skips()):
        store.write_skips(run.skips)
    sources.cache.used(run.cache_keys, now)
    for key, value in (("fingerprint", sources.fingerprint), ("indexed_ns", str(now)), ("state", "complete")):
        if store.noted(key) != value:
            store.note(key, value)
    return removed


def _unindexed(note: str) -> tuple[str, Message]:
    """Return why a file is known and not indexed; earlier versions wrote the detail behind the reason."""
    reason = note.partition(":")[0]
    return reason, say("index.crashed") if reason == "quarantined" else NOTHING


def _renames(records: dict[str, FileRecord], removed: tuple[str, ...], run: _Run) -> tuple[tuple[str, str], ...]:
    """Return pairs of a path that went and one that came with the same content."""
    came: dict[str, list[str]] = {}
    for path in sorted(run.added):
        came.setdefault(run.digests[path], []).append(path)
    pairs = []
    for path in removed:
        if matches := came.get(records[path].digest):
            pairs.append((path, matches.pop(0)))
    return tuple(pairs)
