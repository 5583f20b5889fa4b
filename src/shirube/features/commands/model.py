"""What a command is, and how a registry's JSON becomes commands."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from shirube.messages import NOTHING, Message, say

AGENT = "climpt"
"""The agent that is meant when none is named; its profiles carry no prefix."""
MOST_COMMANDS = 10_000
"""No team has more procedures; a longer list is no registry, or a hostile one."""
LONGEST_TEXT = 4_000
"""Characters of a description, a usage or a variable's description that are kept."""
SAFE = re.compile(r"\w[\w-]{0,99}")
"""What c1, c2, c3, editions and adaptations are made of: they become names of files and arguments of a program."""


class CommandOptions(Struct, frozen=True):
    """What a command takes."""

    edition: tuple[str, ...] = ("default",)
    adaptation: tuple[str, ...] = ("default",)
    file: bool = False
    stdin: bool = False
    destination: bool = False
    uv: Mapping[str, str] = {}
    """The command's own variables, and what each means."""


class Command(Struct, frozen=True):
    """One procedure of a registry."""

    c1: str
    c2: str
    c3: str
    description: str = ""
    usage: str = ""
    options: CommandOptions = CommandOptions()

    @property
    def id(self) -> str:
        """The three words, by which a command is known: ``git group-commit unstaged-changes``."""
        return f"{self.c1} {self.c2} {self.c3}"


class RegistryFinding(Struct, frozen=True):
    """One thing that is wrong."""

    command: str
    """Its three words; empty when the registry as a whole is meant."""
    kind: str
    level: str
    """error: it cannot be rendered; warning: it can, though not as listed."""
    message: Message


def read_entries(value: Any) -> tuple[tuple[Mapping[str, Any], ...], tuple[Message, ...]]:
    """Return the entries of a parsed registry that make a command, and what was wrong with those left out."""
    tools = value.get("tools") if isinstance(value, Mapping) else None
    entries = tools.get("commands") if isinstance(tools, Mapping) else None
    if not isinstance(entries, list):
        return (), (say("commands.no_list"),)
    sound, problems = [], []
    for number, entry in enumerate(entries[:MOST_COMMANDS], 1):
        if fault := entry_fault(entry):
            problems.append(say("commands.entry_out", number=number, why=fault))
        else:
            sound.append(entry)
    if len(entries) > MOST_COMMANDS:
        problems.append(say("commands.first_entries", most=f"{MOST_COMMANDS:,}", count=f"{len(entries):,}"))
    return tuple(sound), tuple(problems)


def entry_fault(entry: Any) -> Message:
    """Return why an entry makes no command, or nothing when it makes one."""
    if not isinstance(entry, Mapping):
        return say("commands.no_object")
    for key in ("c1", "c2", "c3"):
        if not isinstance(entry.get(key), str) or not SAFE.fullmatch(entry[key]):
            return say("commands.no_plain_word", key=key)
    return NOTHING


def command_from(entry: Mapping[str, Any]) -> Command:
    """Return the command of one entry; what does not have the right type counts as not given."""
    options = entry.get("options")
    given: Mapping[str, Any] = options if isinstance(options, Mapping) else {}
    return Command(
        entry["c1"],
        entry["c2"],
        entry["c3"],
        _text(entry.get("description")),
        _text(entry.get("usage")),
        CommandOptions(
            edition=_names(given.get("edition")),
            adaptation=_names(given.get("adaptation")),
            file=given.get("file") is True,
            stdin=given.get("stdin") is True,
            destination=given.get("destination") is True,
            uv=dict([*_variables(given.get("uv")), *_variables(entry.get("uv"))]),
        ),
    )


def _text(value: Any) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""


def _names(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    kept = dict.fromkeys(name for name in names if isinstance(name, str) and SAFE.fullmatch(name))
    return tuple(kept) or ("default",)


def _variables(value: Any) -> Iterator[tuple[str, str]]:
    """Read all three shapes in use: a map, a list of maps with one name each, and an empty string for none."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, Mapping):
            for name, meaning in part.items():
                yield str(name).removeprefix("uv-"), _text(meaning)
        elif isinstance(part, str) and part:
            yield part.removeprefix("uv-"), ""
