"""What the operations of group ``session`` return."""

from shirube.codec import Record
from shirube.features.guard import state
from shirube.features.map.insights import GateRates, Rate, SessionAnalysis, WriteRates
from shirube.features.map.records import Decision, Effect, Outcome, Replay, Result
from shirube.features.plan.frame import Guidance, Intent, Slot
from shirube.messages import NOTHING, Message
from shirube.types import MapHit


class JudgedSymbol(Record):
    """What is held of one symbol."""

    symbol: str
    tier: str
    """fact (accepted), raised (accepted, and the risk is HIGH), refused, unknown (not in the index)"""
    similarity: float
    path: str
    line: int
    source: str
    """agreement: learned before; similarity; none"""
    why: Message


class ValidateResult(Record):
    """The symbols, each with its tier, and what to do next."""

    target_feature: str
    results: tuple[JudgedSymbol, ...]
    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    not_found: tuple[str, ...]
    risk_level: str
    """HIGH when a symbol was accepted although it is not near; else empty: the session's own stands."""
    cached_matches: tuple[str, ...]
    """Symbols that were agreed for this term before."""
    suggestions: tuple[str, ...]
    """Other agreed symbols for the term, when none of those given is accepted."""
    guidance: Message
    model: str
    next: Message


class ConfirmResult(Record):
    """What was accepted and kept with the session; a success makes agreements of it."""

    session_id: str
    target_feature: str
    confirmed: tuple[JudgedSymbol, ...]
    refused: tuple[JudgedSymbol, ...]
    not_found: tuple[str, ...]
    evidence_found: bool
    """Whether what was quoted stands in the code of the symbols."""
    risk_level: str
    next: Message


class OutcomeResult(Record):
    """What was recorded, and what became of the map."""

    record_id: str
    session_id: str
    outcome: Result
    confidence: float
    why: str
    map_updated: bool = False
    agreement_file: str = ""
    """The first page that was written, below the project."""
    agreement_files: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()
    not_agreed: tuple[Message, ...] = ()
    """Confirmed symbols that could not become agreements, and why."""
    note: Message = NOTHING
    proposed: Message = NOTHING
    """A term that the history proposes for what was written, if there is one."""
    problems: tuple[Message, ...] = ()
    """What of the map could not be read, with the reason."""


class EarlierFailure(Record):
    """A session before this one that the request shows to have failed (seed 003's Step 0)."""

    session_id: str
    record_id: str
    confidence: float
    why: str


class StartResult(Record):
    """A new session, and how to go on."""

    session_id: str
    intent: Intent
    phase: state.Phase
    risk: str
    query_frame: dict[str, str]
    """status, the prompt that takes the request apart, and the next step."""
    allowed_operations: tuple[str, ...]
    likely: tuple[state.Expected, ...]
    """Where the change probably belongs, the best first; nothing of it was shown yet."""
    unsure: bool
    """Whether these are no more than guesses."""
    agreed: tuple[MapHit, ...]
    """What the map has about the request."""
    errors: tuple[Message, ...]
    """What of the frame is only supposed, and why; and files that the request names and that do not exist."""
    earlier_failure: EarlierFailure | None
    """What was recorded of the session before, because the request says that it failed."""
    degraded: tuple[Message, ...]
    next: tuple[state.NextCall, ...]


class StepResult(Record):
    """What became of a step; one that was not accepted left everything as it was."""

    session_id: str
    accepted: bool
    phase: state.Phase
    risk: str
    message: Message
    evaluated_confidence: str
    """high when READY was reached, else low."""
    errors: tuple[Message, ...]
    missing_requirements: tuple[state.Lack, ...]
    semantic_reasons: tuple[str, ...]
    missing_slots: tuple[str, ...]
    guidance: dict[str, Guidance]
    hypotheses: tuple[state.Hypothesis, ...]
    mapped_symbols: tuple[str, ...]
    """The symbols that were understood: claimed or confirmed."""
    coverage: state.Coverage
    next: tuple[state.NextCall, ...]
    agreed: tuple[MapHit, ...] = ()
    """What the map has about the feature that the frame names."""
    mapped: tuple[state.MappedSymbol, ...] = ()
    """The same as mapped_symbols, each with its source and how sure it is."""


class WriteResult(Record):
    """Whether the files may be written, and what unblocks the first that may not."""

    session_id: str
    path: str
    """The first that may not be written, else the first."""
    allowed: bool
    new: bool
    phase: state.Phase
    message: Message
    coverage: state.Coverage
    """What imports it or is imported by it, and how much of that was looked at."""
    explored_files: tuple[str, ...]
    files: tuple[state.WriteCheck, ...]
    """Each file that was asked for."""
    next: tuple[state.NextCall, ...]


