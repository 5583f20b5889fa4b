"""Text for the commands of a registry: found, described, rendered, checked and built."""

import argparse
import sys
from typing import Any

from shirube.doors.cli.screen import Screen, View, changes, printable
from shirube.errors import BadArgument
from shirube.features.commands.results import (
    CommandBuildResult,
    CommandDescribeResult,
    CommandExecuteResult,
    CommandSearchResult,
    CommandValidateResult,
)

ALL = 10_000
STYLES = {"error": "bad", "warning": "line"}


def declare_command_search(parser: argparse.ArgumentParser) -> None:
    """Add an option for each of the two views of a request."""
    parser.add_argument("--action", default="", metavar="WORDS", help="words for what is done; with --target")
    parser.add_argument("--target", default="", metavar="WORDS", help="words for what it is done to; fused by rank")


def typed_command_search(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments: the views, or the query."""
    views = [view for view in (options.action, options.target) if view]
    if views and arguments.get("query"):
        raise BadArgument("commands.query_or_views")
    return {**arguments, "queries": views} if views else arguments


def command_search(result: CommandSearchResult, screen: Screen) -> View:
    """Return the matching commands, each with its score and what it does."""
    warnings = tuple(screen.say(note) for note in result.degraded)
    if not result.results:
        notes = "; ".join([*warnings, screen.say(result.next)])
        return View(screen.words("commands_view.none", notes=notes), (), False)
    lines = []
    for command in result.results:
        name = screen.paint("bold", f"{command.c1} {command.c2} {command.c3}")
        lines += [f"{name}  {screen.paint('dim', f'{command.score:.4g}')}", f"    {printable(command.description)}"]
    return View("\n".join(lines), warnings)


def command_describe(result: CommandDescribeResult, screen: Screen) -> View:
    """Return the arguments of each command."""
    words, blocks = screen.words, []
    for command in result.commands:
        taken = command.options
        given = ", ".join(name for name in ("file", "stdin", "destination") if getattr(taken, name))
        rows = {
            words("commands_view.usage"): command.usage,
            words("commands_view.edition"): ", ".join(taken.edition),
            words("commands_view.adaptation"): ", ".join(taken.adaptation),
            words("commands_view.takes"): given or words("commands_view.nothing"),
            **{f"--uv-{name}": meaning for name, meaning in taken.uv.items()},
        }
        lines = [screen.paint("bold", command.id), f"    {printable(command.description)}"]
        lines += [f"    {screen.paint('dim', name)}  {printable(text)}" for name, text in rows.items()]
        blocks.append("\n".join(lines))
    return View("\n".join(blocks) or words("commands_view.no_such"), tuple(result.degraded), bool(blocks))


def declare_command_execute(parser: argparse.ArgumentParser) -> None:
    """Add every option of a command under its own name, as the original program does."""
    parser.add_argument("-e", "--edition", metavar="NAME", help="which edition of the prompt")
    parser.add_argument("-a", "--adaptation", metavar="NAME", help="which adaptation of it")
    parser.add_argument("-f", "--from", dest="file", metavar="FILE", help="a file the command works on")
    parser.add_argument("-o", "-d", "--destination", metavar="PATH", help="where its result goes")
    parser.add_argument(
        "--uv", action="append", default=[], metavar="NAME=VALUE", help="a variable; also --uv-NAME=VALUE"
    )
    parser.add_argument("--stdin", default="", metavar="TEXT", help="the text it works on; - reads standard input")
    _take_variables(parser)


def _take_variables(parser: argparse.ArgumentParser) -> None:
    """Accept ``--uv-NAME=VALUE`` as the original program does; argparse has no options with free names."""
    parse = parser.parse_known_args

    def parse_known_args(args: list[str], namespace: argparse.Namespace | None = None) -> object:
        return parse([f"--uv={word[5:]}" if word.startswith("--uv-") else word for word in args], namespace)

    parser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]


def typed_command_execute(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with all options, and with standard input where that is asked for."""
    named = {key: getattr(options, key) for key in ("edition", "adaptation", "file", "destination")}
    flags = [f"{key}={value}" for key, value in named.items() if value is not None]
    flags += [f"--uv-{variable}" for variable in options.uv]
    given = sys.stdin.read() if options.stdin == "-" else options.stdin
    return {**arguments, "options": flags, "stdin": given}


def command_execute(result: CommandExecuteResult, screen: Screen) -> View:
    """Return the prompt unchanged, on a terminal without control characters; what it lacks goes to the notes."""
    bare = result.text.removesuffix("\n")
    text = "\n".join(map(printable, bare.split("\n"))) if screen.tty else bare
    missing = result.missing_variables
    left = [name for name in result.unresolved_placeholders if name not in missing]
    notes = [screen.words("commands_view.not_given", names=missing)] if missing else []
    notes += [screen.words("commands_view.left", names=left)] if left else []
    return View(text, (*result.degraded, *notes))


def typed_command_validate(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Ask for all findings."""
    return {**arguments, "limit": ALL}


def command_validate(result: CommandValidateResult, screen: Screen) -> View:
    """Return a line for each finding, and how many commands can be rendered."""
    paint = screen.paint
    lines = [
        f"{paint(STYLES[one.level], screen.words(f'commands_view.{one.level}'))}  "
        f"{paint('bold', one.command or result.path)}  {screen.say(one.message)}"
        for one in result.findings
    ]
    lines.append(
        screen.words("commands_view.rendered", path=result.path, good=result.renderable, count=result.commands)
    )
    broken = result.degraded or result.next or any(finding.level == "error" for finding in result.findings)
    return View("\n".join(lines), tuple(result.degraded), not broken)


def command_build(result: CommandBuildResult, screen: Screen) -> View:
    """Return what was added, changed, removed and left out, and how many commands there are."""
    lines = changes(result, screen.paint)
    lines += screen.warn(result.left_out)
    code = "commands_view.written" if result.written else "commands_view.would_write"
    return View("\n".join([*lines, screen.words(code, path=result.path, count=result.commands)]))
