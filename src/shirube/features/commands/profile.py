"""What a profile says: where the templates of a domain lie, and which actions and targets it accepts."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from shirube.config import merge
from shirube.errors import BadArgument, ConfigError
from shirube.features.commands.disk import MAX_SETTINGS_BYTES, Place
from shirube.features.commands.model import AGENT, Command
from shirube.features.commands.registry import HOME, Registry, is_below
from shirube.features.commands.yaml import NotYaml, read_yaml
from shirube.messages import NOTHING, Message, say

NAME = re.compile(r"[a-zA-Z0-9_-]{1,100}")
DIRECTIVE, LAYER = "^(to|summary|defect)$", "^(project|issue|task)$"
"""The patterns of the original where a profile has none."""


class Profile(Struct, frozen=True):
    """A profile, read from ``NAME-app.yml`` and ``NAME-user.yml``."""

    name: str
    place: Place
    working_dir: str = ""
    prompts: str = "prompts"
    schemas: str = "schema"
    directive: str = DIRECTIVE
    layer: str = LAYER
    messages: tuple[str, str] = ("", "")
    """What the profile itself says when an action or a target is refused."""
    prefix: str = ""
    """Put before a relative destination."""
    files: tuple[str, ...] = ()
    """The files it was read from; none: these are defaults."""

    def refusal(self, command: Command) -> Message:
        """Return why the profile does not accept a command, or nothing when it does."""
        rules = (
            ("c2", "directiveType", command.c2, self.directive, self.messages[0]),
            ("c3", "layerType", command.c3, self.layer, self.messages[1]),
        )
        for word, key, value, pattern, message in rules:
            if not _matches(pattern, value, self.name):
                told = {"word": word, "value": value, "key": key, "pattern": pattern, "profile": self.name}
                return say("commands.rejected_own" if message else "commands.rejected", **told, message=message)
        return NOTHING


def profile_name(agent: str, c1: str) -> str:
    """Return the profile of a domain: c1 alone for the agent ``climpt``, else ``agent-c1``."""
    name = c1 if agent == AGENT else f"{agent}-{c1}"
    if not NAME.fullmatch(name):
        raise BadArgument("commands.profile_name", name=name[:80])
    return name


def open_profile(registry: Registry, c1: str) -> Profile:
    """Return the profile of a domain from the first place that has one, else the defaults."""
    name = profile_name(registry.agent, c1)
    for place in registry.places:
        names = [f"{HOME}/config/{name}-{kind}.yml" for kind in ("app", "user")]
        texts = [place.text(path, MAX_SETTINGS_BYTES) for path in names]
        if any(text is not None for text in texts):
            return read_profile(name, place, {path: text for path, text in zip(names, texts, strict=True) if text})
    return Profile(name, registry.places[0])


def read_profile(name: str, place: Place, texts: Mapping[str, str]) -> Profile:
    """Read a profile; what the later file says goes over the earlier."""
    values: dict[str, Any] = {}
    for path, text in texts.items():
        merge(values, _settings(text, place.name(path)))
    profile = Profile(
        name,
        place,
        working_dir=_text(values, "working_dir", ""),
        prompts=_text(values, "app_prompt.base_dir", "prompts"),
        schemas=_text(values, "app_schema.base_dir", "schema"),
        directive=_text(values, "params.two.directiveType.pattern", DIRECTIVE),
        layer=_text(values, "params.two.layerType.pattern", LAYER),
        messages=(
            _text(values, "params.two.directiveType.errorMessage", ""),
            _text(values, "params.two.layerType.errorMessage", ""),
        ),
        prefix=_text(values, "options.destination.prefix", ""),
        files=tuple(place.name(path) for path in texts),
    )
    for key, path in (
        ("working_dir", profile.working_dir),
        ("base_dir", profile.prompts),
        ("base_dir", profile.schemas),
    ):
        if path not in ("", ".") and not is_below(path):
            raise ConfigError("commands.profile_leaves", files=profile.files, key=key, path=path[:80])
    return profile


def _settings(text: str, name: str) -> dict[str, Any]:
    try:
        value = read_yaml(text)
    except NotYaml as error:
        raise ConfigError("commands.profile_unread", path=name, why=error.why) from None
    return value if isinstance(value, dict) else {}


def _text(values: Mapping[str, Any], dotted: str, default: str) -> str:
    found: Any = values
    for key in dotted.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) and found else default


def _matches(pattern: str, value: str, name: str) -> bool:
    """Ask RE2, which no pattern can hold up."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return bool(re2.compile(pattern, options).search(value))
    except re2.error as error:
        raise ConfigError("commands.bad_pattern", profile=name, error=str(error)) from None
