"""Executing a command of a registry."""

from typing import TYPE_CHECKING

from shirube.config import child_environment
from shirube.features.commands.results import CommandExecuteResult
from shirube.messages import Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.commands.operations import CommandExecuteRequest
    from shirube.workspace import Workspace

MAX_STDIN = 1_000_000


def command_execute(workspace: "Workspace", request: "CommandExecuteRequest", call: Call) -> CommandExecuteResult:
    """Answer the operation of this name."""
    from shirube.features.commands.run import Asked, execute, execute_outside

    settings = workspace.config.commands
    asked = Asked(request.c1, request.c2, request.c3, request.agent, request.options, request.stdin)
    seconds = call.deadline.left(request.timeout_seconds or settings.timeout_seconds)
    call.deadline.within(seconds).check()
    if settings.external:
        done = execute_outside(workspace.commands, asked, settings.runner, child_environment(), seconds)
    else:
        done = execute(workspace.commands, asked)
    notes = (say("commands.fallback"),) if done.fallback else ()
    return CommandExecuteResult(
        done.text,
        done.missing,
        done.unresolved,
        done.template,
        "external" if settings.external else "native",
        notes,
        _advice(done.missing, done.unresolved),
    )


def _advice(missing: tuple[str, ...], unresolved: tuple[str, ...]) -> Message:
    if missing:
        return say("commands.give", flags=[f"--{name}=…" for name in missing])
    return say("commands.as_written", names=unresolved) if unresolved else say("commands.follow")
