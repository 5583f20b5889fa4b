"""How much must be known before a change depends on what is at stake (decision 35).

A target that the request names or the server's own search expects, and that few files use: one look and one claim. An
unexpected target, or one that many files use, needs more. Pure: callers pass the session and the project's facts.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from shirube.codec import replace
from shirube.features.guard.advice import call, claim_call, frame_call, gap, look_call, next_steps, semantic_call
from shirube.features.guard.evidence import QUOTED, Facts, check_targets, name_parts
from shirube.features.guard.phases import semantic_reasons
from shirube.features.guard.state import WRITERS, NextCall, Phase, Session, Understanding, Verdict
from shirube.features.guard.writes import is_code
from shirube.features.map.lookup import Concept, concepts, covered
from shirube.features.plan.frame import Risk
from shirube.messages import Message, say

FEW, MANY = 10, 30
"""A change is of LOW risk if at most FEW files use its target, and of HIGH risk if more than MANY do."""
SURE = 3
"""So many of the first files of a search for the request are expected to change."""
SHARED = 0.5
"""A search was for the request if the request contains this share of its words."""
ASKING = frozenset({"find_references", "analyze_impact", "deps_closure"})
"""Operations that tell who uses something."""
LOOKING = frozenset({"search", "search_text", "search_forest", "files_search"})
SHOWN = 3
MOST_NEAR = 60


class Stakes(Struct, frozen=True):
    """What a claim puts at stake."""

    files: tuple[str, ...]
    symbols: tuple[str, ...]
    users: tuple[str, ...]
    """Files that use what will change."""
    untied: tuple[str, ...]
    """Files that the request does not lead to, …"""
    distant: tuple[str, ...]
    """… and those of them that nothing else leads to either."""
    risk: Risk


def claim(session: Session, claims: Understanding, facts: Facts) -> tuple[Session, Verdict]:
    """Go to READY if the claim is true and enough was looked at for what is at stake; else say what is missing."""
    targets, errors = check_targets(session, claims, facts)
    if errors:
        return session, Verdict(False, say("session.not_so"), errors, next=tuple(_looks(session, targets, facts)))
    if session.intent not in WRITERS:
        if not session.explored:
            return session, Verdict(False, say("session.nothing_seen"), next=next_steps(session))
        ready = replace(session, phase=Phase.READY, understanding=targets, missing=())
        return ready, Verdict(True, say("session.understood"), next=next_steps(ready))
    if not targets.files:
        return _no_target(session, targets)
    at_stake = assess(session, targets, facts)
    judged = replace(session, risk=at_stake.risk, understanding=targets)
    lacks = list(_lacks(judged, at_stake))
    if lacks:
        reasons = tuple(reason for reason, _ in lacks)
        steps = [step for _, step in lacks]
        if not at_stake.distant:
            steps.append(claim_call(judged, targets.symbols, targets.files))
            steps += [_ask_user(session)] if at_stake.untied else []
        return replace(session, risk=at_stake.risk), Verdict(False, say("session.not_yet"), reasons, next=tuple(steps))
    near = tuple(dict.fromkeys((*session.near, *sorted(facts.near(targets.files)))))[:MOST_NEAR]
    ready = replace(judged, phase=Phase.READY, missing=(), near=near)
    count = len(at_stake.users)
    code = "claimed" if not count else "claimed_few" if count <= SHOWN else "claimed_used"
    message = say(f"session.{code}", names=at_stake.files, count=count, users=at_stake.users[:SHOWN])
    return ready, Verdict(True, message, next=next_steps(ready))


def assess(session: Session, targets: Understanding, facts: Facts) -> Stakes:
    """Return what a change of these targets puts at stake."""
    users = tuple(sorted(facts.users(targets.files, targets.symbols)))
    tied = {path for path in targets.files if _is_tied(session, path, facts)}
    near = facts.near(tied) | tied if tied and len(tied) < len(targets.files) else tied
    raised = any(item.approved and item.tier == "raised" for item in session.confirmed)
    if session.failed_before or raised or len(users) > MANY:
        risk = Risk.HIGH
    else:
        risk = Risk.MEDIUM if len(users) > FEW else Risk.LOW
    untied = tuple(path for path in targets.files if path not in near and (is_code(path) or not tied))
    tried = {item.path for item in session.confirmed if item.approved}
    distant = tuple(path for path in untied if path in tried or not _is_related(session, path, facts))
    return Stakes(targets.files, targets.symbols, users, untied, distant, risk)


def _is_tied(session: Session, path: str, facts: Facts) -> bool:
    """Tell whether the request leads to a file: by its words, by a search for it, or by code that was confirmed."""
    named = [place.path for place in session.expected if place.named]
    first = () if session.unsure else _expected(session, path)[:SURE]
    if path in (named or first) or path not in facts.known([path]):
        return True
    looked_at = session.explored.intersection(named)
    if looked_at and path in facts.near(looked_at):
        return True  # followed from what the request names
    wanted = concepts(session.request)
    searches = [past for past in session.calls if past.operation in LOOKING]
    searches = [past for past in searches if past.answer == "found"] if session.unsure else searches
    if any(path in past.seen[:SURE] and _is_for(past.asked, wanted) for past in searches):
        return True
    approved = [item for item in session.confirmed if item.approved and item.path == path]
    return any(item.tier == "fact" or _is_shown_by(item.evidence, path, wanted, facts) for item in approved)


def _is_shown_by(evidence: str, path: str, wanted: Iterable[Concept], facts: Facts) -> bool:
    """Tell whether evidence quotes code of a file that has a word of the request which little else has."""
    quotes = ["".join(found) for found in QUOTED.findall(evidence)]
    asked = {form for concept in wanted for form in concept}
    return any(
        facts.written(quote, [path])
        and facts.is_rare(asked.intersection(form for one in concepts(quote) for form in one))
        for quote in quotes
    )


def _expected(session: Session, path: str) -> list[str]:
    """Return the expected files of the kind of a file: code, or what goes with it."""
    return [place.path for place in session.expected if is_code(place.path) == is_code(path)]


def _is_related(session: Session, path: str, facts: Facts) -> bool:
    """Tell whether anything leads to a file: a search, a word of its name, or the code of the expected places."""
    order = [place.path for place in session.expected]
    name = path.rpartition("/")[2]
    if path in order or covered(concepts(name.partition(".")[0]), concepts(session.request))[0]:
        return True
    return path in facts.near(order[:SURE]) or facts.written(name, order[:SURE])


def _is_for(asked: str, wanted: Iterable[Concept]) -> bool:
    """Tell whether somebody searched for the request, if in fewer or other words."""
    words = concepts(asked.partition("\n")[0])
    return bool(words) and covered(words, wanted)[0] >= SHARED


def _lacks(session: Session, at_stake: Stakes) -> Iterator[tuple[Message, NextCall]]:
    """Yield what is missing for this risk, each with the call that supplies it."""
    if at_stake.distant:
        yield say("session.distant", path=at_stake.distant[0]), _ask_user(session)
        return
    if at_stake.untied:
        path = at_stake.untied[0]
        expected = _expected(session, path)
        ahead = expected[: min(expected.index(path), SURE) if path in expected else SURE]
        if unseen := [place for place in ahead if place not in session.explored]:
            look = call(session, "search", say("session.expected"), query=session.request)
            yield say("session.look_there_too", path=path, expected=unseen), look
        code = "session.led_elsewhere" if path in expected and path != expected[0] else "session.untied"
        shown = [name for past in session.calls if path in past.seen for name in past.symbols]
        symbols = [*at_stake.symbols[:SHOWN]] or shown[:1] or [gap(session, "session.gap_symbol")]
        given = {"relevant_symbols": symbols, "code_evidence": gap(session, "session.gap_quote")}
        step = call(session, "confirm_symbol_relevance", say("session.which_symbols", name=session.about[:80]), **given)
        yield say(code, path=path, expected=next(iter(expected), "")), step
    told = {"names": (at_stake.symbols or at_stake.files)[:SHOWN], "count": len(at_stake.users)}
    if len(at_stake.users) > FEW and not _asked_for_users(session, at_stake):
        if at_stake.symbols:
            ask = call(session, "symbol", say("session.who_uses"), symbol=at_stake.symbols[0])
        else:
            ask = call(session, "analyze_impact", say("session.who_uses"), files=list(at_stake.files[:SHOWN]))
        yield say("session.many_users", **told), ask
    if session.risk is Risk.HIGH and at_stake.users and session.explored.isdisjoint(at_stake.users):
        yield say("session.see_user", **told), look_call(session, at_stake.users[0], say("session.who_uses"))
    if session.risk is Risk.HIGH and session.asked_frame.hypotheses:
        yield say("session.open_slots", names=session.asked_frame.hypotheses), frame_call(session)


def _ask_user(session: Session) -> NextCall:
    words = gap(session, "session.gap_named")
    return NextCall("start_session", {"intent": session.intent.value, "query": words}, say("session.ask_user"))


def _asked_for_users(session: Session, at_stake: Stakes) -> bool:
    """Tell whether a call of this session asked who uses the target."""
    wanted = {*at_stake.files, *(name_parts(name)[-1] for name in at_stake.symbols)}
    asked = [past.asked for past in session.calls if past.ok and ASKING.intersection(past.operations)]
    lines = {line for text in asked for line in text.splitlines()}
    return not wanted.isdisjoint(lines | {part for line in lines for part in name_parts(line)[-1:]})


def _looks(session: Session, targets: Understanding, facts: Facts) -> Iterator[NextCall]:
    """Propose to look at what was claimed and not shown, or at what is expected; then to claim again."""
    unseen = [path for path in targets.files if path not in session.explored]
    if unseen and (known := facts.known(unseen)):
        path = next(path for path in unseen if path in known)
        yield look_call(session, path, say("session.look_first"))
        yield claim_call(session, targets.symbols, targets.files)
    elif session.phase is Phase.READY:
        yield claim_call(session)
    else:
        yield from next_steps(session)


def _no_target(session: Session, targets: Understanding) -> tuple[Session, Verdict]:
    """Ask for the target; who has looked and does not know it goes on to suppose something."""
    if not session.explored or session.phase is not Phase.EXPLORATION:
        steps = next_steps(session) if session.phase is Phase.EXPLORATION else (claim_call(session),)
        return session, Verdict(False, say("session.no_target"), next=steps)
    missing = ("symbols_identified", "files_analyzed")
    changed = replace(session, phase=Phase.SEMANTIC, missing=missing, understanding=targets)
    steps = (claim_call(changed), semantic_call(changed))
    return changed, Verdict(True, say("session.suppose_target"), reasons=semantic_reasons(missing), next=steps)
