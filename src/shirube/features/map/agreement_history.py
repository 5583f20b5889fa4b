"""What an agreement has been through: learned, changed, used, and how the sessions that went by it ended."""

from typing import TYPE_CHECKING

from shirube.errors import ShirubeError
from shirube.features.map.agreement import Agreement
from shirube.features.map.agreements import find_agreement
from shirube.features.map.answers import last_use
from shirube.features.map.conflict import differing
from shirube.features.map.log import outcomes
from shirube.features.map.page import from_page
from shirube.features.map.results import AgreementEvent, AgreementHistory
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.map.operations import AgreementHistoryRequest
    from shirube.workspace import Workspace

SHOWN = ("symbol", "path", "standing", "successes", "failures")
"""Fields whose values are told; of the text it is told that it changed."""


def get_agreement_history(workspace: "Workspace", request: "AgreementHistoryRequest", call: Call) -> AgreementHistory:
    """Answer the operation of this name."""
    one = find_agreement(workspace, request.agreement)
    committed, more = _committed(workspace, one, request.limit, call)
    past = [AgreementEvent("learned", one.learned_at, session_id=one.session_id)] if one.learned_at else []
    used = max(one.last_used, last_use(workspace, one))
    past += [AgreementEvent("used", used)] if used else []
    past += [
        AgreementEvent(told.outcome.value, told.timestamp, session_id=told.session_id, what=told.request)
        for told in outcomes(workspace.journal)
        if one.symbol and one.symbol in told.symbols
    ]
    ordered = sorted([*committed, *past], key=lambda event: event.at, reverse=True)
    return AgreementHistory(f"{one.nl_term} → {one.symbol}", one.file, tuple(ordered), more)


def _committed(workspace: "Workspace", one: Agreement, limit: int, call: Call) -> tuple[list[AgreementEvent], bool]:
    """Return what git knows of the page: who changed what, and when."""
    from shirube.features.map.files import AGREEMENTS

    path = f"{AGREEMENTS}/{one.file}"
    changes = workspace.changes(path, limit + 1) if limit else ()
    found: list[AgreementEvent] = []
    before: Agreement | None = None
    for change in reversed(changes):
        call.deadline.check()
        now = _read(workspace.text_at(change.commit, path))
        told = _told(before, now) if before and now else ()
        found.append(
            AgreementEvent(
                "committed", workspace.moment_of(change.seconds), change.who, what=change.subject, changes=told
            )
        )
        before = now
    return found[-limit:] if limit else [], len(changes) > limit


def _read(text: str) -> Agreement | None:
    try:
        return from_page(text)[0] if text else None
    except ShirubeError:
        return None


def _told(before: Agreement, now: Agreement) -> tuple[str, ...]:
    names = differing(before, now)
    told = [f"{name}: {getattr(before, name) or '–'} → {getattr(now, name) or '–'}" for name in SHOWN if name in names]
    return (*told, *(["text"] if "body" in names else []))
