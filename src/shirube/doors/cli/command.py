"""What a command is, and what every command needs: an open project, one call, one way to print."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec.wire import shown_json
from shirube.config import client_session
from shirube.doors.cli.progress import ProgressLine
from shirube.doors.cli.screen import language_for, speech_for
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.workspace import Workspace

OK, NO_MATCH = 0, 1


class Command(Struct, frozen=True):
    """One command: its arguments, and what it does."""

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
    line = ProgressLine(quiet=options.quiet, speech=speech_for(None, language_for(options)))
    try:
        yield workspace, Call(progress=line, patient=True, lasting=False, client=client_session())
    finally:
        line.finish()
        workspace.close()


def ask(options: argparse.Namespace, name: str, arguments: dict[str, Any]) -> Any:
    """Run one operation as this command, and return its typed result."""
    from shirube.run import run

    with opened(options) as (workspace, call):
        return run(workspace, name, arguments, call)


def show(options: argparse.Namespace, result: Any, text: Callable[[], str]) -> None:
    """Print a result: as one JSON object when asked for, else as text for a person."""
    print(json.dumps(shown_json(result), ensure_ascii=False) if options.json else text())


def common(parser: argparse.ArgumentParser) -> None:
    """Declare what every command takes."""
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    parser.add_argument("--no-color", action="store_true", help="no colours")
