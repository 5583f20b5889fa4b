"""What a worker does: the steps of each kind of job, and what it looks after beside them."""

import errno
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from shirube.codec import replace
from shirube.deadline import Deadline, current
from shirube.engine.repo.mirror import GitReach, Mirror, MirrorLimits
from shirube.engine.store.disk import locked
from shirube.engine.store.team_records import DROP, INDEX, LOOK, MERGE, IndexedRef, TeamJob, TeamRepository
from shirube.errors import Cancelled, IndexBusy, NoPermission, NotWritable, ShirubeError, TeamFault, plain
from shirube.features.team.remotes import chosen, is_branch, read_remote
from shirube.features.team.rules import MANY_LAYERS, MOST_ATTEMPTS, is_passing, wait_seconds, wishes
from shirube.messages import pack_message, verbatim
from shirube.types import Progress

if TYPE_CHECKING:
    from shirube.engine.store.postgres.queue import TeamQueue
    from shirube.engine.store.postgres.team import TeamTables

_log = logging.getLogger("shirube")
PROGRESS_SECONDS = 2.0
LOCK_SECONDS = 30.0
"""How long a job waits for another worker that has the same copy; it is tried again later."""
UPKEEP_SECONDS = 60.0
_DISK = {
    *(errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.EIO, errno.ENOSPC),
    *(errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM, errno.EROFS),
}
"""What the system says of a disk that is full, failing or not ours; all else is a fault of the program."""


class Workshop(NamedTuple):
    """All that a worker works with."""

    tables: "TeamTables"
    queue: "TeamQueue"
    directory: Path
    limits: MirrorLimits
    reach: GitReach
    form: str
    label: str
    """What this worker is called in the status."""
    index_copy: Callable[[Path, str, Progress], IndexedRef]
    """Bring the index of a copy up to date, and note of which commit it is."""
    merge_ref: Callable[[str, str], None]
    """Make few layers of a branch's many."""
    forget: Callable[[Path], None]
    """Delete what this machine keeps of a copy elsewhere."""
    close: Callable[[], None]


