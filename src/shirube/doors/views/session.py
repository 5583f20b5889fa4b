"""Text for sessions and their outcomes."""

from collections.abc import Iterator
from typing import Annotated

from shirube.codec import Arg
from shirube.doors.views.screen import Screen, View, printable
from shirube.features.guard.phases import RAISED
from shirube.features.guard.results import (
    ConfirmResult,
    OutcomeResult,
    SessionsResult,
    SessionStatus,
    StartResult,
    StepResult,
    WriteResult,
)
from shirube.features.guard.state import Coverage, Expected, NextCall, Phase
from shirube.messages import say
from shirube.types import MapHit

SHOWN = 12
TOLD = 2
SIMILAR = 0.3
"""Below this similarity an agreement about another term is not told: they share a general word."""
REQUEST_WIDTH = 60
STYLES = {"success": "good", "failure": "bad", "partial": "line"}


def start_session(result: StartResult, screen: Screen) -> View:
    """Return the handle, the phase of the session, and the next step."""
    lines = [_head(result, screen), *screen.warn(result.degraded)]
    lines += _agreed(result.agreed, screen)
    if result.likely:
        code = "session_view.perhaps" if result.unsure else "session_view.likely"
        lines.append(screen.words(code, names=[_place(place) for place in result.likely]))
    prompt = result.query_frame.get("extraction_prompt", "")
    asks = prompt and any(step.operation == "set_query_frame" for step in result.next)
    lines += [*screen.warn(result.errors), *(map(printable, prompt.splitlines()) if asks else ())]
    return View("\n".join([*lines, *_steps(result.next, screen)]))


def _agreed(hits: tuple[MapHit, ...], screen: Screen) -> Iterator[str]:
    """Yield what was agreed about the request and still holds; what is about something similar is marked."""
    told = [hit for hit in hits if hit.fresh and (hit.alone or (hit.similarity or 0.0) >= SIMILAR)]
    for hit in told[:TOLD]:
        code = "session_view.agreed_before" if hit.alone else "session_view.agreed_similar"
        where = f"{hit.path}:{hit.start_line}" if hit.path else hit.agreement_file
        yield screen.words(code, term=hit.nl_term, symbol=hit.symbol, path=where)


def _place(place: Expected) -> str:
    lines = f":{place.start_line}-{place.end_line}" if place.end_line else ""
    return printable(f"{place.path}{lines} {place.symbol}".rstrip())


def submit_understanding(result: StepResult, screen: Screen) -> View:
    """Return the phase, what was wrong or is missing, and the next steps; all steps of a session read alike."""
    words = screen.words
    risk = f" {words('session_view.risk', risk=result.risk)}" if result.risk != "LOW" and not screen.model else ""
    phase, message = f"{screen.paint('bold', result.phase)}{risk}", screen.say(result.message)
    head = f"{phase}: {message}" if result.accepted else f"{message} ({phase})"
    lines = [head, *screen.warn(result.errors), *_agreed(result.agreed, screen)]
    if result.missing_requirements:
        lacks = [f"{one.key} {one.have}/{one.needed} {one.detail}".rstrip() for one in result.missing_requirements]
        lines.append(words("session_view.lacking", names=lacks))
    if result.missing_slots:
        lines.append(words("session_view.not_said", names=result.missing_slots))
    lines += [f"{one.id} {one.status}: {printable(one.text)}" for one in result.hypotheses]
    lines += [] if screen.model else [line.strip() for line in _coverage(result.coverage, screen)]
    return View("\n".join([*lines, *_steps(result.next, screen)]), (), result.accepted)


set_query_frame = submit_semantic = submit_verification = submit_understanding
add_explored_files = revert_to_exploration = submit_understanding


