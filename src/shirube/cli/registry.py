"""``shirube commands``: find, describe, execute, validate and build the commands of a registry."""

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.screen import Paint, paint_for, printable
from shirube.errors import BadArgument, counted

if TYPE_CHECKING:
    from shirube.operations.results.commands import (
        CommandBuildResult,
        CommandDescribeResult,
        CommandExecuteResult,
        CommandSearchResult,
        CommandValidateResult,
    )

ID = ("c1", "c2", "c3")


def _agent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", default="climpt", metavar="NAME", help="whose registry (default climpt)")
    common(parser)


def _words(parser: argparse.ArgumentParser) -> None:
    for name, help in zip(ID, ("the domain", "the action", "the target"), strict=True):
        parser.add_argument(name, metavar=name.upper(), help=help)


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="*", help="what should be done, in English or Japanese")
    parser.add_argument("--action", default="", metavar="WORDS", help="words for what is done; with --target")
    parser.add_argument("--target", default="", metavar="WORDS", help="words for what it is done to; fused by rank")
    parser.add_argument("-k", "--limit", type=int, default=3, metavar="N", help="how many commands (default 3)")
    parser.add_argument("--mode", choices=["auto", "strict", "wide"], default="auto", help="how far to look")
    _agent(parser)


def _run_search(options: argparse.Namespace) -> int:
    views = [view for view in (options.action, options.target) if view]
    if views and options.query:
        raise BadArgument("a query and --action or --target are given", "give the one or the other")
    asked = {"queries": views} if views else {"query": " ".join(options.query)}
    rest = {"agent": options.agent, "limit": options.limit, "mode": options.mode}
    result: CommandSearchResult = ask(options, "command_search", {**asked, **rest})
    show(options, result, lambda: _found_text(result, paint_for(options.no_color)))
    _tell(options, result.degraded if result.results else ())
    return OK if result.results else NO_MATCH


def _found_text(result: "CommandSearchResult", paint: Paint) -> str:
    if not result.results:
        return f"none: {'; '.join(map(printable, (*result.degraded, result.next)))}"
    return "\n".join(
        f"{paint('bold', f'{one.c1} {one.c2} {one.c3}')}  {paint('dim', f'{one.score:.4g}')}\n"
        f"    {printable(one.description)}"
        for one in result.results
    )


def _declare_describe(parser: argparse.ArgumentParser) -> None:
    _words(parser)
    _agent(parser)


def _run_describe(options: argparse.Namespace) -> int:
    asked = {"c1": options.c1, "c2": options.c2, "c3": options.c3, "agent": options.agent}
    result: CommandDescribeResult = ask(options, "command_describe", asked)
    show(options, result, lambda: _described_text(result, paint_for(options.no_color)))
    _tell(options, result.degraded)
    return OK if result.commands else NO_MATCH


def _described_text(result: "CommandDescribeResult", paint: Paint) -> str:
    blocks = []
    for command in result.commands:
        taken = command.options
        rows = {"usage": command.usage, "edition": ", ".join(taken.edition), "adaptation": ", ".join(taken.adaptation)}
        rows["takes"] = (
            ", ".join(name for name in ("file", "stdin", "destination") if getattr(taken, name)) or "nothing"
        )
        rows |= {f"--uv-{name}": meaning for name, meaning in taken.uv.items()}
        lines = [paint("bold", command.id), f"    {printable(command.description)}"]
        blocks.append(
            "\n".join([*lines, *(f"    {paint('dim', name)}  {printable(text)}" for name, text in rows.items())])
        )
    return "\n".join(blocks) or "none: no command has exactly these three words"


def _declare_execute(parser: argparse.ArgumentParser) -> None:
    _words(parser)
    parser.add_argument("-e", "--edition", metavar="NAME", help="which edition of the prompt")
    parser.add_argument("-a", "--adaptation", metavar="NAME", help="which adaptation of it")
    parser.add_argument("-f", "--from", dest="file", metavar="FILE", help="a file the command works on")
    parser.add_argument("-o", "-d", "--destination", metavar="PATH", help="where its result goes")
    parser.add_argument(
        "--uv", action="append", default=[], metavar="NAME=VALUE", help="a variable; also --uv-NAME=VALUE"
    )
    parser.add_argument("--stdin", default="", metavar="TEXT", help="the text it works on; - reads standard input")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="when to give up")
    _agent(parser)
    _take_variables(parser)