class TeamWorker:
    """Does jobs, in several threads."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._steps = {LOOK: self._look, INDEX: self._index, MERGE: self._merge, DROP: self._drop}
        self._upkeep = float("-inf")
        self._counting = Lock()
        self.jobs = self.dead = 0

    def do(self, job: TeamJob) -> None:
        """Do one job. One that failed for now is put again; an error that is raised makes it a dead one."""
        shop, outer = self._shop, current()
        _log.info("%s %s %s", job.kind, plain(job.name), plain(job.ref))
        limit = outer.within(shop.limits.seconds)
        outer.when_cancelled(limit.cancel)
        try:
            with limit.governing():
                self._do(job)
        except ShirubeError as error:
            if outer.cancelled:  # the worker stops: the next one goes on
                with Deadline().governing():
                    shop.queue.put(job)
                    shop.tables.pause(job.name, job.ref)
            else:
                late = isinstance(error, Cancelled)
                self._failed(job, TeamFault("team.late", seconds=round(shop.limits.seconds)) if late else error)
        except Exception as error:
            _log.debug("%s", job, exc_info=error)
            if not isinstance(error, OSError) or error.errno not in _DISK:
                self._note(job, TeamFault("team.bug", error=type(error).__name__), dead=True)
                raise
            why = NotWritable("team.disk", path=str(shop.directory), error=str(error.strerror))
            self._failed(job, why)
        finally:
            outer.no_matter(limit.cancel)
            with self._counting:
                self.jobs += 1

    def tend(self) -> None:
        """Take over jobs of workers that were killed, put looks that are due, and delete what nobody needs."""
        shop = self._shop
        shop.queue.take_over(shop.limits.seconds)
        for name in shop.tables.due():
            shop.queue.put(TeamJob(LOOK, name))
        if monotonic() - self._upkeep <= UPKEEP_SECONDS:
            return
        self._upkeep = monotonic()
        shop.tables.sweep()
        if not shop.directory.is_dir():
            return
        kept = {place_of(shop.directory, repository.name) for repository in shop.tables.repositories()}
        for place in shop.directory.iterdir():  # copies of repositories that are not followed any more
            if place.is_dir() and place not in kept and OWN_NAME.search(place.name):
                with locked(lock_of(place)) as mine:
                    if mine:
                        shop.forget(place)
                        Mirror(place, "", shop.limits, shop.reach).remove()
                        lock_of(place).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connections."""
        self._shop.close()

    # --- the steps of jobs -----------------------------------------------------------------------------------

    def _do(self, job: TeamJob) -> None:
        if not job.name:  # elsewhere that means all
            raise TeamFault("team.nameless")
        repositories = self._shop.tables.repositories(job.name)
        if not repositories:  # removed meanwhile
            if job.ref:
                self._shop.tables.drop(job.name, job.ref)
            return
        if job.attempt >= MOST_ATTEMPTS:
            raise TeamFault("team.lost", count=job.attempt)
        step = self._steps.get(job.kind)
        if step is None:
            raise TeamFault("team.unknown_job", kind=job.kind)
        step(repositories[0], job)

    def _look(self, repository: TeamRepository, job: TeamJob) -> None:
        shop, name = self._shop, job.name
        heads = self._mirror(repository).heads()
        commits = chosen(repository.branches, heads.default, heads.commits)
        for wish in wishes(name, commits, shop.tables.refs(name), shop.form):
            if wish.kind == INDEX:
                shop.tables.want(name, wish.ref, commits[wish.ref])
            shop.queue.put(wish)
        shop.tables.looked(name)

    def _index(self, repository: TeamRepository, job: TeamJob) -> None:
        shop, name, ref = self._shop, job.name, job.ref
        if not is_branch(ref):
            raise TeamFault("team.bad_branch")
        mirror, began = self._mirror(repository), monotonic()
        with locked(lock_of(mirror.place), current().left(LOCK_SECONDS)) as mine:
            if not mine:
                raise IndexBusy("team.copy_busy")
            shop.tables.begin(name, ref, shop.label)
            commit = mirror.fetch(ref)
            mirror.check_out(ref, commit)
            current().check()
            made = shop.index_copy(mirror.place, commit, self._reporting(name, ref))
        if not shop.tables.complete(name, ref, made, monotonic() - began):
            shop.tables.drop(name, ref)  # the repository was removed meanwhile
        elif shop.tables.layers(name, ref, shop.form) > MANY_LAYERS:
            shop.queue.put(TeamJob(MERGE, name, ref))

    def _merge(self, repository: TeamRepository, job: TeamJob) -> None:
        self._shop.merge_ref(job.name, job.ref)

    def _drop(self, repository: TeamRepository, job: TeamJob) -> None:
        self._shop.tables.drop(job.name, job.ref)
        mirror = self._mirror(repository)
        with locked(lock_of(mirror.place), current().left(LOCK_SECONDS)) as mine:
            if mine:  # else it is forgotten when the copy is deleted
                mirror.forget(job.ref)

    def _mirror(self, repository: TeamRepository) -> Mirror:
        shop = self._shop
        shop.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        url = read_remote(repository.url).url  # whoever may write to the database is not trusted with more than this
        return Mirror(place_of(shop.directory, repository.name), url, shop.limits, shop.reach)

    def _reporting(self, name: str, ref: str) -> Progress:
        last = monotonic()

        def report(what: str, done: int, total: int) -> None:
            nonlocal last
            if monotonic() - last >= PROGRESS_SECONDS:
                last = monotonic()
                with suppress(ShirubeError):  # the job itself will find out
                    self._shop.tables.progress(name, ref, done, total)

        return report

    # --- what went wrong -------------------------------------------------------------------------------------

    def _failed(self, job: TeamJob, error: ShirubeError) -> None:
        """Put a job again if the same may work later; else it is dead, and says why."""
        again = is_passing(error) and job.attempt + 1 < MOST_ATTEMPTS
        self._note(job, error, dead=not again)
        if not again:
            raise error
        self._shop.queue.put(replace(job, attempt=job.attempt + 1), after_seconds=wait_seconds(job.attempt))

    def _note(self, job: TeamJob, error: ShirubeError, *, dead: bool) -> None:
        problem = pack_message(verbatim(error.told))
        with self._counting:
            self.dead += dead
        if job.kind == INDEX:
            self._shop.tables.fail(job.name, job.ref, problem, lasting=not is_passing(error), dead=dead)
        else:
            self._shop.tables.looked(job.name, problem)


def make_directory(directory: Path) -> None:
    """Make the directory of the copies; refuse one where nothing can be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise NoPermission("team.no_directory", path=plain(str(directory)), error=str(error.strerror)) from None


OWN_NAME = re.compile(r"-[0-9a-f]{16}$")


def place_of(directory: Path, name: str) -> Path:
    """Return where the copy of a repository is: ``github.com/org/shop`` → ``shop-1f0c…``."""
    readable = re.sub(r"[^\w.-]", "-", name.rsplit("/", 1)[-1])[:40].lstrip(".-") or "repository"
    return directory / f"{readable}-{sha256(name.encode()).hexdigest()[:16]}"


def lock_of(place: Path) -> Path:
    """Return the file that is locked while somebody works on a copy."""
    return place.with_name(f"{place.name}.lock")
