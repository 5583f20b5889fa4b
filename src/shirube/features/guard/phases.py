"""Which operations each phase allows, and what has to be known before a session is ready, as data (decision 20).

Whatever reads is allowed everywhere; the search by sense alone only where guesses are wanted, and each submission only
in its own phase. Operations are known by name and group, so that new ones find their place by themselves.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.evidence import Facts, is_mapped, slot_evidence
from shirube.features.guard.state import WRITERS, Confirmed, Coverage, Lack, Phase, Session, Understanding
from shirube.features.plan.frame import Intent, Risk, assess_risk

if TYPE_CHECKING:
    from shirube.types import Edge

SUBMISSIONS: Mapping[str, Phase] = {
    "submit_understanding": Phase.EXPLORATION,
    "submit_exploration": Phase.EXPLORATION,
    "submit_semantic": Phase.SEMANTIC,
    "submit_verification": Phase.VERIFICATION,
}
FOREST = frozenset({"search_forest", "semantic_search"})
"""Guesses by sense: what they find are hypotheses, so they belong where hypotheses are made."""
FOREST_PHASES = frozenset({Phase.SEMANTIC, Phase.READY})
NAMING = frozenset({"deps_closure", "analyze_impact", "semantic_rerank", "find_path"})
"""Operations that name files without showing anything of them."""
SHOWING = frozenset({"search", "symbols"})
"""Groups whose results are exploration."""
PLANS = frozenset({"query", "query_plan"})
"""Operations of other groups whose results are, too."""
TOOLS = ("find_definitions", "find_references")
SEMANTIC_REASONS: Mapping[str, tuple[str, ...]] = {
    "symbols_identified": ("no_definition_found", "architecture_unknown"),
    "entry_points": ("no_definition_found", "no_reference_found"),
    "existing_patterns": ("no_similar_implementation", "architecture_unknown"),
    "files_analyzed": ("context_fragmented", "architecture_unknown"),
    "required_tools": (),
    "slot_evidence": ("architecture_unknown", "context_fragmented"),
    "nl_symbol_mapping": ("architecture_unknown", "context_fragmented"),
    "hypothesis_slots": ("architecture_unknown", "context_fragmented"),
}
"""The seed's table; a tool that was not used is no reason to guess, it is a reason to use it."""
RAISED = "raised"
"""The tier of a symbol that is accepted although it is not near (0.3 to 0.6): it makes the risk HIGH."""
DEPTH = 2
"""Steps along imports, both ways: callers of callers still break, further ones rarely."""
SHOWN = 10


def allows(phase: Phase, operation: str, arguments: Mapping[str, Any] | None = None) -> bool:
    """Tell whether an operation may be called now; ``semantic_search`` of the map always may."""
    if operation in SUBMISSIONS:
        return SUBMISSIONS[operation] is phase
    if operation not in FOREST or phase in FOREST_PHASES:
        return True
    return operation == "semantic_search" and str((arguments or {}).get("collection", "")).lower() == "map"


