"""The frame of a request: four slots, each with the words of the request that support it, and which are open."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from shirube.codec import replace
from shirube.messages import NOTHING, Message, say

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""The four slots of seed 003, in its order."""
TOOLS: Mapping[str, tuple[str, ...]] = {
    "target_feature": ("query", "find_definitions", "get_symbols", "analyze_structure"),
    "trigger_condition": ("search_text", "find_definitions"),
    "observed_issue": ("search_text", "query"),
    "desired_action": ("find_references", "analyze_structure"),
}
"""The operations that help to fill an open slot."""
_PARTICLES = re.compile(r"[がをにではのともへや、。\s]")
ALIKE = 0.5
"""The share of the shorter Japanese text's characters, without particles, that the other text must contain."""
PROMPT = """\
Take this request apart into the slots below. Give each as {{"value": …, "quote": …}}: quote is copied word for word
from the request, value says the same in your own words. Leave out what the request does not say; do not guess.
{slots}
Request: {request}"""


class Intent(StrEnum):
    """What a request wants; spelt as seed 003 spells it."""

    IMPLEMENT = "IMPLEMENT"
    MODIFY = "MODIFY"
    INVESTIGATE = "INVESTIGATE"
    QUESTION = "QUESTION"


class Certainty(StrEnum):
    """Whether something was found in the code, or is only supposed; any case is accepted, lower case is given."""

    FACT = "fact"
    HYPOTHESIS = "hypothesis"
    UNRESOLVED = "unresolved"


class Risk(StrEnum):
    """How much a request may break."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Slot(Struct, frozen=True):
    """The value of a slot, and the words of the request it was taken from."""

    value: str
    quote: str = ""
    certainty: Certainty = Certainty.HYPOTHESIS


class QueryFrame(Struct, frozen=True):
    """A request divided into slots; an absent slot is open."""

    raw_query: str
    slots: Mapping[str, Slot] = {}
    mapped_symbols: tuple[str, ...] = ()
    """Symbols the request was found to speak of."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The slots that are open, in their order."""
        return tuple(name for name in SLOTS if name not in self.slots)

    @property
    def validated(self) -> tuple[str, ...]:
        """The slots that rest on the words of the request."""
        return tuple(name for name in SLOTS if name in self.slots and self.slots[name].certainty is Certainty.FACT)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The slots that are only supposed."""
        return tuple(name for name in SLOTS if name in self.slots and name not in self.validated)

    def value(self, name: str) -> str:
        """Return the value of a slot; empty when the slot is open."""
        slot = self.slots.get(name)
        return slot.value if slot else ""


class Guidance(Struct, frozen=True):
    """What to do about an open slot."""

    hint: Message
    action: Message
    tools: tuple[str, ...]


# --- from what somebody says to a frame ---------------------------------------------------------------------


def frame_from(request: str, slots: Mapping[str, Slot | None]) -> tuple[QueryFrame, dict[str, Message]]:
    """Return the frame built from the slots sent for a request, and what is wrong with them, slot by slot.

    All or nothing: with one bad slot the frame is empty. A slot with a valid quote is a fact; one without a quote is a
    hypothesis, which must be verified.
    """
    given = {name: slot for name, slot in slots.items() if slot is not None and slot.value.strip()}
    wrong = {name: say("plan.unknown_slot", names=SLOTS) for name in given if name not in SLOTS}
    for name, slot in given.items():
        if name in SLOTS and (fault := slot_fault(slot, request)):
            wrong[name] = fault
    if wrong:
        return QueryFrame(request), wrong
    known = {name: given[name] for name in SLOTS if name in given}
    return QueryFrame(request, {name: _settled(slot) for name, slot in known.items()}), {}


def _settled(slot: Slot) -> Slot:
    return replace(slot, certainty=Certainty.FACT if slot.quote.strip() else Certainty.HYPOTHESIS)


def slot_fault(slot: Slot, request: str) -> Message:
    """Return what is wrong with a slot: the request must contain its quote, and the quote must mean its value."""
    quote = slot.quote.strip()
    if not quote:
        return NOTHING
    if _plain(quote) not in _plain(request):
        return say("plan.not_quoted", quote=quote[:80])
    if not agree(slot.value, quote):
        return say("plan.not_meant", value=slot.value[:80], quote=quote[:80])
    return NOTHING


def agree(value: str, quote: str) -> bool:
    """Tell whether two texts mean the same thing: one contains the other, or they share a word in either language.

    ``agree("login form", "ログインフォーム")`` is true, because the glossary knows both words.
    """
    first, second = _plain(value), _plain(quote)
    if not first or not second:
        return False
    if first in second or second in first or _words(value) & _words(quote):
        return True
    left, right = (set(_PARTICLES.sub("", text)) for text in (first, second))
    both_japanese = not first.isascii() and not second.isascii()
    return both_japanese and len(left & right) >= ALIKE * max(1, min(len(left), len(right)))


def _words(text: str) -> set[str]:
    from shirube.engine.text.glossary import stop_words
    from shirube.engine.text.stems import stem
    from shirube.engine.text.tokens import index_terms
    from shirube.features.map.meanings import telling_parts

    english = (word for part in telling_parts(text) for meaning in part.english for word in meaning.split())
    return {term for term in (*index_terms(text), *map(stem, english)) if term not in stop_words() and len(term) > 1}


def _plain(text: str) -> str:
    from shirube.engine.text.tokens import normalise

    return " ".join(normalise(text).lower().split())


# --- what follows from a frame ------------------------------------------------------------------------------


def assess_risk(intent: Intent, frame: QueryFrame) -> Risk:
    """Return how much a request may break, by the rules of seed 003; the first rule that applies decides.

    All slots are facts: LOW. MODIFY without the issue or the feature, or IMPLEMENT without any slot: HIGH. Any other
    IMPLEMENT, or MODIFY with slots that are hypotheses: MEDIUM. Everything else: LOW.
    """
    if not frame.missing and not frame.hypotheses:
        return Risk.LOW
    blind = {"observed_issue", "target_feature"} & set(frame.missing)
    if (intent is Intent.MODIFY and blind) or (intent is Intent.IMPLEMENT and not frame.slots):
        return Risk.HIGH
    if intent is Intent.IMPLEMENT or (intent is Intent.MODIFY and frame.hypotheses):
        return Risk.MEDIUM
    return Risk.LOW


def guidance_for(slots: Iterable[str]) -> dict[str, Guidance]:
    """Return what to do about open slots."""
    return {name: Guidance(say(f"plan.{name}"), say(f"plan.find_{name}"), TOOLS[name]) for name in slots}


def extraction_prompt(request: str) -> str:
    """Return the prompt that asks a model to fill the slots of a request; the answer goes to ``set_query_frame``."""
    return PROMPT.format(slots="\n".join(f"- {name}: {say(f'plan.{name}')}" for name in SLOTS), request=request)
