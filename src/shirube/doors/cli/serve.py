"""``shirube serve``: the operations for an agent, and ``shirube call``: one of them, for a program."""

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from shirube.codec.wire import shown_json
from shirube.doors.cli.command import OK, Command, ask
from shirube.errors import BadArgument


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
    parser.add_argument("--watch", action="store_true", help="follow changes of the project while serving")
    parser.add_argument("--http", action="store_true", help="serve on a local port instead of stdio, with a token")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port for --http (default: a free one)")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Import without collecting garbage: all of it stays, and looking through it costs a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _run_serve(options: argparse.Namespace) -> int:
    flags = {"serve.toolsets": options.toolsets} if options.toolsets else {}
    if options.http:
        with _uncollected():
            from shirube.doors.mcp.http import serve_http

        serve_http(options.root, flags, options.port, options.watch)
    else:
        with _uncollected():
            from shirube.doors.mcp import serve_stdio

        serve_stdio(options.root, flags, options.watch)
    return OK


SERVE = Command(_declare_serve, _run_serve)
CALL = Command(_declare_call, _run_call)
