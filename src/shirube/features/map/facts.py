"""A session as outcomes see it: plain facts, read from whatever the journal holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

FACT, RAISED = "fact", "raised"
ACCEPTED = (FACT, RAISED)
LED = 0.7
"""An agreement less near than this was named, but did not answer (seed 004)."""
SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""What seed 003 takes a request apart into."""


class Confirmed(NamedTuple):
    """A symbol that was confirmed, with evidence, to be what a term means."""

    nl_term: str
    symbol: str
    path: str = ""
    tier: str = FACT
    """fact, or raised: accepted although it is not near."""
    evidence: str = ""
    similarity: float | None = None


class Called(NamedTuple):
    """An operation that was called."""

    operation: str
    ok: bool = True
    paths: tuple[str, ...] = ()
    """The files it showed."""
    maps: tuple[tuple[str, str], ...] = ()
    """The agreements it answered with: term and symbol."""


class SessionFacts(Struct, frozen=True):
    """What a session was about, what it confirmed, looked at, called and meant to write."""

    session_id: str
    intent: str = ""
    request: str = ""
    risk: str = ""
    phase: str = ""
    confirmed: tuple[Confirmed, ...] = ()
    explored: tuple[str, ...] = ()
    calls: tuple[Called, ...] = ()
    targets: tuple[str, ...] = ()
    """Files that were to be written."""
    frame: tuple[tuple[str, str], ...] = ()
    """The slots of the request that are filled."""
    missing: tuple[str, ...] = ()
    started_at: str = ""

    @property
    def operations(self) -> tuple[str, ...]:
        """What was called and returned, in order."""
        return tuple(dict.fromkeys(call.operation for call in self.calls if call.ok))

    @property
    def semantic_used(self) -> bool:
        """Tell whether the forest was searched by sense."""
        return bool({"semantic_search", "search_forest"} & set(self.operations))

    @property
    def used_agreements(self) -> tuple[tuple[str, str], ...]:
        """The agreements that calls answered with; what was only named beside the code led nowhere."""
        return tuple(dict.fromkeys(pair for call in self.calls if call.ok for pair in call.maps))


def facts_from(session_id: str, body: Mapping[str, Any], events: Iterable[Mapping[str, Any]] = ()) -> SessionFacts:
    """Read a session's document and events; what is missing is empty, what does not fit is left out."""
    happened = [event for event in events if isinstance(event, Mapping)]
    calls = tuple(
        _call(one) for one in [*_objects(body.get("calls")), *happened] if one.get("operation") and "reason" not in one
    )
    checks = [one for one in [*_objects(body.get("checks")), *happened] if one.get("kind", "check") == "check"]
    targets = [
        *_texts(body.get("targets")),
        *(str(one["path"]) for one in checks if one.get("path") and one.get("allowed")),
    ]
    explored = [
        *_texts(body.get("explored")),
        *_texts(body.get("added")),
        *(path for call in calls for path in call.paths),
    ]
    return SessionFacts(
        session_id=session_id,
        intent=str(body.get("intent") or "").upper(),
        request=str(body.get("request") or body.get("query") or ""),
        risk=str(body.get("risk") or body.get("risk_level") or "").upper(),
        phase=str(body.get("phase") or "").upper(),
        confirmed=tuple(_confirmed(one) for one in _objects(body.get("confirmed")) if one.get("symbol")),
        explored=tuple(dict.fromkeys(explored)),
        calls=calls,
        targets=tuple(dict.fromkeys(targets)),
        frame=_frame(body.get("frame") or body.get("query_frame")),
        missing=_texts(body.get("missing")),
        started_at=str(body.get("created_at") or ""),
    )


def _call(event: Mapping[str, Any]) -> Called:
    paths = (*_texts(event.get("seen")), *_texts(event.get("paths")))
    led = [one for one in _objects(event.get("maps")) if one.get("fresh") is not False and _share(one) >= LED]
    maps = tuple((str(one.get("term", "")), str(one.get("symbol", ""))) for one in led)
    return Called(str(event["operation"]), event.get("ok") is not False, paths, maps)


def _share(one: Mapping[str, Any]) -> float:
    value = one.get("similarity", 1.0)
    return float(value) if isinstance(value, int | float) else 0.0


def _confirmed(one: Mapping[str, Any]) -> Confirmed:
    approved = one.get("approved") is not False
    similarity = one.get("similarity")
    return Confirmed(
        nl_term=str(one.get("nl_term") or ""),
        symbol=str(one["symbol"]),
        path=str(one.get("path") or ""),
        tier=str(one.get("tier") or FACT) if approved else "refused",
        evidence=str(one.get("evidence") or ""),
        similarity=float(similarity) if isinstance(similarity, int | float) else None,
    )


def _frame(found: Any) -> tuple[tuple[str, str], ...]:
    """Return the filled slots; a slot is a text, or an object with a ``value``."""
    slots = found.get("slots", found) if isinstance(found, Mapping) else {}
    if not isinstance(slots, Mapping):
        slots = {str(one.get("name", "")): one for one in _objects(slots)}
    values = {str(name): value.get("value") if isinstance(value, Mapping) else value for name, value in slots.items()}
    return tuple((name, str(values[name])) for name in SLOTS if isinstance(values.get(name), str) and values[name])


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, Sequence) else []


def _texts(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(one for one in listed if isinstance(one, str))
