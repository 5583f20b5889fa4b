"""A session as outcomes see it: plain facts, read from whatever the journal holds of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from shirube.engine.text.tokens import normalise
from shirube.features.map.records import Result
from shirube.messages import Message, say, verbatim

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal

SESSION = "session"
FACT, RAISED = "fact", "raised"
ACCEPTED = (FACT, RAISED)
LED = 0.7
"""An agreement less near than this was named, but did not answer (seed 004)."""
SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""What seed 003 takes a request apart into."""


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


def read_facts(journal: "Journal", session_id: str) -> SessionFacts | None:
    """Return what is known of a session, or None when there is no such session."""
    document = journal.get(SESSION, session_id)
    if document is None:
        return None
    events = (event.body for event in journal.events(f"{SESSION}:{session_id}"))
    return facts_from(session_id, document.body, events)


def _call(event: Mapping[str, Any]) -> Called:
    paths = (*_texts(event.get("seen")), *_texts(event.get("paths")))
    led = [one for one in _objects(event.get("maps")) if one.get("fresh") is not False and _share(one) >= LED]
    maps = tuple((str(one.get("term", "")), str(one.get("symbol", ""))) for one in led)
    return Called(str(event["operation"]), event.get("ok") is not False, paths, maps)


def _share(one: Mapping[str, Any]) -> float:
    value = one.get("similarity", 1.0)
    return float(value) if isinstance(value, int | float) else 0.0


def _confirmed(one: Mapping[str, Any]) -> ConfirmedSymbol:
    approved = one.get("approved") is not False
    similarity = one.get("similarity")
    return ConfirmedSymbol(
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


LONG = 60
"""In a longer text words stand for more things: complaints are short."""


class OutcomeReading(Struct, frozen=True):
    """An outcome that a text tells of, how surely, and by which words; no outcome when it tells of none."""

    outcome: Result | None
    confidence: float
    why: Message


Phrases = tuple[tuple[str, float], ...]

FAILURE: Phrases = (
    (r"やり直", 0.85),
    (r"最初から(やって|お願い|やり|して)", 0.8),
    (r"もう一度", 0.45),
    (r"そうじゃな|そうではな", 0.8),
    (r"^(それは|いや|いえ|全然|ぜんぜん|まったく)?[、, ]*(違う|違います|ちがう)(?!い)", 0.8),
    (r"間違(い|って|えて)", 0.5),
    (r"(?<!ままで)だめ|ダメ|駄目", 0.55),
    (r"動かな|動いていな|動きませ", 0.5),
    (r"エラーにな|エラーが出", 0.4),
    (r"落ち(る|た|ます|ました)", 0.35),
    (r"おかし|変だ|変です", 0.35),
    (r"直ってな|直っていな|直りませ|治ってな", 0.85),
    (r"壊れ(た|て|ました)", 0.5),
    (r"元に戻し|取り消し", 0.7),
    (r"バグ", 0.15),
    (r"\b(re-?do|start over|try again|do it again)\b", 0.8),
    (r"\bagain\b", 0.2),
    (r"^(no|nope|wrong)\b[,.! ]", 0.75),
    (r"\b(that|this|it)('s| is| was)? (wrong|not right|incorrect|not what i)", 0.8),
    (r"\bnot what i (asked|meant|wanted)", 0.85),
    (r"\b(doesn'?t|does not|didn'?t|did not|isn'?t|is not) (work|working|help|fix)", 0.45),
    (r"\bstill (fails?|failing|broken|crash|not|doesn'?t|wrong|get|the same)", 0.75),
    (r"\b(crash(es|ed)?|broke[n]?|breaks)\b", 0.35),
    (r"\b(revert|undo|roll ?back) (that|this|it|your|the (last|change))", 0.8),
    (r"\bbug\b", 0.1),
)
PARTIAL: Phrases = (
    (r"惜し", 0.85),
    (r"ほぼ|ほとんど(できて|合って|OK)", 0.6),
    (r"一部(が|は|だけ)?(違|間違|足り)", 0.85),
    (r"あと少し|もう少し(で|だけ)", 0.6),
    (r"\b(almost|nearly|close, but|not quite|partly|partially|half right)\b", 0.75),
)
SUCCESS: Phrases = (
    (r"完璧|かんぺき", 0.9),
    (r"これで(いい|OK|大丈夫|よい|良い)", 0.9),
    (r"ありがとう|助かりました", 0.75),
    (r"うまく(いった|いきました|動)|動きました|直りました|できました", 0.8),
    (r"^(OK|オッケー|オーケー|了解)(です|だ)?[。.!！ ]*$", 0.8),
    (r"\b(perfect|works (now|great|fine|well)|that works|looks good|lgtm|well done|all good)\b", 0.85),
    (r"\bthank(s| you)\b", 0.7),
    (r"^ok(ay)?[.! ]*$", 0.8),
)
BEFORE: Phrases = (
    (r"さっき|先ほど|前回|今の(修正|変更|実装)|直前|その(修正|変更|実装)", 0.6),
    (r"\b(your|the last|the previous|that|this last) (change|fix|edit|patch|commit|attempt|answer|version)\b", 0.6),
    (r"\b(you (just|broke|changed|did|wrote))\b", 0.6),
    (r"まだ|\bstill\b", 0.3),
)
"""Words about what was just done."""


def read_outcome(request: str) -> OutcomeReading:
    """Tell whether a request says that the work before it failed (seed 003's Step 0), was nearly right, or right."""
    text = " ".join(normalise(request).split())
    about, said = _weight(text, BEFORE)
    found = []
    for outcome, phrases in ((Result.FAILURE, FAILURE), (Result.PARTIAL, PARTIAL), (Result.SUCCESS, SUCCESS)):
        weight, words = _weight(text, phrases)
        if weight:
            found.append((1 - (1 - weight) * (1 - about), outcome, [*words, *said]))
    if not found:
        return OutcomeReading(None, 0.0, say("insights.not_about"))
    # "Thanks, but it still crashes": what is wrong outweighs the politeness.
    order = [Result.FAILURE, Result.PARTIAL, Result.SUCCESS]
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


def _weight(text: str, phrases: Phrases) -> tuple[float, list[str]]:
    """Return how surely one of the phrases is meant, and the words that say so."""
    doubt, words = 1.0, []
    for pattern, share in phrases:
        if found := re.search(pattern, text, re.I):
            doubt *= 1 - share
            words.append(found[0].strip())
    return 1 - doubt, words
