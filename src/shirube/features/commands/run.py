"""Executes a command: renders its template here, or starts the external runner if the user configured it."""

import re
from collections.abc import Mapping
from posixpath import dirname, join
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.config import child_environment
from shirube.errors import BadArgument, NotAccepted, TemplateMissing, TimedOut, ToolFailed
from shirube.features.commands.disk import MAX_TEMPLATE_BYTES, CommandRoot, spawn
from shirube.features.commands.model import Command
from shirube.features.commands.options import (
    RESERVED,
    CommandProfile,
    Given,
    check_options,
    open_profile,
    profile_name,
    read_options,
)
from shirube.features.commands.registry import HOME, Catalog, Registry
from shirube.features.commands.results import CommandExecuteResult
from shirube.features.commands.yaml import split_front
from shirube.messages import Message, say
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.commands.operations import CommandExecuteRequest
    from shirube.workspace import Workspace

RIGHTS = ("--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net", "--no-config")
PROGRAM = "jsr:@aidevtool/climpt"
MOST_CHARACTERS = 4_000_000
"""The limit for a rendered prompt: a template may repeat a large value, but not without bound."""
_NAME = r"\s*([A-Za-z][\w-]*)\s*"
_PLACEHOLDER = re.compile(rf"\{{\{{{_NAME}\}}\}}|\$\{{{_NAME}\}}|\{{{_NAME}\}}")


def command_execute(workspace: "Workspace", request: "CommandExecuteRequest", call: Call) -> CommandExecuteResult:
    """Answer the operation of this name."""
    settings = workspace.config.commands
    seconds = call.deadline.left(request.timeout_seconds or settings.timeout_seconds)
    call.deadline.within(seconds).check()
    if settings.external:
        return execute_outside(workspace.commands, request, settings.runner, child_environment(), seconds)
    return execute(workspace.commands, request)


def execute(catalog: Catalog, request: "CommandExecuteRequest") -> CommandExecuteResult:
    """Render a command without any other program."""
    registry, command, given, missing = _checked(catalog, request)
    profile = open_profile(registry, command.c1)
    if refusal := profile.refusal(command):
        raise NotAccepted("commands.not_accepted", command=command.id, why=refusal, files=_files(profile))
    path, template, fallback = find_template(profile, command, given.edition, given.adaptation)
    values = variables(catalog.project, profile, command, given, path)
    if stdin := request.stdin.strip():
        values["input_text"] = stdin
    rendered = render(template, values)
    return CommandExecuteResult(
        rendered.text,
        missing,
        rendered.unresolved,
        profile.place.name(path),
        degraded=(say("commands.fallback"),) if fallback else (),
        next=_advice(missing, rendered.unresolved),
    )


def execute_outside(
    catalog: Catalog, request: "CommandExecuteRequest", runner: str, env: Mapping[str, str], timeout_seconds: float
) -> CommandExecuteResult:
    """Let the external runner execute a command after the same checks; its output is the prompt."""
    _, command, given, missing = _checked(catalog, request)
    for path in filter(None, (given.file, given.destination)):
        catalog.project.inside(path)  # refuses a link that leads out of the project
    argv = outside_argv(runner, request, given)
    done = spawn(argv, catalog.project.directory, env, request.stdin, timeout_seconds)
    if done.timed_out:
        raise TimedOut("commands.killed", command=command.id, seconds=f"{timeout_seconds:g}")
    if not done.ok:
        stderr = done.stderr.decode("utf-8", "replace").strip() or say("commands.exit_code", code=done.code)
        why = say("commands.said_too_much") if done.truncated else stderr
        raise ToolFailed("commands.runner_failed", command=command.id, why=why)
    text = done.stdout.decode("utf-8", "replace")
    return CommandExecuteResult(text, missing, (), runner="external", next=_advice(missing, ()))


def outside_argv(runner: str, request: "CommandExecuteRequest", given: Given) -> list[str]:
    """Return the argument list of seed 000, every option in the spelling that the original accepts."""
    config = f"--config={profile_name(request.agent, request.c1)}"
    return [runner, "run", *RIGHTS, PROGRAM, config, request.c2, request.c3, *given.flags()]


def _checked(catalog: Catalog, request: "CommandExecuteRequest") -> tuple[Registry, Command, Given, tuple[str, ...]]:
    """Return the command that is meant, its options, both checked, and the declared variables that are missing."""
    registry = catalog.registry(request.agent)
    command = registry.the(request.c1, request.c2, request.c3)
    given = read_options(request.options)
    return registry, command, given, check_options(command, given, request.stdin)


