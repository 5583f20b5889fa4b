"""Word lists: stop words of questions, short forms that code uses, and English for Japanese words.

The first two are in ``words.toml``, the last is in ``japanese.tsv``. It is a list, not a translator: it has the terms
of programming (認証, ミドルウェア) and no other words.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from shirube.codec import packaged
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK_RUN, KANJI, normalise

_KATAKANA = re.compile(r"[ァ-ヺーｦ-ﾟ]+")
_ONE_KANJI = re.compile(rf"[{KANJI}]")


@cache
def stop_words() -> frozenset[str]:
    """Return the words that are common in questions but not in code: ``how``, ``is``, ``the``, ``仕組み``."""
    return frozenset(f"{_lists()['stop_words']} {_lists()['japanese_stop_words']}".split())


def other_forms(term: str) -> tuple[str, ...]:
    """Return how else a stem is written in code: ``config`` → ``configur``, ``asynchron`` → ``async``."""
    return _forms().get(term, ())


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    pairs: dict[str, dict[str, None]] = {}
    for long, shorts in _lists()["short_forms"].items():
        for short in (word for word in shorts.split() if stem(word) != stem(long)):
            pairs.setdefault(stem(long), {})[stem(short)] = None
            pairs.setdefault(stem(short), {})[stem(long)] = None
    return {term: tuple(others) for term, others in pairs.items()}


def _lists() -> dict[str, Any]:
    return packaged("shirube.engine.text", "words.toml")


def english_for(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the English of every known Japanese word, best first: ``"認証の処理"`` → ``(("authentication", …), …)``.

    At each position the longest known word wins, so that 接続プール is not read as 接続 and プール. A run of katakana
    counts as a whole or not at all (ブループリント does not contain ループ), and a single kanji only where no other
    kanji touches it. Stop words (仕組み, 処理) count only when there is nothing else.
    """
    words = [meaning for _, meanings in segments(text) for meaning in meanings]
    telling = [meanings for meanings in words if meanings not in _question_words()]
    return tuple(dict.fromkeys(telling or words))


def segments(text: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Return the Japanese of a text cut where the glossary cuts it: ``"御朱印の認証"`` → 御, 朱, 印, の, 認証.

    Each part comes with its meanings, one for each word in it. Unknown parts are single characters or runs of katakana.
    """
    parts: list[tuple[str, list[tuple[str, ...]]]] = []
    for run in CJK_RUN.findall(normalise(text)):
        place = 0
        while place < len(run):
            end, meanings = _katakana(run, place) or _word(run, place) or (place + 1, [])
            parts.append((run[place:end], meanings))
            place = end
    return parts


def known_words(text: str) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield every known Japanese word of a text with its English: ``"認証の処理"`` → 認証, 処理."""
    return ((part, meanings) for part, meanings in segments(text) if meanings)


def japanese_for(word: str) -> tuple[str, ...]:
    """Return the Japanese words for an English one, shortest first: ``"payment"`` → 決済, 支払い, …"""
    return _backwards().get(word.lower(), ())


def _word(run: str, place: int) -> tuple[int, list[tuple[str, ...]]] | None:
    words = _glossary()
    for length in range(min(_longest(), len(run) - place), 0, -1):
        end = place + length
        if (meanings := words.get(run[place:end])) and not (length == 1 and _has_kanji_beside(run, place)):
            return end, [meanings]
    return None


def _has_kanji_beside(run: str, place: int) -> bool:
    return _ONE_KANJI.search(run[max(0, place - 1) : place] + run[place + 1 : place + 2]) is not None


def _katakana(run: str, place: int) -> tuple[int, list[tuple[str, ...]]] | None:
    """Read a run of katakana as a sequence of known words; if that fails, the whole run is unknown."""
    katakana = _KATAKANA.match(run, place)
    if katakana is None or (place and _KATAKANA.match(run[place - 1])):
        return None
    # A known word may go on after the katakana: リスト構造.
    if (longer := _word(run, place)) and longer[0] > katakana.end():
        return longer
    words, at, meanings = _glossary(), place, []
    while at < katakana.end():
        end = next((end for end in range(katakana.end(), at + 1, -1) if run[at:end] in words), 0)
        if not end:
            return katakana.end(), []
        meanings.append(words[run[at:end]])
        at = end
    return katakana.end(), meanings


@cache
def _glossary() -> dict[str, tuple[str, ...]]:
    lines = resources.files("shirube.engine.text").joinpath("japanese.tsv").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if line)
    return {normalise(japanese): tuple(english.split(", ")) for japanese, english in pairs}


@cache
def _backwards() -> dict[str, tuple[str, ...]]:
    japanese_of: dict[str, list[str]] = {}
    for japanese, meanings in _glossary().items():
        for meaning in meanings:
            japanese_of.setdefault(meaning.lower(), []).append(japanese)
    return {english: tuple(sorted(words, key=lambda word: (len(word), word))) for english, words in japanese_of.items()}


@cache
def _question_words() -> frozenset[tuple[str, ...]]:
    return frozenset(_glossary()[word] for word in stop_words() & _glossary().keys())


@cache
def _longest() -> int:
    return max(map(len, _glossary()))
