"""Which calls to propose next, for each phase and for each requirement that is not met."""

from collections.abc import Iterator, Sequence
from typing import Any

from shirube.features.guard.evidence import name_parts
from shirube.features.guard.phases import semantic_reasons
from shirube.features.guard.programs import words_of
from shirube.features.guard.state import Lack, NextCall, Phase, Session
from shirube.features.plan.frame import Intent
from shirube.messages import Message, Speech, language_of, render, say

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
LOOK_TOKENS = 600
"""Enough to see what a file is, where nobody knows which place of it matters."""


def call(session: Session, operation: str, reason: Message, /, **arguments: Any) -> NextCall:
    """Return a proposed call with this session's id among its arguments."""
    return NextCall(operation, {**arguments, "session_id": session.id}, reason)


def next_steps(session: Session) -> tuple[NextCall, ...]:
    """Return the calls to make in the session's current phase."""
    return tuple(_steps(session))[:MOST]


def _steps(session: Session) -> Iterator[NextCall]:
    if session.phase is Phase.EXPLORATION and session.scaled:
        yield from _aiming(session)
    elif session.phase is Phase.EXPLORATION:
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
    elif session.intent in (Intent.QUESTION, Intent.INVESTIGATE):
        yield call(session, "search", say("session.answer"), query=session.about)
        yield reclassify(session)
    else:
        unknown = gap(session, "session.gap_file")
        path = unknown if session.scaled else min(session.explored, default=unknown)
        yield call(session, "check_write_target", say("session.each_file"), file_path=path)
        yield call(session, "record_outcome", say("session.when_done"), outcome="success")


def _aiming(session: Session) -> Iterator[NextCall]:
    """Yield a look at the first expected place, or a search where nothing is expected; then the claim."""
    place = session.expected[0] if session.expected else None
    agreed = {hit.symbol for past in session.calls for hit in past.maps if hit.alone and hit.fresh}
    if place and place.symbol in agreed:
        yield claim_call(session, [place.symbol])
        return
    if not session.explored and place:
        yield look_call(session, place.path, say("session.look_guess" if session.unsure else "session.look_there"))
    elif not session.explored:
        yield call(session, "search", say("session.look_for"), query=session.about)
    yield claim_call(session)


def look_call(session: Session, path: str, reason: Message) -> NextCall:
    """Return the call that shows a file: at the place where the request leads, if that is known."""
    place = next((one for one in session.expected if one.path == path and one.end_line), None)
    lines = {"start_line": place.start_line, "end_line": place.end_line} if place else {"max_tokens": LOOK_TOKENS}
    return call(session, "snippets_get", reason, path=path, **lines)


def look_below(session: Session, folder: str) -> NextCall:
    """Return the call that shows something in a directory: an unseen file that was named there, else a search."""
    unseen = sorted(session.returned - session.looked_at)
    named = [path for path in unseen if (path.rpartition("/")[0] or ".") == folder]
    if named:
        return look_call(session, named[0], say("guard.look_there"))
    where = {} if folder == "." else {"path": folder}
    return call(session, "search", say("guard.look_there"), query=session.about, **where)


def gap(session: Session, code: str) -> str:
    """Return a placeholder that the agent fills in, in the language of the request."""
    return f"<{render(say(code), Speech(language_of(session.request)))}>"


def claim_call(session: Session, symbols: Sequence[str] = (), files: Sequence[str] = ()) -> NextCall:
    """Return the claim of what will be changed: the given targets, else the first expected place that was seen."""
    if session.intent is Intent.INVESTIGATE:
        return call(session, "submit_understanding", say("session.looked"))
    if not symbols and not files:
        likely = next((place for place in session.expected if place.path in session.explored), None)
        place = likely or next(iter(session.expected), None)
        symbols = [place.symbol] if place and place.symbol else session.symbols[:1]
        files = [place.path] if place and not place.symbol else []
    given = {"symbols": list(symbols), "files": list(files) if not symbols else []}
    told = {name: value for name, value in given.items() if value} or {"files": [gap(session, "session.gap_target")]}
    why = gap(session, "session.gap_why")
    named = session.asked_frame.value("target_feature")
    feature = {} if named else {"feature": gap(session, "session.gap_feature")}
    return call(session, "submit_understanding", say("session.then_claim"), **told, **feature, why=why)


