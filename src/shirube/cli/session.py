"""``shirube session``: begin a session, and see what it knows, what is missing and what to do next."""

import argparse
from collections.abc import Iterator

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.screen import Paint, paint_for, printable, typed
from shirube.errors import counted
from shirube.operations.results.session import SessionsResult, SessionStatus, StartResult
from shirube.plan.intent import Intent
from shirube.session.coverage import Coverage
from shirube.session.verdict import NextCall

SHOWN = 12
REQUEST_WIDTH = 60


def _declare_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("intent", metavar="INTENT", help=f"one of {', '.join(Intent)}; any case")
    parser.add_argument("query", metavar="REQUEST", nargs="+", help="the request, in the user's own words")
    common(parser)


def _run_start(options: argparse.Namespace) -> int:
    result = ask(options, "start_session", {"intent": options.intent, "query": " ".join(options.query)})
    show(options, result, lambda: start_text(result, paint_for(options.no_color)))
    return OK


def start_text(result: StartResult, paint: Paint) -> str:
    """Return the handle, where the session stands, and how to go on."""
    head = f"{paint('bold', result.session_id)}  {result.intent}  {result.phase}  risk {result.risk}"
    return "\n".join([head, *(paint("bad", f"! {line}") for line in result.degraded), *_steps(result.next, paint)])


def _declare_one(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="ID", nargs="?", default="", help="its handle (default: the latest)")
    common(parser)


def _run_status(options: argparse.Namespace) -> int:
    result = ask(options, "get_session_status", {"session_id": options.session})
    show(options, result, lambda: status_text(result, paint_for(options.no_color)))
    return OK


def status_text(result: SessionStatus, paint: Paint) -> str:
    """Return what a session knows, what is missing and what to do next, for a person."""
    writing = paint("good", "may write") if result.may_write else paint("bad", "may not write")
    lines = [
        f"{paint('bold', result.session_id)}  {result.intent}  {result.phase}  risk {result.risk}  {writing}",
        f"  {printable(result.request)}",
        "",
        paint("bold", "known"),
        *(
            f"  {name}: {printable(slot.value)}" + (f"  ({slot.certainty})" if slot.certainty != "fact" else "")
            for name, slot in result.slots.items()
        ),
        f"  files      {_some(result.explored_files)}",
        f"  symbols    {_some(result.symbols)}",
        f"  operations {_some(result.tools_used)}",
        *(f"  confirmed  {printable(one.nl_term)} = {printable(one.symbol)}" for one in result.confirmed),
        *([f"  agreed     {printable(result.map_used)}"] if result.map_used else []),
        *(f"  {one.id} {one.status}: {printable(one.text)}" for one in result.hypotheses),
        *_coverage(result.coverage),
    ]
    return "\n".join([*lines, *_missing(result, paint), *_steps(result.next, paint)])


def _missing(result: SessionStatus, paint: Paint) -> Iterator[str]:
    met = not result.missing_requirements
    yield paint("bold", "missing" if not met else "nothing is missing")
    counted = {row.key: row for row in result.requirements}
    for row in result.missing_requirements:
        needed = counted.get(row.key, row)
        yield paint("bad", f"  {row.key}: {needed.have} of {needed.needed}") + (
            f"  {printable(row.detail)}" if row.detail else ""
        )
    if result.missing_slots:
        yield f"  not said: {', '.join(result.missing_slots)}"


def _coverage(coverage: Coverage) -> Iterator[str]:
    if coverage.files:
        unseen = f"; not yet: {_some(coverage.unexplored)}" if coverage.unexplored else ""
        yield f"  around it  {coverage.explored} of {counted(coverage.files, 'file')} connected by imports seen{unseen}"


def _steps(steps: tuple[NextCall, ...], paint: Paint) -> Iterator[str]:
    if not steps:
        return
    yield paint("bold", "next")
    for step in steps:
        yield f"  {printable(typed(step.operation, step.arguments))}"
        if step.why:
            yield paint("dim", f"      {step.why}")


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(printable(name) for name in names[:SHOWN])
    return f"{shown}, … ({len(names)})" if len(names) > SHOWN else shown or "none"


def _run_show(options: argparse.Namespace) -> int:
    result = ask(options, "get_session_status", {"session_id": options.session, "detailed": True})
    show(options, result, lambda: history_text(result, paint_for(options.no_color)))
    return OK


def history_text(result: SessionStatus, paint: Paint) -> str:
    """Return the status, then every call, refusal and question whether to write."""
    lines = [status_text(result, paint), paint("bold", f"calls ({result.total_calls})")]
    for call in result.calls:
        asked = printable(" ".join(call.asked.split())[:REQUEST_WIDTH])
        told = f"{call.answer or 'failed'}, {counted(call.hits, 'place')}" if call.ok else "failed"
        lines.append(f"  {call.operation} {paint('dim', asked)}  {told}")
        lines += [f"      {printable(path)}" for path in call.seen[:SHOWN]]
        lines += [paint("dim", f"      {path} (guessed)") for path in call.guessed[:SHOWN]]
    lines += [paint("bold", "refused")] if result.refusals else []
    lines += [f"  {one.operation} in {one.phase}: {printable(one.reason)}" for one in result.refusals]
    lines += [paint("bold", "asked to write")] if result.checks else []
    for check in result.checks:
        verdict = paint("good", "yes") if check.allowed else paint("bad", f"no: {check.reason}")
        lines.append(f"  {printable(check.path)}{' (new)' if check.new else ''}  {verdict}")
    return "\n".join(lines)


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", "--limit", type=int, metavar="N", help="how many (default 20)")
    common(parser)


def _run_list(options: argparse.Namespace) -> int:
    result = ask(options, "list_sessions", {"limit": options.limit})
    show(options, result, lambda: list_text(result, paint_for(options.no_color)))
    return OK if result.sessions else NO_MATCH


def list_text(result: SessionsResult, paint: Paint) -> str:
    """Return the sessions, a line each."""
    lines = []
    for one in result.sessions:
        state = "expired" if one.expired else one.phase
        text = printable(" ".join(one.request.split()))
        request = text if len(text) <= REQUEST_WIDTH else f"{text[:REQUEST_WIDTH]}…"
        lines.append(f"{paint('bold', one.session_id)}  {one.created_at}  {one.intent:<11}  {state:<12}  {request}")
    return "\n".join(lines) if lines else "no session here yet; shirube session start INTENT REQUEST begins one"


START = Command(_declare_start, _run_start)
STATUS = Command(_declare_one, _run_status)
LIST = Command(_declare_list, _run_list)
SHOW = Command(_declare_one, _run_show)
