"""Word lists: stop words of questions, short forms that code uses, and English for Japanese words.

The first two are in ``words.toml``, the last is in ``japanese.tsv``, which ``training.words`` mined from translated
texts: each word has its meanings, and for each the share of texts in which the word was translated so.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import resources
from itertools import groupby
from math import inf, log
from typing import Any

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.japanese import folded, from_romaji, with_small_kana
from shirube.engine.text.katakana import transliterated
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK_RUN, KANJI

_KATAKANA = re.compile(r"[ァ-ヺー]+")
_KANJI = re.compile(rf"[{KANJI}]")
_HIRAGANA = re.compile(r"[ぁ-ゖ]+")
LONGEST, LONGEST_RUN = 12, 512
"""The longest word to look up, and the longest text to cut at once, in characters: a longer one is no sentence."""
SURE_SOUND = 0.9
"""How sure the sound of a whole katakana word must be to count more than a known word inside it."""
ENDINGS = {
    "う": "わいうえおっ", "く": "かきくけこい", "ぐ": "がぎぐげごい", "す": "さしすせそ", "つ": "たちつてとっ",
    "ぬ": "なにぬねのん", "ぶ": "ばびぶべぼん", "む": "まみむめもん", "る": "らりるれろっ", "い": "いくかけさ",
}  # fmt: skip
"""How the last letter of a verb or an adjective changes."""

Table = dict[str, str]
"""Word as it is written → its line of the table."""


class JapaneseWord(Struct, frozen=True):
    """A part of a Japanese text; without meanings it is unknown, or names nothing."""

    text: str
    meanings: tuple[tuple[str, float], ...] = ()
    """English and how sure it is, from 0 to 1; surest first."""
    weight: float = 1.0
    """How telling the word is, from 0 to 1: 変更 is said of everything, 認証 is not."""


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


def written_out(word: str) -> str:
    """Return what a word is short for, if it is one word: ``cfg`` → ``configuration``; ``auth`` stays."""
    longer = _longer().get(word, ())
    return longer[0] if len(longer) == 1 else word


@cache
def _longer() -> dict[str, list[str]]:
    longer: dict[str, list[str]] = {}
    for long, shorts in _lists()["short_forms"].items():
        for short in shorts.split():
            longer.setdefault(short, []).append(long)
    return longer


def _lists() -> dict[str, Any]:
    return packaged("shirube.engine.text", "words.toml")


def telling_words(words: Iterable[JapaneseWord]) -> list[JapaneseWord]:
    """Return the known words of a text without stop words; with them when there is nothing else."""
    known = [word for word in words if word.meanings]
    return [word for word in known if word.text not in stop_words()] or known


def japanese_for(word: str) -> tuple[str, ...]:
    """Return the Japanese words for an English one, surest first: ``"payment"`` → 決済, 支払い, …"""
    return _backwards().get(word.lower(), ())


def japanese_words(text: str, table: Table | None = None) -> list[JapaneseWord]:
    """Cut the Japanese of a text at the best boundaries: ``認証有効期限`` → 認証, 有効期限.

    The fewest words win. A single kanji is a word only where no other kanji touches it.
    """
    if text.isascii():  # and the table need not be read
        return []
    words = _glossary() if table is None else table
    plain = _KATAKANA.sub(lambda match: _spelled(match[0], words), folded(text))
    runs = (part for run in CJK_RUN.findall(plain) for part in re.findall(f".{{1,{LONGEST_RUN}}}", run))
    return [word for run in runs for word in _heard_whole(_cut(run, words), words)]


def _spelled(katakana: str, words: Table) -> str:
    """Write an unknown word with the small letters of a known one: キヤツシユ → キャッシュ, フアイル → ファイル."""
    usual = with_small_kana(katakana)
    return usual if usual in words and katakana not in words else katakana


def _cut(run: str, words: Table) -> list[JapaneseWord]:
    size = len(run)
    best = [(0.0, size, False)] * (size + 1)
    """For each place the cost of the rest, where its first word ends, and whether that is known."""
    for at in range(size - 1, -1, -1):
        best[at] = min(
            [(cost + best[end][0], end, False) for end, cost in _unknown(run, at)], default=(inf, size, False)
        )
        for stop in range(at + 1, min(size, at + LONGEST) + 1):
            if run[at:stop] in words and (cost := _known(run, at, stop) + best[stop][0]) <= best[at][0]:
                best[at] = cost, stop, True
    parts, at = [], 0
    while at < size:
        _, end, known = best[at]
        part = run[at:end]
        parts.append(_word(part, words[part]) if known else JapaneseWord(part, _by_sound(part)))
        at = end
    return parts


def _heard_whole(parts: Iterable[JapaneseWord], words: Table) -> Iterator[JapaneseWord]:
    """Join the parts of a katakana word that is unknown but sounds like one of English: ミドル, ウェア → middleware."""
    for katakana, group in groupby(parts, lambda part: _KATAKANA.fullmatch(part.text) is not None):
        together = list(group)
        if katakana and not all(part.text in words for part in together):
            whole = "".join(part.text for part in together)
            heard = _by_sound(whole)
            together = [JapaneseWord(whole, heard)] if heard and heard[0][1] >= SURE_SOUND else together
        yield from together


def in_japanese(question: str) -> str:
    """Return a question that is Japanese in Latin letters as Japanese: ``kensaku no kekka`` → 検索の結果."""
    return from_romaji(question, _terms) if question.isascii() else question


@lru_cache(maxsize=1 << 12)
def _by_sound(part: str) -> tuple[tuple[str, float], ...]:
    """Return what an unknown katakana word spells: ミューテックス → mutex; ミドルウエア as ミドルウェア."""
    if len(part) < 3 or not _KATAKANA.fullmatch(part):
        return ()
    return transliterated(part, _terms()) or transliterated(with_small_kana(part), _terms())


@cache
def _terms() -> str:
    return resources.files("shirube").joinpath("engine/embed/data/terms.txt").read_text("utf-8").strip()


@lru_cache(maxsize=1 << 12)
def rarity(term: str) -> float:
    """Return how rare a stem is in code and in texts about it, from 0 (``the``) to 1 (unknown); ``user`` 0.5."""
    terms = f"\n{_terms()}\n"  # most frequent first
    place = terms.find(f"\n{term}\n")
    return log(2 + place) / log(2 + len(terms)) if place >= 0 else 1.0


def is_hiragana(text: str) -> bool:
    """Tell whether all letters are hiragana."""
    return _HIRAGANA.fullmatch(text) is not None


def _unknown(run: str, at: int) -> Iterator[tuple[int, float]]:
    """Yield where an unknown word that begins here may end, and its cost; a known word costs 1.

    In katakana it has three letters at least, so that ハループ does not contain ループ.
    """
    katakana = _KATAKANA.match(run, at)
    if not katakana:
        yield at + 1, 0.5 if is_hiragana(run[at]) else 2.0
        return
    begins, last = not (at and _KATAKANA.match(run[at - 1])), katakana.end()
    for end in range(at + 3, last) if begins else ():
        yield end, 1.0 + (end - at) / 2
    if begins or last - at > 2:
        yield last, 1.0 + (last - at) / 2


def _known(run: str, at: int, stop: int) -> float:
    """Return the cost of a known word: a kanji beside another is part of a longer word, two katakana probably are."""
    beside = run[max(0, at - 1) : at] + run[stop : stop + 1]
    if stop == at + 1 and _KANJI.search(beside):
        return inf
    return 2.0 if stop <= at + 2 and _KATAKANA.match(run, at) and _KATAKANA.search(beside) else 1.0


@cache
def _glossary() -> Table:
    return read_table(resources.files("shirube.engine.text").joinpath("japanese.tsv").read_text("utf-8").splitlines())


def read_table(lines: Iterable[str]) -> Table:
    """Return the table of lines ``word⇥weight⇥meaning sureness⇥…``, both in hundredths.

    A line is read only when its word is met: a question has ten words, the table twenty thousand.
    """
    plain = {line[: line.index("\t")]: line for line in lines}
    forms = {form: line for word, line in plain.items() if word[-1] in ENDINGS for form in forms_of(word)}
    return forms | plain


@lru_cache(maxsize=1 << 12)
def _word(part: str, line: str) -> JapaneseWord:
    _, weight, *meanings = line.split("\t")
    pairs = (meaning.rpartition(" ") for meaning in meanings)
    return JapaneseWord(part, tuple((english, int(sure) / 100) for english, _, sure in pairs), int(weight) / 100)


def forms_of(word: str) -> Iterator[str]:
    """Yield how a verb or an adjective is written in a sentence: 開く → 開き, 開い, …; 並べる → 並べ."""
    bare, last = word[:-1], word[-1]
    if last in ENDINGS and _KANJI.match(word):
        yield from (bare + letter for letter in ENDINGS[last])
        if len(bare) > 1:
            yield bare


@cache
def _backwards() -> dict[str, tuple[str, ...]]:
    japanese_of: dict[str, dict[str, float]] = {}
    for line in set(_glossary().values()):
        japanese = line[: line.index("\t")]
        for meaning, sure in _word(japanese, line).meanings:
            japanese_of.setdefault(meaning.lower(), {})[japanese] = sure
    return {
        english: tuple(sorted(words, key=lambda word: (-words[word], word))) for english, words in japanese_of.items()
    }
