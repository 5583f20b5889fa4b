"""``shirube ui``: the project in a browser."""

import argparse

from shirube.doors.cli.command import OK, Command


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=0, metavar="N", help="where to listen (default: a free port)")
    parser.add_argument("--no-open", action="store_true", help="print the address, open no browser")


def _run(options: argparse.Namespace) -> int:
    import webbrowser

    from shirube.doors.web import serve_ui

    serve_ui(options.root, {}, options.port, None if options.no_open else webbrowser.open)
    return OK


UI = Command(_declare, _run)
