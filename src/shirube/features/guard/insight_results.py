"""What the operations of group ``insights`` return."""

from shirube.codec import Record
from shirube.features.map.insights import Rate, SessionAnalysis
from shirube.features.map.records import Decision, Effect, Outcome, Replay
from shirube.features.map.refusals import GateRates, WriteRates
from shirube.messages import Message


class AnalysisResult(Record):
    """Seed 003's shape: what was decided, how it turned out, and the two joined."""

    session_id: str
    decision: Decision | None
    outcomes: tuple[Outcome, ...]
    analysis: SessionAnalysis
    files: dict[str, str]
    """What became of each file it wrote: survived, edited, reverted, removed, unknown."""


class InsightsResult(Record):
    """What failures have in common; the first five are seed 003's."""

    total_sessions_with_outcomes: int
    sessions_with_decisions: int
    tool_failure_correlation: dict[str, Rate]
    risk_level_correlation: dict[str, Rate]
    common_failure_points: dict[str, int]
    survival: dict[str, int]
    """What became of the files that sessions wrote."""
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
