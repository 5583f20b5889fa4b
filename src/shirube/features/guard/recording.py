"""Calls that are part of a session: checked against its phase before they run, recorded with what they showed after."""

from collections.abc import Iterable, Mapping
from typing import Any

from shirube.codec import Record, Shown, inputs, pack, record_from, replace
from shirube.errors import PhaseBlocked
from shirube.features.guard.advice import next_steps
from shirube.features.guard.hook_protocol import texts_of
from shirube.features.guard.looks import digest_of
from shirube.features.guard.phases import NAMING, SUBMISSIONS, allowed_operations, allows, explores
from shirube.features.guard.session_store import load_session, record_event, refuse
from shirube.features.guard.state import AgreementHit, Phase, Recorded
from shirube.features.guard.stored_session import DIGESTS
from shirube.messages import say, step
from shirube.operation import Context, Operation

MOST = 500
"""How many files or symbols of one call are recorded; later ones are dropped."""
MOST_READ = 100
"""How many files of one call are read to note what their content was."""
OWN = "session"
"""The group of operations that are session steps; they record themselves."""


def with_shown(call: Recorded, shown: Shown, answer: str = "") -> Recorded:
    """Return the call with the files and symbols its result showed; without exploration only map hits count."""
    if not explores(call.operation, call.group):
        shown = Shown(map_hits=shown.map_hits)
    seen = _first(place.path for place in shown.places)
    symbols = [place.symbol for place in shown.places] + [hit.symbol for hit in shown.map_hits if hit.fresh]
    maps = tuple(
        record_from(
            AgreementHit, hit, term=hit.nl_term, files=_first((*hit.files, hit.path)), similarity=hit.similarity or 0.0
        )
        for hit in shown.map_hits
    )
    hits = len(shown.places) + (len(shown.listed) if call.operation in NAMING else 0)
    return replace(
        call,
        answer=answer or ("found" if hits else "unknown"),
        hits=hits,
        seen=seen,
        listed=_first(path for path in shown.listed if path not in seen),
        guessed=_first(path for path in shown.guessed if path not in seen),
        symbols=_first(symbols),
        maps=maps,
    )


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))[:MOST]


def asked_words(arguments: Mapping[str, Any]) -> str:
    """Return the words of a call's arguments, one line each, for matching evidence and slots."""
    return "\n".join(text for name, value in arguments.items() if name != "session_id" for text in texts_of(value))


def enter(project: Context, operation: Operation[..., Any], request: Record) -> None:
    """Refuse an unknown session handle, and an operation that the phase does not allow."""
    workspace, call = project.workspace, project.call
    session = load_session(workspace, call.session_id)
    if allows(session.phase, operation.name, given(request), session.scaled):
        return
    refuse(workspace, session, operation.name, say("session.not_allowed", phase=session.phase))
    allowed = allowed_operations(session.phase, call.operations, session.scaled)
    blocked = step(operation.name, **({"mode": "dense"} if operation.name in allowed else {}))
    named = dict.fromkeys(item.operation for item in next_steps(session) if item.operation in call.operations)
    steps = [step(name) for name in named]
    if session.phase is Phase.EXPLORATION and named:
        way_on = say("session.way_on", steps=steps)
    else:
        back = say("session.back", call=step("revert_to_exploration", session_id=session.id))
        way_on = say("session.way_on_or_back", steps=steps, back=back) if named else back
    raise PhaseBlocked(blocked, session.phase, allowed, way_on)


def record(project: Context, operation: Operation[..., Any], request: Record, result: Record | None) -> None:
    """Record a call with what it showed; a call without a result failed."""
    if operation.group == OWN or operation.name in SUBMISSIONS:
        return
    recorded = Recorded(operation.name, operation.group, asked_words(given(request)), ok=result is not None)
    if result is not None:
        recorded = with_shown(recorded, result.shown(), getattr(result, "answer", ""))
    digests = [digest_of(project.workspace.root / path) for path in recorded.seen[:MOST_READ]]
    record_event(project.workspace, project.call.session_id, recorded, {DIGESTS: digests} if digests else {})


def given(request: Record) -> Mapping[str, Any]:
    """Return the arguments of a request that are not their defaults, as plain JSON."""
    values = {field.name: (getattr(request, field.name), field.default) for field in inputs(type(request))}
    return {name: pack(value) for name, (value, default) in values.items() if value != default}
