"""Maintains a command registry: validates it, and builds it from its prompts."""

import json
from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec import pack, read_json
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.commands.disk import MAX_REGISTRY_BYTES, MAX_TEMPLATE_BYTES, CommandRoot
from shirube.features.commands.model import AGENT, Command, RegistryFinding, command_from, entry_fault, read_entries
from shirube.features.commands.options import RESERVED, CommandProfile, open_profile
from shirube.features.commands.registry import Registry
from shirube.features.commands.results import CommandBuildResult, CommandValidateResult
from shirube.features.commands.run import placeholders, template_folder, template_names
from shirube.features.commands.yaml import NotYaml, read_yaml, split_front
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.commands.operations import CommandBuildRequest, CommandValidateRequest
    from shirube.workspace import Workspace

ERROR, WARNING = "error", "warning"
VERSION, DESCRIPTION = "1.0.0", "Command registry"


def command_validate(workspace: "Workspace", request: "CommandValidateRequest", call: Call) -> CommandValidateResult:
    """Answer the operation of this name."""
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


def validate(registry: Registry) -> tuple[RegistryFinding, ...]:
    """Return everything that is wrong with a registry, in its order."""
    findings = [RegistryFinding("", "registry", ERROR, problem) for problem in registry.problems]
    seen: set[str] = set()
    profiles: dict[str, CommandProfile] = {}
    for command in registry.commands:
        if command.id in seen:
            findings.append(RegistryFinding(command.id, "duplicate", WARNING, say("commands.listed_twice")))
            continue
        seen.add(command.id)
        try:
            profile = profiles[command.c1] = profiles.get(command.c1) or open_profile(registry, command.c1)
            if not profile.files:
                why = say("commands.no_profile", profile=profile.name)
                findings.append(RegistryFinding(command.id, "profile", ERROR, why))
            if refusal := profile.refusal(command):
                findings.append(RegistryFinding(command.id, "pattern", ERROR, refusal))
            findings += _templates(profile, command)
        except ShirubeError as error:
            findings.append(RegistryFinding(command.id, "unreadable", ERROR, error.message))
    return tuple(findings)


def _templates(profile: CommandProfile, command: Command) -> Iterator[RegistryFinding]:
    """Check the template of every edition with every adaptation."""
    folder, bodies = template_folder(profile, command), {}
    for edition in command.options.edition:
        plain = f"{folder}/{template_names(edition, '')[0]}"
        bodies[plain] = profile.place.text(plain, MAX_TEMPLATE_BYTES)
        if bodies[plain] is None:
            message = say("commands.edition_missing", edition=edition, path=profile.place.name(plain))
            yield RegistryFinding(command.id, "template", ERROR, message)
        for adaptation in (name for name in command.options.adaptation if name != "default"):
            path = f"{folder}/{template_names(edition, adaptation)[0]}"
            bodies[path] = profile.place.text(path, MAX_TEMPLATE_BYTES)
            if bodies[path] is None:
                values = {"adaptation": adaptation, "path": profile.place.name(path), "edition": edition}
                message = say("commands.adaptation_missing", **values)
                yield RegistryFinding(command.id, "adaptation", WARNING, message)
    yield from _placeholders(command, [text for text in bodies.values() if text is not None])


def _placeholders(command: Command, templates: list[str]) -> Iterator[RegistryFinding]:
    """Compare the placeholders of templates with what the command declares."""
    used = dict.fromkeys(name for text in templates for name in placeholders(split_front(text)[1]))
    options = command.options
    needs = {"input_text": options.stdin, "input_text_file": options.file, "destination_path": options.destination}
    for name in used:
        variable = name.removeprefix("uv-")
        if name != variable and variable not in options.uv:
            message = say("commands.undeclared", name=name, variable=variable)
            yield RegistryFinding(command.id, "undeclared", WARNING, message)
        elif not needs.get(name, True):
            yield RegistryFinding(command.id, "unresolved", WARNING, say("commands.no_such_input", name=name))
        elif name == variable and name not in RESERVED:
            yield RegistryFinding(command.id, "unresolved", WARNING, say("commands.never_filled", name=name))
    for variable in options.uv if templates else ():
        if f"uv-{variable}" not in used:
            yield RegistryFinding(command.id, "unused", WARNING, say("commands.unused", variable=variable))


