"""Execute a command: render its template here, or hand it to the outside runner when the user wants that."""

import re
from collections.abc import Mapping
from posixpath import dirname, join
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.config import child_environment
from shirube.errors import BadArgument, NotAccepted, TemplateMissing, TimedOut, ToolFailed
from shirube.features.commands.disk import MAX_TEMPLATE_BYTES, CommandRoot, spawn
from shirube.features.commands.model import AGENT, Command
from shirube.features.commands.options import (
    RESERVED,
    Given,
    CommandProfile,
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

MOST_CHARACTERS = 4_000_000
"""Of a rendered prompt: a template may repeat a large value, but not without end."""
_NAME = r"\s*([A-Za-z][\w-]*)\s*"
_PLACEHOLDER = re.compile(rf"\{{\{{{_NAME}\}}\}}|\$\{{{_NAME}\}}|\{{{_NAME}\}}")


class Rendered(Struct, frozen=True):
    """A prompt, and the names in it that nothing was put in for."""

    text: str
    unresolved: tuple[str, ...] = ()


def template_names(edition: str, adaptation: str) -> tuple[str, ...]:
    """Return the file names to try: ``f_default_detailed.md`` falls back to ``f_default.md``, and nothing else does."""
    plain = f"f_{edition or 'default'}"
    return (f"{plain}_{adaptation}.md", f"{plain}.md") if adaptation else (f"{plain}.md",)


def render(template: str, values: Mapping[str, str]) -> Rendered:
    """Put values in for ``{{name}}``, ``${name}`` and ``{name}``; drop the front matter; end with a newline.

    A name without a value stays as it is written, as does everything else in braces.
    """
    body = split_front(template)[1].lstrip()
    text = _substituted(body, values).lstrip()
    left = dict.fromkeys(name for name in placeholders(body) if not values.get(name))
    return Rendered(text if text.endswith("\n") else f"{text}\n", tuple(left))


def placeholders(body: str) -> tuple[str, ...]:
    """Return the names a text waits for: those the program fills in, those of variables, and any in double braces."""
    found = dict.fromkeys(_name(match) for match in _PLACEHOLDER.finditer(body) if _is_meant(match))
    return tuple(found)


def _is_meant(match: re.Match[str]) -> bool:
    """Tell a placeholder from braces that belong to the code in a template (``${HOME}``, ``{id}``)."""
    name = _name(match)
    return match[1] is not None or name in RESERVED or name.startswith("uv-")


def _name(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3]


def _substituted(body: str, values: Mapping[str, str]) -> str:
    parts: list[str] = []
    place = size = 0
    for match in _PLACEHOLDER.finditer(body):
        value = values.get(_name(match))
        if not value:
            continue
        parts += [body[place : match.start()], value]
        size += match.start() - place + len(value)
        place = match.end()
        if size > MOST_CHARACTERS:
            raise BadArgument("commands.too_long", most=f"{MOST_CHARACTERS:,}")
    return "".join([*parts, body[place:]])


RIGHTS = ("--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net", "--no-config")
PROGRAM = "jsr:@aidevtool/climpt"


class Asked(Struct, frozen=True):
    """Which command, and what it is given."""

    c1: str
    c2: str
    c3: str
    agent: str = AGENT
    flags: tuple[str, ...] = ()
    stdin: str = ""


class RenderedCommand(Struct, frozen=True):
    """The prompt, and what is missing in it."""

    text: str
    missing: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    template: str = ""
    """The file it was rendered from, as told to people."""
    fallback: bool = False
    """Whether the adaptation that was asked for has no file of its own."""


def execute(catalog: Catalog, asked: Asked) -> RenderedCommand:
    """Render a command without any other program."""
    registry, command, given = checked(catalog, asked)
    missing = check_options(command, given, asked.stdin)
    profile = open_profile(registry, command.c1)
    if refusal := profile.refusal(command):
        raise NotAccepted("commands.not_accepted", command=command.id, why=refusal, files=_files(profile))
    path, template, fallback = find_template(profile, command, given.edition, given.adaptation)
    rendered = render(template, variables(catalog.project, profile, command, given, path) | _input(asked.stdin))
    return RenderedCommand(rendered.text, missing, rendered.unresolved, profile.place.name(path), fallback)


def execute_outside(
    catalog: Catalog, asked: Asked, runner: str, env: Mapping[str, str], timeout_seconds: float
) -> RenderedCommand:
    """Let the outside runner execute a command that passed the same checks; what it prints is the prompt."""
    _, command, given = checked(catalog, asked)
    missing = check_options(command, given, asked.stdin)
    for path in (given.file, given.destination):
        if path:
            catalog.project.inside(path)  # a link may lead out where the words of a path do not
    argv = outside_argv(runner, asked, given)
    done = spawn(argv, catalog.project.directory, env, asked.stdin, timeout_seconds)
    if done.timed_out:
        raise TimedOut("commands.killed", command=command.id, seconds=f"{timeout_seconds:g}")
    if not done.ok:
        said = done.stderr.decode("utf-8", "replace").strip() or say("commands.exit_code", code=done.code)
        why = say("commands.said_too_much") if done.truncated else said
        raise ToolFailed("commands.runner_failed", command=command.id, why=why)
    return RenderedCommand(done.stdout.decode("utf-8", "replace"), missing)


def outside_argv(runner: str, asked: Asked, given: Given) -> list[str]:
    """Return the argument list of seed 000, every option in the spelling that the original accepts."""
    config = f"--config={profile_name(asked.agent, asked.c1)}"
    return [runner, "run", *RIGHTS, PROGRAM, config, asked.c2, asked.c3, *given.flags()]


def checked(catalog: Catalog, asked: Asked) -> tuple[Registry, Command, Given]:
    """Return the command that is meant and its options, both checked."""
    registry = catalog.registry(asked.agent)
    return registry, registry.the(asked.c1, asked.c2, asked.c3), read_options(asked.flags)


def find_template(profile: CommandProfile, command: Command, edition: str, adaptation: str) -> tuple[str, str, bool]:
    """Return path and text of the template, and whether it stands in for another; all attempts are told."""
    folder = template_folder(profile, command)
    attempts = [f"{folder}/{name}" for name in template_names(edition, adaptation)]
    for number, path in enumerate(attempts):
        text = profile.place.text(path, MAX_TEMPLATE_BYTES)
        if text is not None:
            return path, text, number > 0 and adaptation != "default"
    tried = [*map(profile.place.name, attempts)]
    raise TemplateMissing("commands.no_template", _missing(profile, command), command=command.id, files=tried)


def template_folder(profile: CommandProfile, command: Command) -> str:
    """Return the directory of a command's templates: prompts, action, target."""
    return join(profile.working_dir, profile.prompts, command.c2, command.c3)


def _missing(profile: CommandProfile, command: Command) -> Message:
    """Say which directory on the way is the first that is not there."""
    on_the_way = join(profile.working_dir, profile.prompts)
    for what, part in (("base", ""), ("c2", command.c2), ("c3", command.c3)):
        on_the_way = join(on_the_way, part) if part else on_the_way
        if not profile.place.is_folder(on_the_way):
            return say(f"commands.no_{what}", path=profile.place.name(on_the_way), files=_files(profile))
    return say("commands.write_file")


def variables(
    project: CommandRoot, profile: CommandProfile, command: Command, given: Given, path: str
) -> dict[str, str]:
    """Return what may stand in a template; paths are absolute, and none leaves its place."""
    folder = join(profile.working_dir, profile.schemas, command.c2, command.c3)
    schemas = [join(folder, name) for name in ("base.schema.md", f"f_{command.c3}.json")]
    there = next((one for one in schemas if profile.place.text(one, MAX_TEMPLATE_BYTES) is not None), schemas[0])
    values = {
        "schema_file": profile.place.inside(there),
        "base_prompt_dir": profile.place.inside(dirname(path)),
        **{f"uv-{name}": value for name, value in given.variables.items()},
    }
    if given.file:
        values["input_text_file"] = project.inside(given.file)
    if given.destination:
        target = join(profile.working_dir, f"{profile.prefix}{given.destination}")
        values["destination_path"] = project.inside(target)
    return values


def _input(stdin: str) -> dict[str, str]:
    return {"input_text": stdin.strip()} if stdin.strip() else {}


def _files(profile: CommandProfile) -> str:
    if not profile.files:
        return say("commands.no_files", path=f"{HOME}/config/{profile.name}")
    one, *other = profile.files
    return say("commands.two_files", one=one, other=other[0]) if other else one


MAX_STDIN = 1_000_000


def command_execute(workspace: "Workspace", request: "CommandExecuteRequest", call: Call) -> CommandExecuteResult:
    """Answer the operation of this name."""

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
