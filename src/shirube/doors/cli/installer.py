"""``install`` and ``uninstall``: plan the change of every file, show or make the changes, and report each."""

import argparse
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import quote, urlsplit

from msgspec import Struct

from shirube.codec import replace
from shirube.config import agent_directories, load_config
from shirube.doors.agents.changes import PlannedChange, Planner, Row, diff_text, gather, make_all
from shirube.doors.agents.edits import snippet
from shirube.doors.agents.install import may_hold_ours, plan_install, plan_uninstall
from shirube.doors.agents.pieces import Piece, Setting, detected_agents, lacking, named_agents, pieces_of
from shirube.doors.agents.receipts import Receipts
from shirube.doors.agents.table import (
    AGENTS,
    COMMAND,
    DEFAULT_KINDS,
    GATE_MODES,
    KINDS,
    PROJECT,
    SCOPES,
    SERVER,
    SESSION_KINDS,
    Agent,
)
from shirube.doors.agents.toolsets import server_entries, with_toolsets
from shirube.doors.cli.command import OK, CliCommand, common, show
from shirube.doors.cli.ownership import foreign, on_path, own_path
from shirube.doors.cli.screen import screen_for
from shirube.doors.loopback import MCP
from shirube.doors.views.screen import Screen, columns
from shirube.errors import BadArgument, NotADirectory, UnknownName
from shirube.features.team.tokens import is_safe_for
from shirube.messages import Message, say

FAILED = 2
ANY_TEAM = "https://localhost/mcp"
"""Stands for whatever address an entry has that is taken out."""
STYLES = {"added": "good", "updated": "good", "removed": "good", "refused": "bad"}


class InstallResult(Struct, frozen=True):
    """What was done, or would be done in a dry run."""

    scope: str
    dry_run: bool
    rows: tuple[Row, ...]
    notes: tuple[Message, ...]


def run_install(options: argparse.Namespace) -> int:
    """Register this program in the files of agents."""
    setting = _setting(options, options.program, options.gate)
    kinds, receipts = _kinds(options.type, DEFAULT_KINDS), _receipts(options)
    if options.team or options.repo:
        setting, kinds = replace(setting, team=team_address(options.team, options.repo)), ("mcp",)
    agents = named_agents(options.agents) or detected_agents(setting.directories, on_path)
    setting = with_toolsets(setting, agents, kinds, receipts) if not setting.team else setting
    if options.print_config:
        print("\n".join(snippet(piece) for piece in _pieces(agents, kinds, setting) if not piece.filler))
        return OK
    skipped = [row for agent in agents for row in _skipped(agent, kinds, setting)]
    notes = [say(agent.notes[key]) for agent in agents for key in (setting.scope, *kinds) if key in agent.notes]
    if setting.team:
        notes.append(say("team_access.install_token"))
    elif "/" not in setting.program and on_path(setting.program) is None:
        notes.append(say("install.no_path", name=setting.program))
    notes += [note for name in (SERVER, COMMAND) if (note := foreign(name))]
    pieces = _pieces(agents, kinds, setting)
    if set(SESSION_KINDS).intersection(kinds) and "mcp" not in kinds:
        served = {piece.agent for piece in server_entries(agents, setting, receipts)}
        notes += [say("install.no_server", agent=agent.name) for agent in agents if agent.name not in served]
    if "mcp" not in kinds:
        pieces = chain(pieces, server_entries(agents, setting, receipts))
    return _run(options, [(plan_install, pieces)], (skipped, notes))


def run_uninstall(options: argparse.Namespace) -> int:
    """Remove from the files of agents what ``install`` put in."""
    setting = _setting(options, "", "advise")
    agents = named_agents(options.agents) or list(AGENTS)
    receipts = _receipts(options)
    kinds = _kinds(options.type, KINDS)
    pieces = chain(_pieces(agents, kinds, replace(setting, team=ANY_TEAM)), _pieces(agents, kinds, setting))
    ours = (piece for piece in pieces if may_hold_ours(piece.path, receipts))
    plans: list[tuple[Planner, Iterator[Piece]]] = [(plan_uninstall, ours)]
    if "mcp" not in kinds:
        left = with_toolsets(setting, agents, (), receipts, gone=kinds)
        plans.append((plan_install, server_entries(agents, left, receipts)))
    return _run(options, plans, ([], []))


