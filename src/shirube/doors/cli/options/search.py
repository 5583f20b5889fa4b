"""Options of the commands about search."""

import argparse
import sys
from pathlib import Path
from typing import Any

from shirube.errors import BadArgument
from shirube.messages import say

STDIN = "-"


def declare_search_text(parser: argparse.ArgumentParser) -> None:
    """Add ``-e`` for more patterns, as grep has it."""
    parser.add_argument("-e", dest="more", action="append", default=[], metavar="PATTERN", help="one more pattern")


def typed_search_text(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the patterns of both kinds combined."""
    return {**arguments, "patterns": [*arguments.get("patterns", ()), *options.more]}


def declare_context_bundle(parser: argparse.ArgumentParser) -> None:
    """Explain below the options how to pass long texts."""
    parser.epilog = say("search_view.reads_stdin")


def typed_context_bundle(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read values given as a file name, or as ``-`` for stdin, which can be read only once."""
    texts = {name: arguments.get(name, []) for name in ("failing_tests", "hints")}
    diff = arguments.get("last_diff", "")
    if [*texts["failing_tests"], *texts["hints"], diff].count(STDIN) > 1:
        raise BadArgument("search_view.stdin_once")
    read = {name: [_typed(text) for text in given] for name, given in texts.items() if given}
    try:
        diff = Path(diff).read_text("utf-8", "replace") if diff not in ("", STDIN) else _typed(diff)
    except OSError as error:
        raise BadArgument("search_view.no_diff_file", name=diff, error=error.strerror) from None
    return {**arguments, **read, "last_diff": diff}


def _typed(text: str) -> str:
    return sys.stdin.read() if text == STDIN else text
