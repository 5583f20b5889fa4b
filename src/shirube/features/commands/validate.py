"""What is wrong with a registry: what is listed and cannot be rendered, and what nobody declared."""

from collections.abc import Iterator

from shirube.errors import ShirubeError
from shirube.features.commands.disk import MAX_TEMPLATE_BYTES
from shirube.features.commands.model import Command, Finding
from shirube.features.commands.options import RESERVED
from shirube.features.commands.profile import Profile, open_profile
from shirube.features.commands.registry import Registry
from shirube.features.commands.render import placeholders, template_names
from shirube.features.commands.run import template_folder
from shirube.features.commands.yaml import split_front
from shirube.messages import say

ERROR, WARNING = "error", "warning"


def validate(registry: Registry) -> tuple[Finding, ...]:
    """Return everything that is wrong with a registry, in its order."""
    whole = [Finding("", "registry", ERROR, problem) for problem in registry.problems]
    seen: set[str] = set()
    profiles: dict[str, Profile] = {}
    for command in registry.commands:
        if command.id in seen:
            whole.append(Finding(command.id, "duplicate", WARNING, say("commands.listed_twice")))
            continue
        seen.add(command.id)
        whole += _findings(registry, command, profiles)
    return tuple(whole)


def _findings(registry: Registry, command: Command, profiles: dict[str, Profile]) -> Iterator[Finding]:
    try:
        profile = profiles.get(command.c1) or open_profile(registry, command.c1)
        profiles[command.c1] = profile
        if not profile.files:
            yield Finding(command.id, "profile", ERROR, say("commands.no_profile", profile=profile.name))
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
            message = say("commands.edition_missing", edition=edition, path=profile.place.name(plain))
            yield Finding(command.id, "template", ERROR, message)
        for adaptation in (name for name in command.options.adaptation if name != "default"):
            path = f"{folder}/{template_names(edition, adaptation)[0]}"
            bodies[path] = profile.place.text(path, MAX_TEMPLATE_BYTES)
            if bodies[path] is None:
                told = {"adaptation": adaptation, "path": profile.place.name(path), "edition": edition}
                message = say("commands.adaptation_missing", **told)
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
            message = say("commands.undeclared", name=name, variable=variable)
            yield Finding(command.id, "undeclared", WARNING, message)
        elif not needs.get(name, True):
            yield Finding(command.id, "unresolved", WARNING, say("commands.no_such_input", name=name))
        elif name == variable and name not in RESERVED:
            yield Finding(command.id, "unresolved", WARNING, say("commands.never_filled", name=name))
    for variable in options.uv if templates else ():
        if f"uv-{variable}" not in used:
            yield Finding(command.id, "unused", WARNING, say("commands.unused", variable=variable))
