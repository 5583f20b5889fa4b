"""Make a registry from the front matter of its prompts."""

import json
from collections.abc import Mapping
from posixpath import basename, dirname, join
from typing import Any

from msgspec import Struct

from shirube.errors import BadArgument, ShirubeError
from shirube.features.commands.disk import MAX_REGISTRY_BYTES, MAX_TEMPLATE_BYTES, Place
from shirube.features.commands.model import SAFE, Command, command_from, read_commands
from shirube.features.commands.yaml import NotYaml, read_yaml, split_front
from shirube.messages import Message, say

VERSION, DESCRIPTION = "1.0.0", "Command registry"


class Built(Struct, frozen=True):
    """A registry made from prompts."""

    path: str
    prompts: str
    text: str
    commands: tuple[Command, ...]
    before: tuple[Command, ...] = ()
    left_out: tuple[Message, ...] = ()
    """Prompts that give no command, and why."""


def build(place: Place, path: str) -> Built:
    """Read the prompts beside a registry and return what the registry should be; nothing is written."""
    prompts = join(dirname(path), "prompts")
    if not place.is_folder(prompts):
        raise BadArgument("commands.no_prompts", path=place.name(prompts))
    found: dict[str, Command] = {}
    folders: set[str] = set()
    left_out: list[Message] = []
    for file in _default_first(place, prompts):
        read = _command(place, file)
        if isinstance(read, Command):
            found.setdefault(read.id, read)
            folders.add(dirname(file))
        elif read or dirname(file) not in folders:  # another edition needs no front matter of its own
            left_out.append(say("commands.left_out", file=file, why=read or say("commands.bare")))
    commands = tuple(found[key] for key in sorted(found))
    old = _existing(place, path)
    text = json.dumps(_registry(commands, old), ensure_ascii=False, indent=2) + "\n"
    return Built(path, prompts, text, commands, read_commands(old)[0] if old else (), tuple(left_out))


def _default_first(place: Place, prompts: str) -> list[str]:
    """Return the prompts so that of a command's files the default edition is read first."""
    files = list(place.markdown(prompts))
    return sorted(files, key=lambda file: (basename(file) != "f_default.md", file))


def _command(place: Place, file: str) -> Command | Message | None:
    """Return the command of a prompt, or why there is none; nothing when it has no front matter."""
    try:
        front = split_front(place.text(file, MAX_TEMPLATE_BYTES) or "")[0]
        values = read_yaml(front) if front else None
    except ShirubeError as error:
        return error.told
    except NotYaml as error:
        return error.why
    if not isinstance(values, Mapping):
        return None
    for key in ("c1", "c2", "c3"):
        if not isinstance(values.get(key), str) or not SAFE.fullmatch(values[key]):
            return say("commands.no_plain_word", key=key)
    return command_from(values)


def _existing(place: Place, path: str) -> Any:
    """Return the registry that is there, so that its version and description stay."""
    try:
        return json.loads(place.text(path, MAX_REGISTRY_BYTES) or "null")
    except (ValueError, RecursionError):
        return None


def _registry(commands: tuple[Command, ...], old: Any) -> dict[str, Any]:
    kept = old if isinstance(old, Mapping) else {}
    return {
        "version": kept.get("version", VERSION),
        "description": kept.get("description", DESCRIPTION),
        "tools": {
            "availableConfigs": sorted({command.c1 for command in commands}),
            "commands": [_entry(command) for command in commands],
        },
    }


def _entry(command: Command) -> dict[str, Any]:
    options = command.options
    return {
        "c1": command.c1,
        "c2": command.c2,
        "c3": command.c3,
        "description": command.description,
        "usage": command.usage,
        "options": {
            "edition": list(options.edition),
            "adaptation": list(options.adaptation),
            "file": options.file,
            "stdin": options.stdin,
            "destination": options.destination,
        },
        "uv": [{name: meaning} for name, meaning in options.uv.items()] or "",
    }
