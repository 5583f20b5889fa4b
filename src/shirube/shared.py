"""Repositories of a shared index, read without a tree of their own: what a server for a team asks.

Beside ``workspace`` this is the only module that names a store. A project here has neither files nor a journal: its
texts are those of the index, and what a request notes is gone with it.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from shirube.codec import replace
from shirube.deadline import Deadline, current
from shirube.engine.embed.open import open_usable
from shirube.engine.embed.port import Embedder
from shirube.engine.search.similarity import Similarity
from shirube.engine.store.access import AccessTables, visible
from shirube.engine.store.lookups import FileTexts
from shirube.engine.store.memory_journal import MemoryJournal
from shirube.engine.store.port import Backend
from shirube.engine.store.store import Store
from shirube.errors import BrokenIndex, IndexBusy
from shirube.features.map.files import MapFolder
from shirube.messages import NOTHING, Message
from shirube.operation import Call
from shirube.settings import Config
from shirube.types import Freshness, Progress
from shirube.workspace import CLOCK, FORM, Workspace, weights_of

if TYPE_CHECKING:
    from shirube.engine.store.postgres.moment import RefPlace

NOWHERE = Path("/shirube-repositories")
"""Where projects without a tree are, for code that puts paths together; nothing is ever there."""
LOOK_UPS = 2
"""How many connections look up who somebody is, beside those of calls, so that these never wait for each other."""
BRANCH_SECONDS = 60.0
"""How soon it is looked again which branch of a repository is asked."""
TEXTS_AT_ONCE = 200
"""How many files are read in one trip when all of them are looked through."""


class IndexKeeper:
    """Stands where a project with a tree has a keeper: there is nothing to bring up to date here."""

    looked_from = float("inf")
    unembedded, trouble, watching = 0, NOTHING, NOTHING

    def __init__(self, store: Store) -> None:
        self._store = store
        self.history = SimpleNamespace(notes=lambda: (), problems=lambda: (), lacks=lambda: (), look=lambda: None)

    def refresh(self, progress: Progress, *, patient: bool, now: bool = False) -> tuple[Message, ...]:
        """Return no notes: the index is what is asked about."""
        return ()

    @property
    def state(self) -> str:
        """The state of the index: empty, building or complete."""
        return self._store.noted("state") or "empty"

    @property
    def building(self) -> bool:
        """Tell whether answers are partial because the first index is not complete."""
        return self.state != "complete" and not self._store.noted("indexed_ns")


class SharedProject(Workspace):
    """One branch of one repository of a shared index."""

    def __init__(  # what has to do with a tree is not set up, so the usual one is not called
        self, repo: int, config: Config, backend: Backend, embedder: Embedder, clock_ns: Callable[[], int] = CLOCK
    ) -> None:
        self.root = self.directory = NOWHERE / str(repo)
        self.config = config
        self.store = Store(backend)
        self.embedder = embedder
        self.meaning = Similarity(self.store, embedder)
        self.notes = []
        self.map = MapFolder(self.root)
        self.keeper: Any = IndexKeeper(self.store)
        self._clock_ns = clock_ns
        self._journals: WeakKeyDictionary[Deadline, MemoryJournal] = WeakKeyDictionary()

    @property
    def journal(self) -> Any:
        """What this request notes; it is gone with the request."""
        return self._journals.setdefault(current(), MemoryJournal())

    def freshness(self, paths: tuple[str, ...]) -> Freshness:
        """Return when the index was written; what it has is what there is."""
        written = int(self.store.noted("indexed_ns") or 0)
        return Freshness(self.moment_of(written // 1_000_000_000) if written else "")

    def has(self, path: str) -> bool:
        """Tell whether there is a file or directory at a path."""
        return path in self.store.files((path,)) or self.has_directory(path)

    def has_directory(self, path: str) -> bool:
        """Tell whether there is a directory at a path."""
        return any(other.startswith(f"{path}/") for other in self.store.files())

    def texts(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the texts of files as they were indexed."""
        for at in range(0, len(paths), TEXTS_AT_ONCE):
            some = tuple(paths[at : at + TEXTS_AT_ONCE])
            (found,) = self.store.backend.look(FileTexts(some))
            yield from ((path, found.get(path, "").encode("utf-8", "surrogatepass")) for path in some)

    def read_history(self, call: Call) -> tuple[Message, ...]:
        """Return no notes: who writes the index reads the past changes."""
        return ()

    def diff_of(self, commit: str, paths: Sequence[str]) -> str | None:
        """Return None: without a repository of git there is no diff."""
        return None

    def text_at(self, commit: str, path: str) -> str:
        """Return nothing: what a file was is not in the index."""
        return ""

    def changes(self, path: str, most: int, head: str = "HEAD") -> tuple[Any, ...]:
        """Return nothing: commits are asked of the index."""
        return ()

    def head(self) -> str:
        """Return no commit: nothing is checked out."""
        return ""

    def rebuild(self, error: BrokenIndex, progress: Progress) -> None:
        """Refuse: who writes the index has to mend it."""
        raise IndexBusy("team_access.damaged") from error

    def close(self) -> None:
        """Do nothing: the connections belong to the server."""


class SharedIndex:
    """The repositories of a server, opened when they are asked about; those not asked for longest are forgotten."""

    def __init__(self, config: Config) -> None:
        from shirube.engine.store.postgres.access import PostgresAccess
        from shirube.engine.store.postgres.server import Server

        team = config.team
        model, self._embedder, _ = open_usable(config.embed.model, weights_of(config))
        self.config = replace(config, embed=replace(config.embed, model=model))
        self._server = Server(config.store.address, config.store.busy_seconds, team.connections + LOOK_UPS, visible)
        self._access = PostgresAccess(self._server)
        self._open: OrderedDict[int, tuple[RefPlace, float, SharedProject]] = OrderedDict()
        """Number of a repository → its branch, when that was looked up, and its project."""
        self._lock = Lock()

    @property
    def access(self) -> AccessTables:
        """Who may ask what."""
        return self._access

    @property
    def trips(self) -> int:
        """How often the database was waited for."""
        return self._server.trips

    @property
    def size(self) -> int:
        """How many repositories are open."""
        return len(self._open)

    def check(self) -> None:
        """Refuse a role that the rules of the tables do not bind."""
        self._access.check_role()

    def project(self, name: str, repo: int) -> SharedProject:
        """Return a repository that this request may see; what it asks is decided by the database all the same."""
        from shirube.engine.store.postgres.moment import RefPlace
        from shirube.engine.store.postgres.store import PostgresStore

        with self._lock:
            known = self._open.get(repo)
            if known is not None:
                self._open.move_to_end(repo)
        if known is not None and monotonic() - known[1] < BRANCH_SECONDS:
            return known[2]
        place = RefPlace(name, self._access.branch(repo, FORM, self.config.team.branches), FORM)
        if known is not None and known[0] == place:
            project = known[2]
        else:
            backend = PostgresStore(self._server, lambda: place, self._embedder.dimensions, self._embedder.name)
            project = SharedProject(repo, self.config, backend, self._embedder)
        with self._lock:
            self._open[repo] = place, monotonic(), project
            while len(self._open) > self.config.team.open_repositories:
                self._open.popitem(last=False)
        return project

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def open_access(config: Config) -> AccessTables:
    """Return who may ask what, for the owner of the database."""
    from shirube.engine.store.postgres.access import PostgresAccess
    from shirube.engine.store.postgres.server import Server

    return PostgresAccess(Server(config.store.address, config.store.busy_seconds))
