"""Brings the index up to date: walk, compare, read, write, resolve, publish."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.quantize import pack
from shirube.engine.index.reading import (
    FileReading,
    Task,
    content_key,
    encode,
    from_plain,
    give_back,
    key_on_disk,
    placed,
    rows_key,
)
from shirube.engine.repo.walk import WalkOptions, walk
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.lexical import unpack_text
from shirube.engine.store.lookups import EveryFile, EveryLink, FileTexts, ParsedContents, Skipped, StateNow
from shirube.engine.store.port import Entry, IndexState, Links, StoreChange, Unembedded
from shirube.engine.store.stamps import COMPARED, Stamp, Stamps
from shirube.engine.store.store import Store
from shirube.errors import IndexBusy
from shirube.messages import NOTHING, say, verbatim
from shirube.types import Edge, FileRecord, Found, Listing, Progress, RawImport, Skip, Stat, SyncReport

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


def compare(
    records: Mapping[str, FileRecord], stamps: Mapping[str, Stamp], listing: Listing, *, full: bool
) -> SyncPlan:
    """Return which files to read and which to remove from the index; ``full`` reads all."""
    present = {file.path for file in listing.files}
    return SyncPlan(
        tuple(
            file
            for file in listing.files
            if full or not _surely_same(records.get(file.path), stamps.get(file.path), file)
        ),
        tuple(sorted(path for path in records if path not in present)),
    )


def _surely_same(record: FileRecord | None, stamp: Stamp | None, file: Found) -> bool:
    """Tell whether the stamp proves that the file's content is still what the index holds.

    An edit can preserve size and modification time. It cannot preserve the change time, unless it came so soon
    after the reading that the clock shows the same time.
    """
    if record is None or stamp is None or stamp.digest != record.digest:
        return False
    newest = max(stamp.mtime_ns, stamp.ctime_ns)
    return newest + RACY_NS < stamp.checked_ns and stamp == Stamp.of(record.digest, file.stat, stamp.checked_ns)


# --- edges between files: the raw imports of the index, resolved against the whole file table ------------

AT_ONCE = 1000
"""Files linked at a time: the imports of a whole kernel's source would take half a gigabyte."""


class Linker:
    """Resolves imports; reuses its file table until a file is added or removed."""

    def __init__(self) -> None:
        self._table: FileTable | None = None
        self._paths: frozenset[str] = frozenset()
        """The files that the table was built of; others may have come by another process or another base."""

    def link(
        self,
        store: Store,
        files: Mapping[str, FileRecord],
        changed: Collection[str],
        unwritten: Mapping[str, Entry],
        *,
        everything: bool,
    ) -> Iterator[dict[str, tuple[Edge, ...]]]:
        """Yield by path the edges that differ from the stored ones, some files at a time.

        Looks at the changed files, some of which may not be written yet, or at ``everything``, which is also done when
        a manifest changed. When files are added or removed, the imports of an unchanged file may resolve to another.
        """
        if not everything and not changed:
            return
        from shirube.engine.index.resolvers.toolkit import FileTable, is_manifest

        everything = everything or any(map(is_manifest, changed))
        if everything or self._table is None or self._paths != files.keys():
            manifests = tuple(filter(is_manifest, files))
            links, texts = store.look(EveryLink(), FileTexts(manifests))
            texts |= {path: unpack_text(unwritten[path].body) for path in manifests if path in unwritten}
            self._table, self._paths = FileTable.build(files, texts), frozenset(files)
        else:
            (links,) = store.look(EveryLink())
        paths = sorted(files) if everything else [path for path in changed if path in files]
        for start in range(0, len(paths), AT_ONCE):
            some = paths[start : start + AT_ONCE]
            imports = links.imports([path for path in some if path not in unwritten])
            imports |= {path: unwritten[path].imports for path in some if path in unwritten}
            if differing := _differing(links, imports, files, self._table):
                yield differing


def _differing(
    links: Links, imports: Mapping[str, Sequence[RawImport]], files: Mapping[str, FileRecord], table: "FileTable"
) -> dict[str, tuple[Edge, ...]]:
    """Return the edges of files where they differ from the stored ones: after a file is added or removed, few do."""
    from shirube.engine.index.resolvers import resolve_file

    edges = {path: resolve_file(path, files[path].language, raw, table) for path, raw in imports.items()}
    stored: dict[str, set[Edge]] = {path: set() for path in edges}
    for edge in links.edges(*edges) if edges else ():
        stored[edge.source].add(edge)
    return {path: resolved for path, resolved in edges.items() if stored[path] != set(resolved)}


# --- the sync itself -------------------------------------------------------------------------------------