class SessionStatus(Record):
    """What a session knows, what is missing, and what to do next."""

    session_id: str
    intent: Intent
    request: str
    phase: state.Phase
    risk: str
    may_write: bool
    created_at: str
    slots: dict[str, Slot]
    missing_slots: tuple[str, ...]
    requirements: tuple[state.Lack, ...]
    """Everything that is needed, with how much of it there is."""
    missing_requirements: tuple[state.Lack, ...]
    """Of these, what a submission without further claims would lack."""
    explored_files: tuple[str, ...]
    symbols: tuple[str, ...]
    tools_used: tuple[str, ...]
    confirmed: tuple[state.Confirmed, ...]
    hypotheses: tuple[state.Hypothesis, ...]
    map_used: Message
    checks: tuple[state.WriteCheck, ...]
    refusals: tuple[state.Refusal, ...]
    coverage: state.Coverage
    total_calls: int
    calls: tuple[state.Recorded, ...]
    allowed_operations: tuple[str, ...]
    next: tuple[state.NextCall, ...]
    mapped: tuple[state.MappedSymbol, ...] = ()
    """The symbols that were understood: claimed or confirmed."""


class SessionLine(Record):
    """One session in a list."""

    session_id: str
    intent: Intent
    phase: state.Phase
    risk: str
    request: str
    created_at: str
    expired: bool


class SessionsResult(Record):
    """The sessions of this work tree."""

    sessions: tuple[SessionLine, ...]
    truncated: bool
    next: Message


class AnalysisResult(Record):
    """Seed 003's shape: what was decided, how it turned out, and the two joined."""

    session_id: str
    decision: Decision | None
    outcomes: tuple[Outcome, ...]
    analysis: SessionAnalysis
    files: dict[str, str]
    """What became of each file: kept, changed, reverted, uncommitted, unwritten, unknown."""
    commits: dict[str, str]
    """The commit that landed what it wrote into a file, or that reverted it."""


class InsightsResult(Record):
    """What failures have in common; the first five are seed 003's."""

    total_sessions_with_outcomes: int
    sessions_with_decisions: int
    tool_failure_correlation: dict[str, Rate]
    risk_level_correlation: dict[str, Rate]
    common_failure_points: dict[str, int]
    survival: dict[str, int]
    """What became of the files that sessions wrote, by git: kept, changed, reverted, uncommitted, unknown."""
    lines: dict[str, int]
    """The same by written line, as far as git knows: kept, changed, reverted."""
    undone: int
    """Sessions told as a success of which nothing is left."""
    gate: GateRates
    """How often the gate before writes refused, and how often wrongly, as far as that can be seen."""
    gate_days: dict[str, dict[str, int]]
    """The same by day: allow, advise, block, harmless."""
    writes: WriteRates
    """What the last sessions were told by check_write_target."""
    map_effect: dict[str, dict[str, int]]
    """Outcomes of sessions in which an agreement answered (used), and of the others (not used)."""
    prior: Message
    """What the ranking has learnt from outcomes, in words."""
    suggestions: tuple[Message, ...]


class ToldRate(Record):
    """One outcome in a line."""

    session_id: str
    outcome: str
    request: str
    timestamp: str
    automatic: bool
    failure_point: str


class StatsResult(Record):
    """Outcomes, counted."""

    total: int
    by_outcome: dict[str, int]
    by_intent: dict[str, dict[str, int]]
    by_phase: dict[str, dict[str, int]]
    semantic: dict[str, dict[str, int]]
    """Outcomes with and without a search by sense."""
    automatic: int
    """How many were concluded from the next request."""
    sessions: int
    by_day: dict[str, dict[str, int]]
    """Outcomes by the day they were told, in UTC; "unknown" where no time was recorded."""
    latest: tuple[ToldRate, ...]
    """The last ones, the newest first."""


class EffectResult(Record):
    """Past requests asked again, without and with what was learnt before each of them."""

    active: bool
    """Whether searches go by it now (outcomes.prior)."""
    prior: float
    """The bound that was tried."""
    effect: Effect
    replays: tuple[Replay, ...]
    """The requests, the oldest first."""
    outcomes: int
    """How many outcomes can be learnt from."""
    next: Message


class ForgetResult(Record):
    """What the ranking no longer learns from."""

    outcomes: int
    note: Message