def check_write_target(result: WriteResult, screen: Screen) -> View:
    """Return whether a file may be written, what around it was not looked at, and the call that unblocks it."""
    allowed = [
        screen.words("session_view.new", path=file.path) if file.new else printable(file.path)
        for file in result.files
        if file.allowed
    ]
    lines = [screen.words("guard.may_write", path=allowed)] if allowed else []
    for file in result.files:
        if not file.allowed:
            no = screen.words("session_view.no", reason=file.reason)
            lines.append(no if file.path in file.reason else f"{printable(file.path)}: {no}")
    around = [] if screen.model else [line.strip() for line in _coverage(result.coverage, screen)]
    return View("\n".join([*lines, *around, *_steps(result.next, screen)]), (), result.allowed)


def confirm_symbol_relevance(result: ConfirmResult, screen: Screen) -> View:
    """Return which symbols are kept as the meaning of the term, which are not and why, and the next step."""
    term, words = result.target_feature, screen.words
    lines = [
        f"{words('session_view.confirmed', term=term, symbol=one.symbol)}  {printable(one.path)}:{one.line}"
        + (f"  {screen.say(one.why)}" if one.tier == RAISED else "")
        for one in result.confirmed
    ]
    lines += [words("session_view.no_meaning", symbol=one.symbol, why=one.why) for one in result.refused]
    lines += [words("session_view.no_meaning", symbol=one, why=say("session.no_name")) for one in result.not_found]
    return View("\n".join([*lines, screen.say(result.next)]), (), bool(result.confirmed))


def get_session_status(
    result: SessionStatus, screen: Screen, detailed: Annotated[bool, Arg("Everything that happened, too.")] = False
) -> View:
    """Return what a session knows, what is missing, the next step, and everything that happened in it."""
    paint, words = screen.paint, screen.words
    style, code = ("good", "session_view.may_write") if result.may_write else ("bad", "session_view.may_not_write")
    lines = [
        f"{_head(result, screen)}  {paint(style, words(code))}",
        f"  {printable(result.request)}",
        "",
        paint("bold", words("session_view.known")),
        *(
            f"  {name}: {printable(slot.value)}" + (f"  ({slot.certainty})" if slot.certainty != "fact" else "")
            for name, slot in result.slots.items()
        ),
        f"  {words('session_view.files', names=_some(result.explored_files, screen))}",
        f"  {words('session_view.symbols', names=_some(result.symbols, screen))}",
        f"  {words('session_view.operations', names=_some(result.tools_used, screen))}",
        *(f"  {words('session_view.confirmed', term=one.nl_term, symbol=one.symbol)}" for one in result.confirmed),
        *([f"  {words('session_view.agreed', words=result.map_used)}"] if result.map_used else []),
        *(f"  {one.id} {one.status}: {printable(one.text)}" for one in result.hypotheses),
        *_coverage(result.coverage, screen),
        *_missing(result, screen),
        *_steps(result.next, screen),
        *(_history(result, screen) if detailed else ()),
    ]
    return View("\n".join(lines))


def _head(result: StartResult | SessionStatus, screen: Screen) -> str:
    handle = screen.paint("bold", result.session_id)
    if screen.model:
        return f"session_id {handle} {result.intent} {result.phase}"
    risk = f"  {screen.words('session_view.risk', risk=result.risk)}" if result.risk != "LOW" else ""
    return f"{handle}  {result.intent}  {result.phase}{risk}"


def _missing(result: SessionStatus, screen: Screen) -> Iterator[str]:
    if result.phase is not Phase.READY and not result.missing_requirements and not result.missing_slots:
        return  # the claim is missing, which the next call makes
    code = "session_view.missing" if result.missing_requirements else "session_view.nothing_missing"
    yield screen.paint("bold", screen.words(code))
    needed = {row.key: row for row in result.requirements}
    for row in result.missing_requirements:
        count = needed.get(row.key, row)
        told = screen.words("session_view.have_of", key=row.key, have=count.have, needed=count.needed)
        yield screen.paint("bad", f"  {told}") + (f"  {printable(row.detail)}" if row.detail else "")
    if result.missing_slots:
        yield f"  {screen.words('session_view.not_said', names=result.missing_slots)}"


