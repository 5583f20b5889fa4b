"""Executing a command of a registry."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.config import child_environment
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MAX_STDIN = 1_000_000


@dataclass(frozen=True, slots=True)
class CommandExecuteRequest:
    """What ``command_execute`` takes."""

    c1: str = arg(..., "The domain.")
    c2: str = arg(..., "The action.")
    c3: str = arg(..., "The target.")
    agent: str = arg("climpt", "Whose registry.")
    options: tuple[str, ...] = arg((), "-e=detailed, -f=in.md, --uv-NAME=value; or an object by key.", keyed=True)
    stdin: str = arg("", "The text the command works on.", high=MAX_STDIN)
    timeout_seconds: float | None = arg(None, "When to give up.", low=0, high=3600)


@dataclass(frozen=True, slots=True)
class CommandExecuteResult:
    """What ``command_execute`` returns."""

    text: str
    """The prompt: instructions to follow."""
    missing_variables: tuple[str, ...]
    """Declared variables that were not given."""
    unresolved_placeholders: tuple[str, ...]
    """Names that still stand in the text."""
    template: str = ""
    """The file it was rendered from; empty when the outside runner made it."""
    runner: str = "native"
    degraded: tuple[str, ...] = ()
    next: str = ""


def _execute(workspace: "Workspace", request: CommandExecuteRequest, call: Call) -> CommandExecuteResult:
    from shirube.commands.run import Asked, execute, execute_outside

    settings = workspace.config.commands
    asked = Asked(request.c1, request.c2, request.c3, request.agent, request.options, request.stdin)
    seconds = call.deadline.left(request.timeout_seconds or settings.timeout_seconds)
    call.deadline.within(seconds).check()
    if settings.external:
        done = execute_outside(workspace.commands, asked, settings.runner, child_environment(), seconds)
    else:
        done = execute(workspace.commands, asked)
    notes = ("the adaptation has no template of its own; the plain edition stands in",) if done.fallback else ()
    return CommandExecuteResult(
        done.text,
        done.missing,
        done.unresolved,
        done.template,
        "external" if settings.external else "native",
        notes,
        _advice(done.missing, done.unresolved),
    )


def _advice(missing: tuple[str, ...], unresolved: tuple[str, ...]) -> str:
    if missing:
        return f"give {', '.join(f'--{name}=…' for name in missing)} for a whole prompt"
    if unresolved:
        return f"nothing was given for {', '.join(unresolved)}; the text has them as written"
    return "follow the instructions in text"


COMMAND_EXECUTE = Operation(
    name="command_execute",
    summary="What are the instructions of a command, with my input in them? Renders its prompt from the registry.",
    request=CommandExecuteRequest,
    result=CommandExecuteResult,
    function=_execute,
    group="commands",
    core=True,
    aliases={"input_text": "stdin", "input": "stdin", "timeout": "timeout_seconds"},
)