# --- making a registry from its prompts ---------------------------------------------------------------------


def command_build(workspace: "Workspace", request: "CommandBuildRequest", call: Call) -> CommandBuildResult:
    """Answer the operation of this name."""
    catalog = workspace.commands
    agents = catalog.agents()
    if request.agent not in agents:
        raise UnknownName("agent", request.agent, agents)
    path = agents[request.agent]
    built = build(catalog.project, path, request.agent)
    before, after = ({item.id: item for item in reversed(side)} for side in (built.before, built.commands))
    added = tuple(sorted(after.keys() - before.keys()))
    changed = tuple(sorted(key for key in after.keys() & before.keys() if after[key] != before[key]))
    removed = tuple(sorted(before.keys() - after.keys()))
    if not request.dry_run:
        catalog.project.write(path, built.text)
    return CommandBuildResult(
        request.agent,
        path,
        len(built.commands),
        not request.dry_run,
        added,
        changed,
        removed,
        built.left_out,
        say("commands.built"),
    )


class Built(Struct, frozen=True):
    """A registry built from prompts."""

    text: str
    commands: tuple[Command, ...]
    before: tuple[Command, ...] = ()
    left_out: tuple[Message, ...] = ()
    """Prompts that give no command, or one that cannot be rendered, and why."""


def build(place: CommandRoot, path: str, agent: str = AGENT) -> Built:
    """Read the prompts beside a registry and return the registry of those that can be rendered; nothing is written."""
    prompts = join(dirname(path), "prompts")
    if not place.is_folder(prompts):
        raise BadArgument("commands.no_prompts", path=place.name(prompts))
    found: dict[str, Command] = {}
    files: dict[str, str] = {}
    folders: set[str] = set()
    left_out: list[Message] = []
    # The default edition of each command comes first, because the other editions need no front matter of their own.
    for file in sorted(place.markdown(prompts), key=lambda name: (basename(name) != "f_default.md", name)):
        read = _command(place, file)
        if isinstance(read, Command):
            found.setdefault(read.id, read)
            files.setdefault(read.id, file)
            folders.add(dirname(file))
        elif read or dirname(file) not in folders:
            left_out.append(say("commands.left_out", file=file, why=read or say("commands.bare")))
    registry = Registry(agent, path, (place,), commands=tuple(found[key] for key in sorted(found)))
    faults = {one.command: one.message for one in reversed(validate(registry)) if one.level == ERROR}
    left_out += [say("commands.left_out", file=files[key], why=faults[key]) for key in sorted(faults)]
    commands = tuple(command for command in registry.commands if command.id not in faults)
    # Keep the version and the description of the existing registry.
    old = read_json(place.text(path, MAX_REGISTRY_BYTES) or "null")
    text = json.dumps(_registry(commands, old), ensure_ascii=False, indent=2) + "\n"
    before = tuple(map(command_from, read_entries(old)[0])) if old else ()
    return Built(text, commands, before, tuple(left_out))


def _command(place: CommandRoot, file: str) -> Command | Message | None:
    """Return the command of a prompt, or the reason why it has none; None when it has no front matter."""
    try:
        front = split_front(place.text(file, MAX_TEMPLATE_BYTES) or "")[0]
        values = read_yaml(front) if front else None
    except ShirubeError as error:
        return error.told
    except NotYaml as error:
        return error.why
    if not isinstance(values, Mapping):
        return None
    return entry_fault(values) or command_from(values)


def _registry(commands: tuple[Command, ...], old: Any) -> dict[str, Any]:
    kept = old if isinstance(old, Mapping) else {}
    entries = list[dict[str, Any]]()
    for command in commands:
        entry = pack(command)
        variables = entry["options"].pop("uv")
        entries.append({**entry, "uv": [{name: meaning} for name, meaning in variables.items()] or ""})
    return {
        "version": kept.get("version", VERSION),
        "description": kept.get("description", DESCRIPTION),
        "tools": {
            "availableConfigs": sorted({command.c1 for command in commands}),
            "commands": entries,
        },
    }
