"""Derives intent and a first frame from the words of a request alone, for callers without a model."""

import re
from functools import cache

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.tokens import normalise
from shirube.features.plan.frame import ASKED, Certainty, Intent, QueryFrame, Slot
from shirube.features.plan.slots import read_slots

UNSURE = 0.6
"""Below this an intent was not understood: seed 003's flow then looks into it before anything is written."""
_JOINED = re.compile(
    r"^[ぁ-ん]{0,2}(?:ので|のに|から|けど|ため)、?|^[はがをにでとも、](?=[^ぁ-ん])|(?<=[^ぁ-ん])[のがはをにでと、]+$"
)
"""The end of the clause before a value, or the particle that a value begins or ends with."""
TOLD, MIXED, GUESSED = 0.9, 0.7, 0.4
_BEGGED = re.compile(r"\s*(?:can|could|would) you\b", re.IGNORECASE)
"""A task in the form of a question; "how can I …" is none."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``words.toml`` for English and Japanese."""
    row = packaged("shirube.features.plan", "words.toml")[name]
    return re.compile(f"{row['en']} | {row['ja']}", re.VERBOSE | re.IGNORECASE)


def read_frame(request: str, intent: Intent) -> QueryFrame:
    """Return what the words of a request tell by themselves; every value is a quotation.

    It is a reading, not an understanding: a model that fills the frame knows better, and its slots come first.
    """
    slots = {}
    for name, value in read_slots(request, intent).items():
        # Without the marks that quote all of it, and without the Japanese that joins it to its clause.
        quoted = len(value) > 2 and value[0] == value[-1] in '`"'
        if bare := value[1:-1] if quoted else _JOINED.sub("", value).strip():
            slots[name] = Slot(bare, bare, Certainty.FACT)
    return QueryFrame(request, slots, asked=ASKED[intent])


class IntentReading(Struct, frozen=True):
    """An intent read from words."""

    intent: Intent
    confidence: float
    """From 0 to 1; below ``UNSURE`` the words do not tell, and the intent is the careful choice."""
    words: tuple[str, ...] = ()
    """What it was read from."""


def read_intent(text: str) -> IntentReading:
    """Return what a request wants, how surely, and by which words: ``"ログインを修正して"`` → ``MODIFY``.

    A task in the form of a question stays a question ("how is a session added?"), unless somebody is asked to do it.
    """
    plain = normalise(text)
    found = {intent: [match[0].strip() for match in _pattern(intent.value).finditer(plain)] for intent in Intent}
    told = [intent for intent in Intent if found[intent]]
    if not told:
        return IntentReading(Intent.INVESTIGATE, GUESSED)
    tasks = [intent for intent in (Intent.MODIFY, Intent.IMPLEMENT) if intent in told]
    asked = _pattern("QUESTION").match(plain) or plain.rstrip().endswith("?")
    chosen = Intent.QUESTION if Intent.QUESTION in told else told[0]
    if tasks and (not asked or _BEGGED.match(plain)):
        chosen = tasks[0]
    elif Intent.INVESTIGATE in told and not asked:
        chosen = Intent.INVESTIGATE
    return IntentReading(chosen, TOLD if len(told) == 1 else MIXED, tuple(dict.fromkeys(found[chosen])))


def asks_for_change(request: str) -> bool:
    """Tell whether a request wants something changed or added."""
    return read_intent(request).intent in (Intent.MODIFY, Intent.IMPLEMENT)
