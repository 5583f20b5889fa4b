"""The command that gathers what to read for a goal."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.screen import Paint, paint_for, printable
from shirube.errors import BadArgument
from shirube.operations.results.search import BundleResult, ContextItem

STDIN = "-"


def _declare_context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("goal", metavar="GOAL", nargs="+", help="what is to be done")
    parser.add_argument("--editing", action="append", default=[], metavar="FILE", help="a file at hand; repeatable")
    parser.add_argument(
        "--failing-test", action="append", default=[], metavar="T", help="a test's name, or - for the run's output"
    )
    parser.add_argument("--diff", metavar="FILE", help="a unified diff; - reads stdin")
    parser.add_argument(
        "--hint", action="append", default=[], metavar="H", help="a path, a symbol, words, or - for output or a diff"
    )
    parser.add_argument("--profile", default="", metavar="P", help="what for: bugfix, testfail, typeerror, feature, …")
    parser.add_argument("--boost-profile", default="", metavar="B", help="which files first: docs, code, …")
    parser.add_argument("--path", default="", metavar="GLOB", help="only below this directory or glob")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="tokens to fill (default 4000)")
    parser.add_argument("--compact", action="store_true", help="places alone, without their lines")
    common(parser)


def _run_context(options: argparse.Namespace) -> int:
    given = [*options.failing_test, *options.hint, options.diff]
    if given.count(STDIN) > 1:
        raise BadArgument("stdin can be read once only", "give - to one of --diff, --failing-test and --hint")
    arguments = {
        "goal": " ".join(options.goal),
        "editing_path": options.editing,
        "failing_tests": [_said(text) for text in options.failing_test],
        "last_diff": _diff(options.diff),
        "hints": [_said(text) for text in options.hint],
        "profile": options.profile,
        "boost_profile": options.boost_profile,
        "path": options.path,
        "budget": options.budget,
        "compact": options.compact,
    }
    result = ask(options, "context_bundle", arguments)
    show(options, result, lambda: bundle_text(result, paint_for(options.no_color)))
    return OK if result.context else NO_MATCH


def _said(text: str) -> str:
    return sys.stdin.read() if text == STDIN else text


def _diff(name: str | None) -> str:
    if not name or name == STDIN:
        return sys.stdin.read() if name else ""
    try:
        return Path(name).read_text("utf-8", "replace")
    except OSError as error:
        raise BadArgument(f"{name} cannot be read: {error.strerror}", "--diff takes a file, or - for stdin") from None


def bundle_text(result: BundleResult, paint: Paint) -> str:
    """Return the snippets with line numbers and reasons, then what they cost and what did not fit."""
    blocks = [_item_text(item, paint) for item in result.context]
    notes = [paint("bad", f"! {line}") for line in result.warnings]
    if not blocks:
        return "\n".join([f"{result.answer.value}: {result.next}", *notes])
    spent = f"{result.tokens_estimate:,} of {result.budget:,} tokens, profile {result.profile}"
    left = f"; {result.omitted_total} more did not fit" if result.omitted_total else ""
    stale = result.freshness.stale_files
    notes += [paint("bad", f"! changed since indexed: {', '.join(stale)}")] if stale else []
    return "\n".join([*blocks, paint("dim", f"{spent}{left}"), paint("dim", f"next: {result.next}"), *notes])


def _item_text(item: ContextItem, paint: Paint) -> str:
    first, last = item.range
    place = f"{paint('path', item.path)}:{paint('line', f'{first}-{last}')}"
    part = "" if item.whole else " (part)"
    head = f"{place}  {paint('kind', item.kind)} {paint('bold', item.symbol)}".rstrip() + part
    why = paint("dim", f"    {item.tokens} tokens  {'  '.join(item.why)}")
    return "\n".join([head, why, *_numbered(item.preview, first, last, paint)])


def _numbered(text: str, first: int, last: int, paint: Paint) -> Sequence[str]:
    width = len(str(last))
    lines = text.split("\n") if text else []
    return [f"    {paint('dim', f'{number:>{width}}')}  {printable(line)}" for number, line in enumerate(lines, first)]


CONTEXT = Command(_declare_context, _run_context)
