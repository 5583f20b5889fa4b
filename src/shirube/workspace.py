"""Wires everything together: the only module that names concrete backends and reads the wall clock."""

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from platform import node
from time import time_ns
from typing import TYPE_CHECKING, Any

from shirube.codec import replace
from shirube.config import child_environment, home_directory, is_directory, load_config
from shirube.deadline import Deadline, current
from shirube.engine.embed.open import LIGHT, open_usable
from shirube.engine.embed.port import Embedder
from shirube.engine.embed.weights import Weights
from shirube.engine.history.commits import GitHistory, HistoryOptions
from shirube.engine.history.reading import VERSION as HISTORY_VERSION
from shirube.engine.index.history_keeper import HistoryKeeper
from shirube.engine.index.keeper import Keeper
from shirube.engine.index.pool import Pool
from shirube.engine.index.reading import Setup
from shirube.engine.index.sync import Linker, Sources
from shirube.engine.parse.file import PARSER_VERSION
from shirube.engine.parse.languages import known_languages
from shirube.engine.repo.git import other_trees
from shirube.engine.repo.history import Change, changes_of, diff_of, distances, head_of, text_at
from shirube.engine.repo.walk import WalkOptions
from shirube.engine.search.similarity import Similarity
from shirube.engine.store.cache import ParsedCache
from shirube.engine.store.disk import JOURNAL, own_name, project_directory
from shirube.engine.store.journal import Journal
from shirube.engine.store.port import Backend, StoreChange
from shirube.engine.store.stamps import STAMPS, Stamp, Stamps
from shirube.engine.store.store import Store
from shirube.errors import BrokenIndex, IndexBusy, NotADirectory, UnknownName, Unreachable
from shirube.features.map.files import AGREEMENTS, PAIRS, MapFolder
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.operation import Call
from shirube.settings import Config
from shirube.types import FileRecord, Freshness, Hit, Judgement, Progress, Scope, Stat, SyncReport

if TYPE_CHECKING:
    import psycopg

    from shirube.engine.store.postgres.moment import RefPlace
    from shirube.engine.store.postgres.queue import TeamQueue
    from shirube.engine.store.postgres.server import Server
    from shirube.engine.store.team_records import IndexedRef
    from shirube.features.commands.registry import Catalog
    from shirube.features.team.flow import TeamWorker
    from shirube.features.team.repositories import Office

FIELDS_VERSION = 2
"""Increment this when the fields of a chunk in the lexical index change: old indexes are then rebuilt."""
FINGERPRINT = f"{PARSER_VERSION}:{FIELDS_VERSION}"
"""By which rules files are indexed."""
FORM = f"{FINGERPRINT}:{HISTORY_VERSION}"
"""By which rules an index on a server is made."""
MORE_AT_ONCE = 64
"""How many times more files are written at once to a store that is a network away."""
MB = 1 << 20
CACHE_NAME = "parsed.sqlite"
CLOCK = time_ns
"""The wall clock, for what is wired elsewhere."""
_log = logging.getLogger("shirube")
INDEXES, MODELS = "indexes", "models"


