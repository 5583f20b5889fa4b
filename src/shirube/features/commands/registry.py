"""Finds registries and loads their commands; this module writes nothing.

Every request reads the registry and compares its digest, so a change takes effect at once.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.errors import ConfigError, UnknownName
from shirube.features.commands.disk import MAX_REGISTRY_BYTES, MAX_SETTINGS_BYTES, CommandRoot
from shirube.features.commands.find import Finder
from shirube.features.commands.model import AGENT, Command, command_from, read_entries
from shirube.messages import Message

if TYPE_CHECKING:
    from pathlib import Path

HOME = ".agent/climpt"
CONFIG = f"{HOME}/config/registry_config.json"
DEFAULT = {AGENT: f"{HOME}/registry.json"}
MOST_AGENTS = 200


class Registry(Struct, frozen=True):
    """The commands of one agent, and where they were found."""

    agent: str
    path: str
    """As the configuration names it."""
    places: tuple[CommandRoot, ...]
    """Where the profiles and templates of its commands are looked for."""
    found: str = ""
    """The path it was read from, in short form (``~/x``); empty when there is no such file."""
    digest: str = ""
    commands: tuple[Command, ...] = ()
    problems: tuple[Message, ...] = ()
    entries: tuple[Mapping[str, Any], ...] = ()
    """The commands as the file has them."""

    def named(self, c1: str, c2: str, c3: str) -> tuple[Command, ...]:
        """Return every command with exactly these three words."""
        return tuple(item for item in self.commands if (item.c1, item.c2, item.c3) == (c1, c2, c3))

    def the(self, c1: str, c2: str, c3: str) -> Command:
        """Return the first command with these words, or an error that names the nearest."""
        matches = self.named(c1, c2, c3)
        if not matches:
            raise UnknownName("command", f"{c1} {c2} {c3}", {item.id for item in self.commands})
        return matches[0]


class Catalog:
    """All registries of a project and its user."""

    def __init__(self, root: "Path", home: "Path") -> None:
        self.project, self.home = CommandRoot(root), CommandRoot(home, "~/")
        self._read: dict[str, Registry] = {}
        self._finders: dict[str, tuple[str, Finder]] = {}

    def agents(self) -> dict[str, str]:
        """Return the agents and the path of each one's registry, from the first configuration there is."""
        for place in (self.project, self.home):
            text, name = place.text(CONFIG, MAX_SETTINGS_BYTES), place.name(CONFIG)
            if text is None:
                continue
            value = _json(text, name)
            named = value.get("registries") if isinstance(value, dict) else None
            if not isinstance(named, dict) or not named:
                raise ConfigError("commands.no_registries", path=name)
            if len(named) > MOST_AGENTS:
                raise ConfigError("commands.many_registries", path=name, count=len(named), most=MOST_AGENTS)
            return {agent: path if isinstance(path, str) else "" for agent, path in named.items()}
        return dict(DEFAULT)

    def is_in_project(self) -> bool:
        """Tell whether the project has a registry of its own."""
        paths = filter(is_below, self.agents().values())
        return any(self.project.text(path, MAX_REGISTRY_BYTES) is not None for path in paths)

    def registry(self, agent: str) -> Registry:
        """Return the registry of an agent as it is on disk now."""
        agents = self.agents()
        if agent not in agents:
            raise UnknownName("agent", agent, agents)
        path = agents[agent]
        if not is_below(path):
            raise ConfigError("commands.registry_place", path=CONFIG, agent=agent)
        for place in (self.project, self.home):
            text, name = place.text(path, MAX_REGISTRY_BYTES), place.name(path)
            if text is None:
                continue
            digest, known = sha256(text.encode("utf-8")).hexdigest(), self._read.get(agent)
            if known is None or (known.digest, known.found) != (digest, name):
                entries, problems = read_entries(_json(text, name))
                places = (self.project,) if place is self.project else (self.project, self.home)
                commands = tuple(map(command_from, entries))
                known = self._read[agent] = Registry(agent, path, places, name, digest, commands, problems, entries)
            return known
        return Registry(agent, path, (self.project,))

    def finder(self, registry: Registry) -> Finder:
        """Return the search index of a registry, rebuilt only when its content changes."""
        known = self._finders.get(registry.agent)
        if known is None or known[0] != registry.digest:
            known = self._finders[registry.agent] = (registry.digest, Finder(registry.commands))
        return known[1]

    def forget(self) -> None:
        """Clear the caches, so that the next request reads everything again."""
        self._read.clear()
        self._finders.clear()


def is_below(path: str) -> bool:
    """Tell whether a path is relative and stays below its start, unlike ``../x``, ``/x`` and ``~/x``."""
    parts = path.replace("\\", "/").split("/")
    return bool(path) and "\0" not in path and parts[0] not in ("", "~") and ".." not in parts and ":" not in parts[0]


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError("commands.not_json", path=name, error=str(error)) from None
