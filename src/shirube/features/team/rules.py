"""What a look at a remote asks for, and what becomes of a job that failed."""

from collections.abc import Iterable, Mapping

from shirube.engine.store.team_records import COMPLETE, DEAD, DROP, INDEX, TeamJob, TeamRef
from shirube.errors import IndexBusy, NoPermission, NotWritable, RemoteAway, Unreachable

MOST_ATTEMPTS = 8
"""So often a job is begun before it is dead; each try goes on from what the last one has written."""
FIRST_SECONDS, MOST_SECONDS = 10, 600
"""How long it waits before the second try, and at most; each time twice as long."""
MANY_LAYERS = 4
"""A branch with more layers than this is merged when nothing else is to be done for its repository."""
_PASSING = (IndexBusy, NoPermission, NotWritable, RemoteAway, Unreachable)


def wishes(name: str, commits: Mapping[str, str], known: Iterable[TeamRef], form: str) -> list[TeamJob]:
    """Return the jobs that a look asks for: branches that are new or have moved, and those that are gone."""
    refs = {one.ref: one for one in known}
    jobs = [TeamJob(INDEX, name, ref) for ref, commit in commits.items() if _is_wanted(refs.get(ref), commit, form)]
    return jobs + [TeamJob(DROP, name, ref) for ref in refs if ref not in commits]


def _is_wanted(known: TeamRef | None, commit: str, form: str) -> bool:
    if known is None:
        return True
    if known.state == DEAD and known.lasting and known.wanted == commit:
        return False  # it would end the same
    return not (known.state == COMPLETE and known.commit == commit and known.form == form)


def is_passing(error: Exception) -> bool:
    """Tell whether the same may work later."""
    return isinstance(error, _PASSING)


def wait_seconds(attempt: int) -> int:
    """Return how long a job waits that was tried so often before: ``0`` → 10, ``1`` → 20, ``2`` → 40."""
    return int(min(MOST_SECONDS, FIRST_SECONDS * 2**attempt))
