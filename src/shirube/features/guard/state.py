"""The frozen state of a session (each step returns a new one), the verdict of a step, and both as plain JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, TypeVar

from msgspec import Struct

from shirube.codec import pack, replace, unpack
from shirube.errors import StateFault
from shirube.features.plan.frame import ASKED, Intent, QueryFrame, Risk
from shirube.messages import NOTHING, Message

WRITERS = frozenset({Intent.IMPLEMENT, Intent.MODIFY})
"""The intents that may write; INVESTIGATE and QUESTION never do."""
INCLUDES: Mapping[str, tuple[str, ...]] = {"symbol": ("find_definitions", "find_references")}
"""Operations that answer the questions of others too, and count as those."""
Value = TypeVar("Value")


class Phase(StrEnum):
    """How far a session has come."""

    EXPLORATION = "EXPLORATION"
    SEMANTIC = "SEMANTIC"
    VERIFICATION = "VERIFICATION"
    READY = "READY"


class AgreementHit(Struct, frozen=True):
    """An agreement that a recorded call brought up."""

    term: str
    symbol: str
    files: tuple[str, ...]
    similarity: float
    """Calibrated, from 0 to 1: what the tiers of seed 004 are compared with."""
    fresh: bool
    """Whether the code it rests on still stands as it was agreed."""
    alone: bool = False
    """Whether it is about the very term that was asked for; only then it may shorten a session."""


class Recorded(Struct, frozen=True):
    """One call of an operation, as the server saw it."""

    operation: str
    group: str = ""
    asked: str = ""
    """The words of its arguments."""
    ok: bool = True
    answer: str = ""
    """found, partial, none or unknown; unknown where the operation does not say."""
    hits: int = 0
    """How many places it showed; those found by sense alone are not counted."""
    seen: tuple[str, ...] = ()
    """Files of which it showed something, …"""
    listed: tuple[str, ...] = ()
    """… files it only named, …"""
    guessed: tuple[str, ...] = ()
    """… and files found by sense alone: hypotheses, not explored."""
    symbols: tuple[str, ...] = ()
    maps: tuple[AgreementHit, ...] = ()
    number: int = 0
    """Its place among everything recorded; given by the journal."""

    @property
    def operations(self) -> tuple[str, ...]:
        """Its operation, and those whose questions it answered too."""
        return (self.operation, *INCLUDES.get(self.operation, ()))

    @property
    def tells(self) -> bool:
        """Whether it is evidence: it showed a place, or proved that there is none."""
        return self.ok and (self.hits > 0 or self.answer == "none")


class Confirmed(Struct, frozen=True):
    """A symbol that was said, with evidence, to be what a term of the request means."""

    nl_term: str
    symbol: str
    path: str = ""
    evidence: str = ""
    similarity: float = 0.0
    tier: str = "fact"
    """fact, or raised: accepted, but the risk goes up to HIGH."""
    approved: bool = True


class Understanding(Struct, frozen=True):
    """What a model says it understood; in a session, what of it was found to be so."""

    symbols: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    notes: str = ""
    shown: bool = False
    """Whether the symbols are all that calls showed, because the claim named none."""


class MappedSymbol(Struct, frozen=True):
    """A symbol that was understood: claimed, or confirmed to be what the request means (seed 004 §4.5)."""

    name: str
    source: str = "fact"
    confidence: float = 0.5
    """Its similarity to the request's words once it is confirmed."""


class Expected(Struct, frozen=True):
    """A place that the request is likely about, as found before anybody looked; the best come first."""

    path: str
    start_line: int = 0
    end_line: int = 0
    symbol: str = ""
    named: bool = False
    """Whether the request itself or an agreement names it."""


class Hypothesis(Struct, frozen=True):
    """Something supposed that has to be confirmed or rejected before anything is written."""

    id: str
    text: str
    confidence: str = "medium"
    slot: str = ""
    """The slot of the frame it is about, if it is one."""
    status: str = "open"
    """open, confirmed, rejected"""
    evidence: str = ""
    """The call that decided it, in words."""
    call: int = 0
    """The number of that call."""


