"""Out of exploration: is what was understood enough, and is it so?"""

from shirube.codec import replace
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.guard.advice import call, for_lacks, next_steps
from shirube.features.guard.evidence import Claims, check_claims
from shirube.features.guard.facts import Facts
from shirube.features.guard.gates import lacks_of, semantic_reasons
from shirube.features.guard.state import Hypothesis, MapHit, Phase, Session
from shirube.features.guard.steps import Step
from shirube.features.guard.verdict import Lack, NextCall, Verdict
from shirube.features.plan.intent import Intent
from shirube.messages import say

MAP_READY = 0.8
MAP_VERIFY = 0.7
"""Seed 004: an agreement this near ends exploration, or leaves only its own confirmation to be done."""


def submit_understanding(session: Session, claims: Claims, facts: Facts) -> Step:
    """Leave exploration: to READY with enough that is so, to SEMANTIC with too little; a false claim changes nothing.

    A fresh agreement about the request cuts it short (seed 004), but seeds only the files it rests on.
    """
    checked = check_claims(session, claims, facts)
    if checked.errors:
        look = call(session, "submit_understanding", say("session.without_false"))
        return session, Verdict(False, say("session.not_so"), checked.errors, next=(*_looks(session, claims), look))
    understood = replace(session, understanding=checked.understanding)
    if (hit := best_map_hit(session)) is not None:
        return _by_map(understood, hit, facts)
    lacks = lacks_of(understood, checked.understanding, facts)
    if any(lack.key == "required_tools" for lack in lacks):
        message = say("session.tools_unused")
        return session, Verdict(False, message, lacks=lacks, next=tuple(for_lacks(session, lacks)))
    return _entered(understood, lacks)


def _entered(session: Session, lacks: tuple[Lack, ...]) -> Step:
    missing = tuple(lack.key for lack in lacks)
    if not lacks:
        ready = replace(session, phase=Phase.READY, missing=())
        return ready, Verdict(True, say("session.understood"), next=next_steps(ready))
    changed = replace(session, phase=Phase.SEMANTIC, missing=missing)
    back = call(changed, "revert_to_exploration", say("session.look_more"), keep_results=True)
    steps = (*next_steps(changed), *for_lacks(changed, lacks), back)
    message = say("session.suppose")
    return changed, Verdict(True, message, lacks=lacks, reasons=semantic_reasons(missing), next=steps)


def _looks(session: Session, claims: Claims) -> tuple[NextCall, ...]:
    names = (*claims.symbols, *claims.entry_points)
    known = [name for name in names if name not in session.symbols]
    found = [call(session, "find_definitions", say("session.if_exists"), symbol=name) for name in known[:1]]
    unseen = [path for path in claims.files if path not in session.explored]
    return (*found, *(call(session, "snippets_get", say("session.look_first"), path=path) for path in unseen[:1]))


# --- the map -----------------------------------------------------------------------------------------------


def best_map_hit(session: Session) -> MapHit | None:
    """Return the nearest fresh agreement about this request that a call of this session brought up, if it is near."""
    hits = [
        hit
        for one in session.calls
        for hit in one.maps
        if one.ok and hit.fresh and hit.similarity >= MAP_VERIFY and is_about(session, hit, one.asked)
    ]
    return max(hits, key=lambda hit: (hit.similarity, hit.term, hit.symbol), default=None)


def is_about(session: Session, hit: MapHit, asked: str) -> bool:
    """Tell whether an agreement was found by the request's own words: another question's answer is no short cut."""
    text = f"{session.request}\n{session.asked_frame.value('target_feature') if session.frame else ''}"
    terms = set(index_terms(text))
    return any(words and words <= terms for words in (_telling(hit.term), _telling(asked.partition("\n")[0])))


def _telling(text: str) -> set[str]:
    return set(index_terms(text)) - stop_words()


def _by_map(session: Session, hit: MapHit, facts: Facts) -> Step:
    known = facts.known(hit.files)
    seeded = tuple(path for path in hit.files if path in known)
    words = say("session.agreed", term=hit.term, symbol=hit.symbol, files=seeded or say("session.nowhere"))
    changed = replace(session, added=tuple(dict.fromkeys((*session.added, *seeded))), map_used=words, missing=())
    open_slots = slot_hypotheses(changed, 1)
    if hit.similarity >= MAP_READY and not open_slots:
        ready = replace(changed, phase=Phase.READY)
        message = say("session.agreed_ready", words=words)
        return ready, Verdict(True, message, next=next_steps(ready))
    supposed = Hypothesis(f"h{len(open_slots) + 1}", str(words), "high")
    near = () if hit.similarity >= MAP_READY else (supposed,)
    waiting = replace(changed, phase=Phase.VERIFICATION, hypotheses=(*open_slots, *near))
    message = say("session.agreed_confirm", words=words)
    return waiting, Verdict(True, message, next=next_steps(waiting))


def slot_hypotheses(session: Session, first: int) -> tuple[Hypothesis, ...]:
    """Return the slots that were filled without a quote, as hypotheses to be decided."""
    frame = session.asked_frame
    if session.intent is Intent.QUESTION:
        return ()
    return tuple(
        Hypothesis(f"h{number}", f"{name}: {frame.value(name)}", slot=name)
        for number, name in enumerate(frame.hypotheses, first)
    )
