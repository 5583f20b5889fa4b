"""``install`` and ``uninstall``: how an agent comes to know this program, and forgets it."""

import argparse

from shirube.doors.agents.table import AGENTS, GATE_MODES, KINDS, PROJECT, SCOPES
from shirube.doors.cli.command import Command, common


def _declare(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(agent.name for agent in AGENTS)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=f"{names}, or all")
    parser.add_argument("--type", action="append", default=[], metavar="T", help=f"some of {','.join(KINDS)}, or all")
    parser.add_argument("--scope", choices=SCOPES, default=PROJECT, help="this project's files, or the user's own")
    parser.add_argument("--dry-run", action="store_true", help="show what would change as a diff, and change nothing")


def _declare_install(parser: argparse.ArgumentParser) -> None:
    _declare(parser)
    parser.add_argument("--print-config", action="store_true", help="print what to add by hand, and change nothing")
    parser.add_argument("--gate", choices=GATE_MODES, default="advise", help="what hooks do (default advise)")
    parser.add_argument("--command", dest="program", default="", metavar="PATH", help="how agents call this program")
    common(parser)


def _declare_uninstall(parser: argparse.ArgumentParser) -> None:
    _declare(parser)
    common(parser)


def _run_install(options: argparse.Namespace) -> int:
    from shirube.doors.cli.installer import run_install

    return run_install(options)


def _run_uninstall(options: argparse.Namespace) -> int:
    from shirube.doors.cli.installer import run_uninstall

    return run_uninstall(options)


INSTALL = Command(_declare_install, _run_install, anywhere=True)
UNINSTALL = Command(_declare_uninstall, _run_uninstall, anywhere=True)
