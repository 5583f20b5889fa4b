"""The commands, a row each."""

import argparse
import json
import signal
import sys
from threading import Event
from typing import TYPE_CHECKING

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, family, opened, show
from shirube.cli.gate import GATE
from shirube.cli.install import INSTALL
from shirube.cli.map import CODE_INTEL, MAP
from shirube.cli.matches import match_notes, matches_text
from shirube.cli.outcomes import OUTCOME
from shirube.cli.plans import GISTDEX, PLAN_COMMANDS
from shirube.cli.reading import COMMANDS as READING
from shirube.cli.registry import REGISTRY
from shirube.cli.session import SESSION
from shirube.cli.show import change_text, paint_for, printable, search_text, status_text, sync_text
from shirube.cli.symbols import SYMBOL_COMMANDS
from shirube.cli.ui import UI
from shirube.errors import BadArgument
from shirube.operations import OPERATIONS
from shirube.operations.wire import to_wire
from shirube.types import Mode, SyncReport

if TYPE_CHECKING:
    from shirube.workspace import Workspace


def _declare_index(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", nargs="?", metavar="PATH", default=argparse.SUPPRESS, help="the project (as --root)")
    parser.add_argument("--full", action="store_true", help="read every file again, whatever its time stamp")
    parser.add_argument("--watch", action="store_true", help="stay, and follow every change until interrupted")
    common(parser)


def _run_index(options: argparse.Namespace) -> int:
    result = ask(options, "sync_index", {"full": options.full})
    show(options, result, lambda: sync_text(result, paint_for(options.no_color)))
    if options.watch:
        with opened(options) as (workspace, _):
            _watch(workspace, options)
    return OK


def _watch(workspace: "Workspace", options: argparse.Namespace) -> None:
    """Tell of every change until interrupted, or until the program that started us is gone."""
    stop, interrupted = Event(), Event()

    def interrupt(*_: object) -> None:
        """End in an orderly way; an exception in the middle of anything could get lost. The second time, at once."""
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    signal.signal(signal.SIGINT, interrupt)

    def told(report: SyncReport) -> None:
        show(options, report, lambda: change_text(report, paint_for(options.no_color)))
        sys.stdout.flush()

    print("shirube: watching; Ctrl-C ends it", file=sys.stderr)
    workspace.keeper.watch(stop, told)
    if interrupted.is_set():
        raise KeyboardInterrupt


def _run_status(options: argparse.Namespace) -> int:
    result = ask(options, "index_status", {})
    show(options, result, lambda: status_text(result, paint_for(options.no_color)))
    return OK


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="+", help="words, a symbol or a question")
    parser.add_argument("-k", "--limit", type=int, metavar="N", help="how many hits (default 10)")
    parser.add_argument("--mode", choices=[mode.value for mode in Mode], default="auto", help="which legs take part")
    parser.add_argument("--profile", default="", metavar="P", help="what for: bugfix, testfail, typeerror, feature, …")
    parser.add_argument("--boost-profile", default="", metavar="B", help="which files first: docs, code, …")
    parser.add_argument(
        "--editing", action="append", default=[], metavar="FILE", help="a file at hand; may be repeated"
    )
    parser.add_argument("--path", default="", metavar="GLOB", help="only below this directory or glob")
    parser.add_argument("--lang", action="append", default=[], metavar="L", help="only this language; may be repeated")
    parser.add_argument("--kind", action="append", default=[], metavar="K", help="only this kind of symbol")
    parser.add_argument("--why", action="store_true", help="show what each score is made of")
    common(parser)


def _run_search(options: argparse.Namespace) -> int:
    arguments = {
        "query": " ".join(options.query),
        "limit": options.limit,
        "mode": options.mode,
        "profile": options.profile,
        "boost_profile": options.boost_profile,
        "editing": options.editing,
        "path": options.path,
        "languages": options.lang,
        "kinds": options.kind,
    }
    result = ask(options, "search", arguments)
    show(options, result, lambda: search_text(result, paint_for(options.no_color), options.why))
    return OK if result.forest_hits or result.map_hits else NO_MATCH


