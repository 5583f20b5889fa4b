"""What has to be known before a session is ready, by intent and risk (seed 003, as far as it can be met)."""

from collections.abc import Mapping

from msgspec import Struct

from shirube.features.guard.evidence import is_mapped, slot_evidence
from shirube.features.guard.facts import Facts
from shirube.features.guard.state import WRITERS, Session, Understanding
from shirube.features.guard.verdict import Lack
from shirube.features.plan.frame import Risk
from shirube.features.plan.intent import Intent


class Needs(Struct, frozen=True):
    """How much of each thing has to be known."""

    symbols: int = 0
    entry_points: int = 0
    files: int = 0
    patterns: int = 0
    tools: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    """Slots that need evidence."""


TOOLS = ("find_definitions", "find_references")
WRITING: Mapping[Risk, Needs] = {
    Risk.LOW: Needs(3, 1, 2, 1, TOOLS),
    Risk.MEDIUM: Needs(3, 1, 2, 1, TOOLS, ("target_feature",)),
    Risk.HIGH: Needs(5, 2, 4, 2, TOOLS, ("target_feature", "observed_issue")),
}
LOOKING = Needs(symbols=1, files=1)
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


def lacks_of(session: Session, understood: Understanding, facts: Facts) -> tuple[Lack, ...]:
    """Return the requirements that are not met."""
    needs = needs_of(session, facts)
    counted = (
        ("symbols_identified", len(understood.symbols), needs.symbols),
        ("entry_points", len(understood.entry_points), needs.entry_points),
        ("files_analyzed", len(understood.files), needs.files),
        ("existing_patterns", len(understood.patterns), needs.patterns),
    )
    lacks = [Lack(key, have, needed) for key, have, needed in counted if have < needed]
    lacks += _tools(session, needs)
    return (*lacks, *_slots(session, needs), *_words(session, understood))


def _tools(session: Session, needs: Needs) -> list[Lack]:
    unused = [tool for tool in needs.tools if tool not in session.tools]
    if not unused:
        return []
    return [Lack("required_tools", len(needs.tools) - len(unused), len(needs.tools), ", ".join(unused))]


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
