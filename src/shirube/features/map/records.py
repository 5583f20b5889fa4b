"""The records of a session: the decision it began with, and its outcome."""

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
"""Fields that an earlier program wrote in lower case."""
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
    """The reported reasons for an outcome."""

    root_cause: str = ""
    failure_point: str = ""
    related_symbols: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    user_feedback_summary: str = ""


class WrittenFile(Struct, frozen=True):
    """A file the session was allowed to write: digests before and after; equal ones mean that it wrote nothing."""

    path: str
    before: str = ""
    """SHA-256 before the session wrote it; empty when the file did not exist."""
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
    """Return a record as the journal stores it; an outcome has seed 003's older field name beside the newer one."""
    body: dict[str, Any] = pack(record)
    return {**body, "devrag_used": record.semantic_used} if isinstance(record, Outcome) else body


def decision_from(body: Mapping[str, Any]) -> Decision:
    """Read a decision, written by us or by an earlier program; missing fields are empty."""
    return Decision(**{"session_id": "", **_fitting(Decision, body)})


def outcome_from(body: Mapping[str, Any]) -> Outcome | None:
    """Read an outcome, written by us or by an earlier program; None when the record has no valid outcome."""
    analysis = body.get("analysis")
    fields = _fitting(
        Outcome,
        {
            **body,
            "outcome": str(body.get("outcome")).lower(),
            "semantic_used": body.get("semantic_used") is True or body.get("devrag_used") is True,
            "analysis": _fitting(Analysis, analysis) if isinstance(analysis, Mapping) else None,
        },
    )
    return Outcome(**{"session_id": "", **fields}) if "outcome" in fields else None


def _fitting(kind: type, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the valid fields of a record; drop the others."""
    fitting: dict[str, Any] = {}
    for name, wanted in _hints(kind).items():
        with suppress(ValueError):
            fitting |= {name: unpack(wanted, body[name])} if name in body else {}
    return {name: value.upper() if name in CAPITALS else value for name, value in fitting.items()}


class Replay(Struct, frozen=True):
    """One request searched again: the rank of the best file it wrote, without and with learning (0: not found)."""

    session_id: str
    request: str
    path: str
    rank_without: int
    rank_with: int


class Effect(Struct, frozen=True):
    """The replays summed up; shares and means are None when there were none."""

    requests: int = 0
    better: int = 0
    worse: int = 0
    first_without: float | None = None
    """The share of requests whose file ranked first, without learning."""
    first_with: float | None = None
    """The same with learning."""
    reciprocal_without: float | None = None
    """The mean reciprocal rank (0 when not found), without learning."""
    reciprocal_with: float | None = None
    """The same with learning."""


def last_words(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return the last outcome of each session, in order of recording."""
    last: dict[str, Outcome] = {}
    for outcome in outcomes:
        last.pop(outcome.session_id, None)
        last[outcome.session_id] = outcome
    return last


def add_record(journal: "Journal", record: Decision | Outcome) -> str:
    """Record a session's decision or outcome; return the record's id."""
    stream, kind = (DECISIONS, "decision") if isinstance(record, Decision) else (OUTCOMES, "outcome")
    name = record.record_id or f"{kind}_{record.session_id}_{len(journal.events(stream)) + 1}"
    journal.append(stream, {**to_body(record), "record_id": name})
    return name


def decisions(journal: "Journal", session_id: str = "") -> tuple[Decision, ...]:
    """Return the decisions of one session or of all, in order of recording."""
    found = (decision_from(event.body) for event in journal.events(DECISIONS))
    return tuple(item for item in found if not session_id or item.session_id == session_id)


def outcomes(journal: "Journal", session_id: str = "", after: int = 0) -> tuple[Outcome, ...]:
    """Return the outcomes of one session or of all, in order of recording."""
    found = (outcome_from(event.body) for event in journal.events(OUTCOMES, after))
    return tuple(item for item in found if item is not None and (not session_id or item.session_id == session_id))


def lessons(journal: "Journal") -> tuple[Outcome, ...]:
    """Return the last outcome of each session since the last call of ``forget``."""
    mark = journal.get(FORGOTTEN, OUTCOMES)
    after = int(mark.body.get("after", 0)) if mark else 0
    return tuple(last_words(outcomes(journal, after=after)).values())


def forget(journal: "Journal") -> int:
    """Exclude all outcomes recorded so far from learning, but keep the records; return how many there are."""
    events = journal.events(OUTCOMES)
    journal.put(FORGOTTEN, OUTCOMES, {"after": events[-1].seq if events else 0})
    return len(events)
