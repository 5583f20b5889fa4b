"""What a command is, and what every command needs: an open project, one call, one way to print."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shirube.cli.progress import ProgressLine
from shirube.cli.spoken import spoken
from shirube.config import client_session
from shirube.operations import run
from shirube.operations.model import Call
from shirube.operations.wire import to_wire

if TYPE_CHECKING:
    from shirube.workspace import Workspace

OK, NO_MATCH = 0, 1


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, one line of help, its arguments, and what it does."""

    name: str
    help: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    anywhere: bool = False
    """It makes sense outside a project, too; ``options.root`` is None then."""
    unsettled: bool = False
    """It goes on when the configuration cannot be used: it is there to tell what is wrong."""


@contextmanager
def opened(options: argparse.Namespace) -> "Iterator[tuple[Workspace, Call]]":
    """Open the project for one command, with a progress line."""
    from shirube.workspace import build_workspace

    workspace = build_workspace(options.root, config=getattr(options, "config", None))
    line = ProgressLine(quiet=options.quiet)
    try:
        yield workspace, Call(progress=line, patient=True, lasting=False, client=client_session())
    finally:
        line.finish()
        workspace.close()


def ask(options: argparse.Namespace, name: str, arguments: dict[str, Any]) -> Any:
    """Run one operation as this command, and return its typed result."""
    with opened(options) as (workspace, call):
        return told(options, run(workspace, name, arguments, call))


def told(options: argparse.Namespace, result: Any) -> Any:
    """Return a result as its reader wants it: a person types commands, a program calls operations."""
    return result if options.json else spoken(result)


def show(options: argparse.Namespace, result: Any, text: Callable[[], str]) -> None:
    """Print a result: as one JSON object when asked for, else as text for a person."""
    print(json.dumps(to_wire(result), ensure_ascii=False) if options.json else text())


def common(parser: argparse.ArgumentParser) -> None:
    """Declare what every command takes."""
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    parser.add_argument("--no-color", action="store_true", help="no colours")


def family(name: str, help: str, members: tuple[Command, ...]) -> Command:
    """Make one command of several: ``shirube map list``, ``shirube map add``."""

    def declare(parser: argparse.ArgumentParser) -> None:
        choices = parser.add_subparsers(dest="member", metavar="WHAT", required=True, parser_class=type(parser))
        for member in members:
            sub = choices.add_parser(member.name, help=member.help, description=member.help)
            sub.add_argument("--root", metavar="PATH", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
            member.declare(sub)
            sub.set_defaults(run=member.run)

    def run_member(options: argparse.Namespace) -> int:
        return next(member for member in members if member.name == options.member).run(options)

    return Command(name, help, declare, run_member)
