"""Reads the facts of a session from the journal, and judges from a request how the previous work turned out.

The judgement uses phrases: some nearly always mean a failure ("not what I asked"), others stand in ordinary requests
too (違う, "wrong"). These count where a clause says little else, or where the text refers to the last change ("your
fix", さっきの). Each phrase has a weight; weights combine like independent probabilities. ``phrases.toml`` lists them.
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
"""An agreement below this similarity was listed, but did not answer (seed 004)."""
SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""The parts into which seed 003 divides a request."""
LONG = 60
"""In characters. Complaints are short: in a longer text a phrase counts less, unless it refers to the work before."""
BARE = 0.75
"""How surely a clause that only complains is about the work before; to ``/outcome`` nothing else is spoken of."""
_CLAUSE = re.compile(r"[、。，,.!！?？:：;；…]+")


class ConfirmedSymbol(NamedTuple):
    """A symbol that was confirmed, with evidence, as the meaning of a term."""

    nl_term: str
    symbol: str
    path: str = ""
    tier: str = FACT
    """fact, or raised: accepted despite a low similarity."""
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
    """What a session was about, and what it confirmed, looked at, called and was allowed to write."""

    session_id: str
    intent: str = ""
    request: str = ""
    risk: str = ""
    phase: str = ""
    confirmed: tuple[ConfirmedSymbol, ...] = ()
    explored: tuple[str, ...] = ()
    calls: tuple[Called, ...] = ()
    targets: tuple[str, ...] = ()
    """The files it was allowed to write."""
    frame: tuple[tuple[str, str], ...] = ()
    """The filled slots of the request: name and value."""
    quoted_feature: str = ""
    """The request's own words for the target feature; empty when it is a guess."""
    claimed: tuple[str, ...] = ()
    """The symbols that it said to have understood or to change, as they were checked."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that succeeded, in order."""
        return tuple(dict.fromkeys(call.operation for call in self.calls if call.ok))

    @property
    def semantic_used(self) -> bool:
        """Tell whether the code was searched by meaning."""
        return bool({"semantic_search", "search_forest"} & set(self.operations))

    @property
    def used_agreements(self) -> tuple[tuple[str, str], ...]:
        """The agreements that calls answered with, except those that were only listed beside the code."""
        return tuple(dict.fromkeys(pair for call in self.calls if call.ok for pair in call.maps))


def facts_from(session_id: str, body: Mapping[str, Any], events: Iterable[Mapping[str, Any]] = ()) -> SessionFacts:
    """Read a session's document and events; missing fields are empty, and invalid ones are dropped."""
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
        quoted_feature=_quoted_feature(body),
        claimed=_claimed(body.get("understanding"), happened),
    )


def read_facts(journal: "Journal", session_id: str) -> SessionFacts | None:
    """Return the facts of a session; None when there is no such session."""
    document = journal.get(SESSION, session_id)
    if document is None:
        return None
    events = (event.body for event in journal.events(stream_of(session_id)))
    return facts_from(session_id, document.body, events)


def _call(event: Mapping[str, Any]) -> Called:
    paths = (*_texts(event.get("seen")), *_texts(event.get("paths")))
    fresh = [item for item in _objects(event.get("maps")) if item.get("fresh") is not False]
    answering = [item for item in fresh if (_number(item.get("similarity", 1.0)) or 0.0) >= LED]
    maps = tuple((str(item.get("term", "")), str(item.get("symbol", ""))) for item in answering)
    return Called(str(event["operation"]), event.get("ok") is not False, paths, maps)


def _confirmed(item: Mapping[str, Any]) -> ConfirmedSymbol:
    approved = item.get("approved") is not False
    return ConfirmedSymbol(
        nl_term=str(item.get("nl_term") or ""),
        symbol=str(item["symbol"]),
        path=str(item.get("path") or ""),
        tier=str(item.get("tier") or FACT) if approved else "refused",
        evidence=str(item.get("evidence") or ""),
        similarity=_number(item.get("similarity")),
    )


def _frame(frame: Any) -> tuple[tuple[str, str], ...]:
    """Return the filled slots; a slot is a text, or an object with a ``value``."""
    slots = frame.get("slots", frame) if isinstance(frame, Mapping) else {}
    if not isinstance(slots, Mapping):
        slots = {str(one.get("name", "")): one for one in _objects(slots)}
    values = {str(name): value.get("value") if isinstance(value, Mapping) else value for name, value in slots.items()}
    return tuple((name, str(values[name])) for name in SLOTS if isinstance(values.get(name), str) and values[name])


