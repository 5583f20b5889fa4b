"""The frame of a request: four slots, each with the words of the request that support it, and which are open."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import replace
from shirube.messages import NOTHING, Message, say

if TYPE_CHECKING:
    from shirube.features.plan.sense import Cosine

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
"""The four slots of seed 003, in its order."""
TOOLS: Mapping[str, tuple[str, ...]] = {
    "target_feature": ("query", "find_definitions", "get_symbols", "analyze_structure"),
    "trigger_condition": ("search_text", "find_definitions"),
    "observed_issue": ("search_text", "query"),
    "desired_action": ("find_references", "analyze_structure"),
}
"""The operations that help to fill an open slot."""
MOST_QUOTED = 80
"""The longest quote that is searched for with typos, in characters."""
LETTERS_A_TYPO, MOST_TYPOS = 8, 3
"""A quote may have one typo for so many letters."""
_UNHEARD = re.compile(r"[\s\"'`‘’“”「」『』]")
"""What people leave out or change when they quote."""
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


ASKED: Mapping[Intent, tuple[str, ...]] = {
    Intent.IMPLEMENT: ("target_feature", "trigger_condition", "desired_action"),
    Intent.MODIFY: SLOTS,
    Intent.INVESTIGATE: ("target_feature", "trigger_condition", "observed_issue"),
    Intent.QUESTION: ("target_feature",),
}
"""The slots that a request of each intent can have: nothing goes wrong yet with what is to be built, and somebody who
only wants to know something wishes for no change."""


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
    asked: tuple[str, ...] = SLOTS
    """The slots that a request of its intent can have."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The slots that are asked for and open, in their order."""
        return tuple(name for name in self.asked if name not in self.slots)

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


def frame_from(
    request: str, slots: Mapping[str, Slot | None], asked: tuple[str, ...] = SLOTS, cosine: "Cosine | None" = None
) -> tuple[QueryFrame, dict[str, Message]]:
    """Return the frame built from the slots sent for a request, and what is doubtful about them, slot by slot.

    A slot whose quote is in the request and means its value is a fact. One without a quote, or with a doubtful one, is
    a hypothesis; the others stand. A slot that does not exist is named and left out.
    """
    given = {name: slot for name, slot in slots.items() if slot is not None and slot.value.strip()}
    doubts = {name: say("plan.unknown_slot", names=SLOTS) for name in given if name not in SLOTS}
    known: dict[str, Slot] = {}
    for name in SLOTS:
        if name in given:
            known[name], doubt = settle(given[name], request, cosine, is_name=name == "target_feature")
            if doubt:
                doubts[name] = doubt
    return QueryFrame(request, known, asked=asked), doubts


def settle(slot: Slot, request: str, cosine: "Cosine | None" = None, *, is_name: bool = False) -> tuple[Slot, Message]:
    """Return a slot with the request's own words as its quote and with its certainty, and what is doubtful about it."""
    from shirube.features.plan.sense import compare

    supposed = replace(slot, certainty=Certainty.HYPOTHESIS)
    if not slot.quote.strip():
        return supposed, NOTHING
    quote = find_quote(slot.quote, request)
    if not quote:
        return supposed, say("plan.not_quoted", quote=slot.quote.strip()[:80])
    compared = compare(slot.value, quote, cosine, is_name=is_name)
    if not compared.agrees:
        return replace(supposed, quote=quote), say("plan.not_meant", value=slot.value[:80], quote=quote[:80])
    return Slot(slot.value, quote, Certainty.FACT), NOTHING


def find_quote(quote: str, request: str) -> str:
    """Return the words of a request that a quote repeats, but for spaces, widths, case, quotation marks and typos."""
    if quote in request:
        return quote
    places = [(letter, place) for place, one in enumerate(request) for letter in _heard(one)]
    text, wanted = "".join(letter for letter, _ in places), _heard(quote)
    if not wanted:
        return ""
    start = text.find(wanted)
    end = start + len(wanted)
    if start < 0:
        start, end = _nearly(wanted, text)
    return _whole_words(request, places[start][1], places[end - 1][1] + 1) if end > start else ""


def _heard(text: str) -> str:
    from shirube.engine.text.tokens import normalise

    return _UNHEARD.sub("", normalise(text).lower())


def _nearly(wanted: str, text: str) -> tuple[int, int]:
    """Return where a text contains another with the fewest typos, if they are few; else the same place twice."""
    allowed = min(MOST_TYPOS, len(wanted) // LETTERS_A_TYPO)
    if not allowed or len(wanted) > MOST_QUOTED:
        return 0, 0
    row = [(0, start) for start in range(len(text) + 1)]
    for letter in wanted:  # each row: the typos up to here and where the match began, for each end in the text
        last, row = row, [(row[0][0] + 1, 0)]
        for end, other in enumerate(text, 1):
            same = (last[end - 1][0] + (letter != other), last[end - 1][1])
            left_out, added = (last[end][0] + 1, last[end][1]), (row[-1][0] + 1, row[-1][1])
            row.append(min(same, left_out, added))
    (typos, start), end = min((one, end) for end, one in enumerate(row))
    return (start, end) if typos <= allowed else (0, 0)


def _whole_words(request: str, start: int, end: int) -> str:
    """Return a part of a request, with the rest of an English word at either end."""
    while start and request[start - 1].isascii() and request[start - 1].isalnum() and request[start].isalnum():
        start -= 1
    while end < len(request) and request[end].isascii() and request[end].isalnum() and request[end - 1].isalnum():
        end += 1
    return request[start:end]


def agree(value: str, quote: str) -> bool:
    """Tell whether two texts are about one thing: one contains the other, or they share a word in either language.

    Whether they say the same about it is another question, which ``sense.compare`` answers.

    ``agree("login form", "ログインフォーム")`` is true, because the glossary knows both words.
    """
    from shirube.engine.text.tokens import folded

    first, second = folded(value), folded(quote)
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


# --- what follows from a frame ------------------------------------------------------------------------------


def assess_risk(intent: Intent, frame: QueryFrame) -> Risk:
    """Return how much a request may break, by the rules of seed 003; the first rule that applies decides.

    All slots are facts: LOW. MODIFY without the issue or the feature, or IMPLEMENT without any slot: HIGH; what is only
    supposed is not there. Any other IMPLEMENT, or MODIFY with slots that are hypotheses: MEDIUM. Everything else: LOW.
    """
    if not frame.missing and not frame.hypotheses:
        return Risk.LOW
    blind = {"observed_issue", "target_feature"}.difference(frame.validated)
    if (intent is Intent.MODIFY and blind) or (intent is Intent.IMPLEMENT and not frame.validated):
        return Risk.HIGH
    if intent is Intent.IMPLEMENT or (intent is Intent.MODIFY and frame.hypotheses):
        return Risk.MEDIUM
    return Risk.LOW


def guidance_for(slots: Iterable[str]) -> dict[str, Guidance]:
    """Return what to do about open slots."""
    return {name: Guidance(say(f"plan.{name}"), say(f"plan.find_{name}"), TOOLS[name]) for name in slots}


def extraction_prompt(request: str, asked: Iterable[str] = SLOTS) -> str:
    """Return the prompt that asks a model to fill the slots of a request; the answer goes to ``set_query_frame``."""
    return PROMPT.format(slots="\n".join(f"- {name}: {say(f'plan.{name}')}" for name in asked), request=request)