class WriteCheck(Struct, frozen=True):
    """A question whether a file may be written, and the answer."""

    path: str
    allowed: bool
    new: bool = False
    reason: Message = NOTHING


class Refusal(Struct, frozen=True):
    """Something that was not accepted, and why."""

    operation: str
    phase: Phase
    reason: Message


@dataclass(frozen=True, slots=True)
class Session:
    """One request on its way to an edit."""

    id: str
    intent: Intent
    request: str
    created_at: str = ""
    phase: Phase = Phase.EXPLORATION
    frame: QueryFrame | None = None
    risk: Risk = Risk.LOW
    confirmed: tuple[Confirmed, ...] = ()
    scaled: bool = False
    """Whether what is needed depends on what is at stake (decision 35); else the counts of the seeds hold."""
    expected: tuple[Expected, ...] = ()
    """Where the change probably belongs, by the server's own search for the request."""
    unsure: bool = False
    """Whether that search was so unsure that being found by it means nothing."""
    near: tuple[str, ...] = ()
    """Files that import, are imported by or used to change together with what will change."""
    failed_before: bool = False
    """Whether the request says that the last attempt failed."""
    added: tuple[str, ...] = ()
    """Files and directories that ``add_explored_files`` counts as explored."""
    agreed: tuple[str, ...] = ()
    """Files that an agreement opens, though nobody looked at them in this session."""
    understanding: Understanding | None = None
    missing: tuple[str, ...] = ()
    """What the last submission lacked, by key."""
    hypotheses: tuple[Hypothesis, ...] = ()
    refuted: tuple[Hypothesis, ...] = ()
    """What earlier rounds supposed and rejected."""
    semantic_reason: str = ""
    map_used: Message = NOTHING
    """A description of the agreement that cut exploration short."""
    since: int = 0
    """A reset discards every event up to this number."""
    client: str = ""
    """The agent's own id for its session; the gate matches hook events to the session by it."""
    branch: str = ""
    """The branch it was started on, with its commit and the time; READY holds there."""
    elsewhere: str = field(default="", metadata={"event": ""})
    """The branch that the work tree is on now, if it is another."""
    calls: tuple[Recorded, ...] = field(default=(), metadata={"event": "call"})
    looks: Mapping[str, str] = field(default_factory=dict, metadata={"event": "call"})
    """The files that were shown, with the digest of the content that was, where that still matters."""
    checks: tuple[WriteCheck, ...] = field(default=(), metadata={"event": "check"})
    refusals: tuple[Refusal, ...] = field(default=(), metadata={"event": "refusal"})

    @property
    def explored(self) -> frozenset[str]:
        """The files of which a call showed some content, those that were added, and those of an agreement."""
        return self.looked_at.union(self.agreed)

    @property
    def looked_at(self) -> frozenset[str]:
        """The files and directories that somebody looked at in this session; new files belong beside these."""
        return frozenset().union(self.added, *(call.seen for call in self.calls if call.ok))

    @property
    def returned(self) -> frozenset[str]:
        """Every file a call returned, however it was found."""
        named = ((*call.seen, *call.listed, *call.guessed) for call in self.calls if call.ok)
        return frozenset().union(*named)

    @property
    def countable(self) -> frozenset[str]:
        """The files that ``add_explored_files`` takes: by the seed's counts it is enough that a call returned them."""
        return self.looked_at if self.scaled else self.returned | self.looked_at

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that calls showed, in order of first appearance."""
        shown = (symbol for call in self.calls if call.ok for symbol in call.symbols)
        return tuple(dict.fromkeys(shown))

    @property
    def mapped(self) -> tuple[MappedSymbol, ...]:
        """The symbols that were understood, confirmed ones first; what was only shown is not among them."""
        understood = self.understanding or Understanding()
        claimed = (*understood.entry_points, *(() if understood.shown else understood.symbols))
        confirmed = [MappedSymbol(item.symbol, confidence=item.similarity) for item in self.confirmed if item.approved]
        found = {item.name: item for item in (*map(MappedSymbol, reversed(claimed)), *reversed(confirmed))}
        return tuple(reversed(found.values()))

    @property
    def tools(self) -> tuple[str, ...]:
        """The operations that were called and succeeded, and those whose question they answered too."""
        return tuple(dict.fromkeys(name for call in self.calls if call.ok for name in call.operations))

    @property
    def asked_frame(self) -> QueryFrame:
        """The frame; an empty one when none was set."""
        return self.frame or QueryFrame(self.request, asked=ASKED[self.intent])

    @property
    def about(self) -> str:
        """What to look for: the feature, when it is known, else the request."""
        return self.asked_frame.value("target_feature") or self.request


EVENTS: Mapping[str, type[Recorded] | type[WriteCheck] | type[Refusal]] = {
    "call": Recorded,
    "check": WriteCheck,
    "refusal": Refusal,
}
"""The records stored as events beside the session document, by the ``kind`` that an event carries."""


def with_events(session: Session, events: Iterable[Recorded | WriteCheck | Refusal]) -> Session:
    """Return the session with events added, in order."""
    ordered = tuple(events)
    return replace(
        session,
        calls=(*session.calls, *(event for event in ordered if isinstance(event, Recorded))),
        checks=(*session.checks, *(event for event in ordered if isinstance(event, WriteCheck))),
        refusals=(*session.refusals, *(event for event in ordered if isinstance(event, Refusal))),
    )


class NextCall(Struct, frozen=True):
    """A call that would help, with its arguments."""

    operation: str
    arguments: Mapping[str, Any] = {}
    why: Message = NOTHING


class Lack(Struct, frozen=True):
    """A requirement that is not met: how much there is, and how much there has to be."""

    key: str
    have: int
    needed: int
    detail: str = ""


class Coverage(Struct, frozen=True):
    """The files around a change by imports, both ways, and how many of them the session has seen."""

    files: int = 0
    explored: int = 0
    unexplored: tuple[str, ...] = ()
    """The nearest that were not looked at."""


class Verdict(Struct, frozen=True):
    """The answer to a submission; a refusal leaves the session as it was."""

    accepted: bool
    message: Message = NOTHING
    errors: tuple[Message, ...] = ()
    """What was said and is not so, claim by claim."""
    lacks: tuple[Lack, ...] = ()
    reasons: tuple[str, ...] = ()
    """The reasons that ``submit_semantic`` will take for what is missing."""
    next: tuple[NextCall, ...] = ()


SessionEvent = Recorded | WriteCheck | Refusal


def pack_session(session: Session) -> dict[str, Any]:
    """Return the JSON document of a session, without its events."""
    return {item.name: pack(getattr(session, item.name)) for item in fields(session) if not item.metadata}


def unpack_session(body: Mapping[str, Any]) -> Session:
    """Return the session that a document describes, without its events."""
    return _read(Session, body)


def pack_event(event: SessionEvent) -> dict[str, Any]:
    """Return an event as JSON, with its ``kind``."""
    (kind,) = (word for word, record in EVENTS.items() if record is type(event))
    return {"kind": kind, **pack(event)}


def unpack_event(body: Mapping[str, Any], number: int) -> SessionEvent | None:
    """Return the event of a JSON object; None for a kind that only a later version knows."""
    record = EVENTS.get(str(body.get("kind")))
    return _read(record, {**body, "number": number}) if record else None


def _read(kind: type[Value], body: Mapping[str, Any]) -> Value:
    try:
        return unpack(kind, body)
    except ValueError as error:
        raise StateFault("session.unreadable", kind=kind.__name__, error=str(error)) from error
