"""What a caller gave a command, and whether the command takes it."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument, OutsideRoot, UnknownName
from shirube.features.commands.model import Command
from shirube.features.commands.registry import is_below
from shirube.messages import say

FLAGS = {
    "-e": "edition",
    "--edition": "edition",
    "-i": "edition",
    "--input": "edition",
    "-a": "adaptation",
    "--adaptation": "adaptation",
    "-f": "file",
    "--from": "file",
    "--file": "file",
    "-o": "destination",
    "-d": "destination",
    "--destination": "destination",
}
"""Every spelling of an option, seed 000's ``-d`` and the original's ``-o`` alike."""
KEYS = {"edition": "edition", "adaptation": "adaptation", "file": "file", "from": "file", "destination": "destination"}
VARIABLE = re.compile(r"uv-([a-zA-Z][a-zA-Z0-9_-]{0,99})")
RESERVED = ("input_text", "input_text_file", "destination_path", "schema_file", "base_prompt_dir")
"""Names that the program itself fills in."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Given(Struct, frozen=True):
    """Options by their names; empty: not given."""

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
    given = Given()
    for flag in flags:
        name, equals, value = flag.partition("=")
        if not equals:
            raise BadArgument("commands.no_value", name=flag[:80])
        if not value:
            raise BadArgument("commands.empty_value", name=name[:80])
        given = _with(given, name, value)
    return given


def _with(given: Given, name: str, value: str) -> Given:
    if variable := VARIABLE.fullmatch(name.removeprefix("--")):
        return _with_variable(given, variable[1], value)
    key = FLAGS.get(name) or KEYS.get(name)
    if key is None:
        raise UnknownName("option", name, [*FLAGS, "--uv-NAME"])
    if getattr(given, key):
        raise BadArgument("commands.twice", name=key)
    if key in ("file", "destination"):
        _check_path(name, value)
    return replace(given, **{key: value})


def _with_variable(given: Given, name: str, value: str) -> Given:
    if name in RESERVED:
        raise BadArgument("commands.reserved", name=name)
    if name in given.variables:
        raise BadArgument("commands.variable_twice", name=name)
    return replace(given, variables={**given.variables, name: value})


def _check_path(name: str, value: str) -> None:
    if _CONTROL.search(value) or not is_below(value):
        raise OutsideRoot("commands.leaves", name=name, path=repr(value[:80]))


def check_options(command: Command, given: Given, stdin: str) -> tuple[str, ...]:
    """Refuse what the registry does not list for a command, and return the declared variables that are missing."""
    options = command.options
    for key in ("edition", "adaptation"):
        value, listed = getattr(given, key), getattr(options, key)
        if value and value not in listed:
            raise UnknownName(say(f"terms.{key}_of", command=command.id), value, listed)
    for key, value in (("file", given.file), ("destination", given.destination), ("stdin", stdin)):
        if value and not getattr(options, key):
            raise BadArgument("commands.takes_no", command=command.id, key=key)
    for name in given.variables:
        if name not in options.uv:
            raise UnknownName(
                say("terms.variable_of", command=command.id), f"uv-{name}", [f"uv-{one}" for one in options.uv]
            )
    return tuple(f"uv-{name}" for name in options.uv if name not in given.variables)
