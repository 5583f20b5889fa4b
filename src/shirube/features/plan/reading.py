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
from shirube.features.plan.frame import ASKED, Certainty, Intent, QueryFrame, Slot

_TAGS = re.compile(r"^(?:\[[^\]]*\]\s*)+|^\w+(?:\([^)]*\))?!?:\s+")
"""What a subject line puts first: ``[Server][Utils]``, ``fix(parser):``."""
_NOUNS = re.compile(
    r"(?<![^\sはがをにでとへも、。,.?「」])(?P<noun>(?![ぁ-ゖ]{2})[^\sはがをにでとへも、。,.?「」]{2,32}?)(?P<when>時|中|後|前)?(?P<particle>は|が|を|で|に|へ|も|って)"
)
_ASKING = re.compile(r"^(?:なぜ|何故|どう|どの|どこ|何|この|その|より|よって|よる|対して|おける|ついて)+")
_ASKED = re.compile(r"(?:のか|か)?(?:を|、)?(?:調べ|調査し|教え|確認し).*$|のか$|(?:の|こと)を(?:修正|直|改善|解消).*$")
_AFTER_NOUN = re.compile(r"^[はがをも](?=[ァ-ヶ一-龠A-Za-z])")
"""A particle that a clause begins with, because its noun is in the clause before."""
_REASON = re.compile(r"(?:の|ので|ため|から)$")
_WISH = re.compile(r"ように(?:し|する)")
_TROUBLE = re.compile(r"^.*?(?:不具合|問題|バグ|現象|ケース)(?=[をのにが])")
_FULL, _PLAIN = 60, 15
"""A slot that is longer, in characters of Japanese or words of English, is no answer to what it asks."""
UNSURE = 0.6
"""Below this an intent was not understood: seed 003's flow then looks into it before anything is written."""
TOLD, MIXED, GUESSED = 0.9, 0.7, 0.4
_BEGGED = re.compile(r"\s*(?:can|could|would) you\b", re.IGNORECASE)
"""A task in the form of a question; "how can I …" is none."""


LONGEST_NAME = 4
"""How many words name a feature at most."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``words.toml`` for English and Japanese."""
    row = packaged("shirube.features.plan", "words.toml")[name]
    return re.compile(f"{row['en']} | {row['ja']}", re.VERBOSE | re.IGNORECASE)


@cache
def _verbs() -> frozenset[str]:
    return frozenset(map(stem, packaged("shirube.features.plan", "words.toml")["verbs"]["en"].split()))


def read_frame(request: str, intent: Intent) -> QueryFrame:
    """Return what the words of a request tell by themselves; every value is a quotation, no doubtful one is given.

    It is a reading, not an understanding: a model that fills the frame knows better, and its slots come first.
    """
    text = normalise(request)
    tags = _TAGS.match(text)
    found = dict(_read(text[tags.end() :] if tags else text))
    if tags and (named := _named(tags[0])) and not _pattern("vague").fullmatch(named):
        found["target_feature"] = named
    slots = {name: Slot(found[name], found[name], Certainty.FACT) for name in ASKED[intent] if found.get(name)}
    return QueryFrame(request, slots, asked=ASKED[intent])


def _read(text: str) -> Iterator[tuple[str, str]]:
    yield "target_feature", _target(text)
    clauses = _clauses(text)
    for clause in reversed(clauses):
        if condition := _pattern("condition").match(clause):
            told = condition["en"] or _REASON.sub("", condition["ja"])
            if len(clauses) > 1 and (" " in told or not told.isascii()):  # one clause does not show where it ends
                yield "trigger_condition", _short(told)
            continue
        wished = _pattern("action").search(clause)
        if issue := _issue(clause):
            yield "observed_issue", issue
        if wished and len(clause) > len(wished["verb"] or "") + 3:
            yield "desired_action", _short(wished["en"] or _ASKING.sub("", wished["ja"]))


def _issue(clause: str) -> str:
    """Return what goes wrong by a clause: all of it, or the object of a wish to mend something."""
    if not _pattern("issue").search(clause):
        return ""
    if clause.isascii():
        first, _, rest = _begged(clause).partition(" ")
        if _pattern("mend").match(first):
            phrase = _pattern("phrase_end").split(rest, maxsplit=1)[0]
            return _short(_bare(phrase)) if _pattern("issue").search(phrase) else ""
        return _short(clause) if _pattern("subject").match(clause) and stem(first.lower()) not in _verbs() else ""
    if _WISH.search(clause):
        return ""
    clause = _AFTER_NOUN.sub("", clause)
    told = _TROUBLE.match(clause)
    return _short(_REASON.sub("", _ASKED.sub("", _ASKING.sub("", told[0] if told else clause))))


def _short(text: str) -> str:
    """Return a text that is short and whole, else nothing."""
    if text.count("(") != text.count(")"):
        return ""
    return text if len(text) <= _FULL or (text.isascii() and len(text.split()) <= _PLAIN) else ""


def _target(text: str) -> str:
    """Return what a request is about: a name, a path or a quotation in it, else what it does something to."""
    if named := _named(text):
        return named
    nouns = [noun for noun in _NOUNS.finditer(text) if not noun["noun"].isascii()]
    nouns = [noun for noun in nouns if noun["particle"] not in "にへ"] or nouns
    for noun in nouns:
        if not noun["noun"].endswith("の") and len(kept := _ASKING.sub("", noun["noun"])) > 1:
            return "" if _pattern("vague").search(kept) else kept
    return _object(text) if text.isascii() else ""


def _named(text: str) -> str:
    """Return the first name of code, path or quotation in a text; a hyphenated word of prose is none."""
    read = read_query(text)
    kinds = (TermKind.SYMBOL, TermKind.COMPOUND, TermKind.PATH, TermKind.PHRASE)
    names = (name for kind in kinds for name in read.of(kind) if "-" not in name or _pattern("code").search(name))
    return next(names, "")


def _object(text: str) -> str:
    """Return the noun phrase behind the verb that a request begins with, or before a verb that tells of trouble."""
    first, _, rest = _begged(_clauses(text)[0] if _clauses(text) else "").partition(" ")
    if (
        first.lower() == "make" or first.endswith("ly") or stem(first.lower()) not in _verbs()
    ):  # what to make it is the rest
        subject = _pattern("subject").match(text)
        rest = subject["en"] if subject else ""
    phrase = _pattern("phrase_end").split(rest, maxsplit=1)[0]
    kept = _bare(phrase)
    return kept if kept and len(kept.split()) <= LONGEST_NAME and not _pattern("vague").fullmatch(kept) else ""


def _begged(text: str) -> str:
    return _pattern("please").sub("", text, count=1)


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
    return word.lower() in stop_words() or word.endswith("ly") or stem(word.lower()) in _verbs()


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
