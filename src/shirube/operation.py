"""How an operation is declared: one decorated function over one request record and one result record.

The MCP tool, the options of the command line, the method of the library, the reference page and the reading of
arguments all derive from the declaration. Its implementation is imported at the first call, so that listing is cheap.
"""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from msgspec import Struct, field

from shirube.codec import Arg, Record, brief_schema, inputs, replace, schema_of
from shirube.deadline import Deadline
from shirube.errors import BadArgument, StaleCursor

if TYPE_CHECKING:
    from shirube.workspace import Workspace

Asked = TypeVar("Asked", bound=Record)
Result = TypeVar("Result", bound=Record)
Arguments = ParamSpec("Arguments")
OPERATIONS: dict[str, "Operation[..., Any]"] = {}
"""Every operation by its name, in the order of declaration; ``operations`` imports every module that declares."""


class Call(Struct, frozen=True):
    """The circumstances of one call: who gets progress reports, when to give up, which session it belongs to."""

    progress: Callable[[str, int, int], None] = lambda what, done, total: None
    deadline: Deadline = field(default_factory=Deadline)
    patient: bool = False
    """Whether the caller prefers waiting for the whole index to a partial answer now."""
    passing: bool = False
    """Whether the next question follows at once, as while somebody types: then the tree is not checked for changes."""
    lasting: bool = True
    """Whether the process lives on after the answer, so that work may go on in the background."""
    session_id: str = ""
    """The session the call belongs to, if any; already checked: it exists, and its phase allows the operation."""
    tokens: int = 0
    """How many tokens the text has that is made of the result; 0: no text is made, the result is sent as it is."""
    text_tokens: int = 0
    """How many tokens the code in the result may take; 0: any number."""
    client: str = ""
    """The calling agent's own session id, if it gives one."""
    reader: str = ""
    """Which of the client's agents reads the answer, if it tells."""
    operations: tuple[str, ...] = ()
    """The names of all operations that can be called, for results that propose a next call."""


class Context(Struct, frozen=True):
    """What an operation works on: an open project, and the circumstances of this call."""

    workspace: "Workspace"
    call: Call


class Runner(Protocol):
    """A class that has operations as methods."""

    def run(self, operation: "Operation[..., Result]", *given: Any, **named: Any) -> Result:
        """Run an operation with the arguments of its request."""


