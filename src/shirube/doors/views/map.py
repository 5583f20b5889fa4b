"""Text for agreements and their state."""

from typing import Annotated

from shirube.codec import Arg
from shirube.doors.views.screen import Screen, View
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

STATES = {State.FRESH: "good", State.CHANGED: "line", State.MOVED: "line", State.GONE: "bad", State.UNBOUND: "dim"}
NAMED = 10
"""How many lines of each kind a report shows."""


def list_agreements(result: AgreementsResult, screen: Screen) -> View:
    """Return a line for each agreement, the counts by state, and the next step."""
    lines = [agreement_line(view, screen) for view in result.agreements]
    if result.total:
        states = [f"{count} {state}" for state, count in result.states.items()]
        total = screen.words("map_view.total", count=result.total, states=states, facts=result.facts)
        cut = screen.words("map_view.shown", count=len(lines)) if result.truncated else ""
        lines.append(screen.paint("dim", f"{total}{cut}"))
    return View(_closed(lines, (*result.problems, *result.degraded), result.next, screen), (), bool(result.total))


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
    lines += [screen.words("map_view.left_out")] if result.left_out else []
    lines += [paint("dim", f"= {screen.say(row)}") for row in result.left_out]
    return View(_closed(lines, (), result.next, screen), (), not result.conflicts and not result.problems)


def merge_agreements(result: MergeResult, screen: Screen, quiet: Annotated[bool, Arg("")] = False) -> View:
    """Return the path of the merged file; conflicts go to the notes."""
    text = "" if quiet else screen.words("map_view.merged", file=result.file)
    return View(text, result.conflicts, result.clean)


def export_map(result: ExportMapResult, screen: Screen) -> View:
    """Return the map itself, or where it was written."""
    written = screen.words("map_view.written_to", count=result.total, file=result.file)
    missing = tuple(say("map_view.not_in_it", problem=problem) for problem in result.problems)
    text = written if result.file else result.text.rstrip("\n")
    return View(text, missing, bool(result.total) and not result.problems)


import_map = sync_map
