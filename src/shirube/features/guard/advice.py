"""Which calls to propose next, for each phase and for each requirement that is not met."""

from collections.abc import Iterator
from typing import Any

from shirube.features.guard.evidence import name_parts
from shirube.features.guard.phases import semantic_reasons
from shirube.features.guard.programs import words_of
from shirube.features.guard.state import Lack, NextCall, Phase, Session
from shirube.features.plan.frame import Intent
from shirube.messages import Message, say

VERIFIERS = words_of(
    "symbol find_definitions find_references search_text analyze_structure query "
    "get_symbols get_function_at_line snippets_get deps_closure analyze_impact"
)
"""Operations whose answer counts as evidence: the five of seed 003, and those that show code. Ranked guesses do not."""
SHOWERS = ("symbol", "search_text", "snippets_get", "analyze_structure", "analyze_impact")
"""Those of them to propose: the ones that every client lists."""
MOST = 6
"""How many calls are proposed at once; the agent should make the first one."""
SHOWN = 3


def call(session: Session, operation: str, why: Message, **arguments: Any) -> NextCall:
    """Return a proposed call with this session's id among its arguments."""
    return NextCall(operation, {**arguments, "session_id": session.id}, why)


def next_steps(session: Session) -> tuple[NextCall, ...]:
    """Return the calls to make in the session's current phase."""
    return tuple(_steps(session))[:MOST]


def _steps(session: Session) -> Iterator[NextCall]:
    if session.phase is Phase.EXPLORATION:
        if session.frame is None:
            yield frame_call(session)
        if not session.explored:
            yield call(session, "search", say("session.look_for"), query=session.about)
        yield from for_lacks(session, tuple(Lack(key, 0, 1) for key in session.missing if session.explored))
        yield call(session, "submit_understanding", say("session.looked"), **understanding_arguments(session))
    elif session.phase is Phase.SEMANTIC:
        yield call(session, "search_forest", say("session.by_sense"), query=session.about)
        yield semantic_call(session)
    elif session.phase is Phase.VERIFICATION:
        yield from _verifying(session)
    else:
        yield from _ready(session)


def _verifying(session: Session) -> Iterator[NextCall]:
    word = look_for(session)
    yield call(session, "search_text", say("session.evidence"), patterns=[word])
    latest = next((past for past in reversed(session.calls) if past.tells and past.operation in VERIFIERS), None)
    tool, target = (latest.operation, latest.asked.partition("\n")[0]) if latest else ("search_text", word)
    evidence = {"tool": tool, "target": target, "result": "<what it showed>"}
    decided = [
        {"hypothesis": item.id, "status": "<confirmed or rejected>", "evidence": evidence}
        for item in session.hypotheses
    ]
    yield call(session, "submit_verification", say("session.decide"), verified=decided)


def _ready(session: Session) -> Iterator[NextCall]:
    if session.intent in (Intent.QUESTION, Intent.INVESTIGATE):
        yield call(session, "search", say("session.answer"), query=session.about)
        yield reclassify(session)
        return
    path = min(session.explored, default="")
    yield call(session, "check_write_target", say("session.each_file"), file_path=path or "<the file>")
    yield call(session, "record_outcome", say("session.when_done"), outcome="success")


def frame_call(session: Session) -> NextCall:
    """Return the ``set_query_frame`` call, its slots filled in as far as the request can be parsed."""
    from shirube.features.plan.reading import read_frame

    read = read_frame(session.request, session.intent).slots
    slots = {name: {"value": slot.value, "quote": slot.quote} for name, slot in read.items()}
    slots = slots or {"target_feature": {"value": session.request[:80], "quote": session.request[:80]}}
    return call(session, "set_query_frame", say("session.say_about"), **slots)


def reclassify(session: Session) -> NextCall:
    """Return the call that starts a new session with an intent that may write."""
    why = say("guard.intent_no_write", intent=session.intent)
    return NextCall("start_session", {"intent": Intent.MODIFY.value, "query": session.request}, why)


def semantic_call(session: Session) -> NextCall:
    """Return the call that leaves the semantic phase, with a reason that will be accepted."""
    reasons = semantic_reasons(session.missing) or ("architecture_unknown",)
    example = [{"text": "<what you suppose, naming files and symbols>", "confidence": "medium"}]
    why = say("session.reasons", names=reasons)
    return call(session, "submit_semantic", why, hypotheses=example, semantic_reason=reasons[0])


def understanding_arguments(session: Session) -> dict[str, Any]:
    """Return the arguments only the agent can fill in; files, tools and symbols come from the recorded calls."""
    if session.intent is Intent.INVESTIGATE:
        return {}
    return {
        "entry_points": list(session.symbols[:1]) or ["<where it begins>"],
        "existing_patterns": ["<how it is done here, naming a file or a symbol>"],
    }


def for_lacks(session: Session, lacks: tuple[Lack, ...]) -> Iterator[NextCall]:
    """Return the calls that would meet the missing requirements."""
    for lack in lacks:
        yield from _for_lack(session, lack)


def _for_lack(session: Session, lack: Lack) -> Iterator[NextCall]:
    word, about = look_for(session), session.about
    named = session.symbols[0] if session.symbols else word
    if lack.key == "required_tools":
        yield call(session, "symbol", say("session.required"), symbol=name_parts(named)[-1])
    elif lack.key == "symbols_identified":
        yield call(session, "symbol", say("session.more_symbols"), symbol=word)
    elif lack.key == "files_analyzed":
        yield call(session, "search", say("session.more_files"), query=about)
    elif lack.key in ("entry_points", "existing_patterns"):
        yield call(session, "submit_understanding", say("session.only_you"), **understanding_arguments(session))
    elif lack.key == "slot_evidence":
        yield from _for_slots(session, lack)
    elif lack.key == "hypothesis_slots":
        yield frame_call(session)
    elif lack.key == "nl_symbol_mapping":
        why = say("session.which_symbols", name=lack.detail or about)
        symbols = list(session.symbols[:SHOWN]) or [word]
        yield call(session, "confirm_symbol_relevance", why, relevant_symbols=symbols, code_evidence="<what shows it>")


def _for_slots(session: Session, lack: Lack) -> Iterator[NextCall]:
    frame = session.asked_frame
    for name in lack.detail.split(", ") if lack.detail else ("target_feature",):
        slot = frame.slots.get(name)
        if slot is None:
            example = {"value": "<what you found out>", "quote": ""}
            yield call(session, "set_query_frame", say("session.not_known", name=name), **{name: example})
        else:
            yield call(session, "search", say("session.no_hits", name=name), query=slot.value)


def look_for(session: Session) -> str:
    """Return a search term: a name in the request, else a symbol that a call showed, else the feature itself."""
    from shirube.engine.text.query_terms import TermKind, read_query

    read = read_query(session.about)
    named = (*read.of(TermKind.SYMBOL), *read.of(TermKind.COMPOUND))
    if named:
        return named[0]
    if session.symbols:
        return name_parts(session.symbols[0])[-1]
    return session.about[:80]