def _verifying(session: Session) -> Iterator[NextCall]:
    if session.scaled and all(item.status != "open" for item in session.hypotheses):
        yield claim_call(session)  # what was confirmed named no target
        return
    word = look_for(session)
    yield call(session, "search_text", say("session.evidence"), patterns=[word])
    latest = next((past for past in reversed(session.calls) if past.tells and past.operation in VERIFIERS), None)
    tool, target = (latest.operation, latest.asked.partition("\n")[0]) if latest else ("search_text", word)
    evidence = {"tool": tool, "target": target, "result": gap(session, "session.gap_showed")}
    decided = [
        {"hypothesis": item.id, "status": gap(session, "session.gap_status"), "evidence": evidence}
        for item in session.hypotheses
    ]
    yield call(session, "submit_verification", say("session.decide"), verified=decided)


def frame_call(session: Session) -> NextCall:
    """Return the ``set_query_frame`` call: it settles what is only supposed, else it fills in what the request says."""
    from shirube.features.plan.frame import find_quote
    from shirube.features.plan.reading import read_frame

    frame = session.asked_frame
    if frame.hypotheses:
        quotes = {name: find_quote(frame.slots[name].quote, session.request) for name in frame.hypotheses}
        slots = {
            name: (quote or frame.value(name), quote or gap(session, "session.gap_words"))
            for name, quote in quotes.items()
        }
        why = say("session.settle", names=frame.hypotheses)
    else:
        read = read_frame(session.request, session.intent).slots
        slots = {name: (slot.value, slot.quote) for name, slot in read.items()}
        slots = slots or {"target_feature": (gap(session, "session.gap_about"), gap(session, "session.gap_words"))}
        why = say("session.say_about")
    given = {name: {"value": value, "quote": quote} for name, (value, quote) in slots.items()}
    return call(session, "set_query_frame", why, **given)


def reclassify(session: Session) -> NextCall:
    """Return the call that starts a new session with an intent that may write."""
    why = say("guard.intent_no_write", intent=session.intent)
    return NextCall("start_session", {"intent": Intent.MODIFY.value, "query": session.request}, why)


def semantic_call(session: Session) -> NextCall:
    """Return the call that leaves the semantic phase, with a reason that will be accepted."""
    reasons = semantic_reasons(session.missing) or ("architecture_unknown",)
    example = [{"text": gap(session, "session.gap_supposed"), "confidence": "medium"}]
    why = say("session.reasons", names=reasons)
    return call(session, "submit_semantic", why, hypotheses=example, semantic_reason=reasons[0])


def understanding_arguments(session: Session) -> dict[str, Any]:
    """Return the arguments only the agent can fill in; files, tools and symbols come from the recorded calls."""
    if session.intent is Intent.INVESTIGATE:
        return {}
    return {
        "entry_points": list(session.symbols[:1]) or [gap(session, "session.gap_begins")],
        "existing_patterns": [gap(session, "session.gap_pattern")],
    }


def for_lacks(session: Session, lacks: tuple[Lack, ...]) -> Iterator[NextCall]:
    """Return the calls that would meet the missing requirements."""
    word, about = look_for(session), session.about
    for lack in lacks:
        if lack.key == "required_tools":
            named = name_parts(session.symbols[0] if session.symbols else word)[-1]
            yield call(session, "symbol", say("session.required"), symbol=named)
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
            given = {"relevant_symbols": list(session.symbols[:SHOWN]) or [word]}
            evidence = gap(session, "session.gap_evidence")
            yield call(session, "confirm_symbol_relevance", why, **given, code_evidence=evidence)


def _for_slots(session: Session, lack: Lack) -> Iterator[NextCall]:
    frame = session.asked_frame
    for name in lack.detail.split(", ") if lack.detail else ("target_feature",):
        slot = frame.slots.get(name)
        if slot is None:
            example = {"value": gap(session, "session.gap_found"), "quote": ""}
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