def allowed_operations(phase: Phase, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the named operations that may be called now."""
    return tuple(name for name in names if allows(phase, name))


def explores(operation: str, group: str) -> bool:
    """Tell whether what an operation returns was looked at: searches, symbols, snippets, the steps of a plan."""
    return group in SHOWING or operation in PLANS


class Needs(Struct, frozen=True):
    """How much of each thing has to be known."""

    symbols: int = 0
    entry_points: int = 0
    files: int = 0
    patterns: int = 0
    tools: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    """Slots that need evidence."""


WRITING: Mapping[Risk, Needs] = {
    Risk.LOW: Needs(3, 1, 2, 1, TOOLS),
    Risk.MEDIUM: Needs(3, 1, 2, 1, TOOLS, ("target_feature",)),
    Risk.HIGH: Needs(5, 2, 4, 2, TOOLS, ("target_feature", "observed_issue")),
}
LOOKING = Needs(symbols=1, files=1)


def needs_of(session: Session, facts: Facts) -> Needs:
    """Return what this session needs; never more than the project has, so that a small one can be written to."""
    if session.intent is Intent.QUESTION:
        return Needs()
    if session.intent is Intent.INVESTIGATE:
        return Needs(min(LOOKING.symbols, facts.symbols), 0, min(LOOKING.files, facts.files))
    wanted = WRITING[session.risk]
    return Needs(
        min(wanted.symbols, facts.symbols),
        min(wanted.entry_points, facts.symbols),
        min(wanted.files, facts.files),
        min(wanted.patterns, facts.files),
        tuple(tool for tool in wanted.tools if tool in facts.operations),
        tuple(_slot(session, name) for name in wanted.slots),
    )


def _slot(session: Session, name: str) -> str:
    """Return the slot that needs evidence; a wish for something new has no issue, so what is wished counts."""
    frame = session.asked_frame
    new = session.intent is Intent.IMPLEMENT and name == "observed_issue" and name in frame.missing
    return "desired_action" if new else name


def requirements_of(session: Session, understood: Understanding, facts: Facts) -> tuple[Lack, ...]:
    """Return how much of each thing is known, and how much has to be."""
    needs = needs_of(session, facts)
    used = [tool for tool in needs.tools if tool in session.tools]
    return (
        Lack("symbols_identified", len(understood.symbols), needs.symbols),
        Lack("entry_points", len(understood.entry_points), needs.entry_points),
        Lack("files_analyzed", len(understood.files), needs.files),
        Lack("existing_patterns", len(understood.patterns), needs.patterns),
        Lack("required_tools", len(used), len(needs.tools), ", ".join(needs.tools)),
    )


def lacks_of(session: Session, understood: Understanding, facts: Facts) -> tuple[Lack, ...]:
    """Return the requirements that are not met; of the tools, those that were not used are named."""
    needs = needs_of(session, facts)
    unused = ", ".join(tool for tool in needs.tools if tool not in session.tools)
    counted = [
        replace(row, detail=unused) if row.key == "required_tools" else row
        for row in requirements_of(session, understood, facts)
        if row.have < row.needed
    ]
    return (*counted, *_slots(session, needs), *_words(session, understood))


def _slots(session: Session, needs: Needs) -> list[Lack]:
    frame, lacks = session.asked_frame, []
    bare = [name for name in needs.slots if not slot_evidence(session, frame.slots.get(name))]
    if bare:
        lacks.append(Lack("slot_evidence", len(needs.slots) - len(bare), len(needs.slots), ", ".join(bare)))
    if frame.hypotheses:
        lacks.append(Lack("hypothesis_slots", 0, len(frame.hypotheses), ", ".join(frame.hypotheses)))
    return lacks


def _words(session: Session, understood: Understanding) -> list[Lack]:
    """Return what is missing between the request's words and the code's; a proven absence has no symbol."""
    slot = session.asked_frame.slots.get("target_feature")
    if session.intent not in WRITERS or slot is None or is_mapped(session, slot.value, understood):
        return []
    if slot_evidence(session, slot) == "absence":
        return []
    return [Lack("nl_symbol_mapping", 0, 1, slot.value)]


def semantic_reasons(missing: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reasons that may be given for what is missing."""
    return tuple(dict.fromkeys(reason for key in missing for reason in SEMANTIC_REASONS.get(key, ())))


def risk_of(session: Session) -> Risk:
    """Return the risk by seed 003's rules; a symbol of the middle tier raises it where something may be written."""
    writes = session.intent in (Intent.IMPLEMENT, Intent.MODIFY)
    if writes and any(one.approved and one.tier == RAISED for one in session.confirmed):
        return Risk.HIGH
    return assess_risk(session.intent, session.asked_frame)


def confirm_symbols(session: Session, *symbols: Confirmed) -> Session:
    """Return the session with symbols that were found to be what a term means; the latest word on each counts."""
    fresh = {(one.nl_term, one.symbol) for one in symbols}
    kept = tuple(one for one in session.confirmed if (one.nl_term, one.symbol) not in fresh)
    changed = replace(session, confirmed=(*kept, *symbols))
    return replace(changed, risk=risk_of(changed))


def coverage(
    around: "Callable[[Collection[str]], Iterable[Edge]]", changed: Collection[str], explored: Collection[str]
) -> Coverage:
    """Return how much of the neighbourhood of some files was explored; the files themselves are not counted.

    ``around`` is asked once for each step, for all files of the step.
    """
    found: dict[str, None] = dict.fromkeys(sorted(changed))
    ring = set(found)
    for _ in range(DEPTH):
        ends = {end for edge in around(ring) for end in (edge.source, edge.target)} if ring else set()
        ring = ends - found.keys()
        found.update(dict.fromkeys(sorted(ring)))
    near = [path for path in found if path not in changed]
    unseen = [path for path in near if path not in explored]
    return Coverage(len(near), len(near) - len(unseen), tuple(unseen[:SHOWN]))
