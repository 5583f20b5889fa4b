"""What is recorded of a session: the decision it began with, and how it turned out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Result(StrEnum):
    """How a session turned out."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Decision:
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


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is said about why it turned out so."""

    root_cause: str = ""
    failure_point: str = ""
    related_symbols: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    user_feedback_summary: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A file the session wrote: what it held before and after, to see later whether it survived."""

    path: str
    before: str = ""
    """SHA-256 at the commit the work tree stood at; empty when it was not there."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
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
    """Whether it was concluded from the next request rather than told."""
    confidence: float = 1.0
    request: str = ""
    operations: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    files: tuple[Written, ...] = ()
    commit: str = ""
    record_id: str = ""


def to_body(record: Decision | Outcome) -> dict[str, Any]:
    """Return a record as the journal keeps it, with seed 003's older name beside the newer one."""
    body = _plain(asdict(record))
    return {**body, "devrag_used": record.semantic_used} if isinstance(record, Outcome) else body


def decision_from(body: Mapping[str, Any]) -> Decision:
    """Read a decision, ours or an earlier program's; what is missing is empty."""
    return Decision(
        session_id=_text(body, "session_id"),
        query=_text(body, "query"),
        timestamp=_text(body, "timestamp"),
        intent=_text(body, "intent").upper(),
        required_phases=_texts(body.get("required_phases")),
        missing_slots=_texts(body.get("missing_slots")),
        risk_level=_text(body, "risk_level").upper(),
        tools_planned=_texts(body.get("tools_planned")),
        needs_bootstrap=body.get("needs_bootstrap") is True,
        bootstrap_reason=_text(body, "bootstrap_reason"),
        record_id=_text(body, "record_id"),
    )


def outcome_from(body: Mapping[str, Any]) -> Outcome | None:
    """Read an outcome, ours or an earlier program's; None when it tells of none."""
    word = _text(body, "outcome").lower()
    if word not in list(Result):
        return None
    said = body.get("analysis")
    analysis = said if isinstance(said, Mapping) else {}
    files = body.get("files")
    share = body.get("confidence", 1.0)
    return Outcome(
        session_id=_text(body, "session_id"),
        outcome=Result(word),
        timestamp=_text(body, "timestamp"),
        phase_at_outcome=_text(body, "phase_at_outcome").upper(),
        intent=_text(body, "intent").upper(),
        risk_level=_text(body, "risk_level").upper(),
        semantic_used=body.get("semantic_used") is True or body.get("devrag_used") is True,
        analysis=Analysis(
            _text(analysis, "root_cause"),
            _text(analysis, "failure_point"),
            _texts(analysis.get("related_symbols")),
            _texts(analysis.get("related_files")),
            _text(analysis, "user_feedback_summary"),
        ),
        trigger_message=_text(body, "trigger_message"),
        automatic=body.get("automatic") is True,
        confidence=float(share) if isinstance(share, int | float) else 1.0,
        request=_text(body, "request"),
        operations=_texts(body.get("operations")),
        symbols=_texts(body.get("symbols")),
        files=tuple(_written(one) for one in files if isinstance(one, Mapping)) if isinstance(files, list) else (),
        commit=_text(body, "commit"),
        record_id=_text(body, "record_id"),
    )


def _written(one: Mapping[str, Any]) -> Written:
    return Written(_text(one, "path"), _text(one, "before"), _text(one, "after"))


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(one for one in listed if isinstance(one, str))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, StrEnum) else value
