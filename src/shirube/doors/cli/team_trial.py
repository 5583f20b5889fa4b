"""``team trial``: a database, a worker, an index of some repositories, a token and a server, all on one machine."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import DEVNULL
from time import sleep

from shirube.codec import replace
from shirube.config import load_config, own_environment
from shirube.doors.cli.command import OK, CliCommand, opened
from shirube.doors.cli.screen import screen_for
from shirube.doors.loopback import listen
from shirube.doors.views import team as views
from shirube.engine.repo.git import find_top
from shirube.engine.repo.process import kill_group, reap, spawn
from shirube.engine.store.access import Token
from shirube.engine.store.disk import write_whole
from shirube.engine.store.team_records import COMPLETE
from shirube.errors import BadArgument, TeamFault, plain
from shirube.features.team import repositories
from shirube.features.team.remotes import is_path, read_remote
from shirube.features.team.tokens import hash_of, new_name, new_secret
from shirube.features.team.trial import DATABASE, OWNER, SERVING, TrialDatabase
from shirube.settings import Config
from shirube.shared import open_access
from shirube.workspace import open_office

DAYS = 1.0
WAIT_SECONDS = 3600.0
"""How long the first index of a repository may take."""
END_SECONDS = 30.0
"""How long a worker may go on when the trial ends."""
EVERYTHING = ("*",)


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIRECTORY", type=Path, help="where the database is kept")
    parser.add_argument(
        "places", metavar="ADDRESS", nargs="*", default=[], help="a repository, or a clone on this machine"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="where to listen (default: a free port)")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _run(options: argparse.Namespace) -> int:
    from shirube.doors.team.serve import serve_team

    for place in options.places:
        _check(place)
    config, screen, database = load_config(None), screen_for(options), TrialDatabase(options.directory)
    with closing(listen(0)) as free:
        port = free.getsockname()[1]
    with database.running(port):
        owner = _with(config, database.address(OWNER, port, "postgres"))
        with closing(open_access(owner)) as access:
            access.make_database(DATABASE)
        owner = _with(config, database.address(OWNER, port))
        secret = new_secret()
        with closing(open_access(owner)) as access:
            access.make_role(SERVING, database.password)
            access.let_serve(SERVING)
            access.make(
                Token(new_name(), "trial", EVERYTHING, config.team.requests, config.team.words), hash_of(secret), DAYS
            )
        write_whole(options.directory / "owner.address", f"{database.address(OWNER, port)}\n".encode(), 0o600)
        with _working(owner.store.address, options.directory):
            _index_all(owner, options)
            with closing(listen(options.port)) as free:
                serving = free.getsockname()[1]
            print(screen.words("team_access.trial_asks"))
            server = f"{config.team.scheme}://127.0.0.1:{serving}"
            print(f"  export SHIRUBE_TEAM_TOKEN={secret}\n  shirube install --team {server}")
            print(screen.words("team_access.trial_owns"))
            print(
                f"  export SHIRUBE_STORE_ADDRESS=$(cat {shlex.quote(str(options.directory))}/owner.address)", flush=True
            )
            serve_team(_with(config, database.address(SERVING, port)), serving, 0)
    return OK


def _check(place: str) -> None:
    """Refuse what is neither an address nor a clone on this machine."""
    if Path(place).is_dir():
        if find_top(Path(place).resolve()) is None:
            raise BadArgument("team_access.trial_no_clone", place=plain(place))
    elif is_path(place) and "://" not in place:
        raise BadArgument("team_access.trial_nowhere", place=plain(place))
    else:
        read_remote(place)


@contextmanager
def _working(address: str, directory: Path) -> Iterator[None]:
    """Let a worker of its own process take jobs for the length of the ``with`` block."""
    command = [sys.executable, "-m", "shirube", "worker", "--directory", str(directory / "copies")]
    with (directory / "worker.log").open("ab") as log:
        worker = spawn(command, env=own_environment(store_address=address), stdin=DEVNULL, stdout=log, stderr=log)
    try:
        yield
    finally:
        worker.terminate()
        if not reap(worker, END_SECONDS):
            kill_group(worker)


def _index_all(config: Config, options: argparse.Namespace) -> None:
    """Follow the repositories that are named by an address, and index the clones, before anybody asks."""
    with closing(open_office(config)) as office:
        named = [place for place in options.places if not Path(place).is_dir()]
        names = [repositories.add(office, address).repository for address in named]
        for tree in (Path(place) for place in options.places if place not in named):
            settings = {"root": tree, "config": _with(load_config(tree), config.store.address)}
            with opened(argparse.Namespace(**vars(options) | settings)) as (workspace, call):
                workspace.keeper.sync(full=False, progress=call.progress, deadline=call.deadline)
        results = [repositories.wait(office, name, WAIT_SECONDS, sleep, tries=False) for name in names]
    for text in filter(None, (views.troubles(result, screen_for(options)) for result in results)):
        print(text, file=sys.stderr, flush=True)
    if results and not any(row.state == COMPLETE for result in results for row in result.branches):
        raise TeamFault("team_access.trial_empty")


def _with(config: Config, address: str) -> Config:
    return replace(config, store=replace(config.store, backend="postgres", address=address))


TRIAL = CliCommand(_declare, _run, anywhere=True)
