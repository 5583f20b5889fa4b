"""The wiring: the only file that names concrete backends and reads the wall clock."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import RLock
from time import monotonic, time_ns
from typing import Any

from shirube.config import Config, child_environment, load_config
from shirube.deadline import Deadline
from shirube.embed import Embedder
from shirube.embed.open import open_embedder
from shirube.errors import NotADirectory, ShirubeError, UnknownName
from shirube.index.diff import compare
from shirube.index.job import Job
from shirube.index.pool import Pool
from shirube.index.reading import Setup
from shirube.index.sync import Progress, Sources, SyncReport, sync
from shirube.parse import PARSER_VERSION, known_languages
from shirube.repo.read import read_bytes
from shirube.repo.walk import WalkOptions, walk
from shirube.store import Store
from shirube.store.cache import ParsedCache
from shirube.store.lock import locked
from shirube.types import FileRecord, Freshness, Stat

FIELDS_VERSION = 1
"""Raised when what the lexical index holds of a chunk changes."""
BACKGROUND_SECONDS = 0.5
"""A look for changes that took longer than this goes on beside the next question instead of before it."""
LOCK_NAME = "sync.lock"
LOCK_SECONDS = 0.5
"""How long to wait for the lock before looking whether the caller gave up."""


class Workspace:
    """One project with everything that belongs to it."""

    def __init__(self, root: Path, config: Config, store: Store, clock_ns: Callable[[], int] = time_ns) -> None:
        self.root = root
        self.config = config
        self.store = store
        self.embedder: Embedder = open_embedder(config.embed.model)
        self.notes: list[str] = []
        self._clock_ns = clock_ns
        self._directory = index_directory(root, config)
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._options = _walk_options(config)
        self._cache = ParsedCache(config.cache_dir / "parsed.sqlite", config.store.busy_seconds)
        self._pool = _pool(root, config)
        self._guard = RLock()
        self._job: Job | None = None
        self._looked = float("-inf")
        self._cost = 0.0

    # --- keeping the index up to date --------------------------------------------------------------------

    def sync(self, *, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
        """Bring the index up to date now; a sync under way elsewhere is waited for."""
        while (running := self._job) is not None and running.running:
            running.wait(None, progress)
        with self._guard:
            job = self._start(full)
        while not job.wait(0.1, progress):
            if deadline.passed:
                job.cancel()
        if job.error is not None:
            raise job.error
        assert job.report is not None
        return job.report

    def refresh(self, progress: Progress, deadline: Deadline, *, patient: bool) -> tuple[str, ...]:
        """Look for changes when the last look is too long ago; return what the answer has to say about it."""
        with self._guard:
            job = self._job if self._job is not None and self._job.running else None
            if job is None and self._due():
                job = self._start(False)
        if job is None:
            return ()
        limit = None if patient else self._patience()
        if job.wait(limit, progress):
            return () if job.error is None else (f"index: not up to date: {job.error}",)
        what, done, total = job.step
        files = f", {done} of {total} files" if total else ""
        return (f"index: {what}{files}; the answer may miss what changed",)

    def needs_sync(self) -> bool:
        """Tell whether the index is missing, too old, made otherwise, or differs from the tree."""
        if self.state != "complete" or self.store.noted("fingerprint") != self._fingerprint():
            return True
        age_hours = (self._clock_ns() - int(self.store.noted("indexed_ns"))) / 3.6e12
        if age_hours > self.config.index.sync_ttl_hours:
            return True
        records = self.store.files()
        plan = compare(records, walk(self.root, self._options), full=False)
        return bool(plan.removed) or any(self._differs(found.path, records) for found in plan.read)

    def _differs(self, path: str, records: Mapping[str, FileRecord]) -> bool:
        """Tell by its content whether a file whose time stamp proves nothing is what was indexed."""
        if path not in records:
            return True
        try:
            data = read_bytes(self.root, path, self.config.index.max_file_bytes)
        except ShirubeError:
            return True
        return sha256(data).hexdigest() != records[path].digest

    @property
    def state(self) -> str:
        """Say whether the index is empty, building or complete."""
        return self.store.noted("state") or "empty"

    @property
    def building(self) -> bool:
        """Tell whether answers are partial because the first index is not complete."""
        return self.state != "complete" and not self.store.noted("indexed_ns")

    def _start(self, full: bool) -> Job:
        self._job = Job(lambda progress, deadline: self._sync(full, progress, deadline))
        return self._job

    def _sync(self, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
        started = monotonic()
        report, wait_seconds = None, 0.0
        while report is None:
            with locked(self._directory / LOCK_NAME, wait_seconds) as mine:
                deadline.check()
                if mine:
                    report = sync(self._sources(), full=full, progress=progress, deadline=deadline)
                else:
                    progress("waiting for another process that indexes", 0, 0)
                    wait_seconds = LOCK_SECONDS
        if report.parsed:
            self._cache.prune(self.config.index.cache_megabytes * 1_000_000)
        self._looked, self._cost = monotonic(), monotonic() - started
        return report

    def _sources(self) -> Sources:
        return Sources(
            root=self.root,
            options=self._options,
            store=self.store,
            cache=self._cache,
            read=self._pool.read,
            clock_ns=self._clock_ns,
            fingerprint=self._fingerprint(),
            batch_files=self.config.index.batch_files,
        )

    def _fingerprint(self) -> str:
        return f"{PARSER_VERSION}:{FIELDS_VERSION}:{self.embedder.name}"

    def _due(self) -> bool:
        """Tell whether looking again would still cost no more than its share of the time."""
        return monotonic() - self._looked > self._cost / max(self.config.index.sync_share, 1e-6)

    def _patience(self) -> float:
        if self.building:
            return self.config.index.first_answer_seconds
        return 0.0 if self._cost > BACKGROUND_SECONDS else self.config.index.first_answer_seconds

    # --- telling about it --------------------------------------------------------------------------------

    def freshness(self, paths: tuple[str, ...]) -> Freshness:
        """Say when the index was made, and which of these files have changed since."""
        records = self.store.files(paths) if paths else {}
        stale = tuple(path for path in paths if path not in records or records[path].stat != self._stat(path))
        indexed = self.store.noted("indexed_ns")
        return Freshness(_iso(int(indexed)) if indexed else "", _iso(self._clock_ns()), stale)

    def warnings(self) -> tuple[str, ...]:
        """Return what the user should know about this project's configuration and index."""
        return (*self.config.refused, *self.notes)

    def check_language(self, name: str) -> None:
        """Refuse a language nobody knows, naming the nearest."""
        if name not in known_languages():
            raise UnknownName("language", name, known_languages())

    def close(self) -> None:
        """Stop a running sync, the workers and the store."""
        if self._job is not None and self._job.running:
            self._job.cancel()
        self._pool.close()
        self._cache.close()
        self.store.close()

    def _stat(self, path: str) -> Stat | None:
        try:
            found = os.lstat(self.root / path)
        except OSError:
            return None
        return Stat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def build_workspace(root: Path, flags: Mapping[str, Any] | None = None) -> Workspace:
    """Read the configuration and build every room for the project at ``root``."""
    if not root.is_dir():
        raise NotADirectory(f"not a directory: {root}", "give the directory of a project")
    root = root.resolve()
    config = load_config(root, flags)
    store, note = _open_store(root, config)
    workspace = Workspace(root, config, store)
    if note:
        workspace.notes.append(note)
    return workspace


