"""What the commands about a team's repositories return."""

from shirube.codec import Record
from shirube.messages import Message


class RepositoryRow(Record):
    """A repository that is followed."""

    repository: str
    url: str
    branches: tuple[str, ...]
    """Patterns; none means the branch that the remote has for its own."""
    interval: int
    looked: float | None
    """How many seconds ago it was looked at; None if never."""
    problem: str = ""


class BranchRow(Record):
    """How far a branch is."""

    repository: str
    branch: str
    state: str
    commit: str
    files: int
    done: int
    total: int
    seconds: float
    files_per_second: float
    runs: int
    worker: str
    changed: float
    problem: str = ""


class TeamAdded(Record):
    """A repository that was added, or is followed otherwise now."""

    repository: str
    url: str
    branches: tuple[str, ...]
    new: bool
    note: str = ""


class TeamListing(Record):
    """All repositories that are followed."""

    repositories: tuple[RepositoryRow, ...]


class TeamRemoved(Record):
    """A repository that is followed no longer."""

    repository: str
    branches: tuple[str, ...]


class TeamStatus(Record):
    """How far the repositories of a team are, and who works on them."""

    server: str
    workers: int
    waiting: int
    running: int
    dead: int
    files: int
    files_per_second: float
    repositories: tuple[RepositoryRow, ...]
    branches: tuple[BranchRow, ...]
    warnings: tuple[Message, ...] = ()


class WorkReport(Record):
    """What a worker has done."""

    jobs: int
    dead: int
    seconds: float