def _take_variables(parser: argparse.ArgumentParser) -> None:
    """Let ``--uv-NAME=VALUE`` be typed as the original has it: argparse knows no options with free names."""
    parse = parser.parse_known_args

    def parse_known_args(args: list[str], namespace: argparse.Namespace | None = None) -> object:
        return parse([f"--uv={one[5:]}" if one.startswith("--uv-") else one for one in args], namespace)

    parser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]


def _run_execute(options: argparse.Namespace) -> int:
    named = {key: getattr(options, key) for key in ("edition", "adaptation", "file", "destination")}
    flags = [f"{key}={value}" for key, value in named.items() if value is not None]
    flags += [f"--uv-{variable}" for variable in options.uv]
    asked = {
        **{name: getattr(options, name) for name in (*ID, "agent")},
        "options": flags,
        "stdin": sys.stdin.read() if options.stdin == "-" else options.stdin,
        "timeout_seconds": options.timeout,
    }
    result: CommandExecuteResult = ask(options, "command_execute", asked)
    show(options, result, lambda: _prompt_text(result.text))
    notes = [f"not given: {', '.join(result.missing_variables)}"] if result.missing_variables else []
    left = [name for name in result.unresolved_placeholders if name not in result.missing_variables]
    notes += [f"left as written: {', '.join(left)}"] if left else []
    _tell(options, [*result.degraded, *notes])
    return OK


def _prompt_text(text: str) -> str:
    """Return the prompt as it is; on a terminal without what could steer it."""
    bare = text.removesuffix("\n")
    return "\n".join(map(printable, bare.split("\n"))) if sys.stdout.isatty() else bare


def _run_validate(options: argparse.Namespace) -> int:
    result: CommandValidateResult = ask(options, "command_validate", {"agent": options.agent, "limit": 10_000})
    show(options, result, lambda: _findings_text(result, paint_for(options.no_color)))
    _tell(options, result.degraded)
    broken = result.degraded or result.next or any(finding.level == "error" for finding in result.findings)
    return NO_MATCH if broken else OK


def _findings_text(result: "CommandValidateResult", paint: Paint) -> str:
    styles = {"error": "bad", "warning": "line"}
    lines = [
        f"{paint(styles[one.level], one.level)}  {paint('bold', one.command or result.path)}  {printable(one.message)}"
        for one in result.findings
    ]
    return "\n".join(
        [
            *lines,
            f"{printable(result.path)}: {result.renderable} of {counted(result.commands, 'command')} can be rendered",
        ]
    )


def _declare_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    _agent(parser)


def _run_build(options: argparse.Namespace) -> int:
    result: CommandBuildResult = ask(options, "command_build", {"agent": options.agent, "dry_run": options.dry_run})
    show(options, result, lambda: _built_text(result, paint_for(options.no_color)))
    return OK


def _built_text(result: "CommandBuildResult", paint: Paint) -> str:
    marks = (("+", "good", result.added), ("~", "line", result.changed), ("-", "bad", result.removed))
    lines = [paint(style, f"{mark} {name}") for mark, style, names in marks for name in names]
    lines += [paint("bad", f"! {line}") for line in result.left_out]
    verb = "written" if result.written else "would be written (--dry-run)"
    return "\n".join([*lines, f"{printable(result.path)}: {counted(result.commands, 'command')} {verb}"])


def _tell(options: argparse.Namespace, notes: Iterable[str]) -> None:
    for note in () if options.json else notes:
        print(f"shirube: {printable(note)}", file=sys.stderr)


SEARCH = Command(_declare_search, _run_search)
DESCRIBE = Command(_declare_describe, _run_describe)
EXECUTE = Command(_declare_execute, _run_execute)
VALIDATE = Command(_agent, _run_validate)
BUILD = Command(_declare_build, _run_build)
