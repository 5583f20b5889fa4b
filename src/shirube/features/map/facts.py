"""What the journal says about a session, and what a request says about the work before it.

The second part reads phrases: some words nearly always mean a failure (やり直し), others say little by themselves
("bug"). Each phrase has a weight, weights add up as independent probabilities, and words about the last change ("your
change", さっきの) make weak phrases count more. ``phrases.toml`` lists them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.store.disk import SESSION, stream_of
from shirube.engine.text.tokens import normalise
from shirube.features.map.records import Result
from shirube.messages import Message, say, verbatim

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal

FACT, RAISED = "fact", "raised"
ACCEPTED = (FACT, RAISED)
LED = 0.7
"""An agreement less near than this was named, but did not answer (seed 004)."""
SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""What seed 003 takes a request apart into."""
LONG = 60
"""Complaints are short: in a longer text a phrase counts less."""


class ConfirmedSymbol(NamedTuple):
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
    confirmed: tuple[ConfirmedSymbol, ...] = ()
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
        """The agreements that calls answered with, without those that were only listed beside the code."""
        return tuple(dict.fromkeys(pair for call in self.calls if call.ok for pair in call.maps))


def facts_from(session_id: str, body: Mapping[str, Any], events: Iterable[Mapping[str, Any]] = ()) -> SessionFacts:
    """Read a session's document and events; what is missing is empty, what does not fit is left out."""
    happened = [event for event in events if isinstance(event, Mapping)]
    calls = tuple(
        _call(one) for one in [*_objects(body.get("calls")), *happened] if one.get("operation") and "reason" not in one
    )
    checks = [one for one in [*_objects(body.get("checks")), *happened] if one.get("kind", "check") == "check"]
    allowed = [str(one["path"]) for one in checks if one.get("path") and one.get("allowed")]
    shown = [path for call in calls for path in call.paths]
    return SessionFacts(
        session_id=session_id,
        intent=str(body.get("intent") or "").upper(),
        request=str(body.get("request") or body.get("query") or ""),
        risk=str(body.get("risk") or body.get("risk_level") or "").upper(),
        phase=str(body.get("phase") or "").upper(),
        confirmed=tuple(_confirmed(one) for one in _objects(body.get("confirmed")) if one.get("symbol")),
        explored=tuple(dict.fromkeys([*_texts(body.get("explored")), *_texts(body.get("added")), *shown])),
        calls=calls,
        targets=tuple(dict.fromkeys([*_texts(body.get("targets")), *allowed])),
        frame=_frame(body.get("frame") or body.get("query_frame")),
        missing=_texts(body.get("missing")),
        started_at=str(body.get("created_at") or ""),
    )


def read_facts(journal: "Journal", session_id: str) -> SessionFacts | None:
    """Return what is known of a session, or None when there is no such session."""
    document = journal.get(SESSION, session_id)
    if document is None:
        return None
    events = (event.body for event in journal.events(stream_of(session_id)))
    return facts_from(session_id, document.body, events)


def _call(event: Mapping[str, Any]) -> Called:
    paths = (*_texts(event.get("seen")), *_texts(event.get("paths")))
    fresh = [one for one in _objects(event.get("maps")) if one.get("fresh") is not False]
    led = [one for one in fresh if (_number(one.get("similarity", 1.0)) or 0.0) >= LED]
    maps = tuple((str(one.get("term", "")), str(one.get("symbol", ""))) for one in led)
    return Called(str(event["operation"]), event.get("ok") is not False, paths, maps)


def _confirmed(one: Mapping[str, Any]) -> ConfirmedSymbol:
    approved = one.get("approved") is not False
    return ConfirmedSymbol(
        nl_term=str(one.get("nl_term") or ""),
        symbol=str(one["symbol"]),
        path=str(one.get("path") or ""),
        tier=str(one.get("tier") or FACT) if approved else "refused",
        evidence=str(one.get("evidence") or ""),
        similarity=_number(one.get("similarity")),
    )


def _frame(found: Any) -> tuple[tuple[str, str], ...]:
    """Return the filled slots; a slot is a text, or an object with a ``value``."""
    slots = found.get("slots", found) if isinstance(found, Mapping) else {}
    if not isinstance(slots, Mapping):
        slots = {str(one.get("name", "")): one for one in _objects(slots)}
    values = {str(name): value.get("value") if isinstance(value, Mapping) else value for name, value in slots.items()}
    return tuple((name, str(values[name])) for name in SLOTS if isinstance(values.get(name), str) and values[name])


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, Sequence) else []


def _texts(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(one for one in listed if isinstance(one, str))


class OutcomeReading(Struct, frozen=True):
    """An outcome that a text tells of, how surely, and by which words; no outcome when it tells of none."""

    outcome: Result | None
    confidence: float
    why: Message


def read_outcome(request: str) -> OutcomeReading:
    """Tell whether a request says that the work before it failed (seed 003's Step 0), was nearly right, or right."""
    text = " ".join(normalise(request).split())
    about, said = _weight(text, "before")
    found = []
    # "Thanks, but it still crashes": what is wrong outweighs the politeness.
    order = [Result.FAILURE, Result.PARTIAL, Result.SUCCESS]
    for outcome in order:
        weight, words = _weight(text, outcome.value)
        if weight:
            found.append((1 - (1 - weight) * (1 - about), outcome, [*words, *said]))
    if not found:
        return OutcomeReading(None, 0.0, say("insights.not_about"))
    confidence, outcome, words = max(found, key=lambda one: (round(one[0], 1), -order.index(one[1])))
    if len(text) > LONG:
        confidence *= LONG / len(text) if len(text) < 2 * LONG else 0.5
    return OutcomeReading(outcome, round(confidence, 2), verbatim(", ".join(f"'{word}'" for word in words)))


def judge_outcome(message: str) -> OutcomeReading:
    """Read what was said to ``/outcome``: who calls it without a complaint is content (seed 003)."""
    found = read_outcome(message)
    if found.outcome is None or found.confidence < 0.3:
        return OutcomeReading(Result.SUCCESS, 0.5, say("insights.no_complaint"))
    return found


def _weight(text: str, meaning: str) -> tuple[float, list[str]]:
    """Return how surely a text means this by the phrases of ``phrases.toml``, and the words that say so."""
    phrases = packaged("shirube.features.map", "phrases.toml")[meaning]
    doubt, words = 1.0, []
    for pattern, share in (*phrases["ja"], *phrases["en"]):
        if found := re.search(pattern, text, re.I):
            doubt *= 1 - share
            words.append(found[0].strip())
    return 1 - doubt, words
