"""Execute a command: render its template here, or hand it to the outside runner when the user wants that."""

from collections.abc import Mapping
from posixpath import dirname, join

from msgspec import Struct

from shirube.errors import NotAccepted, TemplateMissing, TimedOut, ToolFailed
from shirube.features.commands.disk import MAX_TEMPLATE_BYTES, Place, spawn
from shirube.features.commands.model import AGENT, Command
from shirube.features.commands.options import Given, check_options, read_options
from shirube.features.commands.profile import Profile, open_profile, profile_name
from shirube.features.commands.registry import HOME, Catalog, Registry
from shirube.features.commands.render import render, template_names
from shirube.messages import Message, say

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


class Outcome(Struct, frozen=True):
    """The prompt, and what is missing in it."""

    text: str
    missing: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    template: str = ""
    """The file it was rendered from, as told to people."""
    fallback: bool = False
    """Whether the adaptation that was asked for has no file of its own."""


def execute(catalog: Catalog, asked: Asked) -> Outcome:
    """Render a command without any other program."""
    registry, command, given = checked(catalog, asked)
    missing = check_options(command, given, asked.stdin)
    profile = open_profile(registry, command.c1)
    if refusal := profile.refusal(command):
        raise NotAccepted("commands.not_accepted", command=command.id, why=refusal, files=_files(profile))
    path, template, fallback = find_template(profile, command, given.edition, given.adaptation)
    rendered = render(template, variables(catalog.project, profile, command, given, path) | _input(asked.stdin))
    return Outcome(rendered.text, missing, rendered.unresolved, profile.place.name(path), fallback)


def execute_outside(
    catalog: Catalog, asked: Asked, runner: str, env: Mapping[str, str], timeout_seconds: float
) -> Outcome:
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
    return Outcome(done.stdout.decode("utf-8", "replace"), missing)


def outside_argv(runner: str, asked: Asked, given: Given) -> list[str]:
    """Return the argument list of seed 000, every option in the spelling that the original accepts."""
    config = f"--config={profile_name(asked.agent, asked.c1)}"
    return [runner, "run", *RIGHTS, PROGRAM, config, asked.c2, asked.c3, *given.flags()]


def checked(catalog: Catalog, asked: Asked) -> tuple[Registry, Command, Given]:
    """Return the command that is meant and its options, both checked."""
    registry = catalog.registry(asked.agent)
    return registry, registry.the(asked.c1, asked.c2, asked.c3), read_options(asked.flags)


def find_template(profile: Profile, command: Command, edition: str, adaptation: str) -> tuple[str, str, bool]:
    """Return path and text of the template, and whether it stands in for another; all attempts are told."""
    folder = template_folder(profile, command)
    attempts = [f"{folder}/{name}" for name in template_names(edition, adaptation)]
    for number, path in enumerate(attempts):
        text = profile.place.text(path, MAX_TEMPLATE_BYTES)
        if text is not None:
            return path, text, number > 0 and adaptation != "default"
    tried = [*map(profile.place.name, attempts)]
    raise TemplateMissing("commands.no_template", _missing(profile, command), command=command.id, files=tried)


def template_folder(profile: Profile, command: Command) -> str:
    """Return the directory of a command's templates: prompts, action, target."""
    return join(profile.working_dir, profile.prompts, command.c2, command.c3)


def _missing(profile: Profile, command: Command) -> Message:
    """Say which directory on the way is the first that is not there."""
    on_the_way = join(profile.working_dir, profile.prompts)
    for what, part in (("base", ""), ("c2", command.c2), ("c3", command.c3)):
        on_the_way = join(on_the_way, part) if part else on_the_way
        if not profile.place.is_folder(on_the_way):
            return say(f"commands.no_{what}", path=profile.place.name(on_the_way), files=_files(profile))
    return say("commands.write_file")


def variables(project: Place, profile: Profile, command: Command, given: Given, path: str) -> dict[str, str]:
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


def _files(profile: Profile) -> str:
    if not profile.files:
        return say("commands.no_files", path=f"{HOME}/config/{profile.name}")
    one, *other = profile.files
    return say("commands.two_files", one=one, other=other[0]) if other else one
