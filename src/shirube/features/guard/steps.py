"""The steps of a session that are not submissions: beginning, framing, going back, adding files."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.advice import call, frame_call, next_steps
from shirube.features.guard.facts import Facts
from shirube.features.guard.names import is_blank
from shirube.features.guard.risk import risk_of
from shirube.features.guard.state import Phase, Session
from shirube.features.guard.verdict import Verdict
from shirube.features.plan.frame import Slot, frame_from
from shirube.features.plan.intent import Intent
from shirube.messages import NOTHING, Message, say

Step = tuple[Session, Verdict]


def begin(id: str, intent: Intent, request: str, created_at: str, client: str = "") -> Session:
    """Return a new session; a question needs no exploration, and may not write either."""
    phase = Phase.READY if intent is Intent.QUESTION else Phase.EXPLORATION
    session = Session(id, intent, request, created_at, phase, client=client)
    return replace(session, risk=risk_of(session))


def set_frame(session: Session, slots: Mapping[str, Slot | None]) -> Step:
    """Take the request apart, all slots or none: a quote has to stand in the request and to mean its value.

    What is not sent again is kept; an open slot can be filled later, in any phase but the last.
    """
    said = {name: slot for name, slot in slots.items() if slot is not None and not is_blank(slot.value)}
    frame, wrong = frame_from(session.request, said)
    if wrong:
        errors = tuple(say("session.of", name=name, reason=reason) for name, reason in wrong.items())
        return session, Verdict(False, say("session.frame_not_taken"), errors, next=(frame_call(session),))
    if not frame.slots:
        errors = (say("session.give_slot"),)
        return session, Verdict(False, say("session.no_slot"), errors, next=(frame_call(session),))
    if session.phase is Phase.READY and session.intent is not Intent.QUESTION:
        back = call(session, "revert_to_exploration", say("session.old_frame"), keep_results=True)
        return session, Verdict(False, say("session.understood_already"), next=(back,))
    merged = replace(frame, slots={**session.asked_frame.slots, **frame.slots})
    changed = replace(session, frame=merged)
    changed = replace(changed, risk=risk_of(changed))
    return changed, Verdict(True, say("session.risk", risk=changed.risk), next=next_steps(changed))


def revert(session: Session, keep_results: bool, last: int) -> Step:
    """Go back to exploration; without results everything but the request is forgotten.

    ``last`` is the number of the last thing recorded: what came before is set aside by a reset, not destroyed.
    """
    back = replace(session, phase=Phase.EXPLORATION, missing=(), hypotheses=(), semantic_reason="", map_used=NOTHING)
    if not keep_results:
        back = begin(session.id, session.intent, session.request, session.created_at)
        back = replace(back, phase=Phase.EXPLORATION, since=last)
    message = say("session.back_kept" if keep_results else "session.back_reset")
    return back, Verdict(True, message, next=next_steps(back))


class Places(Struct, frozen=True):
    """What the disk says of paths that were given."""

    is_folder: Callable[[str], bool]


def add_files(session: Session, files: tuple[str, ...], facts: Facts, places: Places) -> Step:
    """Take files as explored that a call of this session brought up, and directories in which one did."""
    if session.phase is not Phase.READY:
        why = say("session.looking")
        look = tuple(call(session, "snippets_get", why, path=path) for path in files[:3])
        return session, Verdict(False, say("session.for_ready", phase=session.phase), next=look)
    errors = tuple(_add_faults(session, files, facts, places))
    if errors or not files:
        look = tuple(call(session, "snippets_get", say("session.look_first"), path=path) for path in files[:3])
        return session, Verdict(False, say("session.nothing_added"), errors or (say("session.no_file"),), next=look)
    added = tuple(dict.fromkeys((*session.added, *files)))
    changed = replace(session, added=added)
    return changed, Verdict(True, say("session.added", count=len(files)), next=next_steps(changed))


def _add_faults(session: Session, paths: tuple[str, ...], facts: Facts, places: Places) -> Iterator[Message]:
    returned, known = session.returned | session.explored, facts.known(paths)
    for path in paths:
        if places.is_folder(path):
            if not any(path == "." or one.startswith(f"{path}/") for one in returned):
                yield say("session.folder_not_returned", path=path)
        elif path not in known:
            yield say("session.not_indexed", path=path)
        elif path not in returned:
            yield say("session.not_returned", path=path)
