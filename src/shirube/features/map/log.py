"""Decisions and outcomes in the journal: the only file of this room that touches it."""

from shirube.engine.store.journal import Journal
from shirube.features.map.facts import SessionFacts, facts_from
from shirube.features.map.insights import last_words
from shirube.features.map.records import Decision, Outcome, decision_from, outcome_from, to_body

DECISIONS, OUTCOMES, FORGOTTEN = "decisions", "outcomes", "forgotten"
SESSION = "session"


def record_decision(journal: Journal, decision: Decision) -> str:
    """Record what a session set out to do; return the number it is known by."""
    name = decision.record_id or f"decision_{decision.session_id}_{len(journal.events(DECISIONS)) + 1}"
    journal.append(DECISIONS, {**to_body(decision), "record_id": name})
    return name


def record_outcome(journal: Journal, outcome: Outcome) -> str:
    """Record how a session turned out; return the number it is known by."""
    name = outcome.record_id or f"outcome_{outcome.session_id}_{len(journal.events(OUTCOMES)) + 1}"
    journal.append(OUTCOMES, {**to_body(outcome), "record_id": name})
    return name


def decisions(journal: Journal, session_id: str = "") -> tuple[Decision, ...]:
    """Return the decisions, of one session or of all, in the order in which they were made."""
    found = (decision_from(event.body) for event in journal.events(DECISIONS))
    return tuple(one for one in found if not session_id or one.session_id == session_id)


def outcomes(journal: Journal, session_id: str = "") -> tuple[Outcome, ...]:
    """Return the outcomes, of one session or of all, in the order in which they were told."""
    found = (outcome_from(event.body) for event in journal.events(OUTCOMES))
    return tuple(one for one in found if one is not None and (not session_id or one.session_id == session_id))


def lessons(journal: Journal) -> tuple[Outcome, ...]:
    """Return the last outcome of each session since the last time they were to be forgotten."""
    mark = journal.get(FORGOTTEN, OUTCOMES)
    after = int(mark.body.get("after", 0)) if mark else 0
    found = (outcome_from(event.body) for event in journal.events(OUTCOMES, after))
    return tuple(last_words(one for one in found if one is not None).values())


def forget(journal: Journal) -> int:
    """Let the ranking learn nothing from what was recorded up to now; the records stay. Return how many there are."""
    events = journal.events(OUTCOMES)
    journal.put(FORGOTTEN, OUTCOMES, {"after": events[-1].seq if events else 0})
    return len(events)


def read_facts(journal: Journal, session_id: str) -> SessionFacts | None:
    """Return what is known of a session, or None when there is no such session."""
    document = journal.get(SESSION, session_id)
    if document is None:
        return None
    events = (event.body for event in journal.events(f"{SESSION}:{session_id}"))
    return facts_from(session_id, document.body, events)
