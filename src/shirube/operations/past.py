"""What an agreement has been through: learned, changed, used, and how the sessions that went by it ended."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.errors import ShirubeError
from shirube.knowledge.agreement import Agreement
from shirube.knowledge.conflict import differing
from shirube.knowledge.page import from_page
from shirube.operations.agreements import find_agreement
from shirube.operations.maps import last_use
from shirube.operations.model import Call, Operation, arg
from shirube.outcomes.log import outcomes

if TYPE_CHECKING:
    from shirube.workspace import Workspace

SHOWN = ("symbol", "path", "standing", "successes", "failures")
"""Fields whose values are told; of the text it is told that it changed."""


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """What ``get_agreement_history`` takes."""

    agreement: str = arg(..., "Its term, 'term → symbol', or the name of its file.")
    limit: int = arg(10, "How many of its last commits.", low=0, high=100)


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to an agreement."""

    kind: str
    """learned, committed, used, success, partial, failure"""
    at: str
    who: str = ""
    session_id: str = ""
    what: str = ""
    """The subject of a commit, or the request of a session."""
    changes: tuple[str, ...] = ()
    """What a commit changed: ``standing: agreed → demoted``."""


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """An agreement's past, the latest first."""

    agreement: str
    agreement_file: str
    history: tuple[Happening, ...]
    truncated: bool


def _history(workspace: "Workspace", request: HistoryRequest, call: Call) -> HistoryResult:
    one = find_agreement(workspace, request.agreement)
    committed, more = _committed(workspace, one, request.limit, call)
    past = [Happening("learned", one.learned_at, session_id=one.session_id)] if one.learned_at else []
    used = max(one.last_used, last_use(workspace, one))
    past += [Happening("used", used)] if used else []
    past += [
        Happening(told.outcome.value, told.timestamp, session_id=told.session_id, what=told.request)
        for told in outcomes(workspace.journal)
        if one.symbol and one.symbol in told.symbols
    ]
    ordered = sorted([*committed, *past], key=lambda event: event.at, reverse=True)
    return HistoryResult(f"{one.nl_term} → {one.symbol}", one.file, tuple(ordered), more)


def _committed(workspace: "Workspace", one: Agreement, limit: int, call: Call) -> tuple[list[Happening], bool]:
    """Return what git knows of the page: who changed what, and when."""
    from shirube.knowledge.files import AGREEMENTS

    path = f"{AGREEMENTS}/{one.file}"
    changes = workspace.changes(path, limit + 1) if limit else ()
    found: list[Happening] = []
    before: Agreement | None = None
    for change in reversed(changes):
        call.deadline.check()
        now = _read(workspace.text_at(change.commit, path))
        told = _told(before, now) if before and now else ()
        found.append(
            Happening("committed", workspace.moment_of(change.seconds), change.who, what=change.subject, changes=told)
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


GET_AGREEMENT_HISTORY = Operation(
    name="get_agreement_history",
    summary="What has an agreement been through? When it was learned and used, who changed what, how sessions that "
    "went by it ended.",
    request=HistoryRequest,
    result=HistoryResult,
    function=_history,
    group="map",
)
