"""The commands that start a server, answer a hook or call an operation: ``serve``, ``ui``, ``gate``, ``call``."""

import argparse
import gc
import json
import sys
from pathlib import Path

from shirube.codec import shown_json
from shirube.config import find_root, load_config
from shirube.doors.cli.command import NO_MATCH, OK, CliCommand, ask
from shirube.doors.cli.screen import screen_for
from shirube.errors import BadArgument
from shirube.features.guard.hook_protocol import AGENTS, MODES, MOMENTS
from shirube.features.guard.shell import is_building, is_reading
from shirube.messages import say


def _declare_call(parser: argparse.ArgumentParser) -> None:
    from shirube.operations import OPERATIONS

    names = ", ".join(operation.name for operation in OPERATIONS)
    parser.add_argument("operation", metavar="OPERATION", help=f"one of: {names}")
    parser.add_argument("--json", default="{}", metavar="ARGS", help="arguments as a JSON object; - reads stdin")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _run_call(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.json == "-" else options.json
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("cli.no_json", error=str(error)) from None
    if not isinstance(arguments, dict):
        raise BadArgument("cli.no_object")
    print(json.dumps(shown_json(ask(options, options.operation, arguments)), ensure_ascii=False))
    return OK


def _declare_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--toolsets", metavar="NAMES", help="what to list: core, groups such as index, or all")
    parser.add_argument("--structured", action="store_true", help="answer in JSON instead of text made for reading")
    parser.add_argument("--watch", action="store_true", help="follow changes of the project while serving")
    parser.add_argument("--http", action="store_true", help="serve on a local port instead of stdio, with a token")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port for --http (default: a free one)")
    parser.add_argument("--team", action="store_true", help="serve many users of a shared index, each by a token")
    parser.add_argument("--metrics-port", type=int, default=0, metavar="N", help="with --team: the port for metrics")


def _run_serve(options: argparse.Namespace) -> int:
    if options.team:
        from shirube.doors.team.serve import serve_team

        serve_team(load_config(None), options.port, options.metrics_port)
        return OK
    if options.root is None:
        find_root(None, Path.cwd())  # refuses, and says why
    flags = {"serve.toolsets": options.toolsets} if options.toolsets else {}
    flags |= {"serve.structured": True} if options.structured else {}
    # Imported modules are never garbage; collecting during the import would cost a tenth of the start-up time.
    gc.disable()
    from shirube.doors.mcp.serve import serve_http, serve_stdio

    gc.freeze()
    gc.enable()
    if options.http:
        serve_http(options.root, flags, options.port, options.watch)
    else:
        serve_stdio(options.root, flags, options.watch)
    return OK


SERVE = CliCommand(_declare_serve, _run_serve, anywhere=True)
CALL = CliCommand(_declare_call, _run_call)


def _declare_ui(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=0, metavar="N", help="where to listen (default: a free port)")
    parser.add_argument("--no-open", action="store_true", help="print the address, open no browser")


def _run_ui(options: argparse.Namespace) -> int:
    import webbrowser

    from shirube.doors.web.serve import serve_ui

    serve_ui(options.root, {}, options.port, None if options.no_open else webbrowser.open)
    return OK


UI = CliCommand(_declare_ui, _run_ui)


def _declare_gate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hook", choices=MOMENTS, help="answer a hook; its JSON comes on standard input")
    parser.add_argument("--agent", choices=AGENTS, default=AGENTS[0], help="whose hook (default: %(default)s)")
    parser.add_argument("--mode", choices=MODES, default="advise", help="the hook's own mode")
    parser.add_argument("--try", dest="command_line", metavar="COMMAND", help="does this command pass before READY?")


def _run_gate(options: argparse.Namespace) -> int:
    if options.hook:
        from shirube.doors.hook import main

        return main(["--hook", options.hook, "--agent", options.agent, "--mode", options.mode])
    gate, screen = load_config(options.root).gate, screen_for(options)
    if options.command_line is not None:
        reads, passes = (judge(options.command_line, gate.commands) for judge in (is_reading, is_building))
        print(screen.words("cli.gate_passes" if reads else "cli.gate_builds" if passes else "cli.gate_waits"))
        return OK if passes else NO_MATCH
    print(screen.words("cli.gate_mode", mode=gate.mode))
    if gate.mode == "advise":
        print(screen.words("cli.gate_hooks"))
    print(screen.words("cli.gate_exempt", names=gate.exempt or say("cli.nothing")))
    print(screen.words("cli.gate_commands", names=gate.commands or say("cli.only_reading")))
    return OK


GATE = CliCommand(_declare_gate, _run_gate)
