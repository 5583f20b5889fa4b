"""What was claimed, held against what was recorded and what the index knows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from shirube.features.guard.facts import Facts
from shirube.features.guard.names import is_part_of, name_parts, names_in, paths_in, plain_name
from shirube.features.guard.state import Session, Understanding
from shirube.features.plan.frame import Slot, agree
from shirube.messages import NOTHING, Message, say

_WORD = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


class Claims(Struct, frozen=True):
    """What a model says it understood; what it leaves out is taken from the record."""

    symbols: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    notes: str = ""


class Checked(Struct, frozen=True):
    """What of it is so, and what is not."""

    understanding: Understanding
    errors: tuple[Message, ...]


def check_claims(session: Session, claims: Claims, facts: Facts) -> Checked:
    """Return what holds of the claims; an error for each that does not."""
    errors = [
        *_twice("session.symbol", claims.symbols),
        *_twice("session.file", claims.files),
        *(fault for name in claims.symbols if (fault := symbol_fault(session, name, facts))),
        *file_faults(session, claims.files, facts),
        *_entry_faults(session, claims, facts),
        *_pattern_faults(session, claims, facts),
        *_caller_faults(session, claims, facts),
    ]
    seen = facts.known(session.explored) if not claims.files else frozenset()
    understood = Understanding(
        symbols=tuple(map(plain_name, claims.symbols)) or session.symbols,
        entry_points=tuple(dict.fromkeys(map(plain_name, claims.entry_points))),
        files=claims.files or tuple(sorted(seen)),
        patterns=tuple(dict.fromkeys(claims.patterns)),
        callers=claims.callers,
        notes=claims.notes,
    )
    return Checked(understood, tuple(dict.fromkeys(errors)))


def symbol_fault(session: Session, name: str, facts: Facts, what: str = "session.symbol") -> Message:
    """Return what is wrong with a claimed symbol: it has to exist, and to have come up in this session."""
    places = facts.defined(plain_name(name))
    if not places:
        return say("session.undefined", what=say(what), name=name)
    if session.explored.intersection(places) or any(is_part_of(name, shown) for shown in session.symbols):
        return NOTHING
    return say("session.not_shown", what=say(what), name=name, path=places[0])


def file_faults(session: Session, paths: Iterable[str], facts: Facts) -> Iterator[Message]:
    """Yield what is wrong with claimed files: something of each has to have been shown in this session."""
    unseen = [path for path in paths if path not in session.explored]
    known = facts.known(unseen)
    for path in unseen:
        if path in session.returned:
            yield say("session.only_named", path=path)
        else:
            yield say("session.not_returned" if path in known else "session.not_indexed", path=path)


def slot_evidence(session: Session, slot: Slot | None) -> str:
    """Return what speaks for a slot: ``hits``, ``confirmed``, ``absence`` (a proven one), or nothing."""
    if slot is None:
        return ""
    if any(one.approved and agree(slot.value, one.nl_term) for one in session.confirmed):
        return "confirmed"
    used = [call for call in session.calls if call.tells and uses(call.asked, slot)]
    if any(call.hits for call in used):
        return "hits"
    return "absence" if used else ""


def uses(asked: str, slot: Slot) -> bool:
    """Tell whether a call's words are those of a slot, in either language."""
    return any(agree(text, line) for line in asked.splitlines() if line for text in (slot.value, slot.quote) if text)


def is_mapped(session: Session, feature: str, understood: Understanding) -> bool:
    """Tell whether what the request calls something is known to be a symbol: by words, confirmation or agreement."""
    if any(one.approved and agree(feature, one.nl_term) for one in session.confirmed):
        return True
    if any(hit.fresh and agree(feature, hit.term) for call in session.calls for hit in call.maps):
        return True
    return any(agree(feature, name) for name in (*understood.symbols, *understood.entry_points))


def only_absence(session: Session) -> bool:
    """Tell whether all that is known of the feature is that it is not there yet; then only new files may be written."""
    slot = session.asked_frame.slots.get("target_feature")
    return slot_evidence(session, slot) == "absence"


def rests_on_absence(session: Session) -> bool:
    """Tell whether all that was confirmed is that something is not there; then only new files may be written."""
    numbers = {one.number: one for one in session.calls}
    kept = [numbers.get(one.call) for one in session.hypotheses if one.status == "confirmed" and one.call]
    return bool(kept) and all(one is not None and not one.hits for one in kept)


def false_names(session: Session, text: str, facts: Facts) -> tuple[str, ...]:
    """Return names and paths in a text that neither the request, nor the session, nor the project knows."""
    shown = {part for name in session.symbols for part in name_parts(name)}
    names = [
        name
        for name in names_in(text)
        if not shown.issuperset(name_parts(name)) and not _is_known(name, session, facts)
    ]
    seen = session.returned | session.explored
    paths = [path for path in paths_in(text) if path not in seen and not _ends(path, seen)]
    known = facts.known(paths)
    return (*names, *(path for path in paths if path not in known))


def _is_known(name: str, session: Session, facts: Facts) -> bool:
    last = name_parts(name)[-1]
    return last in session.request or bool(facts.defined(name)) or facts.written(last, session.explored)


def _ends(path: str, known: frozenset[str]) -> bool:
    return "/" not in path and any(one.rpartition("/")[2] == path for one in known)


def _twice(what: str, names: tuple[str, ...]) -> Iterator[Message]:
    counted = Counter(map(plain_name, names) if what == "session.symbol" else names)
    kind = say(what)
    return (
        say("session.given_twice", what=kind, name=name, count=times) for name, times in counted.items() if times > 1
    )


def _entry_faults(session: Session, claims: Claims, facts: Facts) -> Iterator[Message]:
    for name in claims.entry_points:
        if fault := symbol_fault(session, name, facts, "session.entry_point"):
            yield fault
        elif claims.symbols and not any(is_part_of(name, symbol) for symbol in claims.symbols):
            yield say("session.entry_apart", name=name)


def _pattern_faults(session: Session, claims: Claims, facts: Facts) -> Iterator[Message]:
    if claims.patterns and not (claims.files or session.explored):
        yield say("session.patterns_unseen")
    for pattern in claims.patterns:
        if false := false_names(session, pattern, facts):
            yield say("session.pattern_false", pattern=pattern[:80], names=false)
        elif not _names_code(session, pattern):
            yield say("session.pattern_bare", pattern=pattern[:80])


def _names_code(session: Session, text: str) -> bool:
    """Tell whether a text names something of the code, be it by a plain word that is a symbol here."""
    if names_in(text) or paths_in(text):
        return True
    words = set(_WORD.findall(text))
    return any(name_parts(symbol)[-1] in words for symbol in session.symbols)


def _caller_faults(session: Session, claims: Claims, facts: Facts) -> Iterator[Message]:
    if not claims.callers:
        return
    using = {edge.source for edge in facts.around(claims.callers) if edge.target in session.explored}
    using.update(path for call in session.calls if call.operation == "find_references" for path in call.seen)
    yield from (say("session.caller_apart", path=path) for path in claims.callers if path not in using)
