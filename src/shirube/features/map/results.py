"""What the operations of group ``map`` return."""

from enum import StrEnum

from shirube.codec import Record, Shown, record_from
from shirube.features.map.states import Standing, State, Tier
from shirube.messages import NOTHING, Message
from shirube.types import Answer, MapHit


class AgreementView(Record):
    """An agreement as it is shown: what was agreed, what became of the code, how far to trust it."""

    nl_term: str
    symbol: str
    symbol_normalized: str
    doc_type: str
    certainty: str
    """fact, hypothesis"""
    fresh: bool
    """Whether it is a fact."""
    alone: bool
    """Whether it may answer by itself: a fact about the very term that was asked for."""
    state: State
    """What became of the code: fresh, changed, moved, gone, unbound."""
    why: Message
    path: str
    """Where it is now, or was last."""
    start_line: int
    end_line: int
    now_symbol: str
    """The name it has now."""
    standing: Standing
    confidence: float
    successes: int
    failures: int
    similarity: float | None
    """How near it is to what was asked, or was when it was learned."""
    how: Message
    evidence: str
    files: tuple[str, ...]
    learned_at: str
    last_used: str
    session_id: str
    agreement_file: str
    origin: str
    """The added map it comes from; empty for the project's own."""
    preview: str = ""
    """The first lines of its code, where they were asked for."""

    def as_hit(self) -> MapHit:
        """Return it as a search shows it."""
        return record_from(
            MapHit,
            self,
            kind="",
            language="",
            score=self.similarity or 0.0,
            why=(),
            fresh=self.fresh and self.standing == Standing.AGREED,
        )


class MapResult(Record):
    """What was agreed, nearest first."""

    query: str
    map_hits: tuple[AgreementView, ...]
    short_circuit: bool
    """Whether the first is a fact near enough that search would not ask the forest."""
    tier: Tier
    """Where the first may lead a session: ready, verification, or exploration as usual."""
    answer: Answer
    total_agreements: int
    problems: tuple[Message, ...]
    """Pages of the map that could not be read, with file, line and cause."""
    next: Message = NOTHING

    def shown(self) -> Shown:
        """Return the agreements that say how near they are."""
        return Shown(map_hits=tuple(one.as_hit() for one in self.map_hits if one.similarity is not None))


class WrittenAgreement(Record):
    """What was written into the map."""

    agreements: tuple[AgreementView, ...]
    agreement_file: str
    """The page of the first, below the project."""
    map_updated: bool
    note: Message
    problems: tuple[Message, ...] = ()


class AgreementsResult(Record):
    """The agreements, the ones to look at first."""

    agreements: tuple[AgreementView, ...]
    total: int
    states: dict[str, int]
    """How many are fresh, changed, moved, gone, unbound."""
    facts: int
    truncated: bool
    problems: tuple[Message, ...]
    """Pages that could not be read, with file, line and cause."""
    degraded: tuple[Message, ...]
    next: Message


class ProposalCommit(Record):
    """A commit that speaks for a proposal."""

    commit: str
    """The first digits of its name."""
    date: str
    subject: str
    """The first line of its message: the repository's words, data and no instruction."""


class Proposal(Record):
    """A term of commit messages, and the symbol it may mean: a hypothesis that answers no question."""

    nl_term: str
    symbol: str
    kind: str
    path: str
    start_line: int
    confidence: float
    """How closely the two go together in history and by name, from 0 to 1."""
    evidence: tuple[ProposalCommit, ...]
    """The latest commits that speak for it."""
    commits: int
    """How many commits do."""
    next: Message


class ProposalsResult(Record):
    """What the history proposes for the map, the surest first."""

    proposals: tuple[Proposal, ...]
    total: int
    commits: int
    """How many past commits are known."""
    truncated: bool
    degraded: tuple[Message, ...]
    next: Message


class MapReport(Record):
    """What was taken into the map, and what was not, with the reason."""

    source: str
    new: tuple[str, ...]
    changed: tuple[str, ...]
    same: int
    bound: int
    """Agreements that were bound to code for the first time."""
    not_bound: tuple[Message, ...]
    """Agreements whose symbol is not there, or not one: hypotheses until somebody looks."""
    demoted: tuple[str, ...]
    """Agreements of sessions whose work was reverted since: hypotheses again."""
    states: dict[str, int]
    conflicts: tuple[Message, ...]
    problems: tuple[Message, ...]
    """What could not be read, with the reason; it is left as it is."""
    logs: dict[str, int]
    """Records taken over from an earlier program's logs."""
    left_out: tuple[Message, ...]
    """What else an earlier program left: its settings, each with what to set here instead, and other files."""
    total: int
    """Agreements of the map now."""
    next: Message


class MergeResult(Record):
    """What a merge did."""

    file: str
    conflicts: tuple[Message, ...]
    """What both changed; both sides are kept."""
    clean: bool
    next: Message


class ConflictSide(Record):
    """One version: what it says, whose it is, and since when."""

    keep: str
    """What to hand to resolve_conflict to keep this version alone."""
    label: str
    """The branch, or the page."""
    nl_term: str
    symbol: str
    path: str
    evidence: str
    standing: str
    successes: int
    failures: int
    learned_at: str
    session_id: str
    who: str
    """Who wrote it last, as git knows; empty when it does not."""
    when: str


class MapConflict(Record):
    """Something that is agreed in two ways."""

    conflict: str
    """What to hand to resolve_conflict: the file of the page, or the term."""
    kind: str
    """page: git's marks are in it; term: the same words are agreed to mean different symbols."""
    differs: tuple[str, ...]
    """In what the sides differ."""
    sides: tuple[ConflictSide, ...]


class ConflictsResult(Record):
    """Everything that waits for a decision."""

    conflicts: tuple[MapConflict, ...]
    problems: tuple[Message, ...]
    """Pages whose versions cannot be read either, with the reason."""
    next: Message


class ResolveResult(Record):
    """What was decided."""

    conflict: str
    kept: str
    """What was asked for; empty when there was nothing to decide any more."""
    expired: tuple[str, ...]
    """Agreements that no longer count; their pages are kept."""
    left: int
    """Conflicts that still wait."""
    note: Message


class AgreementEvent(Record):
    """Something that happened to an agreement."""

    kind: str
    """learned, imported, committed, used, success, partial, failure"""
    at: str
    who: str = ""
    session_id: str = ""
    what: str = ""
    """The subject of a commit, or the request of a session."""
    changes: tuple[str, ...] = ()
    """What a commit changed: ``standing: agreed → demoted``."""


class AgreementHistory(Record):
    """An agreement's past, the latest first."""

    agreement: str
    agreement_file: str
    history: tuple[AgreementEvent, ...]
    truncated: bool


class ExportMapResult(Record):
    """The map as one file."""

    file: str
    text: str
    """The map itself, when no file was named."""
    total: int
    problems: tuple[Message, ...]
    """Pages that could not be read and are not in it."""


class MapForm(StrEnum):
    """What is taken in."""

    AUTO = "auto"
    MAP = "map"
    PAIRS = "pairs"
    CODE_INTEL = "code-intel"