def _advice(missing: tuple[str, ...], unresolved: tuple[str, ...]) -> Message:
    if missing:
        return say("commands.give", flags=[f"--{name}=…" for name in missing])
    return say("commands.as_written", names=unresolved) if unresolved else say("commands.follow")


# --- templates and their values -----------------------------------------------------------------------------


def find_template(profile: CommandProfile, command: Command, edition: str, adaptation: str) -> tuple[str, str, bool]:
    """Return path and text of the template, and whether it is a fallback; the error names all attempts."""
    folder = template_folder(profile, command)
    attempts = [f"{folder}/{name}" for name in template_names(edition, adaptation)]
    for number, path in enumerate(attempts):
        text = profile.place.text(path, MAX_TEMPLATE_BYTES)
        if text is not None:
            return path, text, number > 0 and adaptation != "default"
    tried = [*map(profile.place.name, attempts)]
    base = join(profile.working_dir, profile.prompts)
    hint = say("commands.write_file")
    for what, path in (("c3", folder), ("c2", join(base, command.c2)), ("base", base)):
        if not profile.place.is_folder(path):  # the first that is missing on the way to the template
            hint = say(f"commands.no_{what}", path=profile.place.name(path), files=_files(profile))
    raise TemplateMissing("commands.no_template", hint, command=command.id, files=tried)


def template_folder(profile: CommandProfile, command: Command) -> str:
    """Return the directory of a command's templates: prompts, action, target."""
    return join(profile.working_dir, profile.prompts, command.c2, command.c3)


def template_names(edition: str, adaptation: str) -> tuple[str, ...]:
    """Return the file names to try: ``f_default_detailed.md`` falls back to ``f_default.md``, and nothing else does."""
    plain = f"f_{edition or 'default'}"
    return (f"{plain}_{adaptation}.md", f"{plain}.md") if adaptation else (f"{plain}.md",)


def _files(profile: CommandProfile) -> str:
    if not profile.files:
        return say("commands.no_files", path=f"{HOME}/config/{profile.name}")
    one, *other = profile.files
    return say("commands.two_files", one=one, other=other[0]) if other else one


def variables(
    project: CommandRoot, profile: CommandProfile, command: Command, given: Given, path: str
) -> dict[str, str]:
    """Return the values for a template; paths are absolute, and none leaves its root."""
    folder = join(profile.working_dir, profile.schemas, command.c2, command.c3)
    schemas = [join(folder, name) for name in ("base.schema.md", f"f_{command.c3}.json")]
    schema = next((path for path in schemas if profile.place.text(path, MAX_TEMPLATE_BYTES) is not None), schemas[0])
    values = {
        "schema_file": profile.place.inside(schema),
        "base_prompt_dir": profile.place.inside(dirname(path)),
        **{f"uv-{name}": value for name, value in given.variables.items()},
    }
    if given.file:
        values["input_text_file"] = project.inside(given.file)
    if given.destination:
        target = join(profile.working_dir, f"{profile.prefix}{given.destination}")
        values["destination_path"] = project.inside(target)
    return values


# --- rendering: a value is never read as a template ---------------------------------------------------------


class Rendered(Struct, frozen=True):
    """A prompt, and its placeholders that have no value."""

    text: str
    unresolved: tuple[str, ...] = ()


def render(template: str, values: Mapping[str, str]) -> Rendered:
    """Replace ``{{name}}``, ``${name}`` and ``{name}`` by values; drop the front matter; end with a newline.

    A name without a value stays as it is written, as does everything else in braces.
    """
    body = split_front(template)[1].lstrip()
    size = len(body)

    def value_of(match: re.Match[str]) -> str:
        nonlocal size
        value = values.get(_name(match)) or match[0]
        size += len(value) - len(match[0])
        if size > MOST_CHARACTERS:
            raise BadArgument("commands.too_long", most=f"{MOST_CHARACTERS:,}")
        return value

    text = _PLACEHOLDER.sub(value_of, body).lstrip()
    unresolved = tuple(name for name in placeholders(body) if not values.get(name))
    return Rendered(text if text.endswith("\n") else f"{text}\n", unresolved)


def placeholders(body: str) -> tuple[str, ...]:
    """Return the placeholders of a text: reserved names, variables, and any name in double braces.

    Other braces belong to the code in a template (``${HOME}``, ``{id}``).
    """
    found = [(_name(match), match[1] is not None) for match in _PLACEHOLDER.finditer(body)]
    return tuple(dict.fromkeys(name for name, double in found if double or name in RESERVED or name[:3] == "uv-"))


def _name(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3]
