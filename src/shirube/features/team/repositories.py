"""Adds, lists, removes and syncs the repositories of a team, and tells how far they are."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from shirube.engine.store.team_records import COMPLETE, DEAD, INDEX, LOOK, WORKING, TeamJob, TeamRef, TeamRepository
from shirube.errors import BadArgument, TeamFault, UnknownName
from shirube.features.team.remotes import is_branch, matches, read_patterns, read_remote, shown_remote
from shirube.features.team.results import BranchRow, RepositoryRow, TeamAdded, TeamListing, TeamRemoved, TeamStatus
from shirube.messages import NOTHING, Message, say, unpack_message

if TYPE_CHECKING:
    from shirube.engine.store.postgres.queue import TeamQueue
    from shirube.engine.store.postgres.team import TeamTables

LEAST_SECONDS, MOST_SECONDS = 10, 7 * 86_400
NOBODY_SECONDS = 60.0
"""How long to wait for any worker to be there."""


class Office(NamedTuple):
    """What the commands about a team work with."""

    tables: "TeamTables"
    queue: "TeamQueue"
    server: str
    close: Callable[[], None]


def add(office: Office, url: str, branches: tuple[str, ...] = (), seconds: int = 300) -> TeamAdded:
    """Follow a repository from now on; of one that is followed already, other branches or another address."""
    remote, patterns = read_remote(url), read_patterns(branches)
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise BadArgument("team.bad_interval", low=LEAST_SECONDS, high=MOST_SECONDS)
    before = next(iter(office.tables.repositories(remote.name)), None)
    patterns = patterns or (before.branches if before else ())
    is_new = office.tables.add(TeamRepository(remote.name, remote.url, patterns, seconds))
    office.queue.put(TeamJob(LOOK, remote.name), now=True)
    note = NOTHING
    if before is not None and before.url != remote.url:
        note = say("team.other_url", name=remote.name, url=before.url)
    return TeamAdded(remote.name, remote.url, patterns, is_new, note)


def listing(office: Office) -> TeamListing:
    """Return the repositories that are followed."""
    return TeamListing(tuple(map(_repository_row, office.tables.repositories())))


def remove(office: Office, given: str) -> TeamRemoved:
    """Follow a repository no longer, and drop the index of each of its branches."""
    name = find(office, given).name
    branches = tuple(one.ref for one in office.tables.refs(name))
    office.tables.remove(name)
    office.queue.cancel(name)
    return TeamRemoved(name, branches)


def status(office: Office, given: str = "") -> TeamStatus:
    """Return how far all repositories are, or one."""
    name = find(office, given).name if given else ""
    repositories, refs, queue = office.tables.repositories(name), office.tables.refs(name), office.queue.state(name)
    rows = tuple(map(_branch_row, refs))
    timed = [(one.parsed if one.state == COMPLETE else one.done, one.seconds) for one in refs if one.state != DEAD]
    seconds = sum(spent for _, spent in timed)
    warnings: tuple[Message, ...] = ()
    if not queue.workers and (queue.waiting or queue.running):
        warnings = (say("team.nobody", count=queue.waiting + queue.running),)
    return TeamStatus(
        server=office.server,
        workers=queue.workers,
        waiting=queue.waiting,
        running=queue.running,
        dead=queue.dead,
        files=sum(one.files for one in refs),
        files_per_second=round(sum(count for count, _ in timed) / seconds, 1) if seconds else 0.0,
        repositories=tuple(map(_repository_row, repositories)),
        branches=rows,
        warnings=warnings,
    )


def sync(office: Office, given: str, ref: str = "") -> str:
    """Let workers look at a repository now, or index one of its branches; return its name."""
    repository = find(office, given)
    if not ref:
        refs = office.tables.refs(repository.name)
        for one in refs:
            if one.state == DEAD:  # whoever asks wants it to be tried once more
                office.tables.want(repository.name, one.ref, one.wanted)
                office.queue.put(TeamJob(INDEX, repository.name, one.ref), now=True)
        office.queue.put(TeamJob(LOOK, repository.name), now=True)
        return repository.name
    known = {one.ref for one in office.tables.refs(repository.name)}
    if not is_branch(ref):
        raise BadArgument("team.bad_branch")
    if ref not in known and not matches(ref, repository.branches):
        raise BadArgument("team.not_followed", ref=ref, patterns=repository.branches or "HEAD")
    office.tables.want(repository.name, ref, "")
    office.queue.put(TeamJob(INDEX, repository.name, ref), now=True)
    return repository.name


def wait(
    office: Office, name: str, seconds: float, pause: Callable[[float], None], *, tries: bool = True
) -> TeamStatus:
    """Wait until nothing is to be done for a repository; refuse when nobody is there to do it, or for too long.

    Without ``tries`` it is not waited for what failed and will be tried again.
    """
    began = seen = monotonic()
    while True:
        state = office.queue.state(name)
        if not (state.waiting or state.running):
            return status(office, name)
        if not tries and not state.running:
            result = status(office, name)
            if any(row.problem for row in result.repositories) or any(row.problem for row in result.branches):
                return result
        now = monotonic()
        seen = now if state.workers else seen
        if now - seen > NOBODY_SECONDS:
            raise TeamFault("team.no_worker")
        if now - began > seconds:
            raise TeamFault("team.not_yet", name=name, seconds=round(seconds))
        pause(0.5)


def find(office: Office, given: str) -> TeamRepository:
    """Return a repository by its name, the end of it, or an address; refuse an unknown or ambiguous one."""
    repositories = {one.name: one for one in office.tables.repositories()}
    name = given.strip().strip("/")
    if name not in repositories:
        ends = [known for known in repositories if known.endswith(f"/{name}")]
        if len(ends) > 1:
            raise BadArgument("team.ambiguous", name=name, names=sorted(ends))
        with suppress(BadArgument):  # it may be no address
            name = ends[0] if ends else read_remote(given).name
    if name not in repositories:
        known = {*repositories, *(one.rsplit("/", 1)[-1] for one in repositories)}
        raise UnknownName("repository", shown_remote(given), known, say("team.see_list"))
    return repositories[name]


def _repository_row(one: TeamRepository) -> RepositoryRow:
    problem = unpack_message(one.problem) if one.problem else NOTHING
    looked = None if one.looked_seconds is None else round(one.looked_seconds, 1)
    return RepositoryRow(one.name, one.url, one.branches, one.seconds, looked, problem)


def _branch_row(one: TeamRef) -> BranchRow:
    count = one.done if one.state == WORKING else one.parsed
    return BranchRow(
        repository=one.name,
        branch=one.ref,
        state=one.state,
        commit=one.commit,
        files=one.files,
        done=one.done,
        total=one.total,
        seconds=round(one.seconds, 2),
        files_per_second=round(count / one.seconds, 1) if one.seconds else 0.0,
        runs=one.runs,
        worker=one.worker,
        changed=round(one.changed_seconds or 0.0, 1),
        problem=unpack_message(one.problem) if one.problem else NOTHING,
    )
