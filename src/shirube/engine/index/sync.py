"""Brings the index up to date: walk, compare, read, write, resolve, publish."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import pack
from shirube.engine.index.reading import FileReading, Task, content_key, from_plain, give_back, placed, rows_key
from shirube.engine.repo.walk import WalkOptions, walk
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.port import Entry, Store, StoreChange, Unembedded
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.types import Edge, FileRecord, Found, Listing, Progress, Skip, Stat, SyncReport

if TYPE_CHECKING:
    from shirube.engine.index.resolvers.toolkit import FileTable


# --- what has to be read again: a pure comparison of the tree with the index -----------------------------

RACY_NS = 2_000_000_000
"""A time stamp this close to the time of reading proves nothing: the coarsest file systems round to 2 s."""


class SyncPlan(Struct, frozen=True):
    """What a sync has to do."""

    read: tuple[Found, ...]
    """New files, and files that may have changed; comparing their content decides."""
    removed: tuple[str, ...]


def compare(records: Mapping[str, FileRecord], listing: Listing, *, full: bool) -> SyncPlan:
    """Return which files to read and which to remove from the index; ``full`` reads all."""
    present = {file.path for file in listing.files}
    return SyncPlan(
        tuple(file for file in listing.files if full or not _surely_same(records.get(file.path), file)),
        tuple(sorted(path for path in records if path not in present)),
    )


def _surely_same(record: FileRecord | None, file: Found) -> bool:
    """Tell whether the stat proves that the content is still what was read.

    An edit can preserve size and modification time. It cannot preserve the change time, unless it came so soon
    after the reading that the clock shows the same time.
    """
    newest = max(file.stat.mtime_ns, file.stat.ctime_ns)
    return record is not None and record.stat == file.stat and newest + RACY_NS < record.checked_ns


# --- edges between files: the raw imports of the index, resolved against the whole file table ------------

AT_ONCE = 1000
"""Files linked at a time: the imports of a whole kernel's source would take half a gigabyte."""


class Linker:
    """Writes edges; reuses its file table until a file is added or removed."""

    def __init__(self) -> None:
        self._table: FileTable | None = None

    def link(
        self, store: Store, files: Mapping[str, FileRecord], changed: Collection[str], *, everything: bool
    ) -> None:
        """Write the edges of the changed files, or of ``everything``, which is also done when a manifest changed.

        When files are added or removed, the imports of an unchanged file may resolve to another file.
        """
        if not everything and not changed:
            return
        from shirube.engine.index.resolvers.toolkit import FileTable, is_manifest

        everything = everything or any(map(is_manifest, changed))
        if everything or self._table is None:
            self._table = FileTable.build(files, {path: store.text(path) for path in files if is_manifest(path)})
        paths = sorted(files) if everything else [path for path in changed if path in files]
        for start in range(0, len(paths), AT_ONCE):
            self._link_some(store, files, paths[start : start + AT_ONCE])

    def _link_some(self, store: Store, files: Mapping[str, FileRecord], paths: list[str]) -> None:
        from shirube.engine.index.resolvers import resolve_file

        assert self._table is not None
        edges = {
            path: resolve_file(path, files[path].language, imports, self._table)
            for path, imports in store.imports(paths).items()
        }
        # Write only what differs: after a file is added or removed, few edges do.
        stored: dict[str, set[Edge]] = {path: set() for path in edges}
        for edge in store.edges(*edges) if edges else ():
            stored[edge.source].add(edge)
        differing = {path: resolved for path, resolved in edges.items() if stored[path] != set(resolved)}
        if differing:
            store.write_edges(differing)


# --- the sync itself -------------------------------------------------------------------------------------

KEPT = ("ok", "same", "binary", "quarantined")
"""Statuses that the index records, so that the file is not read again until it changes."""
WRITE_BYTES = 8_000_000
"""Bytes of source after which a batch is written, however few files it has."""
PUBLISH_BYTES = 32_000_000
"""Bytes of source after which a long build is published: it becomes searchable, and its tokens leave memory."""
"""Called with the current step, how many files are done, and how many there are."""
Read = Callable[[Sequence[Task]], Iterable[FileReading]]


