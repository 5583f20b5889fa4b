"""Parses the command line and runs the command."""

import argparse
import io
import json
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from shirube import __version__
from shirube.config import find_root, load_config
from shirube.doors.cli.command import OK, opened
from shirube.doors.cli.commands import COMMANDS, Item, load
from shirube.doors.cli.screen import language_for, speech_for
from shirube.doors.views.screen import printable
from shirube.errors import BadArgument, NotADirectory, ShirubeError, UnknownName
from shirube.messages import AGENT, LANGUAGES, Speech, render, say, verbatim


def set_up_logging(level: str) -> None:
    """Send this program's log to stderr; stdout belongs to data and to the protocol."""
    logger = logging.getLogger("shirube")
    logger.setLevel(level.upper())
    logger.propagate = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("shirube: %(levelname)s: %(message)s"))
    logger.handlers = [handler]


FAILED = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors look like all our errors."""

    def error(self, message: str) -> "NoReturn":  # type: ignore[name-defined]  # noqa: F821
        """Raise instead of exiting, so that the error can name the most similar option."""
        if chosen := re.search(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message):
            what = say("terms.value", name=chosen[1]) if chosen[1].startswith("-") else "command"
            raise UnknownName(what, chosen[2], re.findall(r"'(.*?)'", chosen[3]))
        if message.startswith("unrecognized arguments: "):
            typed = message.split(": ", 1)[1].split(maxsplit=1)[0]
            if typed in self.option_names():
                raise BadArgument("cli.after_command", option=typed)
            raise UnknownName("argument", typed, self.option_names())
        raise BadArgument(verbatim(message), say("cli.see_help", program=self.prog))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Take any number of words on both sides of an option: ``DIRECTORY --port 1 ADDRESS``."""
        parsed, rest = super().parse_known_args(args, namespace)
        last = self._get_positional_actions()[-1:]
        if rest and last and last[0].nargs in ("*", "+") and not any(word.startswith("-") for word in rest):
            words = (getattr(parsed, last[0].dest, None) or []) + self._get_values(last[0], rest)
            setattr(parsed, last[0].dest, words)
            rest = []
        return parsed, rest

    def option_names(self) -> set[str]:
        """Return every option this parser and its commands know."""
        names = {name for action in self._actions for name in action.option_strings}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                names = names.union(*(parser.option_names() for parser in action.choices.values()))
        return names


def build_parser(typed: Sequence[str] | None = None) -> Parser:
    """Return the parser; it lists all commands, but loads only the typed one (all of them for None)."""
    parser = Parser(
        prog="shirube",
        description="Code intelligence that a coding agent consults before it writes.",
        epilog="Try: shirube search 'where are retries decided'   (the first search indexes by itself)",
    )
    parser.add_argument("--version", action="version", version=f"shirube {__version__}")
    parser.add_argument("--root", metavar="PATH", help="the project (default: the repository around this directory)")
    parser.add_argument(
        "--lang", dest="speech", choices=LANGUAGES, help="speak English or Japanese (default: the locale)"
    )
    _add(parser, COMMANDS, "command", typed)
    return parser


def _add(parser: Parser, entries: Mapping[str, Item], dest: str, typed: Sequence[str] | None) -> None:
    """Add the commands, or the members of a family of commands."""
    choices = parser.add_subparsers(dest=dest, metavar=dest.upper(), required=dest != "command", parser_class=Parser)
    for name, entry in entries.items():
        sub = choices.add_parser(name, help=entry.help, description=entry.help)
        # Accepted after the command too, where people tend to type it.
        sub.add_argument("--root", metavar="PATH", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if typed is not None and name not in typed:
            continue
        if entry.members:
            _add(sub, entry.members, "what", typed)
            continue
        command = load(entry)
        command.declare(sub)
        sub.set_defaults(run=command.run, anywhere=command.anywhere, unsettled=command.unsettled)


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    options = argparse.Namespace()
    try:
        # Where the terminal's encoding lacks a character, print "?" instead of failing with a traceback.
        sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115 - started with its output closed
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        code = _dispatch(argv, options)
        sys.stdout.flush()
        if getattr(options, "overdue", False):
            with opened(options) as (workspace, call):
                workspace.keeper.start_renewing().wait(None, call.progress)
    except ShirubeError as error:
        _tell(error, options)
        return FAILED
    except KeyboardInterrupt:
        print(f"shirube: {render(say('cli.interrupted'), _speech(options))}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) closed the pipe: not an error.
        _write_nowhere()
        return OK
    except OSError as error:
        _tell(ShirubeError("cli.system", error=str(error)), options)
        _write_nowhere()
        return FAILED
    return code


def _write_nowhere() -> None:
    """Discard buffered output: flushing it at exit would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(argv: Sequence[str], options: argparse.Namespace) -> int:
    parser = build_parser(argv)
    parser.parse_args(argv, options)
    options.typed = argv
    if not options.command:
        parser.print_help()
        return OK
    try:
        options.root = find_root(Path(options.root) if options.root else None, Path.cwd())
    except NotADirectory:
        if options.root or not options.anywhere:
            raise
        options.root = None  # a command that works anywhere
    with suppress(ShirubeError) if options.unsettled else nullcontext():
        options.config = load_config(options.root)
        set_up_logging(options.config.log.level)
    code: int = options.run(options)
    return code


def _tell(error: ShirubeError, options: argparse.Namespace) -> None:
    """Print an error, with ``--json`` also as JSON; ``call`` gets the names that agents use, not those of commands."""
    if getattr(options, "json", None) not in (None, False):
        print(json.dumps({"error": error.as_dict()}, ensure_ascii=False))
    speech = AGENT if getattr(options, "command", "") == "call" else _speech(options)
    lines = render(error.message, speech).split("\n")
    print("shirube: " + "\n".join(map(printable, lines)), file=sys.stderr)
    if error.hint:
        print(f"  → {printable(render(error.hint, speech))}", file=sys.stderr)


def _speech(options: argparse.Namespace) -> Speech:
    return speech_for(getattr(options, "operation_row", None), language_for(options))