def _declare_grep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", metavar="PATTERN", nargs="*", help="a text to look for; several: any of them")
    parser.add_argument("-e", dest="more", action="append", default=[], metavar="PATTERN", help="one more pattern")
    parser.add_argument("-E", "--regex", action="store_true", help="the patterns are regular expressions (RE2)")
    parser.add_argument("-i", "--ignore-case", action="store_true", help="capitals and small letters are the same")
    parser.add_argument("-w", "--word", action="store_true", help="whole words only")
    parser.add_argument("--path", default="", metavar="GLOB", help="only below this directory or glob")
    parser.add_argument("--lang", action="append", default=[], metavar="L", help="only this language; may be repeated")
    parser.add_argument("-C", "--context", type=int, default=0, metavar="N", help="show N lines before and after")
    parser.add_argument("-k", "--limit", type=int, metavar="N", help="how many lines (default 50)")
    parser.add_argument("--cursor", default="", metavar="TOKEN", help="the next page, as the previous one named it")
    common(parser)


def _run_grep(options: argparse.Namespace) -> int:
    arguments = {
        "patterns": [*options.patterns, *options.more],
        "regex": options.regex,
        "case_sensitive": not options.ignore_case,
        "word": options.word,
        "path": options.path,
        "languages": options.lang,
        "context_lines": options.context,
        "limit": options.limit,
        "cursor": options.cursor,
    }
    result = ask(options, "search_text", arguments)
    paint = paint_for(options.no_color)
    if options.json or result.matches:
        show(options, result, lambda: matches_text(result, paint, headings=sys.stdout.isatty()))
    for note in () if options.json else match_notes(result):
        print(f"shirube: {printable(note)}", file=sys.stderr)
    return OK if result.matches else NO_MATCH


def _declare_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repair", action="store_true", help="build a broken index anew, fetch a missing model")
    common(parser)


def _run_doctor(options: argparse.Namespace) -> int:
    from shirube.cli.doctor import Finding, examine, repair, report_text

    mended: tuple[Finding, ...] = ()
    if options.repair:
        with opened(options) as (workspace, call):
            mended = repair(workspace, call)
    findings = (*mended, *examine(options.root))
    show(options, {"findings": findings}, lambda: report_text(findings, paint_for(options.no_color)))
    return NO_MATCH if any(finding.state == "bad" for finding in findings) else OK


def _declare_call(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(operation.name for operation in OPERATIONS)
    parser.add_argument("operation", metavar="OPERATION", help=f"one of: {names}")
    parser.add_argument("--json", default="{}", metavar="ARGS", help="arguments as a JSON object; - reads stdin")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _run_call(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.json == "-" else options.json
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"--json is not valid JSON: {error}", 'for example --json \'{"query": "login"}\'') from None
    if not isinstance(arguments, dict):
        raise BadArgument("--json must be an object", 'for example --json \'{"query": "login"}\'')
    print(json.dumps(to_wire(ask(options, options.operation, arguments)), ensure_ascii=False))
    return OK


def _declare_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--toolsets", metavar="NAMES", help="what to list: core, groups such as index, or all")
    parser.add_argument("--watch", action="store_true", help="follow changes of the project while serving")
    parser.add_argument("--http", action="store_true", help="serve on a local port instead of stdio, with a token")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port for --http (default: a free one)")


def _run_serve(options: argparse.Namespace) -> int:
    flags = {"serve.toolsets": options.toolsets} if options.toolsets else {}
    if options.http:
        from shirube.mcp.http import serve_http

        serve_http(options.root, flags, options.port, options.watch)
    else:
        from shirube.mcp import serve_stdio

        serve_stdio(options.root, flags, options.watch)
    return OK


COMMANDS = (
    Command("search", "find code by words, symbols or a question", _declare_search, _run_search),
    Command("grep", "find lines by exact text or regular expression", _declare_grep, _run_grep),
    *SYMBOL_COMMANDS,
    *READING,
    *PLAN_COMMANDS,
    SESSION,
    MAP,
    OUTCOME,
    GATE,
    REGISTRY,
    Command("index", "bring the index up to date", _declare_index, _run_index),
    Command("status", "what the index holds, how fresh it is, what it leaves out", common, _run_status),
    Command(
        "doctor", "what is missing or degraded here, and how to mend it", _declare_doctor, _run_doctor, unsettled=True
    ),
    Command("serve", "serve the operations to an agent over MCP", _declare_serve, _run_serve),
    UI,
    *INSTALL,
    Command("call", "run any operation with JSON arguments; prints its result as JSON", _declare_call, _run_call),
    family("import", "take over what an earlier program left", (CODE_INTEL, GISTDEX)),
)