def _quoted_feature(body: Mapping[str, Any]) -> str:
    """Return the value of the slot if the request has it word for word, else the quote; empty for a guess."""
    frame = body.get("frame")
    slots = frame.get("slots") if isinstance(frame, Mapping) else None
    slot = slots.get("target_feature") if isinstance(slots, Mapping) else None
    if not isinstance(slot, Mapping) or slot.get("certainty") != FACT or not str(slot.get("quote") or "").strip():
        return ""
    value, request = str(slot.get("value") or ""), str(body.get("request") or "")
    plain = normalise(value).lower().strip()
    return value if plain and plain in normalise(request).lower() else str(slot["quote"])


def _claimed(understanding: Any, events: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the symbols that were claimed; where only files were, those that calls showed."""
    if not isinstance(understanding, Mapping):
        return ()
    names = (*_texts(understanding.get("entry_points")), *_texts(understanding.get("symbols")))
    shown = (name for event in events if event.get("ok") is not False for name in _texts(event.get("symbols")))
    return tuple(dict.fromkeys(names or shown))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, Sequence) else []


def _texts(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(one for one in listed if isinstance(one, str))


class OutcomeReading(Struct, frozen=True):
    """The outcome that a text reports (None when it reports none), how surely, and by which words."""

    outcome: Result | None
    confidence: float
    why: Message


def read_outcome(request: str) -> OutcomeReading:
    """Judge whether a request says that the previous work failed (seed 003's Step 0), partly succeeded or succeeded."""
    text = " ".join(normalise(request).split())
    about, words = _weight(text, "before")
    if not about and any(map(_only_complains, _CLAUSE.split(text))):
        about = BARE
    return _read(text, about, words)


def topic_of(request: str) -> str:
    """Return what a complaint is about: the request without the words that complain and refer to the work before."""
    phrases = packaged("shirube.features.map", "phrases.toml")
    for meaning in ("failure", "complaint", "before"):
        for pattern, _ in (*phrases[meaning]["ja"], *phrases[meaning]["en"]):
            request = re.sub(pattern, " ", request, flags=re.I)
    return request


def judge_outcome(message: str) -> OutcomeReading:
    """Judge the message given to ``/outcome``; a message without a complaint means success (seed 003)."""
    reading = _read(" ".join(normalise(message).split()), BARE, [])
    if reading.outcome is None or reading.confidence < 0.3:
        return OutcomeReading(Result.SUCCESS, 0.5, say("insights.no_complaint"))
    return reading


def _read(text: str, about: float, about_words: list[str]) -> OutcomeReading:
    """Read a text; ``about`` is how surely its complaints are about the work before."""
    candidates = []
    # "Thanks, but it still crashes": among equals a failure wins over polite words.
    order = [Result.FAILURE, Result.PARTIAL, Result.SUCCESS]
    for outcome in order:
        weight, words = _weight(text, outcome.value)
        if outcome is Result.PARTIAL and weight:
            weight = 1 - (1 - weight) * (1 - about)
        if outcome is Result.FAILURE:
            complaint, more = _weight(text, "complaint")
            believed = 1 - (1 - complaint) * (1 - about) if complaint and about else complaint / 2
            weight, words = 1 - (1 - weight) * (1 - believed), [*words, *more, *(about_words if more else ())]
        if weight:
            candidates.append((weight, outcome, words))
    if not candidates:
        return OutcomeReading(None, 0.0, say("insights.not_about"))
    confidence, outcome, words = max(candidates, key=lambda item: (round(item[0], 1), -order.index(item[1])))
    longest = LONG * (4 if about_words else 1)
    if len(text) > longest:
        confidence *= max(longest / len(text), 0.5)
    return OutcomeReading(outcome, round(confidence, 2), verbatim(", ".join(f"'{word}'" for word in words)))


def _only_complains(clause: str) -> bool:
    """Tell whether a clause complains and says nothing else: "it's wrong", but not "the wrong password"."""
    phrases, rest = packaged("shirube.features.map", "phrases.toml"), clause
    for pattern, _ in (*phrases["complaint"]["ja"], *phrases["complaint"]["en"]):
        rest = re.sub(pattern, " ", rest, flags=re.I)
    if rest == clause:
        return False
    for pattern in (*phrases["beside"]["ja"], *phrases["beside"]["en"]):
        rest = re.sub(pattern, " ", rest.strip(), flags=re.I)
    return not re.search(r"\w", rest)


def _weight(text: str, meaning: str) -> tuple[float, list[str]]:
    """Return how surely a text has this meaning by the phrases of ``phrases.toml``, and the words that matched."""
    phrases = packaged("shirube.features.map", "phrases.toml")[meaning]
    doubt, words = 1.0, []
    for pattern, share in (*phrases["ja"], *phrases["en"]):
        if found := re.search(pattern, text, re.I):
            doubt *= 1 - share
            words.append(found[0].strip())
    return 1 - doubt, words