def _coverage(seen: Coverage, screen: Screen) -> Iterator[str]:
    if seen.files:
        code = "session_view.around_unseen" if seen.unexplored else "session_view.around"
        names = _some(seen.unexplored, screen)
        yield f"  {screen.words(code, explored=seen.explored, files=seen.files, names=names)}"


def _steps(steps: tuple[NextCall, ...], screen: Screen) -> Iterator[str]:
    if steps:
        yield screen.paint("bold", screen.words("session_view.next"))
    for step in steps:
        known = ("session_id",) if screen.model else ()  # a model passes the handle anyway
        arguments = {name: value for name, value in step.arguments.items() if name not in known}
        call = screen.speech.operation(step.operation, arguments)
        bare = call[1:-1] if call.startswith("'") else call  # a terminal's sentences have quotes around commands
        yield f"  {printable(bare)}"
        if step.why:
            yield screen.paint("dim", f"{' ' * (3 if screen.model else 6)}{screen.say(step.why)}")


def _some(names: tuple[str, ...], screen: Screen) -> str:
    if len(names) > SHOWN:
        return screen.words("session_view.some", names=names[:SHOWN], count=len(names))
    return printable(", ".join(names)) or screen.words("view.none")


def _history(result: SessionStatus, screen: Screen) -> Iterator[str]:
    """Yield every call, refusal and write check."""
    paint, words = screen.paint, screen.words
    yield paint("bold", words("session_view.calls", count=result.total_calls))
    for call in result.calls:
        asked = paint("dim", " ".join(call.asked.split())[:REQUEST_WIDTH])
        failed = words("session_view.failed")
        told = words("session_view.places", answer=call.answer or failed, count=call.hits) if call.ok else failed
        yield f"  {call.operation} {asked}  {told}"
        yield from (f"      {printable(path)}" for path in call.seen[:SHOWN])
        guesses = (words("session_view.guessed", path=path) for path in call.guessed[:SHOWN])
        yield from (paint("dim", f"      {guess}") for guess in guesses)
    if result.refusals:
        yield paint("bold", words("session_view.refused"))
    for one in result.refusals:
        yield f"  {words('session_view.refusal', operation=one.operation, phase=one.phase, reason=one.reason)}"
    if result.checks:
        yield paint("bold", words("session_view.asked_to_write"))
    for check in result.checks:
        path = words("session_view.new", path=check.path) if check.new else printable(check.path)
        no = words("session_view.no", reason=check.reason)
        yield f"  {path}  {paint('good', words('session_view.yes')) if check.allowed else paint('bad', no)}"


def list_sessions(result: SessionsResult, screen: Screen) -> View:
    """Return the sessions, a line each."""
    lines = []
    for session in result.sessions:
        state = screen.words("session_view.expired") if session.expired else session.phase
        text = printable(" ".join(session.request.split()))
        request = text if len(text) <= REQUEST_WIDTH else f"{text[:REQUEST_WIDTH]}…"
        handle = screen.paint("bold", session.session_id)
        lines.append(f"{handle}  {session.created_at}  {session.intent:<11}  {state:<12}  {request}")
    return View("\n".join(lines) or screen.words("session_view.no_session"), (), bool(lines))


def record_outcome(result: OutcomeResult, screen: Screen) -> View:
    """Return what was recorded, and how the map changed."""
    paint, words = screen.paint, screen.words
    told = words("session_view.recorded", outcome=result.outcome.value, session=result.session_id)
    lines = [paint(STYLES[result.outcome.value], told)]
    lines += [paint("path", file) for file in result.agreement_files[1:]]
    lines += [paint("line", words("session_view.demoted", name=name)) for name in result.demoted]
    lines += [paint("bad", words("session_view.not_agreed", why=why)) for why in result.not_agreed]
    lines += screen.warn(result.problems)
    lines += [paint("dim", screen.say(told)) for told in (result.note, result.proposed) if told]
    return View("\n".join(lines))
