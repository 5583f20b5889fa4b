"""How the golden tests reach the program: when its insides move, only this module follows."""

import argparse
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from itertools import count
from pathlib import Path
from time import time_ns
from typing import Any
from unittest.mock import patch

from starlette.testclient import TestClient

from shirube import Project, open_workspace
from shirube.codec import pack, shown_json
from shirube.doors.cli import main
from shirube.doors.cli.main import build_parser
from shirube.doors.loopback import Seat
from shirube.doors.web.site import build_site
from shirube.errors import ShirubeError
from shirube.features.guard.recording import asked_words, with_shown
from shirube.features.guard.state import Recorded
from shirube.operation import Call
from shirube.operations import OPERATIONS, run
from shirube.workspace import Workspace, open_journal

TOKEN = "only-for-tests"
PORT = 7777
AHEAD_NS = 60_000_000_000
GROUPS = {operation.name: operation.group for operation in OPERATIONS}
SHOWN = ("answer", "hits", "seen", "listed", "guessed", "symbols", "maps")


def operation_names() -> tuple[str, ...]:
    """Return the name of every operation."""
    return tuple(GROUPS)


@contextmanager
def still_clock() -> Iterator[None]:
    """Let the clock of this process stand still but for a thousandth of a millisecond with each look.

    What is ordered by whole seconds would else hang on when a second ends. It stands a while after now, so that no file
    of the project is too young to be told by its time stamp.
    """
    start, looks = time_ns() + AHEAD_NS, count()

    def clock_ns() -> int:
        return start + 1000 * next(looks)

    with (
        patch.object(Workspace.__init__, "__defaults__", (clock_ns,)),
        patch.object(open_journal, "__defaults__", (clock_ns,)),
        patch("shirube.doors.hook.time_ns", clock_ns),
    ):
        yield


@contextmanager
def project_at(root: Path) -> Iterator[Project]:
    """Open a project with an index that is complete."""
    with open_workspace(root) as project:
        answer(project, "sync_index", {})
        yield project


def answer(project: Project, name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return what an operation answers, or its error, as JSON; and what a session reads off a result."""
    try:
        result = run(project.workspace, name, arguments, Call(patient=True))
    except ShirubeError as error:
        return {"error": error.as_dict()}, None
    wire = json.loads(json.dumps(shown_json(result)))
    made = Recorded(name, GROUPS[name], asked_words(arguments))
    read = pack(with_shown(made, result.shown(), getattr(result, "answer", "")))
    return {"result": wire}, {key: read[key] for key in SHOWN}


@cache
def _parser() -> Any:
    """Return the parser of the command line, made once: it loads every command."""
    return build_parser()


def command(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Run a command in this process and this directory; return exit code, stdout and stderr."""
    with (
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")),
    ):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def command_names() -> tuple[str, ...]:
    """Return every command, and every member of a family: ``map list``."""
    return tuple(_names(_parser(), ()))


def _names(parser: argparse.ArgumentParser, before: tuple[str, ...]) -> Iterator[str]:
    families = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for family in families:
        for name, member in family.choices.items():
            yield from _names(member, (*before, name))
    if not families:
        yield " ".join(before)


def browser(project: Project, base: Path) -> TestClient:
    """Return a browser that was let in to the pages of a project."""
    guard = build_site(project.workspace, Seat(PORT, TOKEN, base / "token"))
    client = TestClient(guard, f"http://127.0.0.1:{PORT}", raise_server_exceptions=False, follow_redirects=False)
    client.get("/enter", params={"key": TOKEN})
    return client
