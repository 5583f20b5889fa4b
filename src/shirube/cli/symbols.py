"""The commands about symbols: ``defs``, ``refs``, ``outline``, ``at`` and ``impact``."""

import argparse
import re
import sys

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.outlines import around_text, at_text, impact_text, outline_text
from shirube.cli.places import definitions_text, notes_of, references_text
from shirube.cli.show import paint_for, printable
from shirube.errors import BadArgument

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::\d+)?:?\Z")


def _scoped(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", default="", metavar="GLOB", help="only below this directory or glob")
    parser.add_argument("--lang", action="append", default=[], metavar="L", help="only this language; may be repeated")
    parser.add_argument("-k", "--limit", type=int, default=50, metavar="N", help="how many (default 50)")
    parser.add_argument("--cursor", default="", metavar="TOKEN", help="the next page, as the previous one named it")
    common(parser)


def _told(options: argparse.Namespace, notes: list[str]) -> None:
    """Say on stderr what the reader should know beside the answer."""
    for note in () if options.json else notes:
        print(f"shirube: {printable(note)}", file=sys.stderr)


def _declare_defs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("symbol", metavar="NAME", help="a name: start, Session.start, Foo::bar")
    parser.add_argument("--kind", default="", metavar="K", help="only this kind: function, class, …")
    parser.add_argument("--exact", action="store_true", help="no names that merely look like it")
    _scoped(parser)


def _run_defs(options: argparse.Namespace) -> int:
    arguments = {
        "symbol": options.symbol,
        "kind": options.kind,
        "exact_match": options.exact,
        "path": options.path,
        "language": options.lang,
        "limit": options.limit,
        "cursor": options.cursor,
    }
    result = ask(options, "find_definitions", arguments)
    if options.json or result.definitions:
        show(options, result, lambda: definitions_text(result.definitions, paint_for(options.no_color)))
    _told(options, notes_of(result, len(result.definitions)))
    return OK if result.definitions else NO_MATCH


def _declare_refs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("symbol", metavar="NAME", help="a name: start, Session.start, Foo::bar")
    parser.add_argument("--in", dest="defined_in", default="", metavar="FILE", help="the file that defines it")
    parser.add_argument("--code", action="store_true", help="no comments, strings and documents")
    _scoped(parser)


def _run_refs(options: argparse.Namespace) -> int:
    arguments = {
        "symbol": options.symbol,
        "defined_in": options.defined_in,
        "prose": not options.code,
        "path": options.path,
        "language": options.lang,
        "limit": options.limit,
        "cursor": options.cursor,
    }
    result = ask(options, "find_references", arguments)
    if options.json or result.references:
        show(options, result, lambda: references_text(result, paint_for(options.no_color)))
    _told(options, notes_of(result, len(result.references)))
    return OK if result.references else NO_MATCH


def _declare_outline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="?", default=".", help="a file, a directory or a glob")
    parser.add_argument("-k", "--limit", type=int, default=50, metavar="N", help="how many files (default 50)")
    parser.add_argument("--cursor", default="", metavar="TOKEN", help="the next page, as the previous one named it")
    common(parser)


def _run_outline(options: argparse.Namespace) -> int:
    arguments = {"path": options.path, "limit": options.limit, "cursor": options.cursor}
    result = ask(options, "analyze_structure", arguments)
    if options.json or result.files:
        show(options, result, lambda: outline_text(result, paint_for(options.no_color)))
    _told(options, notes_of(result, len(result.files)))
    return OK if result.files else NO_MATCH


def _declare_at(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="FILE:LINE", help="a place, for example src/app.py:42")
    common(parser)


def _run_at(options: argparse.Namespace) -> int:
    found = _PLACE.fullmatch(options.place)
    if not found:
        raise BadArgument(f"'{options.place}' is no place", "give a file and a line, for example src/app.py:42")
    result = ask(options, "get_function_at_line", {"file_path": found["file"], "line": int(found["line"])})
    if not (options.json or result.function) and result.enclosing:
        return _run_around(options, found["file"], int(found["line"]))
    if options.json or result.function:
        show(options, result, lambda: at_text(result, paint_for(options.no_color)))
    _told(options, [*result.degraded, *([] if result.function else [f"{result.answer.value}: {result.next}"])])
    return OK if result.function else NO_MATCH


def _run_around(options: argparse.Namespace, file: str, line: int) -> int:
    """Show the class, or whatever else is around a line that is in no function."""
    result = ask(options, "snippets_get", {"path": file, "start_line": line, "view": "symbol"})
    show(options, result, lambda: around_text(result, line, paint_for(options.no_color)))
    return OK


def _declare_impact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="a file about to change")
    parser.add_argument("-s", "--symbol", action="append", default=[], metavar="NAME", help="a symbol about to change")
    parser.add_argument("-k", "--limit", type=int, default=50, metavar="N", help="how many of each (default 50)")
    common(parser)


def _run_impact(options: argparse.Namespace) -> int:
    arguments = {"files": options.files, "symbols": options.symbol, "limit": options.limit}
    result = ask(options, "analyze_impact", arguments)
    anything = bool(result.must_verify or result.should_verify)
    if options.json or anything:
        show(options, result, lambda: impact_text(result, paint_for(options.no_color)))
    _told(options, [*result.degraded, *([] if anything else [f"{result.answer.value}: {result.next}"])])
    return OK if anything else NO_MATCH


SYMBOL_COMMANDS = (
    Command("defs", "where a symbol is defined", _declare_defs, _run_defs),
    Command("refs", "who uses a symbol, and how sure that is", _declare_refs, _run_refs),
    Command("outline", "what a file or directory defines, nested", _declare_outline, _run_outline),
    Command("at", "the function around a line, or the class: FILE:LINE", _declare_at, _run_at),
    Command("impact", "what a change of files or symbols would touch", _declare_impact, _run_impact),
)
