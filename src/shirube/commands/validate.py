"""What is wrong with a registry: what is listed and cannot be rendered, and what nobody declared."""

from collections.abc import Iterator

from shirube.commands.disk import MAX_TEMPLATE_BYTES
from shirube.commands.model import Command, Finding
from shirube.commands.options import RESERVED
from shirube.commands.profile import Profile, open_profile
from shirube.commands.registry import Registry
from shirube.commands.render import placeholders, template_names
from shirube.commands.run import template_folder
from shirube.commands.yaml import split_front
from shirube.errors import ShirubeError

ERROR, WARNING = "error", "warning"


def validate(registry: Registry) -> tuple[Finding, ...]:
    """Return everything that is wrong with a registry, in its order."""
    whole = [Finding("", "registry", ERROR, problem) for problem in registry.problems]
    seen: set[str] = set()
    profiles: dict[str, Profile] = {}
    for command in registry.commands:
        if command.id in seen:
            whole.append(Finding(command.id, "duplicate", WARNING, "listed twice; the first counts"))
            continue
        seen.add(command.id)
        whole += _findings(registry, command, profiles)
    return tuple(whole)


def _findings(registry: Registry, command: Command, profiles: dict[str, Profile]) -> Iterator[Finding]:
    try:
        profile = profiles.get(command.c1) or open_profile(registry, command.c1)
        profiles[command.c1] = profile
        if not profile.files:
            yield Finding(command.id, "profile", ERROR, f"profile '{profile.name}' has no files, so defaults hold")
        if refusal := profile.refusal(command):
            yield Finding(command.id, "pattern", ERROR, refusal)
        yield from _templates(profile, command)
    except ShirubeError as error:
        yield Finding(command.id, "unreadable", ERROR, error.message)


def _templates(profile: Profile, command: Command) -> Iterator[Finding]:
    """Look at every edition with every adaptation."""
    folder, bodies = template_folder(profile, command), {}
    for edition in command.options.edition:
        plain = f"{folder}/{template_names(edition, '')[0]}"
        bodies[plain] = profile.place.text(plain, MAX_TEMPLATE_BYTES)
        if bodies[plain] is None:
            yield Finding(command.id, "template", ERROR, f"edition '{edition}': {profile.place.name(plain)} is missing")
        for adaptation in (name for name in command.options.adaptation if name != "default"):
            path = f"{folder}/{template_names(edition, adaptation)[0]}"
            bodies[path] = profile.place.text(path, MAX_TEMPLATE_BYTES)
            if bodies[path] is None:
                message = (
                    f"adaptation '{adaptation}': {profile.place.name(path)} is missing, so f_{edition}.md stands in"
                )
                yield Finding(command.id, "adaptation", WARNING, message)
    yield from _placeholders(command, [text for text in bodies.values() if text is not None])


def _placeholders(command: Command, templates: list[str]) -> Iterator[Finding]:
    """Compare what templates wait for with what the command declares."""
    used = dict.fromkeys(name for text in templates for name in placeholders(split_front(text)[1]))
    options = command.options
    needs = {"input_text": options.stdin, "input_text_file": options.file, "destination_path": options.destination}
    for name in used:
        variable = name.removeprefix("uv-")
        if name != variable and variable not in options.uv:
            yield Finding(
                command.id, "undeclared", WARNING, f"{{{name}}} is used, but uv does not declare '{variable}'"
            )
        elif not needs.get(name, True):
            yield Finding(command.id, "unresolved", WARNING, f"{{{name}}} is used, but the command takes no such input")
        elif name == variable and name not in RESERVED:
            yield Finding(command.id, "unresolved", WARNING, f"nothing is ever put in for {{{{{name}}}}}")
    for variable in options.uv if templates else ():
        if f"uv-{variable}" not in used:
            yield Finding(command.id, "unused", WARNING, f"uv declares '{variable}', but no template uses it")
