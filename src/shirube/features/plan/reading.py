"""Derives intent and a first frame from the words of a request alone, for callers without a model."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import normalise
from shirube.features.plan.frame import SLOTS, Certainty, Intent, QueryFrame, Slot

_NOUN = re.compile(r"(?P<ja>[^\sはがをにでとのへも、。,.?「」]{2,20}?)(?:は|が|を|の|で|に|へ|も|って)")
_ASKING = re.compile(r"^(?:なぜ|何故|どう|どの|どこ|何)+")
_RUN = re.compile(r"[A-Za-z][\w-]+(?:\s+[A-Za-z][\w-]+){0,7}")
UNSURE = 0.6
"""Below this an intent was not understood: seed 003's flow then looks into it before anything is written."""
TOLD, MIXED, GUESSED = 0.9, 0.7, 0.4
_BEGGED = re.compile(r"\s*(?:can|could|would) you\b", re.IGNORECASE)
"""A task in the form of a question; "how can I …" is none."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``words.toml`` for English and Japanese."""
    row = packaged("shirube.features.plan", "words.toml")[name]
    return re.compile(f"{row['en']} | {row['ja']}", re.VERBOSE | re.IGNORECASE)


@cache
def _verbs() -> frozenset[str]:
    return frozenset(map(stem, packaged("shirube.features.plan", "words.toml")["verbs"]["en"].split()))


def read_frame(request: str, intent: Intent) -> QueryFrame:
    """Return what the words of a request tell by themselves; every value is a quotation.

    It is a reading, not an understanding: a model that fills the frame knows better, and its slots come first.
    """
    found = dict(_read(normalise(request)))
    if intent is Intent.QUESTION:
        found.pop("desired_action", None)  # "how are users added" wishes for nothing
    slots = {name: Slot(found[name], found[name], Certainty.FACT) for name in SLOTS if found.get(name)}
    return QueryFrame(request, slots)


def _read(text: str) -> Iterator[tuple[str, str]]:
    yield "target_feature", _target(text)
    for clause in reversed(_clauses(text)):
        if condition := _pattern("condition").match(clause):
            yield "trigger_condition", condition["en"] or condition["ja"]
        elif _pattern("issue").search(clause):
            yield "observed_issue", _bare(clause)
        if action := _pattern("action").search(clause):
            yield "desired_action", action["en"] or action["ja"]


def _target(text: str) -> str:
    """Return what a request is about: a name, a path or a quotation in it, else its first telling noun."""
    read = read_query(text)
    for kind in (TermKind.SYMBOL, TermKind.COMPOUND, TermKind.PATH, TermKind.PHRASE):
        if named := read.of(kind):
            return named[0]
    for noun in _NOUN.finditer(text):
        if not noun["ja"].isascii() and (kept := _ASKING.sub("", noun["ja"])):
            return kept
    runs = (run for clause in _clauses(text) for run in _RUN.findall(clause))
    return next((kept for kept in map(_bare, runs) if kept), "")


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in _pattern("clauses").split(text) if part and part.strip()]


def _bare(clause: str) -> str:
    """Take off verbs and small words at both ends: ``"fix the login crash"`` → ``"login crash"``."""
    words = clause.split()
    while words and _says_little(words[0]):
        words.pop(0)
    while words and _says_little(words[-1]):
        words.pop()
    return " ".join(words)


def _says_little(word: str) -> bool:
    return word.lower() in stop_words() or stem(word.lower()) in _verbs()


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
    found = {intent: _marks(_pattern(intent.value), plain) for intent in Intent}
    told = [intent for intent in Intent if found[intent]]
    if not told:
        return IntentReading(Intent.INVESTIGATE, GUESSED)
    chosen = _chosen(plain, told)
    return IntentReading(chosen, TOLD if len(told) == 1 else MIXED, found[chosen])


def asks_for_change(request: str) -> bool:
    """Tell whether a request wants something changed or added."""
    return read_intent(request).intent in (Intent.MODIFY, Intent.IMPLEMENT)


def _marks(reader: re.Pattern[str], plain: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[0].strip() for match in reader.finditer(plain)))


def _chosen(plain: str, told: list[Intent]) -> Intent:
    tasks = [intent for intent in (Intent.MODIFY, Intent.IMPLEMENT) if intent in told]
    asked = _pattern("QUESTION").match(plain) or plain.rstrip().endswith("?")
    if tasks and (not asked or _BEGGED.match(plain)):
        return tasks[0]
    if Intent.INVESTIGATE in told and not asked:
        return Intent.INVESTIGATE
    return Intent.QUESTION if Intent.QUESTION in told else told[0]
