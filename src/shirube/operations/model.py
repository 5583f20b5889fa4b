"""What an operation is, and how its arguments are declared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from shirube.deadline import Deadline

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def _no_progress(what: str, done: int, total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    """What surrounds one call: whom to tell of progress, and when to give up."""

    progress: Callable[[str, int, int], None] = _no_progress
    deadline: Deadline = field(default_factory=Deadline)
    patient: bool = False
    """Whether the caller would rather wait for a whole index than have a partial answer now."""
    passing: bool = False
    """Whether the next question is on its way already, as while somebody types: the tree is not looked at for it."""
    lasting: bool = True
    """Whether the process goes on after the answer, so that work may go on beside it."""
    session_id: str = ""
    """The session the call is part of, if any; it exists, and its phase allows the operation."""
    client: str = ""
    """What the agent on the other side calls its own session, if it says so."""
    operations: tuple[str, ...] = ()
    """The names of everything that can be called, for those who propose a next call."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table."""

    name: str
    summary: str
    """One sentence that begins with the question it answers; an agent chooses by it."""
    request: type
    result: type
    function: "Callable[[Workspace, Any, Call], Any]"
    group: str
    core: bool = False
    """Whether it is listed to an agent unless other toolsets are asked for."""
    read_only: bool = True
    destructive: bool = False
    joins: bool = True
    """Whether it can take part in a session: then it takes ``session_id``, is checked and recorded."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of arguments that the seeds use."""
    containers: tuple[str, ...] = ()
    """Objects in which the seeds sent some of the arguments: what is in them counts as sent beside them."""
    needless: tuple[str, ...] = ()
    """Switches of the seeds for what is always done here; taken, and without effect."""


KNOWN: dict[str, Operation] = {}
"""Every operation by its name, filled by the table: for the one operation that runs others."""


def arg(default: Any, help: str, *, low: int | None = None, high: int | None = None, keyed: bool = False) -> Any:
    """Declare an argument of a request: its default (``...`` when required), what it means, its bounds.

    ``high`` bounds a number, or the characters of a text; a ``keyed`` list of texts may also come as an object.
    """
    metadata = {"help": help, "low": low, "high": high, **({"keyed": True} if keyed else {})}
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Shared:
    """What every operation takes that can take part in a session, unless it declares it itself."""

    session_id: str = arg("", "Session handle: the call is checked against its phase and recorded.")


def takes_shared(operation: Operation) -> bool:
    """Tell whether the shared arguments are added to an operation's own."""
    return operation.joins and "session_id" not in {item.name for item in fields(operation.request)}