class Sources(Struct, frozen=True):
    """What a sync works with; everything that touches files, clocks or processes is passed in."""

    root: Path
    options: WalkOptions
    store: Store
    cache: ParsedCache
    read: Read
    clock_ns: Callable[[], int]
    fingerprint: str
    """Identifies the parser and the fields; when it differs from the index's, everything is indexed again."""
    linker: Linker
    batch_files: int = 64
    seen: Callable[[Listing, int], None] = lambda listing, started_ns: None
    """Called after each walk of the tree with the listing and the time the walk began."""
    embedder: Embedder | None = None
    """The model that every file needs vectors of; None when none are to be computed here."""


@dataclass(slots=True)
class _Run:
    """What one sync has gathered so far."""

    records: dict[str, FileRecord]
    """The index before the sync, by path."""
    after: dict[str, FileRecord]
    """The index after the sync, by path."""
    stats: dict[str, Stat]
    relink: bool
    """Whether to resolve all imports again: an interrupted sync may have left edges out."""
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
    """Bytes of source read but not yet written."""
    unpublished: int = 0
    """Bytes of source written but not yet searchable."""


def sync(sources: Sources, *, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
    """Update the index to match the tree; an interrupted sync keeps what it has written."""
    started = monotonic()
    store = sources.store
    progress(say("steps.looking"), 0, 0)
    started_ns = sources.clock_ns()
    listing = walk(sources.root, sources.options)
    sources.seen(listing, started_ns)
    records = store.files()
    if not records:
        store.note("fingerprint", sources.fingerprint)  # so that an interrupted first build can be continued
        store.note("begun_ns", str(started_ns))
    stale = store.noted("fingerprint") != sources.fingerprint
    plan = compare(records, listing, full=full or stale)
    look_seconds = monotonic() - started
    gone = set(plan.removed)
    run = _Run(
        records,
        {path: record for path, record in records.items() if path not in gone},
        {file.path: file.stat for file in plan.read},
        relink=store.noted("state") != "complete",
    )
    if plan.removed or not records:
        _note_change(store)
    if plan.removed:
        store.write(StoreChange(removed=plan.removed))
    known = {} if stale else {path: record.digest for path, record in records.items()}
    tasks = [Task(file.path, known.get(file.path, ""), file.stat.size) for file in plan.read]
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
    """Read the files that may have changed and write them in batches."""
    now = sources.clock_ns()
    for done, reading in enumerate(sources.read(tasks), 1):
        deadline.check()
        _add_reading(run, reading, now)
        if len(run.entries) >= sources.batch_files or run.bytes >= WRITE_BYTES:
            _flush(sources, run, now)
        progress(say("steps.indexing"), done, len(tasks))
    _flush(sources, run, now)


def _add_reading(run: _Run, reading: FileReading, now: int) -> None:
    path = reading.path
    if reading.status not in KEPT:
        if run.after.pop(path, None):
            run.gone.append(path)
        if reading.status != "gone":
            run.skips.append(Skip(path, reading.status, reading.detail))
        return
    stat = run.stats[path]
    if reading.status == "same":
        run.after[path] = replace(run.records[path], stat=stat, checked_ns=now)
        run.touched.append(run.after[path])
        return
    (run.changed if path in run.records else run.added).append(path)
    run.digests[path] = reading.digest
    run.entries.append(_entry(run, reading, now))
    run.bytes += stat.size
    run.after[path] = run.entries[-1].record


def _entry(run: _Run, reading: FileReading, now: int) -> Entry:
    """Return the entry for the store; a file that is recorded but not indexed has no language."""
    stat = run.stats[reading.path]
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


def _note_change(store: Store) -> None:
    """Note that the index is changing; a file that is read only to be sure that it is the same changes nothing."""
    if store.noted("state") != "building":
        store.note("state", "building")


def _flush(sources: Sources, run: _Run, now: int) -> None:
    if run.entries or run.gone:
        _note_change(sources.store)
    if run.entries or run.touched or run.gone:
        sources.store.write(StoreChange(tuple(run.entries), tuple(run.gone), tuple(run.touched)))
    if run.cache_rows:
        sources.cache.put(run.cache_rows, now)
    run.unpublished += run.bytes
    run.entries, run.touched, run.gone, run.cache_rows, run.bytes = [], [], [], [], 0
    if run.unpublished >= PUBLISH_BYTES:
        sources.store.publish()
        give_back()
        run.unpublished = 0


def _finish(sources: Sources, run: _Run, listing: Listing, progress: Progress) -> tuple[str, ...]:
    """Write edges, publish and record the end of the sync; return the removed files."""
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
    """Return why a file is not indexed; earlier versions wrote a detail after the reason (``reason: detail``)."""
    reason = note.partition(":")[0]
    return reason, say("index.crashed") if reason == "quarantined" else NOTHING


def _renames(records: dict[str, FileRecord], removed: tuple[str, ...], run: _Run) -> tuple[tuple[str, str], ...]:
    """Return pairs of a removed path and an added path with the same content."""
    added: dict[str, list[str]] = {}
    for path in sorted(run.added):
        added.setdefault(run.digests[path], []).append(path)
    return tuple((path, same.pop(0)) for path in removed if (same := added.get(records[path].digest)))


# --- vectors that workers did not compute, from the texts in the index -----------------------------------

GROUP_FILES = 16
"""Files written in one transaction: about a second of work for a large model."""
SLICE_TEXTS = 32
"""Texts passed to the model at once; cancellation is checked in between."""


def embed_missing(sources: Sources, embedder: Embedder, progress: Progress, deadline: Deadline) -> None:
    """Compute vectors of this model for every file in the index that lacks them."""
    store, last = sources.store, 0
    progress(say("steps.embedding"), *store.coverage())
    while files := store.unembedded(last, GROUP_FILES):
        if store.noted("fingerprint") != sources.fingerprint:
            return  # another version cut these files, so cached rows would belong to other pieces
        rows = _content_rows(sources, embedder, files, deadline)
        store.embed({file.number: placed(embedder, rows[file.number], file.path) for file in files})
        last = files[-1].number
        progress(say("steps.embedding"), *store.coverage())


def _content_rows(
    sources: Sources, embedder: Embedder, files: Sequence[Unembedded], deadline: Deadline
) -> dict[int, bytes]:
    """Return the rows of each file's content, from the cache or computed by the model."""
    keys = {file.number: rows_key(content_key(file.digest, file.language), embedder.name) for file in files}
    cached = {number: rows for number, key in keys.items() if (rows := sources.cache.get(key)) is not None}
    computed = _embed(embedder, [file for file in files if file.number not in cached], deadline)
    sources.cache.put([(keys[number], rows) for number, rows in computed.items()], sources.clock_ns())
    sources.cache.used([keys[number] for number in cached], sources.clock_ns())
    return {**cached, **computed}


def _embed(embedder: Embedder, files: Sequence[Unembedded], deadline: Deadline) -> dict[int, bytes]:
    import numpy as np

    texts = [text for file in files for text in file.texts]
    symbols = [symbol for file in files for symbol in file.symbols]
    rows = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    for start in range(0, len(texts), SLICE_TEXTS):
        deadline.check()
        part = slice(start, start + SLICE_TEXTS)
        rows[part] = embedder.contents(texts[part], symbols=symbols[part])
    ends = np.cumsum([len(file.texts) for file in files]).tolist()
    return {
        file.number: pack(rows[end - len(file.texts) : end]) if file.texts else b""
        for file, end in zip(files, ends, strict=True)
    }
