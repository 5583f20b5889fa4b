"""``shirube gate``: for people, what the gate does here; with ``--hook``, what an agent's hooks call."""

import argparse

from shirube.config import load_config
from shirube.doors.cli.command import NO_MATCH, OK, Command
from shirube.doors.cli.screen import screen_for
from shirube.features.guard.hook_event import AGENTS, MODES, MOMENTS
from shirube.features.guard.shell import is_reading
from shirube.messages import say


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hook", choices=MOMENTS, help="answer a hook; its JSON comes on standard input")
    parser.add_argument("--agent", choices=AGENTS, default=AGENTS[0], help="whose hook (default: %(default)s)")
    parser.add_argument("--mode", choices=MODES, default="advise", help="the hook's own mode")
    parser.add_argument("--try", dest="command_line", metavar="COMMAND", help="does this command pass before READY?")


def _run(options: argparse.Namespace) -> int:
    if options.hook:
        from shirube.doors.hook import main

        return main(["--hook", options.hook, "--agent", options.agent, "--mode", options.mode])
    gate, screen = load_config(options.root).gate, screen_for(options)
    if options.command_line is not None:
        reads = is_reading(options.command_line, gate.commands)
        print(screen.words("cli.gate_passes" if reads else "cli.gate_waits"))
        return OK if reads else NO_MATCH
    print(screen.words("cli.gate_mode", mode=gate.mode))
    print(screen.words("cli.gate_exempt", names=gate.exempt or say("cli.nothing")))
    print(screen.words("cli.gate_commands", names=gate.commands or say("cli.only_reading")))
    return OK


GATE = Command(_declare, _run)
