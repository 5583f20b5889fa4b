"""Which operations each phase allows, and what must be known before a session is ready, as data (decision 20).

Reading is allowed in every phase. Purely semantic search is allowed only where guesses are useful, and each submission
only in its own phase. The rules use an operation's name and group, so a new operation of a group needs no rule.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.evidence import Facts, is_mapped, slot_evidence
from shirube.features.guard.state import INCLUDES, WRITERS, Confirmed, Coverage, Lack, Phase, Session, Understanding
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
"""Semantic searches: their results are hypotheses, so they belong to the phases that make hypotheses."""
ONLY_READY = "add_explored_files"
NAMING = frozenset({"deps_closure", "analyze_impact", "semantic_rerank", "find_path", "past_changes"})
"""Operations that name files without showing their content."""
SHOWING = frozenset({"search", "symbols"})
"""Groups whose results count as exploration."""
PLANS = frozenset({"query", "query_plan"})
"""Operations of other groups whose results count as exploration too."""
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
"""Seed 003's table; an unused tool is no reason to guess: the agent should use it."""
RAISED = "raised"
"""The tier of a symbol that is accepted despite a similarity of only 0.3 to 0.6: it makes the risk HIGH."""
DEPTH = 2
"""How many import steps, in both directions, coverage follows: a change may break callers of callers, rarely others."""
SHOWN = 10


def allows(phase: Phase, operation: str, arguments: Mapping[str, Any] | None = None, scaled: bool = False) -> bool:
    """Tell whether a phase allows an operation; ``semantic_search`` of the map is always allowed.

    Where evidence is scaled, a claim can be made, or made anew, in every phase.
    """
    if operation in SUBMISSIONS:
        return SUBMISSIONS[operation] is phase or (scaled and SUBMISSIONS[operation] is Phase.EXPLORATION)
    given = arguments or {}
    by_sense = operation in FOREST or (operation == "search" and given.get("mode") == "dense")
    if not by_sense or phase in (Phase.SEMANTIC, Phase.READY):
        return True
    return operation == "semantic_search" and str(given.get("collection", "")).lower() == "map"


def allowed_operations(phase: Phase, names: Iterable[str], scaled: bool = False) -> tuple[str, ...]:
    """Return the named operations that a phase allows."""
    fitting = (name for name in names if name != ONLY_READY or phase is Phase.READY)
    return tuple(name for name in fitting if allows(phase, name, scaled=scaled))


def explores(operation: str, group: str) -> bool:
    """Tell whether the results of an operation count as explored: searches, symbols, snippets, the steps of a plan."""
    return group in SHOWING or operation in PLANS


class Needs(Struct, frozen=True):
    """How many symbols, files and so on must be known, and which tools and slots are required."""

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


def needs_of(session: Session, facts: Facts) -> Needs:
    """Return what this session needs; never more than the project has, so that small projects can be edited."""
    if session.intent is Intent.QUESTION:
        return Needs()
    if session.scaled:
        return Needs(files=min(1, facts.files))  # the rest depends on the claim
    if session.intent is Intent.INVESTIGATE:
        return Needs(symbols=min(1, facts.symbols), files=min(1, facts.files))
    wanted = WRITING[session.risk]
    answerable = frozenset(name for one in facts.operations for name in (one, *INCLUDES.get(one, ())))
    # a new feature has no observed issue, so its desired action counts
    new = session.intent is Intent.IMPLEMENT and "observed_issue" in session.asked_frame.missing
    return Needs(
        min(wanted.symbols, facts.symbols),
        min(wanted.entry_points, facts.symbols),
        min(wanted.files, facts.files),
        min(wanted.patterns, facts.files),
        tuple(tool for tool in wanted.tools if tool in answerable),
        tuple("desired_action" if new and name == "observed_issue" else name for name in wanted.slots),
    )


def requirements_of(session: Session, understood: Understanding, facts: Facts) -> tuple[Lack, ...]:
    """Return each requirement, with how much is known and how much is needed."""
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
    """Return the requirements that are not met; the row for tools names the unused ones."""
    needs = needs_of(session, facts)
    unused = ", ".join(tool for tool in needs.tools if tool not in session.tools)
    lacks = [
        replace(row, detail=unused) if row.key == "required_tools" else row
        for row in requirements_of(session, understood, facts)
        if row.have < row.needed
    ]
    slots = session.asked_frame.slots
    if bare := [name for name in needs.slots if not slot_evidence(session, slots.get(name))]:
        lacks.append(Lack("slot_evidence", len(needs.slots) - len(bare), len(needs.slots), ", ".join(bare)))
    if supposed := blocking_slots(session):
        lacks.append(Lack("hypothesis_slots", 0, len(supposed), ", ".join(supposed)))
    feature = slots.get("target_feature")
    if not session.scaled and session.intent in WRITERS and feature is not None:
        # the request's feature needs a known symbol, unless it is proven absent
        mapped = is_mapped(session, feature.value, understood)
        if not mapped and slot_evidence(session, feature) != "absence":
            lacks.append(Lack("nl_symbol_mapping", 0, 1, feature.value))
    return tuple(lacks)


def blocking_slots(session: Session) -> tuple[str, ...]:
    """Return the slots that are only supposed and must be settled first: at HIGH risk, or by the seed's counts."""
    return session.asked_frame.hypotheses if session.risk is Risk.HIGH or not session.scaled else ()


def semantic_reasons(missing: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reasons that ``submit_semantic`` accepts for the missing requirements."""
    return tuple(dict.fromkeys(reason for key in missing for reason in SEMANTIC_REASONS.get(key, ())))


def risk_of(session: Session) -> Risk:
    """Return the risk by seed 003's rules; a confirmed symbol of the middle tier raises it if the intent may write.

    Where evidence is scaled, the rest depends on a claim.
    """
    if session.intent in WRITERS and any(item.approved and item.tier == RAISED for item in session.confirmed):
        return Risk.HIGH
    return session.risk if session.scaled else assess_risk(session.intent, session.asked_frame)


def confirm_symbols(session: Session, *symbols: Confirmed) -> Session:
    """Return the session with symbols confirmed as the meaning of a term; the latest decision on each counts."""
    fresh = {(item.nl_term, item.symbol) for item in symbols}
    others = tuple(item for item in session.confirmed if (item.nl_term, item.symbol) not in fresh)
    changed = replace(session, confirmed=(*others, *symbols))
    return replace(changed, risk=risk_of(changed))


def coverage(
    around: "Callable[[Collection[str]], Iterable[Edge]]", changed: Collection[str], explored: Collection[str]
) -> Coverage:
    """Return how many of the files around the changed ones were explored; the changed files are not counted.

    Calls ``around`` once for each import step, with all files of that step.
    """
    reached: dict[str, None] = dict.fromkeys(sorted(changed))
    ring = set(reached)
    for _ in range(DEPTH):
        ends = {end for edge in around(ring) for end in (edge.source, edge.target)} if ring else set()
        ring = ends - reached.keys()
        reached.update(dict.fromkeys(sorted(ring)))
    near = [path for path in reached if path not in changed]
    unseen = [path for path in near if path not in explored]
    return Coverage(len(near), len(near) - len(unseen), tuple(unseen[:SHOWN]))