def _run(
    options: argparse.Namespace,
    plans: list[tuple[Planner, Iterator[Piece]]],
    extra: tuple[list[Row], list[Message]],
) -> int:
    """Plan one change after the other, each when the one before is made; show or make them."""
    within = options.root if options.scope == PROJECT else None
    receipts = _receipts(options)
    changes, rows, refused = list[PlannedChange](), list[Row](), list[Row]()
    with receipts.held():
        for planner, pieces in plans:
            planned, left = gather(pieces, receipts, within, planner)
            rows += (
                [row for change in planned for row in change.rows] if options.dry_run else make_all(planned, receipts)
            )
            changes, refused = changes + planned, refused + left
    rows += extra[0] + refused
    screen = screen_for(options)
    result = InstallResult(options.scope, options.dry_run, tuple(rows), tuple(extra[1]))
    if options.dry_run and not options.json:
        print("".join(diff_text(change) for change in changes if change.is_edit), end="")
    show(options, result, lambda: rows_text(result, screen))
    for note in () if options.json else extra[1]:
        print(f"shirube: {screen.say(note)}", file=sys.stderr)
    return FAILED if any(row.action == "refused" for row in rows) else OK


def _receipts(options: argparse.Namespace) -> Receipts:
    return Receipts(load_config(options.root).state_dir)


def rows_text(result: InstallResult, screen: Screen) -> str:
    """Return a line for each piece."""
    if not result.rows:
        return screen.words("install.nothing")
    lines = []
    for row in result.rows:
        action = screen.words(f"install.{row.action}")
        head = screen.paint(STYLES.get(row.action, "dim"), action + " " * (8 - columns(action)))
        lines.append(f"{head} {row.agent:<12} {row.kind:<13} {screen.paint('path', row.path)}")
        if row.detail:
            lines.append(f"         {screen.say(row.detail)}")
    return "\n".join(lines)


def _pieces(agents: list[Agent], kinds: tuple[str, ...], setting: Setting) -> Iterator[Piece]:
    return (piece for agent in agents for piece in pieces_of(agent, kinds, setting))


def _skipped(agent: Agent, kinds: tuple[str, ...], setting: Setting) -> Iterator[Row]:
    other = next(scope for scope in SCOPES if scope != setting.scope)
    for kind in kinds:
        if lacking(agent, kind, setting.scope, bool(setting.team)):
            code = "install.no_place" if lacking(agent, kind, other, bool(setting.team)) else "install.other_scope"
            yield Row(agent.name, kind, "", "skipped", say(code, agent=agent.title, scope=other))


def _setting(options: argparse.Namespace, program: str, gate: str) -> Setting:
    if options.scope == PROJECT and options.root is None:
        raise NotADirectory("install.no_project")
    directories = {**agent_directories(), "root": options.root or Path.cwd()}
    if not program:
        # Files of a project are shared, so they must not contain a path of this machine. Files of the user may be read
        # by programs that were not started from a shell and have a shorter PATH, so they need the full path.
        program = COMMAND if options.scope == PROJECT else own_path()
    return Setting(options.scope, directories, program, gate)


def team_address(given: str, repository: str) -> str:
    """Return the address of a team's server as agents need it; refuse one that would send a token in plain text."""
    parts = urlsplit(given)
    if not parts.hostname or parts.username or parts.query or not is_safe_for(parts):
        raise BadArgument("team_access.address")
    path = parts.path.rstrip("/").removesuffix(MCP) + MCP
    return f"{parts.scheme}://{parts.netloc}{path}" + (f"/{quote(repository)}" if repository else "")


def _kinds(given: list[str], default: tuple[str, ...]) -> tuple[str, ...]:
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*KINDS, "all"):
            raise UnknownName("type", name, [*KINDS, "all"])
    if not names:
        return default
    return KINDS if "all" in names else tuple(kind for kind in KINDS if kind in names)


def _declare(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(agent.name for agent in AGENTS)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=f"{names}, or all")
    parser.add_argument("--type", action="append", default=[], metavar="T", help=f"some of {','.join(KINDS)}, or all")
    parser.add_argument("--scope", choices=SCOPES, default=PROJECT, help="this project's files, or the user's own")
    parser.add_argument("--dry-run", action="store_true", help="show what would change as a diff, and change nothing")


def _declare_install(parser: argparse.ArgumentParser) -> None:
    _declare(parser)
    parser.add_argument("--print-config", action="store_true", help="print what to add by hand, and change nothing")
    parser.add_argument("--team", default="", metavar="URL", help="only the entry of a team's server at this address")
    parser.add_argument("--repo", default="", metavar="NAME", help="with --team: the repository that it asks")
    parser.add_argument("--gate", choices=GATE_MODES, default="advise", help="what hooks do (default advise)")
    parser.add_argument("--command", dest="program", default="", metavar="PATH", help="how agents call this program")
    common(parser)


def _declare_uninstall(parser: argparse.ArgumentParser) -> None:
    _declare(parser)
    common(parser)


INSTALL = CliCommand(_declare_install, run_install, anywhere=True)
UNINSTALL = CliCommand(_declare_uninstall, run_uninstall, anywhere=True)
