"""Keeps one index up to date: decides when to check for changes, which process does it, and what to report meanwhile.

At most one sync runs at a time: in this process it is a job, and a file lock excludes other processes. A question
starts a sync when the last check is too old, and waits for it only briefly. In a server the tree is followed in the
background instead, and a question waits for a check only before an empty answer or one with changed files. A second job
computes missing vectors, because that may take hours and checks for changes must not wait for it.
"""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from hashlib import sha256
from math import ceil, inf
from pathlib import Path
from threading import Event, RLock
from time import monotonic

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.index.history_keeper import HistoryKeeper
from shirube.engine.index.job import Job
from shirube.engine.index.sync import RACY_NS, WRITTEN_ELSEWHERE, Sources, compare, embed_missing, sync
from shirube.engine.index.watch import Follower, Watcher, orphaned
from shirube.engine.repo.read import read_bytes
from shirube.engine.repo.walk import WalkStamp, walk
from shirube.engine.store.disk import locked
from shirube.engine.store.port import Totals
from shirube.errors import BrokenIndex, Cancelled, IndexBusy, ModelFault, MovedIndex, NoPermission, ShirubeError, told
from shirube.messages import NOTHING, Message, say
from shirube.settings import IndexConfig
from shirube.types import FileRecord, Listing, Progress, SyncReport

BACKGROUND_SECONDS = 0.5
"""When walking the tree takes longer than this, questions are answered without waiting for the sync."""
WALK_SECONDS = 60.0
"""How long the cheap check of a ``WalkStamp`` may replace walking the tree."""
EMBED_SECONDS = 1.0
"""How long the first question after a change waits for vectors: enough for those of a file or two."""
SEEN_SECONDS = 2.0
"""While the tree is followed, answers include every change older than this, or say that they may not."""
RESUME_SECONDS = 1.0
"""How long the first question after a pause of the following waits for its check."""
UNSEEN = "index.unseen"
"""The code of the note that says so; the next check, if one is needed, makes it untrue."""
MOST_DEAD, OVERDUE = 0.1, 1.0
"""Dead chunks in the lexical index for each living one: above the first it is rebuilt, in the background or at the end
of ``sync``; above the second also by a short-lived process that was asked something, when it has answered."""
SYNC_LOCK = "sync.lock"
WATCH_LOCK = "watch.lock"
LOCK_SECONDS = 0.5
"""How long to wait for a lock before checking whether the caller gave up."""


