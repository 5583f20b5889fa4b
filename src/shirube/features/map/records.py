"""What is recorded of a session: the decision it began with, and how it turned out."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from msgspec import Struct

from shirube.codec import pack, unpack

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal

CAPITALS = ("intent", "risk_level", "phase_at_outcome")
"""Fields that an earlier program wrote in small letters."""
_hints = cache(get_type_hints)
DECISIONS, OUTCOMES, FORGOTTEN = "decisions", "outcomes", "forgotten"


class Result(StrEnum):
    """How a session turned out."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class Decision(Struct, frozen=True):
    """Seed 003's decision log."""

    session_id: str
    query: str = ""
    timestamp: str = ""
    intent: str = ""
    required_phases: tuple[str, ...] = ()
    missing_slots: tuple[str, ...] = ()
    risk_level: str = ""
    tools_planned: tuple[str, ...] = ()
    needs_bootstrap: bool = False
    bootstrap_reason: str = ""
    record_id: str = ""


class Analysis(Struct, frozen=True):
    """What is said about why it turned out so."""

    root_cause: str = ""
    failure_point: str = ""
    related_symbols: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    user_feedback_summary: str = ""


class WrittenFile(Struct, frozen=True):
    """A file the session wrote: what it held before and after, to see later whether it survived."""

    path: str
    before: str = ""
    """SHA-256 at the commit the work tree stood at; empty when it was not there."""
    after: str = ""


class Outcome(Struct, frozen=True):
    """Seed 003's outcome log, with what the server saw."""

    session_id: str
    outcome: Result
    timestamp: str = ""
    phase_at_outcome: str = ""
    intent: str = ""
    risk_level: str = ""
    semantic_used: bool = False
    analysis: Analysis = Analysis()
    trigger_message: str = ""
    automatic: bool = False
    """Whether it was concluded from the next request, not reported."""
    confidence: float = 1.0
    request: str = ""
    operations: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    files: tuple[WrittenFile, ...] = ()
    commit: str = ""
    record_id: str = ""


def to_body(record: Decision | Outcome) -> dict[str, Any]:
    """Return a record as the journal keeps it, with seed 003's older name beside the newer one."""
    body: dict[str, Any] = pack(record)
    return {**body, "devrag_used": record.semantic_used} if isinstance(record, Outcome) else body


def decision_from(body: Mapping[str, Any]) -> Decision:
    """Read a decision, ours or an earlier program's; what is missing is empty."""
    return Decision(**{"session_id": "", **_fitting(Decision, body)})


def outcome_from(body: Mapping[str, Any]) -> Outcome | None:
    """Read an outcome, ours or an earlier program's; None when it tells of none."""
    said = body.get("analysis")
    found = _fitting(
        Outcome,
        {
            **body,
            "outcome": str(body.get("outcome")).lower(),
            "semantic_used": body.get("semantic_used") is True or body.get("devrag_used") is True,
            "analysis": _fitting(Analysis, said) if isinstance(said, Mapping) else None,
        },
    )
    return Outcome(**{"session_id": "", **found}) if "outcome" in found else None


def _fitting(kind: type, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that fit; what does not is left out."""
    fitting: dict[str, Any] = {}
    for name, wanted in _hints(kind).items():
        with suppress(ValueError):
            fitting |= {name: unpack(wanted, body[name])} if name in body else {}
    return {name: value.upper() if name in CAPITALS else value for name, value in fitting.items()}


class Replay(Struct, frozen=True):
    """One request asked again: where the first file it wrote stood without and with what was learnt (0: not found)."""

    session_id: str
    request: str
    path: str
    rank_without: int
    rank_with: int


class Effect(Struct, frozen=True):
    """All of them, counted; shares and means are None where nothing could be asked again."""

    requests: int = 0
    better: int = 0
    worse: int = 0
    first_without: float | None = None
    """Share of the requests whose file came first, without what was learnt, …"""
    first_with: float | None = None
    """… and with it."""
    reciprocal_without: float | None = None
    """Mean of one over the rank (0 when not found), without, …"""
    reciprocal_with: float | None = None
    """… and with."""


def last_words(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return the last outcome of each session, in the order in which they came."""
    last: dict[str, Outcome] = {}
    for one in outcomes:
        last.pop(one.session_id, None)
        last[one.session_id] = one
    return last


def add_record(journal: "Journal", record: Decision | Outcome) -> str:
    """Record what a session set out to do, or how it turned out; return the number it is known by."""
    stream, kind = (DECISIONS, "decision") if isinstance(record, Decision) else (OUTCOMES, "outcome")
    name = record.record_id or f"{kind}_{record.session_id}_{len(journal.events(stream)) + 1}"
    journal.append(stream, {**to_body(record), "record_id": name})
    return name


def decisions(journal: "Journal", session_id: str = "") -> tuple[Decision, ...]:
    """Return the decisions, of one session or of all, in the order in which they were made."""
    found = (decision_from(event.body) for event in journal.events(DECISIONS))
    return tuple(one for one in found if not session_id or one.session_id == session_id)


def outcomes(journal: "Journal", session_id: str = "") -> tuple[Outcome, ...]:
    """Return the outcomes, of one session or of all, in the order in which they were reported."""
    found = (outcome_from(event.body) for event in journal.events(OUTCOMES))
    return tuple(one for one in found if one is not None and (not session_id or one.session_id == session_id))


def lessons(journal: "Journal") -> tuple[Outcome, ...]:
    """Return the last outcome of each session since the last time they were to be forgotten."""
    mark = journal.get(FORGOTTEN, OUTCOMES)
    after = int(mark.body.get("after", 0)) if mark else 0
    found = (outcome_from(event.body) for event in journal.events(OUTCOMES, after))
    return tuple(last_words(one for one in found if one is not None).values())


def forget(journal: "Journal") -> int:
    """Let the ranking learn nothing from what was recorded up to now; the records stay. Return how many there are."""
    events = journal.events(OUTCOMES)
    journal.put(FORGOTTEN, OUTCOMES, {"after": events[-1].seq if events else 0})
    return len(events)