KEPT = ("ok", "same", "binary", "quarantined")
"""Statuses that the index records, so that the file is not read again until it changes."""
WRITE_BYTES = 8_000_000
"""Bytes of source after which a batch is written, however few files it has."""
WRITTEN_ELSEWHERE = "store.written_elsewhere"
"""The code of the error that another machine is writing this index."""
PUBLISH_BYTES = 32_000_000
"""Bytes of source after which a long build is published: it becomes searchable, and its tokens leave memory."""
Read = Callable[[Sequence[Task]], Iterable[FileReading]]


class Sources(Struct, frozen=True):
    """What a sync works with; everything that touches files, clocks or processes is passed in."""

    root: Path
    options: WalkOptions
    store: Store
    stamps: Stamps
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
    state: IndexState
    """The state of the index before the sync."""
    had_skips: tuple[Skip, ...]
    notes: dict[str, str] = field(default_factory=dict)
    """Facts to be noted with the next write."""
    wrote: bool = False
    entries: list[Entry] = field(default_factory=list)
    readings: list[FileReading] = field(default_factory=list)
    """What the entries were made of."""
    stamps: dict[str, Stamp] = field(default_factory=dict)
    """The stamps of files that were read, not yet stored."""
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
    store.begin()
    state, records, skips = store.look(StateNow(), EveryFile(), Skipped())
    if state.writer:
        raise IndexBusy(WRITTEN_ELSEWHERE)
    progress(say("steps.looking"), 0, 0)
    started_ns = sources.clock_ns()
    listing = walk(sources.root, sources.options)
    sources.seen(listing, started_ns)
    stale = bool(records) and state.notes.get("fingerprint") != sources.fingerprint
    plan = compare(records, sources.stamps.every(), listing, full=full or stale)
    look_seconds = monotonic() - started
    gone = set(plan.removed)
    run = _Run(
        records,
        {path: record for path, record in records.items() if path not in gone},
        {file.path: file.stat for file in plan.read},
        state,
        skips,
        gone=[*plan.removed],
    )
    if not records:  # noted at the beginning, so that an interrupted first build can be continued
        run.notes |= {"fingerprint": sources.fingerprint, "begun_ns": str(started_ns)}
    known = {} if stale else {path: record.digest for path, record in records.items()}
    tasks = [Task(file.path, known.get(file.path, ""), file.stat.size) for file in plan.read]
    if store.backend.remote:
        _fetch_parsed(sources, [task.path for task in tasks if task.path not in records], deadline)
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


def _fetch_parsed(sources: Sources, paths: Sequence[str], deadline: Deadline) -> None:
    """Bring what others have parsed of the content of new files: a fork or a branch parses nothing twice."""
    for start in range(0, len(paths), AT_ONCE):
        deadline.check()
        keys = (key_on_disk(sources.root, path, sources.options.max_bytes) for path in paths[start : start + AT_ONCE])
        wanted = tuple(dict.fromkeys(key for key in keys if key and sources.cache.get(key) is None))
        (found,) = sources.store.backend.look(ParsedContents(wanted))  # not to be remembered
        sources.cache.put(found.items(), sources.clock_ns())


def _read_all(sources: Sources, tasks: list[Task], run: _Run, progress: Progress, deadline: Deadline) -> None:
    """Read the files that may have changed and write them in batches."""
    now = sources.clock_ns()
    most_bytes = WRITE_BYTES * (4 if sources.store.backend.remote else 1)
    for done, reading in enumerate(sources.read(tasks), 1):
        deadline.check()
        _add_reading(run, reading, now)
        if len(run.entries) >= sources.batch_files or run.bytes >= most_bytes:
            # a file that is read only to be sure changes nothing
            if run.entries or run.gone:
                change = StoreChange(notes={"state": "building"})
                _write(sources, run, change, publish=run.unpublished >= PUBLISH_BYTES)
            _remember(sources, run, now)
        progress(say("steps.indexing"), done, len(tasks))


def _add_reading(run: _Run, reading: FileReading, now: int) -> None:
    path = reading.path
    if reading.status not in KEPT:
        if run.after.pop(path, None):
            run.gone.append(path)
        if reading.status != "gone":
            run.skips.append(Skip(path, reading.status, reading.detail))
        return
    run.stamps[path] = Stamp.of(reading.digest, run.stats[path], now)
    if reading.status == "same":
        return
    (run.changed if path in run.records else run.added).append(path)
    run.digests[path] = reading.digest
    size = run.stats[path].size
    run.bytes += size
    if reading.status != "ok":  # recorded, but not indexed: it has no language
        run.after[path] = FileRecord(path, reading.digest, size, "", 0, verbatim(reading.status))
        run.entries.append(Entry(run.after[path], b"", ()))
        return
    parsed = from_plain(reading.parsed)
    run.reused += reading.reused
    run.parsed += not reading.reused
    run.cache_rows += reading.cache_rows
    run.cache_keys += reading.cache_keys
    run.readings.append(reading)
    notes = [note for note in (reading.detail, *parsed.notes) if note]
    note = say("index.both", one=notes[0], other=notes[1]) if notes[1:] else notes[0] if notes else NOTHING
    record = run.after[path] = FileRecord(path, reading.digest, size, parsed.language, reading.lines, note)
    entry = Entry(record, reading.body, parsed.pieces, parsed.symbols, parsed.imports, reading.vectors, reading.docs)
    run.entries.append(entry)