class Keeper:
    """Keeps the index of one project up to date; ``directory`` holds the lock files."""

    def __init__(self, sources: Sources, directory: Path, config: IndexConfig, history: HistoryKeeper) -> None:
        self._sources, self._directory, self._config = replace(sources, seen=self._see), directory, config
        self._store = sources.store
        self._guard = RLock()
        self._looked = float("-inf")
        self._cost = 0.0
        self.looked_from = float("-inf")
        """When the last successful check began (monotonic): earlier changes are in the index."""
        self._quiet_at = float("-inf")
        self._walked, self._walk_cost = float("-inf"), 0.0
        self._synced_stamp: WalkStamp | None = None
        """The state of the tree at the last successful sync."""
        self._last_stamp: WalkStamp | None = None
        self._synced_content = ""
        """What the store had then."""
        self._watcher: Watcher | None = None
        self._follower: Follower | None = None
        self._closing, self._held = Event(), ExitStack()
        self._folders: frozenset[str] = frozenset({""})
        self.job: Job | None = None
        """The running sync, or the last one."""
        self.embedding: Job | None = None
        """The running job that computes vectors, or the last one."""
        self._renewing: Job | None = None
        self.lasting = True
        """Whether the process lives on after an answer."""
        self.history = history

    # --- work ----------------------------------------------------------------------------------------------

    def sync(self, *, full: bool, progress: Progress, deadline: Deadline) -> Job:
        """Bring the index up to date, and vectors and history with it; return the job with all that was done.

        The job may still be running when the deadline has passed.
        """
        began = monotonic()
        if (before := self._running()) is not None and not before.ends(progress, deadline):
            return before
        job = self.start(full)
        if not job.ends(progress, deadline):
            return job
        if job.error is not None:
            raise job.error
        embedding = self.start_embedding()
        error = embedding.error if embedding is not None and embedding.ends(progress, deadline) else None
        if error is not None and not isinstance(error, ModelFault):  # that is told by ``trouble``
            raise error
        commits, renewing = self.history.complete(full, progress, deadline), self.start_renewing()
        report = job.report or SyncReport()
        if self._follower is None and renewing.ends(progress, deadline) and renewing.report:
            report = replace(report, renewed=report.renewed or renewing.report.renewed)
        job.report = replace(report, commits=commits, seconds=round(monotonic() - began, 3))
        return job

    def start(self, full: bool = False) -> Job:
        """Start a sync in the background, or return the running one."""
        with self._guard:
            if (running := self._running()) is not None:
                return running
            self.job = Job(lambda progress, deadline: self._work(full, progress, deadline))
            return self.job

    def start_embedding(self) -> Job | None:
        """Start computing missing vectors, or return the running job; None when no vectors are missing."""
        with self._guard:
            if self.embedding is not None and self.embedding.running:
                return self.embedding
            if self._sources.embedder is None or not self.unembedded:
                return None
            self.embedding = Job(self._embed)
            return self.embedding

    def start_renewing(self) -> Job:
        """Start rebuilding the lexical index if too much of it is dead, or return the running job."""
        with self._guard:
            if self._renewing is None or not self._renewing.running:
                self._renewing = Job(lambda progress, deadline: SyncReport(renewed=self._renew(MOST_DEAD)))
            return self._renewing

    def is_overdue(self) -> bool:
        """Tell whether a sync of this process has left more dead chunks than living ones in the lexical index."""
        report = self.job.report if self.job is not None else None
        totals = self._store.totals() if report is not None and report.anything else Totals()
        return totals.dead > OVERDUE * totals.chunks

    def refresh(self, progress: Progress, *, patient: bool, now: bool = False) -> tuple[Message, ...]:
        """Check for changes if the last check is too old, or ``now``; return notes that the answer has to include.

        While the tree is followed, only ``now`` and ``patient`` callers check. Waits for missing vectors briefly when
        their job starts; after that the job runs in the background.
        """
        is_followed = self._follower is not None and self._follower.ask() and not self._is_foreign()
        if is_followed and not (now or patient or self.building):
            notes = self._unseen()
        else:
            notes = self._check(progress, patient, now)
            before = self.embedding
            if not notes and (job := self.start_embedding()) is not None and job is not before:
                job.wait(self._config.first_answer_seconds if patient else EMBED_SECONDS, progress)
        if not self.building:
            self.history.look()
        return notes

    def _unseen(self) -> tuple[Message, ...]:
        """Say for how long changes may have gone unseen, if that is too long and the tree may be another now.

        On a busy machine the follower is late although nothing changed; in a tree that is not large, that is checked.
        """
        now = monotonic()
        seconds = now - max(self.looked_from, self._quiet_at)
        if seconds > SEEN_SECONDS and self._walk_cost <= BACKGROUND_SECONDS and self._still_holds():
            self.looked_from, seconds = now, 0.0
        return (say(UNSEEN, seconds=ceil(seconds)),) if seconds > SEEN_SECONDS else ()

    def _check(self, progress: Progress, patient: bool, now: bool) -> tuple[Message, ...]:
        limit = None if patient else self._patience(now)
        job = self._running()
        if job is not None and now and not job.wait(limit, progress):
            return self._behind(job)
        if now:
            job = None  # one that was running may have passed a file before it changed
        needed = now or self._follower is not None or self.due() or self.building or self._is_foreign()
        if job is None and needed and not self._is_unchanged(now):
            job = self.start()
        if job is None:
            return ()
        if job.wait(limit, progress) and isinstance(job.error, Cancelled):
            job = self.start()  # another caller cancelled it, this one did not
        if not job.wait(limit, progress):
            return self._behind(job)
        if self.lasting and job.report and job.report.anything:
            self.start_renewing()
        return () if job.error is None else (say("index.not_current", error=told(job.error)),)

    def _behind(self, job: Job) -> tuple[Message, ...]:
        what, done, total = job.step
        at = say("index.at_file", what=what, done=done, total=total) if total else what
        return (say("index.behind", what=at),)

    def watch(self, stop: Event, report: Callable[[SyncReport], None]) -> None:
        """Watch the tree until ``stop`` is set or our parent has ended; while another process watches it, wait."""

        def look() -> None:
            before = self.job
            self._look()
            if self.job is not None and self.job is not before and self.job.report and self.job.report.anything:
                report(self.job.report)

        watcher = Watcher(self._sources.root, lambda: self._folders, look, share=self._config.sync_share)
        while not (stop.is_set() or orphaned()):
            with locked(self._directory / WATCH_LOCK, LOCK_SECONDS) as mine:
                if mine:
                    self._watcher = watcher
                    watcher.run(stop, orphaned)
                    self._watcher = None

    def follow(self, *, always: bool = False) -> None:
        """From the next question on, watch the tree in the background while questions come, or ``always``.

        Other processes may do the same: each has to know by itself what it has seen. The lock only tells them.
        """
        if always:
            with suppress(NoPermission):
                self._held.enter_context(locked(self._directory / WATCH_LOCK))
        self._follower = Follower(
            self._sources.root,
            lambda: self._folders,
            self._look,
            self._note_quiet,
            self._config.sync_share,
            always=always,
        )
        self._watcher = self._follower if always else None

    def _look(self) -> bool:
        """Check the tree, however long that takes; tell whether the index is up to date now."""
        if (running := self._running()) is not None:
            running.wait(None)  # it may have passed a file before that changed
        if self._is_unchanged(now=True):
            return True
        with self._guard:
            if self._closing.is_set():
                return False
            job = self.start()
        job.wait(None)
        if job.error is None and not self._closing.is_set():
            self.start_embedding()
            self.history.start()
            self.start_renewing()
            self._store.warm()
        return job.error is None

    def _note_quiet(self, at: float) -> None:
        self._quiet_at = at

    def cancel(self) -> None:
        """Stop a running sync, the computing of vectors and the rebuilding of the lexical index."""
        with self._guard:  # a new job already runs before ``self.job`` is set
            jobs = self._running(), self.embedding, self._renewing
        for job in jobs:
            if job is not None:
                job.cancel()
        self.history.cancel()

    def stop_following(self) -> None:
        """Start no more checks in the background; ``close`` waits for the running one."""
        self._closing.set()

    def close(self) -> None:
        """Stop following the tree, a running sync and the computing of vectors."""
        self.stop_following()
        self.cancel()
        if self._follower is not None:
            self._follower.close()
            self._follower = self._watcher = None
            self.cancel()  # what its last check has started
        self._held.close()

    # --- status --------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """The state of the index: empty, building or complete."""
        return self._store.noted("state") or "empty"

    @property
    def building(self) -> bool:
        """Tell whether answers are partial because the first index is not complete."""
        return self.state != "complete" and not self._store.noted("indexed_ns")

    @property
    def unembedded(self) -> int:
        """How many files have no vectors of the model yet."""
        have, total = self._store.coverage()
        return total - have

    @property
    def trouble(self) -> Message:
        """Why vectors cannot be computed; NOTHING when they can."""
        error = self.embedding.error if self.embedding is not None else None
        if error is None or isinstance(error, Cancelled):
            return NOTHING
        return say("model.trouble", error=told(error))

    @property
    def watching(self) -> Message:
        """How the tree is watched: by events, by polling (and why), by another process, or not at all (empty)."""
        if self._watcher is not None:
            return self._watcher.mode
        try:
            with locked(self._directory / WATCH_LOCK) as free:
                return NOTHING if free else say("index.elsewhere")
        except NoPermission:
            return NOTHING

    def due(self) -> bool:
        """Tell whether a check now keeps the cost of checks within its share of the time (``sync_share``)."""
        return monotonic() - self._looked > self._cost / max(self._config.sync_share, 1e-6)

    def is_outdated(self) -> bool:
        """Tell whether the index is missing, too old or built by other rules; cheap, because it reads no file."""
        if self.state != "complete" or self._store.noted("fingerprint") != self._sources.fingerprint:
            return True
        age_hours = (self._sources.clock_ns() - self._sources.stamps.compared_ns) / 3.6e12
        return bool(self.unembedded) or age_hours > self._config.sync_ttl_hours

    def needs_sync(self) -> bool:
        """Tell whether the index is outdated or differs from the tree; this walks the whole tree."""
        return self.is_outdated() or self.is_behind()

    def is_behind(self) -> bool:
        """Tell whether the index differs from the tree."""
        records = self._store.files()
        stamps = self._sources.stamps.every()
        plan = compare(records, stamps, walk(self._sources.root, self._sources.options), full=False)
        return bool(plan.removed) or any(self.differs(file.path, records.get(file.path)) for file in plan.read)

    def differs(self, path: str, record: FileRecord | None) -> bool:
        """Compare a file's content with the index, since its time stamp does not prove that it is the same."""
        if record is None:
            return True
        try:
            data = read_bytes(self._sources.root, path, self._config.max_file_bytes)
        except ShirubeError:
            return True
        return sha256(data).hexdigest() != record.digest

    # --- helpers -------------------------------------------------------------------------------------------

    def _running(self) -> Job | None:
        return self.job if self.job is not None and self.job.running else None

    def _work(self, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
        report, wait_seconds = None, 0.0
        while report is None:
            with locked(self._directory / SYNC_LOCK, wait_seconds) as mine:
                deadline.check()
                if mine:
                    began = monotonic()
                    report = self._sync_alone(full, progress, deadline)
                if report is None:
                    progress(say("steps.waiting"), 0, 0)
                    wait_seconds = LOCK_SECONDS
            if report is None and mine:  # it is another machine that writes
                self._closing.wait(LOCK_SECONDS)
        if wait_seconds:
            self._store.forget()  # the process that this one waited for may have written
        if report.parsed:
            self._sources.cache.prune(self._config.cache_megabytes * 1_000_000)
        self._looked, self._walked, self.looked_from = monotonic(), monotonic(), began
        self._cost = self._walk_cost = report.look_seconds
        self._synced_stamp, self._synced_content = self._last_stamp, self._store.state().content
        return report

    def _embed(self, progress: Progress, deadline: Deadline) -> None:
        """Compute vectors; one process at a time for each model, so wait for another that is at work."""
        embedder, wait_seconds = self._sources.embedder, 0.0
        assert embedder is not None
        while self.unembedded:
            with locked(self._directory / f"embed-{embedder.name}.lock", wait_seconds) as mine:
                deadline.check()
                if mine:
                    embed_missing(self._sources, embedder, progress, deadline)
                    break
                self._store.forget()
                progress(say("steps.embedding_elsewhere"), *self._store.coverage())
                wait_seconds = LOCK_SECONDS
        self._store.forget()
        self._sources.cache.prune(self._config.cache_megabytes * 1_000_000)

    def _sync_alone(self, full: bool, progress: Progress, deadline: Deadline) -> SyncReport | None:
        """Bring the index up to date; return None while another machine is writing it, or when its base has moved."""
        try:
            return self._sync(full, progress, deadline)
        except (IndexBusy, MovedIndex) as error:
            if error.message.code != WRITTEN_ELSEWHERE and not isinstance(error, MovedIndex):
                raise
            self._store.forget()
            return None

    def _sync(self, full: bool, progress: Progress, deadline: Deadline) -> SyncReport:
        try:
            report = sync(self._sources, full=full, progress=progress, deadline=deadline)
            return replace(report, renewed=self._renew(0.0 if full else inf))
        except BrokenIndex:
            # Nothing in a damaged index can be trusted, and everything in it can be rebuilt.
            self._store.reset()
            return sync(self._sources, full=True, progress=progress, deadline=deadline)

    def _renew(self, most_dead: float) -> Message:
        """Rebuild the lexical index if it lacks something or too much of it is dead; a server looks after its own."""
        return NOTHING if most_dead and self._store.backend.remote else self._store.compact(most_dead)

    def _patience(self, now: bool) -> float:
        if self.building:
            return self._config.first_answer_seconds
        if self._walk_cost > BACKGROUND_SECONDS:
            return 0.0
        most = self._config.first_answer_seconds
        return most if now or self._follower is None else min(most, RESUME_SECONDS)

    def _see(self, listing: Listing, started_ns: int) -> None:
        """Remember the directories to watch, and a stamp of everything the walk saw."""
        self._folders = frozenset(listing.folders)
        self._last_stamp = WalkStamp(self._sources.root, listing, started_ns - RACY_NS)

    def _is_foreign(self) -> bool:
        """Tell whether another machine has changed the index since it was compared with this tree."""
        return self._store.state().content != self._synced_content

    def _is_unchanged(self, now: bool) -> bool:
        """Tell by cheap checks whether the tree is what the last walk saw; False once a minute, to force a walk.

        In a large tree, these checks run only with ``now``; otherwise the answer is False.
        """
        started = monotonic()
        if started - self._walked > WALK_SECONDS or not (now or self._walk_cost <= BACKGROUND_SECONDS):
            return False
        if not self._still_holds():
            return False
        self._looked, self._cost, self.looked_from = monotonic(), monotonic() - started, started
        return True

    def _still_holds(self) -> bool:
        """Tell whether everything that the last sync saw is surely as it was, and in the index."""
        stamp = self._synced_stamp
        return stamp is not None and self.state == "complete" and not self._is_foreign() and stamp.still_holds()
