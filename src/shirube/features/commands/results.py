"""What the operations of group ``commands`` return."""

from enum import StrEnum

from shirube.codec import Record
from shirube.features.commands.model import Command, RegistryFinding
from shirube.messages import NOTHING, Message


class CommandMatch(Record):
    """A command that answers."""

    c1: str
    c2: str
    c3: str
    description: str
    score: float


class FoundCommand(CommandMatch):
    """A command that answers one or several queries."""

    ranks: tuple[int, ...]
    """Its place for each query, from 1; -1 where it was not found."""


class CommandSearchMode(StrEnum):
    """How far a search for commands goes."""

    AUTO = "auto"
    STRICT = "strict"
    WIDE = "wide"


class CommandSearchResult(Record):
    """What ``command_search`` returns."""

    results: tuple[FoundCommand, ...]
    agent: str
    mode: CommandSearchMode
    """Which search the results and scores come from: strict (BM25, or RRF of several) or wide (RRF)."""
    degraded: tuple[Message, ...] = ()
    next: Message = NOTHING


class CommandDescribeResult(Record):
    """What ``command_describe`` returns."""

    commands: tuple[Command, ...]
    agent: str
    degraded: tuple[Message, ...] = ()


class CommandExecuteResult(Record):
    """What ``command_execute`` returns."""

    text: str
    """The prompt: instructions to follow."""
    missing_variables: tuple[str, ...]
    """Declared variables that were not given."""
    unresolved_placeholders: tuple[str, ...]
    """Names that still stand in the text."""
    template: str = ""
    """The file it was rendered from; empty when the outside runner made it."""
    runner: str = "native"
    degraded: tuple[Message, ...] = ()
    next: Message = NOTHING


class CommandValidateResult(Record):
    """What ``command_validate`` returns."""

    agent: str
    path: str
    commands: int
    renderable: int
    """Commands that can be rendered, warnings or not."""
    findings: tuple[RegistryFinding, ...]
    total: int
    truncated: bool
    degraded: tuple[Message, ...] = ()
    next: Message = NOTHING


class CommandBuildResult(Record):
    """What ``command_build`` returns."""

    agent: str
    path: str
    commands: int
    written: bool
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[Message, ...] = ()
    """Prompts that give no command, or one that cannot be rendered, and why."""
    next: Message = NOTHING


class LoadedRegistry(Record):
    """One registry after it was read anew."""

    agent: str
    path: str
    commands: int
    digest: str
    problems: tuple[Message, ...] = ()


class CommandReloadResult(Record):
    """What ``command_reload`` returns."""

    registries: tuple[LoadedRegistry, ...]
    total: int
    next: Message = NOTHING
