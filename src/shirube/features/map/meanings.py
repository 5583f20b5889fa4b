"""Reads the Japanese of a request: its words, what each means in English, and which of them name what it is about."""

import re
from collections.abc import Mapping

from msgspec import Struct

from shirube.engine.text.glossary import JapaneseWord, is_hiragana, japanese_words, stop_words
from shirube.engine.text.japanese import folded
from shirube.engine.text.tokens import CJK_RUN, KANJI
from shirube.features.map.message_terms import words

LEAST_SURE = 0.15
"""Meanings that are less sure are not used: here a wrong word does harm, while a search can outvote it."""
LEAST_WEIGHT = 0.2
"""Verbs and words about changes that are less telling name nothing: 直す, 反映する, 不具合; other nouns may."""
ASKING = frozenset(["追加", "修正", "変更", "対応", "作成", "更新", "改修", "調査", "説明"])
"""Words that requests use whatever they are about."""
NEAR = 32
"""How many letters behind a word tell whether it names something."""
_SHORT = re.compile("[ぁ-ゖー]{1,2}")
_DOING = re.compile("する|した|して|しな|しま|され|させ|でき|せず")
_END = re.compile(r"\s*(?:$|[。．、，.,!?！？)）」\n])")
_NAME = re.compile(rf"[{KANJI}ァ-ヺー]+")
_NAMING = re.compile(rf"[{KANJI}ァ-ヺー]{{2,}}")


class RequestWord(Struct, frozen=True):
    """A Japanese word of a text."""

    text: str
    english: tuple[str, ...] = ()
    """Its sure meanings, surest first; empty for an unknown word."""
    telling: bool = True
    """Whether it names something. Words of asking and of everyday changes do not."""


def read_japanese(text: str, alone: bool = False) -> list[RequestWord]:
    """Return the Japanese words of a text; kanji and katakana that nobody knows are words up to the next known one.

    ``alone`` means that each word is judged without the name behind it.
    """
    plain = folded(text)
    parts: list[RequestWord] = []
    for run in CJK_RUN.finditer(plain):
        at = since = run.start()
        for word in _cut(run.group()):
            end = at + len(word.text)
            if word.meanings or is_hiragana(word.text):
                parts += map(RequestWord, _NAMING.findall(plain[since:at]))
                near = plain[max(0, at - 1) : at], plain[end : end + NEAR]
                parts += [_known(word, *near, alone)] if word.meanings else []
                since = end
            at = end
        parts += map(RequestWord, _NAMING.findall(plain[since:at]))
    return parts


def telling_parts(text: str) -> list[RequestWord]:
    """Return the Japanese words that tell what a text is about; all words when none does."""
    parts = read_japanese(text)
    return [part for part in parts if part.telling] or parts


def _cut(run: str) -> list[JapaneseWord]:
    """Cut a run; what only says "the way of" or "the part of" is taken off compounds: 設定方法 → 設定, 方法."""
    cut: list[JapaneseWord] = []
    for word in japanese_words(run):
        tail = next((tail for tail in stop_words() if word.text.endswith(tail)), "")
        head = word.text.removesuffix(tail)
        cut += [*japanese_words(head), *japanese_words(tail)] if tail and len(head) > 1 else [word]
    return cut


def _known(word: JapaneseWord, before: str, after: str, alone: bool) -> RequestWord:
    sure = {english: sureness for english, sureness in word.meanings if sureness >= LEAST_SURE}
    phrases = [english for english in sure if " " in english]
    single = [english for english in sure if not _is_rest(english, sure)]
    english = tuple(single or phrases)
    if word.text in stop_words() or _SHORT.fullmatch(word.text):
        return RequestWord(word.text, english, telling=False)
    is_verb = is_hiragana(word.text[-1])
    is_done = is_verb or _DOING.match(after) or (before.endswith(("を", "に")) and _END.match(after))
    is_weak = word.weight <= (LEAST_WEIGHT if english else 1.0) and (is_done or word.text in words("message_words"))
    telling = not is_weak and word.text not in ASKING
    if not telling and not alone and not is_verb and (name := _NAME.match(after)):
        # What says what to do may be part of the name behind it: 変更履歴 is not any 履歴.
        telling = any(part.telling for part in read_japanese(name.group(), alone=True))
    return RequestWord(word.text, english, telling)


def _is_rest(english: str, sure: Mapping[str, float]) -> bool:
    """Tell whether a meaning is what is left of a longer one: ``log`` of ``login``, ``again`` of ``try again``."""
    return any(
        english in other.split() or (other.startswith(english) and 2 * sureness >= sure[english])
        for other, sureness in sure.items()
        if other != english
    )
