"""The commands about a team's repositories, and the worker that indexes them: ``team``, ``worker``."""

import argparse
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from shirube.config import load_config
from shirube.doors.cli.command import NO_MATCH, OK, CliCommand, show
from shirube.doors.cli.screen import screen_for
from shirube.doors.views import team as views
from shirube.errors import BadArgument
from shirube.features.team import repositories
from shirube.features.team.results import WorkReport
from shirube.workspace import open_office, open_worker

MOST_JOBS = 32
WAIT_SECONDS = 3600.0


def _opened(options: argparse.Namespace) -> "closing[repositories.Office]":
    return closing(open_office(load_config(options.root)))


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--no-color", action="store_true", help="no colours")


def _shown(options: argparse.Namespace, result: Any, view: Callable[..., str], good: Any = True) -> int:
    """Print a result; return the exit code."""
    screen = screen_for(options)
    show(options, result, lambda: view(result, screen))
    return OK if good else NO_MATCH


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="its address, as it is cloned; without a password")
    parser.add_argument(
        "--branches",
        metavar="PATTERN",
        nargs="+",
        default=[],
        help="follow these, as main release/* (default: the branch that a clone checks out)",
    )
    parser.add_argument("--interval", metavar="S", type=int, default=300, help="look every S seconds (default 300)")
    _common(parser)


def _run_add(options: argparse.Namespace) -> int:
    with _opened(options) as office:
        result = repositories.add(office, options.url, tuple(options.branches), options.interval)
    return _shown(options, result, views.added)


def _run_list(options: argparse.Namespace) -> int:
    with _opened(options) as office:
        result = repositories.listing(office)
    return _shown(options, result, views.listing, good=result.repositories)


def _declare_repository(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repository", metavar="REPO", help="its name, the end of it, or its address")
    _common(parser)


def _run_remove(options: argparse.Namespace) -> int:
    with _opened(options) as office:
        result = repositories.remove(office, options.repository)
    return _shown(options, result, views.removed)


def _declare_status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repository", metavar="REPO", nargs="?", default="", help="only this one")
    _common(parser)


def _run_status(options: argparse.Namespace) -> int:
    with _opened(options) as office:
        result = repositories.status(office, options.repository)
    return _shown(options, result, views.status, good=result.repositories)


def _declare_sync(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repository", metavar="REPO", help="its name, the end of it, or its address")
    parser.add_argument("branch", metavar="BRANCH", nargs="?", default="", help="this branch (default: look at all)")
    parser.add_argument("--wait", action="store_true", help="until it is done; exit 1 if any branch is dead then")
    parser.add_argument(
        "--timeout", metavar="S", type=float, default=WAIT_SECONDS, help="wait no longer (default 3600)"
    )
    _common(parser)


def _run_sync(options: argparse.Namespace) -> int:
    with _opened(options) as office:
        name = repositories.sync(office, options.repository, options.branch)
        if not options.wait:
            return _shown(options, repositories.status(office, name), views.status)
        result = repositories.wait(office, name, options.timeout, sleep)
    dead = any(row.state == "dead" and options.branch in ("", row.branch) for row in result.branches)
    failed = not options.branch and any(row.problem for row in result.repositories)
    return _shown(options, result, views.status, good=not dead and not failed)


def _declare_worker(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--directory", metavar="D", default="", help="where its copies of repositories are")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="how many at once (default 1)")
    parser.add_argument("--once", action="store_true", help="end when nothing is left to do; exit 1 if a job is dead")
    _common(parser)


def _run_worker(options: argparse.Namespace) -> int:
    if not 1 <= options.jobs <= MOST_JOBS:
        raise BadArgument("team.bad_jobs", most=MOST_JOBS)
    directory = Path(options.directory).expanduser() if options.directory else None
    worker, queue = open_worker(load_config(options.root), directory, options.jobs)
    began = monotonic()
    try:
        queue.work(worker.do, worker.tend, options.jobs, once=options.once)
    finally:
        worker.close()
    result = WorkReport(worker.jobs, worker.dead, round(monotonic() - began, 2))
    return _shown(options, result, views.worked, good=not (options.once and worker.dead))


ADD = CliCommand(_declare_add, _run_add, anywhere=True)
LIST = CliCommand(_common, _run_list, anywhere=True)
REMOVE = CliCommand(_declare_repository, _run_remove, anywhere=True)
STATUS = CliCommand(_declare_status, _run_status, anywhere=True)
SYNC = CliCommand(_declare_sync, _run_sync, anywhere=True)
WORKER = CliCommand(_declare_worker, _run_worker, anywhere=True)
