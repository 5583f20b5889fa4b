"""Options of the commands about commands."""

import argparse
import sys
from typing import Any

from shirube.errors import BadArgument

ALL = 10_000


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
    parse = parser.parse_known_args

    def parse_known_args(args: list[str], namespace: argparse.Namespace | None = None) -> object:
        """Accept ``--uv-NAME=VALUE`` as the original program does; argparse has no options with free names."""
        return parse([f"--uv={word[5:]}" if word.startswith("--uv-") else word for word in args], namespace)

    parser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]


def typed_command_execute(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with all options, and with standard input where that is asked for."""
    named = {key: getattr(options, key) for key in ("edition", "adaptation", "file", "destination")}
    flags = [f"{key}={value}" for key, value in named.items() if value is not None]
    flags += [f"--uv-{variable}" for variable in options.uv]
    given = sys.stdin.read() if options.stdin == "-" else options.stdin
    return {**arguments, "options": flags, "stdin": given}


def typed_command_validate(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Ask for all findings."""
    return {**arguments, "limit": ALL}
