"""Text for agreements and their state."""

import argparse
import sys
from typing import Annotated, Any

from shirube.codec import Arg, replace
from shirube.doors.cli.command import ask
from shirube.doors.cli.derived import shown
from shirube.doors.cli.screen import Screen, View, read_file, write_file
from shirube.errors import BadArgument
from shirube.features.map.agreement import CONVENTION
from shirube.features.map.merge import is_bundle
from shirube.features.map.results import (
    AgreementsResult,
    AgreementView,
    ExportMapResult,
    MapReport,
    MergeResult,
    ProposalsResult,
    WrittenAgreement,
)
from shirube.features.map.states import Standing, State
from shirube.messages import say
from shirube.operation import OPERATIONS

STATES = {State.FRESH: "good", State.CHANGED: "line", State.MOVED: "line", State.GONE: "bad", State.UNBOUND: "dim"}
NAMED = 10
"""How many lines of each kind a report shows."""


def declare_list_agreements(parser: argparse.ArgumentParser) -> None:
    """Add a switch for conventions, the kind that is listed most often."""
    parser.add_argument("--conventions", action="store_true", help="only conventions")


def typed_list_agreements(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the switch."""
    return {**arguments, "doc_type": CONVENTION} if options.conventions else arguments


def list_agreements(result: AgreementsResult, screen: Screen) -> View:
    """Return a line for each agreement, the counts by state, and the next step."""
    lines = [agreement_line(view, screen) for view in result.agreements]
    if result.total:
        states = [f"{count} {state}" for state, count in result.states.items()]
        total = screen.words("map_view.total", count=result.total, states=states, facts=result.facts)
        cut = screen.words("map_view.shown", count=len(lines)) if result.truncated else ""
        lines.append(screen.paint("dim", f"{total}{cut}"))
    return View(_closed(lines, (*result.problems, *result.degraded), result.next, screen), (), bool(result.total))


declare_check_agreements, typed_check_agreements = declare_list_agreements, typed_list_agreements


def check_agreements(result: AgreementsResult, screen: Screen) -> View:
    """Return the same; the command fails when something went stale or cannot be read."""
    stale = any(state not in (State.FRESH, State.UNBOUND) for state in result.states)
    return list_agreements(result, screen)._replace(found=not stale and not result.problems)


def list_proposals(result: ProposalsResult, screen: Screen) -> View:
    """Return each proposal with its commits and the command that confirms it."""
    paint, lines = screen.paint, list[str]()
    for one in result.proposals:
        place = f"{paint('path', one.path)}:{one.start_line}"
        lines.append(f"{one.confidence:.2f} {paint('bold', one.nl_term)} → {paint('kind', one.symbol)}  {place}")
        lines += [paint("dim", f"     {commit.commit} {commit.date} {commit.subject}") for commit in one.evidence]
        more = one.commits - len(one.evidence)
        lines += [paint("dim", f"     {screen.words('map_view.and_more', count=more).strip()}")] if more else []
        lines.append(f"     {screen.say(one.next)}")
    cut = screen.words("map_view.shown", count=len(result.proposals)) if result.truncated else ""
    total = screen.words("map_view.proposals", count=result.total, commits=result.commits)
    lines.append(paint("dim", f"{total}{cut}"))
    return View(_closed(lines, result.degraded, result.next, screen), (), bool(result.total))


def _closed(lines: list[str], problems: tuple[str, ...], advice: str, screen: Screen) -> str:
    """Return lines, followed by problems and the next step."""
    return "\n".join([*lines, *screen.warn(problems), *([screen.paint("dim", screen.say(advice))] if advice else [])])


def agreement_line(view: AgreementView, screen: Screen) -> str:
    """Return one agreement on one line: its state, term, place, and why it is in doubt."""
    paint = screen.paint
    state = paint(STATES[view.state], view.state.value.ljust(7))
    convention = paint("dim", screen.words("map_view.convention"))
    arrow = f" → {paint('kind', view.symbol)}" if view.symbol else convention
    place = f"  {paint('path', view.path)}" + (f":{view.start_line}" if view.symbol else "")
    doubt = "" if view.fresh else paint("dim", f"  {_doubt(view, screen)}")
    return f"{state} {paint('bold', view.nl_term)}{arrow}{place}{doubt}"


def _doubt(view: AgreementView, screen: Screen) -> str:
    if view.origin:
        return screen.words("map.from_origin", origin=view.origin)
    if view.standing == Standing.AGREED:
        return screen.say(view.why)
    return screen.words("map_view.doubt", standing=say(f"map.{view.standing.value}"), why=view.why)


def declare_add_agreement(parser: argparse.ArgumentParser) -> None:
    """Add a switch for conventions."""
    declare_edit_agreement(parser)
    parser.add_argument("--convention", action="store_true", help="a rule of the project: the evidence is its text")


def typed_add_agreement(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the switch, and evidence from stdin."""
    if options.convention == bool(arguments.get("symbol")):
        raise BadArgument("map_view.symbol_or_rule")
    kind = {"doc_type": CONVENTION} if options.convention else {}
    return typed_edit_agreement(options, {**arguments, **kind})


def declare_edit_agreement(parser: argparse.ArgumentParser) -> None:
    """Say that evidence may be piped in."""
    parser.epilog = "--evidence - reads stdin"


def typed_edit_agreement(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read evidence from stdin where it is ``-``."""
    return {**arguments, "code_evidence": sys.stdin.read()} if arguments.get("code_evidence") == "-" else arguments


def add_agreement(result: WrittenAgreement, screen: Screen) -> View:
    """Return what was written."""
    lines = [agreement_line(one, screen) for one in result.agreements]
    return View(_closed([*lines, screen.paint("dim", screen.say(result.note))], result.problems, "", screen))


edit_agreement = expire_agreement = add_agreement


def sync_map(result: MapReport, screen: Screen) -> View:
    """Return what was imported into the map, what was not, and why."""
    paint = screen.paint
    counts = {"new": len(result.new), "changed": len(result.changed), "same": result.same, "bound": result.bound}
    logs = [f"{count} {name}" for name, count in result.logs.items()]
    states = ", ".join(f"{count} {state}" for state, count in result.states.items())
    lines = [
        screen.words("map_view.report", source=result.source, **counts)
        + (screen.words("map_view.records", logs=logs) if logs else ""),
        screen.words("map_view.agreements", count=result.total) + (f": {states}" if states else ""),
    ]
    for mark, style, rows in (
        ("+", "good", result.new),
        ("~", "line", result.changed),
        ("?", "line", result.not_bound),
        (f"- {screen.words('map_view.demoted')}", "line", result.demoted),
        (f"! {screen.words('map_view.conflict')}", "bad", result.conflicts),
        ("!", "bad", result.problems),
    ):
        lines += [paint(style, f"{mark} {screen.say(row)}") for row in rows[:NAMED]]
        more = len(rows) - NAMED
        lines += [paint("dim", screen.words("map_view.and_more", count=more))] if more > 0 else []
    return View(_closed(lines, (), result.next, screen), (), not result.conflicts and not result.problems)


def declare_merge_agreements(parser: argparse.ArgumentParser) -> None:
    """Add the files as arguments, in the order in which git passes them to a merge driver."""
    parser.add_argument(
        "files", metavar="[BASE] OURS THEIRS", nargs="+", help="two versions, or three as git hands them: %%O %%A %%B"
    )


def typed_merge_agreements(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Assign the files to arguments by their number."""
    if not 2 <= len(options.files) <= 3:
        raise BadArgument("map_view.files_given", count=len(options.files))
    *base, ours, theirs = options.files
    return {"base": "".join(base), "ours": ours, "theirs": theirs}


def merge_agreements(result: MergeResult, screen: Screen, quiet: Annotated[bool, Arg("")] = False) -> View:
    """Return the path of the merged file; conflicts go to the notes."""
    text = "" if quiet else screen.words("map_view.merged", file=result.file)
    return View(text, result.conflicts, result.clean)


def declare_export_map(parser: argparse.ArgumentParser) -> None:
    """Add a file as an argument; it may be outside the project."""
    parser.add_argument("path", metavar="FILE", nargs="?", help="a new file, or an earlier export (default: stdout)")


def run_export_map(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Write the map to a file, or show it."""
    result: ExportMapResult = ask(options, "export_map", {})
    if options.path:
        result = replace(result, file=write_file(options.path, result.text, is_bundle), text="")
    return shown(options, OPERATIONS["export_map"], result)


def export_map(result: ExportMapResult, screen: Screen) -> View:
    """Return the map itself, or where it was written."""
    written = screen.words("map_view.written_to", count=result.total, file=result.file)
    missing = tuple(say("map_view.not_in_it", problem=problem) for problem in result.problems)
    text = written if result.file else result.text.rstrip("\n")
    return View(text, missing, bool(result.total) and not result.problems)


def declare_import_map(parser: argparse.ArgumentParser) -> None:
    """Add a file (anywhere), or the directory of an earlier program, as an argument."""
    kinds = "an exported map, learned_pairs.json, or a .code-intel directory (default .code-intel)"
    parser.add_argument("path", metavar="FILE", nargs="?", default=".code-intel", help=kinds)


def typed_import_map(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the file; the operation handles a directory or a missing file itself."""
    text = read_file(options.path)
    return {"text": text} if text else {"path": options.path}


import_map = sync_map
