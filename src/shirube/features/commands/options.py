"""Parses the options of a command, and reads the profile that defines where its templates are and what it accepts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from shirube.config import merge
from shirube.errors import BadArgument, ConfigError, OutsideRoot, UnknownName
from shirube.features.commands.disk import MAX_SETTINGS_BYTES, CommandRoot
from shirube.features.commands.model import AGENT, Command
from shirube.features.commands.registry import HOME, Registry, is_below
from shirube.features.commands.yaml import NotYaml, read_yaml
from shirube.messages import NOTHING, Message, say

_SPELLINGS = {
    "edition": "-e --edition -i --input edition",
    "adaptation": "-a --adaptation adaptation",
    "file": "-f --from --file from file",
    "destination": "-o -d --destination destination",
}
OPTIONS = {spelling: key for key, spellings in _SPELLINGS.items() for spelling in spellings.split()}
"""Every spelling of an option, seed 000's ``-d`` and the original's ``-o`` alike, and the same by key."""
VARIABLE = re.compile(r"uv-([a-zA-Z][a-zA-Z0-9_-]{0,99})")
RESERVED = ("input_text", "input_text_file", "destination_path", "schema_file", "base_prompt_dir")
"""Names that the program itself fills in."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,100}")
DIRECTIVE, LAYER = "^(to|summary|defect)$", "^(project|issue|task)$"
"""The original program's patterns, used when a profile has none."""


class Given(Struct, frozen=True):
    """Options by name; an empty value means not given."""

    edition: str = ""
    adaptation: str = ""
    file: str = ""
    destination: str = ""
    variables: Mapping[str, str] = {}

    def flags(self) -> list[str]:
        """Return them as the original's command line writes them."""
        named = {"edition": self.edition, "adaptation": self.adaptation, "from": self.file}
        named |= {"destination": self.destination}
        named |= {f"uv-{name}": value for name, value in self.variables.items()}
        return [f"--{name}={value}" for name, value in named.items() if value]


def read_options(flags: Sequence[str]) -> Given:
    """Read ``-e=detailed``, ``--edition=detailed``, ``--uv-scope=src`` and the same by key, ``edition=detailed``."""
    given: dict[str, str] = {}
    variables: dict[str, str] = {}
    for flag in flags:
        name, equals, value = flag.partition("=")
        if not equals:
            raise BadArgument("commands.no_value", name=flag[:80])
        if not value:
            raise BadArgument("commands.empty_value", name=name[:80])
        if variable := VARIABLE.fullmatch(name.removeprefix("--")):
            if variable[1] in RESERVED:
                raise BadArgument("commands.reserved", name=variable[1])
            if variable[1] in variables:
                raise BadArgument("commands.variable_twice", name=variable[1])
            variables[variable[1]] = value
            continue
        key = OPTIONS.get(name)
        if key is None:
            raise UnknownName("option", name, [*(known for known in OPTIONS if known[0] == "-"), "--uv-NAME"])
        if key in given:
            raise BadArgument("commands.twice", name=key)
        if key in ("file", "destination") and (_CONTROL.search(value) or not is_below(value)):
            raise OutsideRoot("commands.leaves", name=name, path=repr(value[:80]))
        given[key] = value
    return Given(**given, variables=variables)


def check_options(command: Command, given: Given, stdin: str) -> tuple[str, ...]:
    """Refuse options that the registry does not list for a command; return the declared variables that are missing."""
    options = command.options
    for key, other in (("edition", "adaptation"), ("adaptation", "edition")):
        value, listed = getattr(given, key), getattr(options, key)
        if value and value not in listed:
            meant = say("commands.is_other", key=other, value=value) if value in getattr(options, other) else NOTHING
            raise UnknownName(say(f"terms.{key}_of", command=command.id), value, listed, meant)
    for key, value in (("file", given.file), ("destination", given.destination), ("stdin", stdin)):
        if value and not getattr(options, key):
            raise BadArgument("commands.takes_no", command=command.id, key=key)
    for name in given.variables:
        if name not in options.uv:
            known = [f"uv-{declared}" for declared in options.uv]
            raise UnknownName(say("terms.variable_of", command=command.id), f"uv-{name}", known)
    return tuple(f"uv-{name}" for name in options.uv if name not in given.variables)


class CommandProfile(Struct, frozen=True):
    """A profile, read from ``NAME-app.yml`` and ``NAME-user.yml``."""

    name: str
    place: CommandRoot
    working_dir: str = ""
    prompts: str = "prompts"
    schemas: str = "schema"
    directive: str = DIRECTIVE
    layer: str = LAYER
    messages: tuple[str, str] = ("", "")
    """The profile's own error messages for a refused action and a refused target."""
    prefix: str = ""
    """Put before a relative destination."""
    files: tuple[str, ...] = ()
    """The files it was read from; none: these are defaults."""

    def refusal(self, command: Command) -> Message:
        """Return why the profile does not accept a command, or nothing when it does."""
        import re2  # its run time is linear for any pattern

        options = re2.Options()
        options.log_errors = False
        rules = (
            ("c2", "directiveType", command.c2, self.directive, self.messages[0]),
            ("c3", "layerType", command.c3, self.layer, self.messages[1]),
        )
        for word, key, value, pattern, message in rules:
            try:
                is_accepted = bool(re2.compile(pattern, options).search(value))
            except re2.error as error:
                raise ConfigError("commands.bad_pattern", profile=self.name, error=str(error)) from None
            if not is_accepted:
                told = {"word": word, "value": value, "key": key, "pattern": pattern, "profile": self.name}
                return say("commands.rejected_own" if message else "commands.rejected", **told, message=message)
        return NOTHING


def profile_name(agent: str, c1: str) -> str:
    """Return the profile of a domain: c1 alone for the agent ``climpt``, else ``agent-c1``."""
    name = c1 if agent == AGENT else f"{agent}-{c1}"
    if not NAME.fullmatch(name):
        raise BadArgument("commands.profile_name", name=name[:80])
    return name


def open_profile(registry: Registry, c1: str) -> CommandProfile:
    """Return the profile of a domain from the first place that has one, else the defaults."""
    name = profile_name(registry.agent, c1)
    for place in registry.places:
        names = [f"{HOME}/config/{name}-{kind}.yml" for kind in ("app", "user")]
        texts = [place.text(path, MAX_SETTINGS_BYTES) for path in names]
        if any(text is not None for text in texts):
            return read_profile(name, place, {path: text for path, text in zip(names, texts, strict=True) if text})
    return CommandProfile(name, registry.places[0])


def read_profile(name: str, place: CommandRoot, texts: Mapping[str, str]) -> CommandProfile:
    """Read a profile; a later file overrides an earlier one."""
    values: dict[str, Any] = {}
    for path, text in texts.items():
        try:
            value = read_yaml(text)
        except NotYaml as error:
            raise ConfigError("commands.profile_unread", path=place.name(path), why=error.why) from None
        merge(values, value if isinstance(value, dict) else {})
    profile = CommandProfile(
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
    folders = (("working_dir", profile.working_dir), ("base_dir", profile.prompts), ("base_dir", profile.schemas))
    for key, path in folders:
        if path not in ("", ".") and not is_below(path):
            raise ConfigError("commands.profile_leaves", files=profile.files, key=key, path=path[:80])
    return profile


def _text(values: Mapping[str, Any], dotted: str, default: str) -> str:
    found: Any = values
    for key in dotted.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) and found else default
