"""Keeping a registry of commands in order: what is wrong with it, and making it from its prompts."""

from typing import TYPE_CHECKING

from shirube.errors import UnknownName
from shirube.features.commands.results import CommandBuildResult, CommandValidateResult
from shirube.messages import NOTHING, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.commands.operations import CommandBuildRequest, CommandValidateRequest
    from shirube.workspace import Workspace


def command_validate(workspace: "Workspace", request: "CommandValidateRequest", call: Call) -> CommandValidateResult:
    """Answer the operation of this name."""
    from shirube.features.commands.validate import ERROR, validate

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
        () if registry.found else (say("commands.no_registry", path=registry.path),),
        say("commands.mend_errors") if broken else NOTHING,
    )


def command_build(workspace: "Workspace", request: "CommandBuildRequest", call: Call) -> CommandBuildResult:
    """Answer the operation of this name."""
    from shirube.features.commands.build import build

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
        say("commands.built"),
    )