class Workspace:
    """One project with everything that belongs to it."""

    def __init__(
        self, root: Path, config: Config, backend: Backend, embedder: Embedder, clock_ns: Callable[[], int] = time_ns
    ) -> None:
        self.root = root
        self.config = config
        self.store = Store(backend)
        self.embedder = embedder
        self.meaning = Similarity(self.store, self.embedder)
        self.notes: list[Message] = []
        self._clock_ns = clock_ns
        self.directory = index_directory(root, config)
        self.map = MapFolder(root, config.map.extra)
        self._journal: Journal | None = None
        self._cache = ParsedCache(config.cache_dir / CACHE_NAME, config.store.busy_seconds)
        self.notes += [self._cache.note] if self._cache.note else []
        self._stamps = Stamps(self.directory / STAMPS, config.store.busy_seconds)
        self._pool = _pool(root, config)
        past = HistoryOptions(config.history.commits if config.history.read else 0, config.history.years)
        git = GitHistory(root, past, child_environment())
        history = HistoryKeeper(self.store, git, self.directory, self._stamps)
        self.keeper = Keeper(self._sources(), self.directory, config.index, history)

    def freshness(self, paths: tuple[str, ...]) -> Freshness:
        """Return when the index was made, and which of these files have changed since."""
        records, stamps = (self.store.files(paths), self._stamps.of(paths)) if paths else ({}, {})
        stale = tuple(path for path in paths if not self._is_fresh(path, records.get(path), stamps.get(path)))
        compared = self._stamps.compared_ns
        return Freshness(_iso(compared) if compared else "", _iso(self._clock_ns()), stale)

    def generation(self) -> str:
        """Return a token that changes whenever the index changes or is rebuilt."""
        return f"{self.store.noted('begun_ns')}.{self.store.state().generation}:{self.embedder.name}"

    def changes(self, path: str, most: int, head: str = "HEAD") -> tuple[Change, ...]:
        """Return the last commits that changed a file, newest first."""
        return changes_of(self.root, path, most, head, child_environment())

    def read_history(self, call: Call) -> tuple[Message, ...]:
        """Read the commits that are new, all of them for a patient caller; return what stands in the way."""
        history = self.keeper.history
        if call.patient:
            history.complete(False, call.progress, call.deadline)
        elif not call.passing:
            history.look()
        call.deadline.check()
        return history.notes()

    def diff_of(self, commit: str, paths: Sequence[str]) -> str | None:
        """Return what a commit changed in some files as a unified diff; None when git cannot tell."""
        return diff_of(self.root, commit, paths, child_environment())

    def text_at(self, commit: str, path: str) -> str:
        """Return a file as it was at a commit; empty when it was not there."""
        return text_at(self.root, commit, path, child_environment())

    def similarity(self, term: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return for each name how likely the term means it, from 0 to 1; thresholds are compared with this."""
        return self.meaning.names(term, names)

    def judged(self, query: str, keywords: tuple[str, ...], hits: tuple[Hit, ...], plan_id: str) -> Judgement:
        """Compare hits with what was expected of them, by the rules of plans; search may not import those itself."""
        from shirube.features.plan.plans import judged_hits

        return judged_hits(self, query, keywords, hits, plan_id)

    def asks_for_change(self, request: str) -> bool:
        """Tell whether a request wants something changed, by the Router's words; search may not import those itself."""
        from shirube.features.plan.reading import asks_for_change

        return asks_for_change(request)

    @property
    def journal(self) -> Journal:
        """The records of this work tree's sessions, plans and outcomes; opened at first use."""
        if self._journal is None:
            self._journal = open_journal(self.root, self.config, self._clock_ns)
            if self._journal.note:
                self.notes.append(self._journal.note)
                _log.warning("%s", self._journal.note)  # not every result has a field for notes
        return self._journal

    @cached_property
    def commands(self) -> "Catalog":
        """The registries of commands; loaded at first use."""
        from shirube.features.commands.registry import Catalog

        return Catalog(self.root, home_directory())

    @property
    def state_directory(self) -> Path:
        """The directory of this work tree's records; the journal is in it."""
        return state_directory(self.root, self.config)

    def now_seconds(self) -> int:
        """Return the wall-clock time in seconds since the epoch."""
        return self._clock_ns() // 1_000_000_000

    def moment(self, days_ago: float = 0.0) -> str:
        """Return the current time, or that of some days ago, as an ISO 8601 string in UTC."""
        return _iso(self._clock_ns() - int(days_ago * 86_400e9))

    def moment_of(self, seconds: int) -> str:
        """Return a time in seconds since the epoch as an ISO 8601 string in UTC."""
        return _iso(seconds * 1_000_000_000)

    def head(self) -> str:
        """Return the commit that HEAD points to; empty when there is none."""
        return head_of(self.root, child_environment())

    def warnings(self) -> tuple[Message, ...]:
        """Return warnings about this project's configuration and index."""
        return (*map(verbatim, self.config.refused), *self.notes)

    def covers(self, pattern: str) -> bool:
        """Tell whether any indexed file matches a path or glob; an empty one matches every file."""
        return bool(self.store.counts(Scope(pattern)))

    def has(self, path: str) -> bool:
        """Tell whether there is a file or directory at a path."""
        return os.path.lexists(self.root / path)

    def has_directory(self, path: str) -> bool:
        """Tell whether there is a directory at a path."""
        return (self.root / path).is_dir()

    def texts(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]] | None:
        """Return the texts of files one after the other, where they are not read from the tree; None where they are."""
        return None

    def check_language(self, name: str) -> None:
        """Refuse an unknown language, naming the most similar one."""
        if name not in known_languages():
            raise UnknownName("language", name, known_languages())

    def rebuild(self, error: BrokenIndex, progress: Progress) -> None:
        """Discard a damaged index, rebuild it, and add a note about it."""
        self.keeper.cancel()
        self.store.reset()
        self.keeper.sync(full=True, progress=progress, deadline=Deadline())
        self.notes.append(say("index.rebuilt", error=error.message))

    def close(self) -> None:
        """Stop following the tree, a running sync, the workers and the store."""
        self.keeper.stop_following()
        self._pool.close()  # first: the keeper waits for a running sync, which waits for its workers
        self.keeper.close()
        self._cache.close()
        self._stamps.close()
        self.store.close()
        if self._journal is not None:
            self._journal.close()

    def _sources(self) -> Sources:
        return Sources(
            root=self.root,
            options=_walk_options(self.root, self.config),
            store=self.store,
            stamps=self._stamps,
            cache=self._cache,
            read=self._pool.read,
            clock_ns=self._clock_ns,
            fingerprint=FINGERPRINT,
            linker=Linker(),
            batch_files=self.config.index.batch_files * (MORE_AT_ONCE if self.store.backend.remote else 1),
            embedder=self.embedder,
        )

    def _is_fresh(self, path: str, record: FileRecord | None, stamp: Stamp | None) -> bool:
        """Tell whether a file says what the index has of it: its stat may prove that, else its content does."""
        try:
            info = os.lstat(self.root / path)
        except OSError:
            return False
        if record is None or info.st_size != record.size:
            return False
        stat = Stat(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
        is_stamped = stamp is not None and stamp.digest == record.digest and stamp.stat == stat
        return is_stamped or not self.keeper.differs(path, record)


def build_workspace(root: Path, flags: Mapping[str, Any] | None = None, *, config: Config | None = None) -> Workspace:
    """Open the project at ``root`` with its store and model; read its configuration unless one is given."""
    if not is_directory(root):
        raise NotADirectory("repo.no_directory", path=str(root))
    root = root.resolve()
    config = config or load_config(root, flags)
    model, embedder, missing = open_usable(config.embed.model, weights_of(config))
    config = replace(config, embed=replace(config.embed, model=model))
    backend, note = _open_store(root, config, embedder)
    workspace = Workspace(root, config, backend, embedder)
    workspace.notes += [line for line in (missing, note) if line]
    return workspace


def weights_of(config: Config) -> Weights:
    """Return where to look for a model that is not bundled."""
    embed = config.embed
    return Weights(embed.source, config.cache_dir / MODELS, config.hub_dir, embed.offline, embed.threads)


def index_directory(root: Path, config: Config) -> Path:
    """Return the directory of a work tree's index; each real path has its own."""
    return config.cache_dir / INDEXES / own_name(root)


def state_directory(root: Path, config: Config) -> Path:
    """Return the directory of a work tree's records."""
    return project_directory(config.state_dir, root)


def open_journal(root: Path, config: Config, clock_ns: Callable[[], int] = time_ns) -> Journal:
    """Open the journal of a work tree: its sessions, plans and outcomes."""
    return Journal(state_directory(root, config) / JOURNAL, config.store.busy_seconds, clock_ns)


def _open_store(root: Path, config: Config, embedder: Embedder) -> tuple[Backend, Message]:
    if config.store.backend == "memory":
        from shirube.engine.store.embedded import make_private
        from shirube.engine.store.memory import MemoryStore

        make_private(index_directory(root, config))  # for the locks
        return MemoryStore(embedder.dimensions), NOTHING
    if config.store.backend == "postgres":
        from shirube.engine.store.postgres.store import PostgresStore

        server, ref = _server_place(root, config)
        return PostgresStore(server, ref, embedder.dimensions, embedder.name, node()), NOTHING
    alone = NOTHING
    if config.store.backend == "overlay":
        overlay, alone = _open_overlay(root, config, embedder)
        if overlay is not None:
            return overlay, NOTHING
    from shirube.engine.store.copying import copy_index
    from shirube.engine.store.embedded import DATABASE, open_embedded

    place = index_directory(root, config)
    if not (place / DATABASE).exists():  # it may begin where that of another work tree of the repository is
        any(copy_index(index_directory(other, config), place) for other in other_trees(root))
    store, note = open_embedded(place, embedder.dimensions, config.store.busy_seconds, embedder.name)
    return store, note or alone


def _open_overlay(root: Path, config: Config, embedder: Embedder) -> tuple[Backend | None, Message]:
    """Open what differs from the server's index; without one to differ from, say why there is none."""
    from shirube.engine.store.overlay.store import DIFFERENCE, OverlayStore

    server, place = _server_place(root, config)
    store = OverlayStore(
        server,
        index_directory(root, config) / DIFFERENCE,
        place,
        (lambda: head_of(root, child_environment()), lambda commits: distances(root, commits, child_environment())),
        (embedder.name, embedder.dimensions),
        config.store.busy_seconds,
    )
    try:
        if store.has_base:
            return store, NOTHING
        note = say("store.no_base", name=place().repository, address=server.shown)
    except Unreachable as error:
        note = say("store.alone", error=error.message)
    except BaseException:
        store.close()
        raise
    store.close()
    return None, note


def _server_place(root: Path, config: Config) -> "tuple[Server, Callable[[], RefPlace]]":
    """Return the server, and what tells which of its indexes is that of what is checked out."""
    from shirube.engine.repo.identity import Identity
    from shirube.engine.store.embedded import make_private
    from shirube.engine.store.postgres.moment import RefPlace
    from shirube.engine.store.postgres.server import Server

    make_private(index_directory(root, config))  # for the locks and stamps of this work tree
    identity = Identity(root, node(), child_environment())
    server = Server(config.store.address, config.store.busy_seconds)
    return server, lambda: RefPlace(identity.repository, identity.branch(), FORM)


# --- a team's repositories ---------------------------------------------------------------------------------


def open_office(config: Config) -> "Office":
    """Open what the commands about a team's repositories work with."""
    from shirube.engine.store.postgres.team import TeamTables
    from shirube.features.team.repositories import Office

    server, queue = _team_server(config)
    return Office(TeamTables(server), queue, server.shown, server.close)


def open_worker(config: Config, directory: Path | None, jobs: int) -> "tuple[TeamWorker, TeamQueue]":
    """Return a worker and the queue that it takes jobs from; it does so many at once."""
    from shirube.config import remote_environment
    from shirube.engine.repo.mirror import GitReach, MirrorLimits
    from shirube.engine.store.postgres.team import TeamTables
    from shirube.features.team.flow import TeamWorker, Workshop, make_directory

    server, queue = _team_server(config)
    team = config.worker
    own = Path(team.directory).expanduser() if team.directory else None
    # Copies of repositories that are not followed are deleted: another database's are not ours to judge.
    base = (directory or own or config.state_dir / "team").absolute()
    place = base / f"copies-{sha256(server.shown.encode()).hexdigest()[:16]}"
    make_directory(place)
    workers = config.index.workers or max(1, (os.cpu_count() or 1) // jobs)
    flags = {"store.backend": "postgres", "store.address": config.store.address, "index.workers": workers}
    shop = Workshop(
        tables=TeamTables(server),
        queue=queue,
        directory=place,
        limits=MirrorLimits(team.mirror_megabytes * MB, team.tree_megabytes * MB, team.files, team.seconds),
        reach=GitReach(remote_environment(), team.protocols),
        form=FORM,
        label=f"{node()}:{os.getpid()}",
        index_copy=lambda copy, commit, progress: _index_copy(copy, commit, progress, flags),
        merge_ref=lambda name, ref: _merge_ref(config, name, ref),
        forget=lambda copy: shutil.rmtree(index_directory(copy, config), ignore_errors=True),
        close=server.close,
    )
    return TeamWorker(shop), queue


def _team_server(config: Config) -> "tuple[Server, TeamQueue]":
    from shirube.engine.store.postgres import queue, schema
    from shirube.engine.store.postgres.server import Server

    server = Server(config.store.address, config.store.busy_seconds)
    jobs = queue.TeamQueue(server, config.store.address)

    def prepare(connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        schema.prepare(server, connection)
        queue.prepare(connection)

    server.prepare = prepare
    return server, jobs


def _index_copy(copy: Path, commit: str, progress: Progress, flags: Mapping[str, Any]) -> "IndexedRef":
    """Index a copy as its user's clone would be, and note of which commit the index is now."""
    from shirube.engine.store.team_records import IndexedRef

    workspace = build_workspace(copy, flags)
    try:
        job = workspace.keeper.sync(full=False, progress=progress, deadline=current())
        current().check()
        # In one request: what is noted is true of what was compared, or the store refuses it.
        with Deadline().governing():
            if workspace.keeper.is_behind():
                raise IndexBusy("store.written_elsewhere")
            workspace.store.write(StoreChange(notes={"commit": commit, "state": "complete"}))
    finally:
        workspace.close()
    report = job.report or SyncReport()
    return IndexedRef(commit, FORM, report.files, report.parsed + report.reused)


def _merge_ref(config: Config, name: str, ref: str) -> None:
    from shirube.engine.store.postgres.moment import RefPlace
    from shirube.engine.store.postgres.server import Server
    from shirube.engine.store.postgres.store import PostgresStore

    _, embedder, _ = open_usable(config.embed.model, weights_of(config))
    server, place = Server(config.store.address, config.store.busy_seconds), RefPlace(name, ref, FORM)
    store = PostgresStore(server, lambda: place, embedder.dimensions, embedder.name, node())
    try:
        store.compact()
    finally:
        store.close()


def _pool(root: Path, config: Config) -> Pool:
    workers = config.index.workers or os.cpu_count() or 1
    index = config.index
    cache = str(config.cache_dir / CACHE_NAME)
    model = config.embed.model if config.embed.model in LIGHT else ""
    setup = Setup(str(root), cache, index.max_file_bytes, model, index.parse_timeout_seconds)
    # A parser is asked to stop at the time-out; the watchdog kills one that ignores that.
    return Pool(setup, workers, 2 * index.parse_timeout_seconds)


def _walk_options(root: Path, config: Config) -> WalkOptions:
    index = config.index
    caches = (config.cache_dir / f"{CACHE_NAME}{tail}" for tail in ("", "-wal", "-shm"))
    # What we write is never indexed, even inside the project; and the map is searched separately, not as code.
    own = (config.cache_dir, config.cache_dir / INDEXES, *caches, config.state_dir, root / AGREEMENTS, root / PAIRS)
    return WalkOptions(
        max_bytes=index.max_file_bytes,
        source_dirs=index.source_dirs,
        excludes=index.excludes,
        never=own,
        include_secrets=index.include_secrets,
        env=child_environment(),
    )


def now_text() -> str:
    """Return the current time as an ISO 8601 string in UTC."""
    return _iso(time_ns())


def _iso(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
