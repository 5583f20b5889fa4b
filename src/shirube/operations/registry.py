"""Keeping a registry of commands in order: what is wrong with it, and making it from its prompts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.commands import Finding
from shirube.errors import UnknownName
from shirube.operations.commands import NO_REGISTRY
from shirube.operations.model import Call, Operation, arg

if TYPE_CHECKING:
    from shirube.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CommandValidateRequest:
    """What ``command_validate`` takes."""

    agent: str = arg("climpt", "Whose registry.")
    limit: int = arg(200, "How many findings.", low=1, high=10_000)


@dataclass(frozen=True, slots=True)
class CommandValidateResult:
    """What ``command_validate`` returns."""

    agent: str
    path: str
    commands: int
    renderable: int
    """Commands that can be rendered, warnings or not."""
    findings: tuple[Finding, ...]
    total: int
    truncated: bool
    degraded: tuple[str, ...] = ()
    next: str = ""


def _validate(workspace: "Workspace", request: CommandValidateRequest, call: Call) -> CommandValidateResult:
    from shirube.commands.validate import ERROR, validate

    registry = workspace.commands.registry(request.agent)
    findings = validate(registry)
    broken = {finding.command for finding in findings if finding.level == ERROR and finding.command}
    ids = {command.id for command in registry.commands}
    return CommandValidateResult(
        request.agent,
        registry.found or registry.path,
        len(registry.commands),
        len(ids - broken),
        findings[: request.limit],
        len(findings),
        len(findings) > request.limit,
        () if registry.found else (NO_REGISTRY.format(path=registry.path),),
        "mend the errors first: these commands are listed and cannot be rendered" if broken else "",
    )


@dataclass(frozen=True, slots=True)
class CommandBuildRequest:
    """What ``command_build`` takes."""

    agent: str = arg("climpt", "Whose registry.")
    dry_run: bool = arg(False, "Only say what would change.")


@dataclass(frozen=True, slots=True)
class CommandBuildResult:
    """What ``command_build`` returns."""

    agent: str
    path: str
    commands: int
    written: bool
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Prompts that give no command, and why."""
    next: str = ""


def _build(workspace: "Workspace", request: CommandBuildRequest, call: Call) -> CommandBuildResult:
    from shirube.commands.build import build

    catalog = workspace.commands
    agents = catalog.agents()
    if request.agent not in agents:
        raise UnknownName("agent", request.agent, agents)
    built = build(catalog.project, agents[request.agent])
    before, after = ({one.id: one for one in reversed(side)} for side in (built.before, built.commands))
    added = tuple(sorted(after.keys() - before.keys()))
    changed = tuple(sorted(key for key in after.keys() & before.keys() if after[key] != before[key]))
    removed = tuple(sorted(before.keys() - after.keys()))
    write = not request.dry_run
    if write:
        catalog.project.write(built.path, built.text)
    return CommandBuildResult(
        request.agent,
        built.path,
        len(built.commands),
        write,
        added,
        changed,
        removed,
        built.left_out,
        "command_validate tells whether every command can be rendered",
    )


COMMAND_VALIDATE = Operation(
    name="command_validate",
    summary="Which listed commands cannot be rendered, or not as listed? Templates, patterns, placeholders, variables.",
    request=CommandValidateRequest,
    result=CommandValidateResult,
    function=_validate,
    group="commands",
)

COMMAND_BUILD = Operation(
    name="command_build",
    summary="What should the registry say by the front matter of the prompts beside it? Writes it.",
    request=CommandBuildRequest,
    result=CommandBuildResult,
    function=_build,
    group="commands",
    read_only=False,
)