def _write(sources: Sources, run: _Run, change: StoreChange, *, publish: bool) -> None:
    """Write what was read together with a change."""
    change = replace(change, entries=tuple(run.entries), removed=tuple(run.gone), notes={**run.notes, **change.notes})
    if sources.store.backend.remote:
        parsed = tuple((reading.cache_keys[0], encode(reading.parsed)) for reading in run.readings)
        change = replace(change, parsed=parsed)
    sources.store.write(change, publish=publish)
    run.entries, run.readings, run.notes, run.wrote = [], [], {}, True
    run.unpublished = 0 if publish else run.unpublished + run.bytes
    run.bytes = 0
    if publish:
        give_back()


def _remember(sources: Sources, run: _Run, now: int) -> None:
    """Store on this machine what saves reading and parsing again; after the write: a stamp alone proves nothing."""
    sources.stamps.update(run.stamps, run.gone)
    if run.cache_rows:
        sources.cache.put(run.cache_rows, now)
    run.stamps, run.gone, run.cache_rows = {}, [], []


def _finish(sources: Sources, run: _Run, listing: Listing, progress: Progress) -> tuple[str, ...]:
    """Write edges, publish and record the end of the sync; return the removed files."""
    store, now, after = sources.store, sources.clock_ns(), run.after
    removed = tuple(sorted(run.records.keys() - after.keys()))
    progress(say("steps.connecting"), len(after), len(after))
    changed = {*run.added, *run.changed}
    interrupted = run.state.notes.get("state") != "complete"  # then edges may have been left out
    everything = interrupted or bool(run.added or removed)
    unwritten = {entry.record.path: entry for entry in run.entries}
    edges: dict[str, tuple[Edge, ...]] = {}
    for some in sources.linker.link(store, after, changed, unwritten, everything=everything):
        if edges and not store.backend.remote:
            _write(sources, run, StoreChange(edges=edges, notes={"state": "building"}), publish=False)
            edges = {}
        edges |= some
    progress(say("steps.publishing"), len(after), len(after))
    run.skips += listing.skipped
    for record in after.values():
        if not record.language:  # earlier versions wrote a detail after the reason (``reason: detail``)
            reason = record.note.partition(":")[0]
            why = say("index.crashed") if reason == "quarantined" else NOTHING
            run.skips.append(Skip(record.path, reason, why))
    skips = tuple(run.skips) if set(run.skips) != set(run.had_skips) else None
    notes = {"fingerprint": sources.fingerprint, "state": "complete"}
    changes = (run.wrote, run.entries, run.gone, edges, skips is not None, notes.items() - run.state.notes.items())
    if any(changes):
        notes["indexed_ns"] = str(now)
        _write(sources, run, StoreChange(edges=edges, skips=skips, notes=notes), publish=True)
    _remember(sources, run, now)
    sources.stamps.note(COMPARED, str(now))
    sources.cache.used(run.cache_keys, now)
    return removed


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
    import numpy as np

    keys = {file.number: rows_key(content_key(file.digest, file.language), embedder.name) for file in files}
    cached = {number: rows for number, key in keys.items() if (rows := sources.cache.get(key)) is not None}
    lacking = [file for file in files if file.number not in cached]
    texts = [text for file in lacking for text in file.texts]
    symbols = [symbol for file in lacking for symbol in file.symbols]
    vectors = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    for start in range(0, len(texts), SLICE_TEXTS):
        deadline.check()
        part = slice(start, start + SLICE_TEXTS)
        vectors[part] = embedder.contents(texts[part], symbols=symbols[part])
    ends = np.cumsum([len(file.texts) for file in lacking]).tolist()
    computed = {
        file.number: pack(vectors[end - len(file.texts) : end]) if file.texts else b""
        for file, end in zip(lacking, ends, strict=True)
    }
    sources.cache.put([(keys[number], rows) for number, rows in computed.items()], sources.clock_ns())
    sources.cache.used([keys[number] for number in cached], sources.clock_ns())
    return {**cached, **computed}
