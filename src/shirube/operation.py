"""How an operation is declared: one decorated function over one request record and one result record.

The tool of the protocol, the command line's options, the method of the library, the reference page and the reading of
arguments are all made from the declaration. Its rules are imported when it is called, so that listing costs nothing.
"""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from msgspec import Struct, field

from shirube.codec import Arg, Record, replace, schema_of
from shirube.deadline import Deadline
from shirube.errors import BadArgument, StaleCursor

if TYPE_CHECKING:
    from shirube.workspace import Workspace

Asked = TypeVar("Asked", bound=Record)
Result = TypeVar("Result", bound=Record)
Arguments = ParamSpec("Arguments")
OPERATIONS: dict[str, "Operation[..., Any]"] = {}
"""Every operation by its name, in the order of declaration; ``operations`` imports all that declare."""


def _no_progress(what: str, done: int, total: int) -> None:
    """Say nothing."""


class Call(Struct, frozen=True):
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


class Context(Struct, frozen=True):
    """What an operation works on: an open project, and what surrounds this call."""

    workspace: "Workspace"
    call: Call


class Runner(Protocol):
    """Whoever has operations as methods."""

    def run(self, operation: "Operation[..., Result]", *given: Any, **named: Any) -> Result:
        """Run one with the arguments of its request."""


@dataclass(frozen=True)
class Operation(Generic[Arguments, Result]):
    """One thing the program can do."""

    name: str
    summary: str
    """One sentence that begins with the question it answers; an agent chooses by it."""
    request: type[Record]
    result: type[Result]
    function: Callable[[Context, Any], Result]
    group: str
    core: bool = False
    """Whether it is listed to an agent unless other toolsets are asked for."""
    read_only: bool = True
    destructive: bool = False
    joins: bool = True
    """Whether it can take part in a session: then it takes ``session_id``, is checked and recorded."""
    command: str = ""
    """The command that does the same, with the arguments it must have: ``defs {symbol}``; empty when there is none."""
    containers: tuple[str, ...] = ()
    """Objects in which the seeds sent some of the arguments: what is in them counts as sent beside them."""
    needless: tuple[str, ...] = ()
    """Switches of the seeds for what is always done here; taken, and without effect."""

    @property
    def takes_shared(self) -> bool:
        """Whether the shared arguments are added to its own."""
        return self.joins and "session_id" not in self.request.__struct_fields__

    def named(self, name: str, **changes: Any) -> "Operation[Arguments, Result]":
        """Return the same operation under another name, which the default list leaves out."""
        return replace(self, name=name, core=False, **changes)

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: Runner, kind: type) -> Callable[Arguments, Result]: ...
    def __get__(self, owner: Runner | None, kind: type) -> Any:
        """Return the method that runs it, when it stands in a class that has operations as methods."""
        if owner is None:
            return self

        def method(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
            return owner.run(self, *given, **named)

        method.__doc__ = self.summary
        return method


def operation(
    request: Callable[Arguments, Asked], group: str, **facts: Any
) -> Callable[[Callable[[Context, Asked], Result]], Operation[Arguments, Result]]:
    """Declare the function as an operation over a request; its docstring is the summary. ``facts`` as in Operation."""

    def declared(function: Callable[[Context, Asked], Result]) -> Operation[Arguments, Result]:
        made: Operation[Arguments, Result] = Operation(
            name=function.__name__,
            summary=" ".join((function.__doc__ or "").split()),
            request=request,  # type: ignore[arg-type]  # a record's class, seen here as its constructor
            result=function.__annotations__["return"],
            function=function,
            group=group,
            **facts,
        )
        OPERATIONS[made.name] = made
        return made

    return declared


class NoArguments(Record):
    """What an operation takes that takes nothing."""


class Shared(Record):
    """What every operation takes that can take part in a session, unless it declares it itself."""

    session_id: Annotated[str, Arg("Session handle: the call is checked against its phase and recorded.")] = ""


def operation_schema(operation: Operation[..., Any]) -> dict[str, Any]:
    """Return the schema of everything an operation takes, what all share with it."""
    schema = schema_of(operation.request)
    if operation.takes_shared:
        schema["properties"] |= schema_of(Shared)["properties"]
    return schema


MAX_CHARACTERS = 10_000
DIGEST = 12
"""Characters of a digest: it tells mistakes, not attacks; a forged cursor shows nothing a question would not."""
PER_PAGE = ("cursor", "limit")
"""What may differ from page to page."""


def pack_cursor(*values: str | int) -> str:
    """Return a token for ``next_cursor``: ``pack_cursor("a.py", 3)`` → ``"WyJhLnB5IiwgM10"``."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def unpack_cursor(token: str, *kinds: type) -> tuple[str | int, ...]:
    """Return what ``pack_cursor`` was given, or refuse a token that is not one of ours."""
    try:
        values = json.loads(base64.urlsafe_b64decode(token[:MAX_CHARACTERS] + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(kinds):
        raise _not_ours()
    return tuple(values)


def offset_of(cursor: str) -> int:
    """Return how many items stand on the pages before, for a list that is counted off."""
    return int(unpack_cursor(cursor, int)[0]) if cursor else 0


def one_page(workspace: "Workspace", operation: str, request: Any, answer: Callable[[Any], Any]) -> Any:
    """Return what ``answer`` makes of a request with a cursor: only one of the same question and index is taken."""
    arguments = [(name, getattr(request, name)) for name in request.__struct_fields__ if name not in PER_PAGE]
    question = _digest(operation, workspace.root, arguments)
    now = workspace.generation()
    if request.cursor:
        position = _opened(request.cursor, question, now)
        result = answer(replace(request, cursor=position))
        _opened(request.cursor, question, workspace.generation())
    else:
        result = answer(request)
        if result.next_cursor and (after := workspace.generation()) != now:
            now, result = after, answer(request)  # the index was brought up to date on the way
    return replace(result, next_cursor=_bound(result.next_cursor, question, now)) if result.next_cursor else result


def _bound(position: str, question: str, generation: str) -> str:
    return ".".join((position, _digest(position, question), _digest(position, question, generation)))


def _opened(token: str, question: str, generation: str) -> str:
    """Return the position in a cursor, or say why it cannot be used."""
    position, asked, made = token.split(".") if token.count(".") == 2 else ("", "", "")
    if not (position and asked and made):
        raise _not_ours()
    if asked != _digest(position, question):
        raise BadArgument("asking.other_cursor")
    if made != _digest(position, question, generation):
        raise StaleCursor("asking.stale_cursor")
    return position


def _digest(*parts: object) -> str:
    return sha256(repr([str(part) for part in parts]).encode("utf-8", "backslashreplace")).hexdigest()[:DIGEST]


def _not_ours() -> BadArgument:
    return BadArgument("asking.cursor")
