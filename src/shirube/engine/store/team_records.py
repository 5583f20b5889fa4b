"""The words about a team's repositories that the store, the flow of jobs and the doors share."""

from typing import Any

from msgspec import Struct

WAITING, WORKING, COMPLETE, DEAD = "waiting", "working", "complete", "dead"
"""The states of a branch. One that is dead is not tried again until it changes or somebody asks for it."""
LOOK, INDEX, MERGE, DROP = "look", "index", "merge", "drop"
KINDS = (LOOK, INDEX, MERGE, DROP)
"""What jobs do: see what branches a remote has, index one, make few layers of many, let a branch go."""


class TeamRepository(Struct, frozen=True):
    """A repository that workers follow."""

    name: str
    url: str
    branches: tuple[str, ...] = ()
    """Patterns; none means the branch that the remote has for its own."""
    seconds: int = 300
    """How often it is looked at."""
    looked_seconds: float | None = None
    """How long ago that was done last; None if never."""
    problem: Any = None
    """Why that failed, as a packed message."""


class TeamRef(Struct, frozen=True):
    """How far a branch of a repository is."""

    name: str
    ref: str
    state: str = WAITING
    wanted: str = ""
    """The commit that the remote had when it was looked at."""
    commit: str = ""
    """The commit that is indexed, by the rules ``form``."""
    form: str = ""
    files: int = 0
    parsed: int = 0
    """How many files the last run had to read."""
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    """How long the last run took, or takes so far."""
    runs: int = 0
    """How often it was begun."""
    worker: str = ""
    changed_seconds: float = 0.0
    """How long ago any of this changed."""
    problem: Any = None
    lasting: bool = False
    """Whether trying again cannot help while the branch stays as it is."""


class TeamJob(Struct, frozen=True):
    """A piece of work for a worker."""

    kind: str
    name: str
    ref: str = ""
    attempt: int = 0
    """How often it was tried before."""


class QueueState(Struct, frozen=True):
    """What the queue holds."""

    waiting: int = 0
    running: int = 0
    dead: int = 0
    workers: int = 0
    """How many workers are alive."""


class IndexedRef(Struct, frozen=True):
    """What a run has made."""

    commit: str
    form: str
    files: int
    parsed: int
