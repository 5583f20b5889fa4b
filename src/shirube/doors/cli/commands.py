"""The commands of ``commands.toml``; each is loaded when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct, convert

from shirube.codec import packaged
from shirube.doors.cli.command import CliCommand


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of ``commands.toml``: where a command is defined, as a name in a module or as an operation."""

    help: str
    module: str = ""
    """The module of this package that defines it, and the name there: ``doctor.DOCTOR``."""
    operation: str = ""
    given: Mapping[str, Any] = {}
    """Arguments of the operation that the name of the command sets: ``outcome success``."""
    members: "Mapping[str, Item]" = {}
    """The commands of a family: ``map list``, ``map add``."""


COMMANDS: Mapping[str, Item] = convert(packaged("shirube.doors.cli", "commands.toml"), dict[str, Item])
"""Every command by its name, in the order in which they are listed."""


def load(entry: Item) -> CliCommand:
    """Import the module of a command and return the command."""
    if entry.operation:
        from shirube.doors.cli.derived import derived
        from shirube.operations import operation_named

        return derived(operation_named(entry.operation), entry.given)
    module, _, attribute = entry.module.partition(".")
    command: CliCommand = getattr(import_module(f"shirube.doors.cli.{module}"), attribute)
    return command