def index_directory(root: Path, config: Config) -> Path:
    """Return where the index of a work tree is kept: one for each real path."""
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in root.name)[:40]
    return config.cache_dir / "indexes" / f"{name}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def _open_store(root: Path, config: Config) -> tuple[Store, str]:
    dimensions = open_embedder(config.embed.model).dimensions
    if config.store.backend == "memory":
        from shirube.store.memory import MemoryStore

        return MemoryStore(dimensions), ""
    from shirube.store.embedded import open_embedded

    return open_embedded(index_directory(root, config), dimensions, config.store.busy_seconds)


def _pool(root: Path, config: Config) -> Pool:
    workers = config.index.workers or os.cpu_count() or 1
    index = config.index
    cache = str(config.cache_dir / "parsed.sqlite")
    setup = Setup(str(root), cache, index.max_file_bytes, config.embed.model, index.parse_timeout_seconds)
    # A parser that heeds the request gives up by itself; the watchdog is for one that does not.
    return Pool(setup, workers, 2 * index.parse_timeout_seconds)


def _walk_options(config: Config) -> WalkOptions:
    index = config.index
    return WalkOptions(
        max_bytes=index.max_file_bytes,
        source_dirs=index.source_dirs,
        excludes=index.excludes,
        include_secrets=index.include_secrets,
        env=child_environment(),
    )


def _iso(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