@dataclass(frozen=True)
class Operation(Generic[Arguments, Result]):
    """One thing the program can do."""

    name: str
    summary: str
    """One sentence that begins with the question it answers; agents choose operations by it."""
    request: type[Record]
    result: type[Result]
    function: Callable[[Context, Any], Result]
    group: str
    tool: str = ""
    """Its name in the toolset that agents get by default; empty when it is not in it."""
    listed: bool = True
    """Whether the toolset of its group lists it; what is left out there is in ``all``."""
    tokens: int = 0
    """How many tokens its text has at most, unless the call says otherwise; 0: as configured."""
    read_only: bool = True
    destructive: bool = False
    joins: bool = True
    """Whether it can be part of a session: then it takes ``session_id``, and calls are checked and recorded."""
    command: str = ""
    """The equivalent command with its required arguments: ``defs {symbol}``; empty when there is none."""
    containers: tuple[str, ...] = ()
    """Objects in which clients of the seeds send some arguments; their members count as top-level arguments."""
    needless: tuple[str, ...] = ()
    """Switches of the seeds for what is always done here; accepted, but without effect."""
    stands_for: str = ""
    """For a tool that replies as another server's did, without advice: the operation of ours that it stands for."""

    def named(self, name: str, **changes: Any) -> "Operation[Arguments, Result]":
        """Return the same operation under another name, outside the default toolset."""
        return replace(self, name=name, tool="", **changes)

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: Runner, kind: type) -> Callable[Arguments, Result]: ...
    def __get__(self, owner: Runner | None, kind: type) -> Any:
        """Return the method that runs it; this makes an operation in a class body a method."""
        if owner is None:
            return self

        def method(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
            return owner.run(self, *given, **named)

        method.__doc__ = self.summary
        return method


def operation(
    request: Callable[Arguments, Asked], group: str, **facts: Any
) -> Callable[[Callable[[Context, Asked], Result]], Operation[Arguments, Result]]:
    """Declare a function as an operation; its docstring is the summary, ``facts`` are further fields of Operation."""

    def declare(function: Callable[[Context, Asked], Result]) -> Operation[Arguments, Result]:
        declaration: Operation[Arguments, Result] = Operation(
            name=function.__name__,
            summary=" ".join((function.__doc__ or "").split()),
            request=request,  # type: ignore[arg-type]  # a record's class, seen here as its constructor
            result=function.__annotations__["return"],
            function=function,
            group=group,
            **facts,
        )
        OPERATIONS[declaration.name] = declaration
        return declaration

    return declare


def canonical_name(name: str) -> str:
    """Return the name of the operation that the default toolset lists under this one; other names stay."""
    return next((operation.name for operation in OPERATIONS.values() if operation.tool == name), name)


class NoArguments(Record):
    """The request of an operation that takes no arguments."""


class Shared(Record):
    """The arguments of every operation, unless it declares them itself; those without a session take no handle."""

    session_id: Annotated[str, Arg("Session handle.")] = ""
    agent_id: Annotated[str, Arg("Who reads the answer, where several agents share a session.", rare=True)] = ""
    again: Annotated[bool, Arg("Send again what was sent before in this session.", rare=True)] = False
    max_tokens: Annotated[int | None, Arg("Tokens of the answer at most.", low=1, high=1000000)] = None


OF_SESSIONS = ("session_id", "agent_id", "again")


def shared_arguments(operation: Operation[..., Any]) -> tuple[str, ...]:
    """Return the names of the shared arguments that an operation takes besides its own."""
    own = {*operation.request.__struct_fields__}
    own |= {word for one in inputs(operation.request) for word in one.arg.also.split()}
    shared = () if operation.stands_for else Shared.__struct_fields__
    return tuple(name for name in shared if name not in own and (operation.joins or name not in OF_SESSIONS))


def operation_schema(operation: Operation[..., Any]) -> dict[str, Any]:
    """Return the schema of everything an operation takes, including the shared arguments."""
    schema = schema_of(operation.request)
    shared = schema_of(Shared)["properties"]
    schema["properties"] |= {name: shared[name] for name in shared_arguments(operation)}
    return schema


def listed_schema(operation: Operation[..., Any], in_session: bool) -> dict[str, Any]:
    """Return the schema for a tool list: what is rarely needed is left out, as is the handle without sessions."""
    schema = brief_schema(operation.request)
    shared = brief_schema(Shared)["properties"]
    wanted = [*(["max_tokens"] if operation.tool else []), *(["session_id"] if in_session else [])]
    schema["properties"] |= {name: shared[name] for name in wanted if name in shared_arguments(operation)}
    return schema


MAX_CHARACTERS = 10_000
DIGEST = 12
"""Characters of a digest: it detects mistakes, not attacks; a forged cursor reveals no more than a question."""
PER_PAGE = ("cursor", "limit")
"""Arguments that may differ from page to page."""


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
        raise BadArgument("asking.cursor")
    return tuple(values)


def offset_of(cursor: str) -> int:
    """Return how many items the previous pages held, for a list whose cursor is a count."""
    return int(unpack_cursor(cursor, int)[0]) if cursor else 0


def one_page(workspace: "Workspace", operation: str, request: Any, answer: Callable[[Any], Any]) -> Any:
    """Return ``answer(request)`` for one page; refuse a cursor of another question or another state of the index."""
    arguments = [(name, getattr(request, name)) for name in request.__struct_fields__ if name not in PER_PAGE]
    question = _digest(operation, workspace.root, arguments)
    if request.cursor:
        position = _opened(request.cursor, question, workspace.generation())
        result = answer(replace(request, cursor=position))
        _opened(request.cursor, question, workspace.generation())
    else:
        epoch = workspace.store.epoch
        result = answer(request)
        if result.next_cursor and workspace.store.epoch != epoch:
            result = answer(request)  # the index was updated meanwhile
    if not result.next_cursor:
        return result
    position, generation = result.next_cursor, workspace.generation()
    cursor = ".".join((position, _digest(position, question), _digest(position, question, generation)))
    return replace(result, next_cursor=cursor)


def _opened(token: str, question: str, generation: str) -> str:
    """Return the position in a cursor, or raise an error that says why it cannot be used."""
    position, of_question, of_index = token.split(".") if token.count(".") == 2 else ("", "", "")
    if not (position and of_question and of_index):
        raise BadArgument("asking.cursor")
    if of_question != _digest(position, question):
        raise BadArgument("asking.other_cursor")
    if of_index != _digest(position, question, generation):
        raise StaleCursor("asking.stale_cursor")
    return position


def _digest(*parts: object) -> str:
    return sha256(repr([str(part) for part in parts]).encode("utf-8", "backslashreplace")).hexdigest()[:DIGEST]
