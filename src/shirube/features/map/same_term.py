"""Tells whether two terms are the same but for particles, endings and spelling, or the same in the other language.

Only such a term lets an agreement answer by itself. What is merely similar (ログイン and ログアウト, 支払い and
支払い方法) is shown, but decides nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from shirube.engine.text.glossary import in_japanese, is_hiragana, written_out
from shirube.engine.text.japanese import folded, from_kana
from shirube.engine.text.stems import plain_form, stem
from shirube.engine.text.tokens import CJK, KANJI, split_identifier
from shirube.features.map.message_terms import words

SAME, SUREST, SURE = 1.0, 0.9, 0.75
"""How similar two terms are: in one language; by the surest meanings of the words; and by other sure meanings."""
Phrase = tuple[str, ...]
MOST_WORDS = 8
"""The longest Japanese term, in words, that is compared with English."""

_PARTICLE = "の|を|に|へ|は|が|と|で|も|や|から|まで|より|だけ|など|では|には|への|での"
_DONE = "する|した|して|し|される|された|させる|できる|できた|でき|します|しました|しない|できない|るため|るよう"
_TAIL = re.compile(f"(?:{_PARTICLE}|{_DONE})*")
_NOT = re.compile("ない|なく|なかった|ません|ずに|なし")
_PIECE = re.compile(
    rf"(?P<kanji>[{KANJI}]+(?:(?!{_PARTICLE})[ぁ-ゖ]{{1,2}}[{KANJI}]+)*)(?P<tail>[ぁ-ゖ]*)"
    rf"|(?P<kana>[ァ-ヺー]+|[ぁ-ゖー]+)|(?P<latin>[^\W{CJK}]+)|(?P<other>[{CJK}]+)"
)
_SUFFIX = re.compile("(?<=..)(?:機能|仕組み?|実装)$")
_CLAUSE = re.compile(
    r"[。．、，！？!?;:：\n「」『』\"()（）]|[.,](?=\s|$)|(?:の|な)?(?:とき|時に|場合|際に)"
    r"|\b(?:when|whenever|if|because|but|so that|after|before|while|unless)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"^(?:please|can you|could you|fix|debug|investigate|improve|refactor|look at|look into|the|a|bugs? in|\s)+\b"
    r"|[をの](?:修正|直|調査|調べ|改善|改修|対応|見直)[ぁ-ゖ]*(?:下さい)?$",
    re.IGNORECASE,
)


class TermWord(Struct, frozen=True):
    """A word of a term."""

    text: str
    """In the form that is compared within a language."""
    meanings: tuple[Phrase, ...] = ()
    """The stems of a Japanese word's English, surest first, or of the word itself."""
    japanese: bool = False
    action: bool = False
    """Whether it may stand before or behind what it is done to."""
    empty: bool = False
    """Whether the term is the same without it."""


class ReadTerm(Struct, frozen=True):
    """A term, read for comparison."""

    keys: frozenset[str]
    """Equal for terms that are the same in their own language."""
    english: Mapping[str, float]
    """What it is in English, written together, and how surely: equal for terms that are the same in both languages."""
    japanese: bool
    words: tuple[str, ...]


def same(one: str, other: str) -> float:
    """Return how similar two terms are when they are the same; 0.0 when they are not."""
    return same_read(read_term(one), read_term(other))


def same_read(one: ReadTerm, other: ReadTerm) -> float:
    """Return the same for terms that were read before."""
    if one.keys & other.keys:
        return SAME
    if one.japanese == other.japanese:
        return 0.0
    both = one.english.keys() & other.english.keys()
    return max((min(one.english[key], other.english[key]) for key in both), default=0.0)


def names_term(request: str, term: str) -> bool:
    """Tell whether a clause of a request, without the words that ask for something, is this very term."""
    wanted = read_term(term)
    return any(same_read(read_term(clause), wanted) for clause in clauses(request))


def clauses(request: str) -> list[str]:
    """Return the clauses of a request without the words that ask for something: "fix the login, …" → "login", …"""
    return [clause for part in _CLAUSE.split(request) if (clause := _WANTED.sub("", part.strip()).strip())]


@lru_cache(maxsize=1 << 13)
def read_term(text: str) -> ReadTerm:
    """Read a term: its words, and the keys by which it is the same as another."""
    read = tuple(_words(folded(in_japanese(text))))
    telling = tuple(word for word in read if not word.empty) or read
    japanese = any(word.japanese for word in telling)
    orders = [telling, _done_last(telling)] if telling else []
    keys = frozenset("".join(word.text for word in order) for order in orders)
    english = _in_english(telling) if japanese else dict.fromkeys(map("".join, _orders(telling)), SUREST)
    return ReadTerm(keys, english, japanese, tuple(word.text for word in read))


def _in_english(japanese: Sequence[TermWord]) -> dict[str, float]:
    """Return what words of Japanese may be in English, and how surely; nothing if a word is unknown."""
    found = {"": SUREST}
    for word in japanese[:MOST_WORDS]:
        found = {
            f"{before}{''.join(meaning)}": min(sure, SURE if place else SUREST)
            for place, meaning in reversed(list(enumerate(word.meanings)))
            for before, sure in found.items()
        }
    return found if len(japanese) <= MOST_WORDS else {}


def _orders(english: Sequence[TermWord]) -> Iterator[Phrase]:
    """Yield the stems of English words in the orders in which Japanese may say them: what is done comes last."""
    for listed in (english, [word for word in english if word.text not in words("small_words")]):
        for order in (listed, _done_last(listed)) if listed else ():
            yield tuple(word.meanings[0][0] for word in order)
        at = next((place for place, word in enumerate(listed) if place and word.text == "from"), 0)
        if at:  # config from object: オブジェクトからの設定
            yield tuple(word.meanings[0][0] for word in (*listed[at + 1 :], listed[at], *_done_last(listed[:at])))


def _done_last(listed: Sequence[TermWord]) -> Sequence[TermWord]:
    return [*listed[1:], listed[0]] if listed[0].action else listed


def _words(text: str) -> Iterator[TermWord]:
    """Yield the words of a text; "list of users" is read as "user list"."""
    listed = [word for piece in _PIECE.finditer(text) for word in _read(piece)]
    at = next((place for place, word in enumerate(listed) if word.text == "of"), 0)
    yield from [*listed[at + 1 :], *listed[:at]] if at else listed
    if _NOT.search(text):
        yield TermWord("ない", (("not",), ("no",)), japanese=True)


def _read(piece: re.Match[str]) -> Iterator[TermWord]:
    if latin := piece["latin"]:
        for word in (written_out(part) for part in split_identifier(latin) if part not in words("function_words")):
            action = word in words("actions") or word.removesuffix("ing") in words("actions")
            yield TermWord(plain_form(word), ((stem(word),),), action=action, empty=word in words("empty_words"))
    elif kanji := _SUFFIX.sub("", piece["kanji"] or ""):
        tail = piece["tail"]
        okurigana = "" if _TAIL.fullmatch(tail) else tail
        plain = "".join(re.findall(f"[{KANJI}]", kanji))
        if plain != "化":
            yield _japanese(plain if len(plain) > 1 else plain + okurigana[:-1], kanji + okurigana)
        if tail.startswith("から"):
            yield TermWord("から", (("from",),), japanese=True)
    elif kana := piece["kana"]:
        yield from _kana(kana)
    else:
        yield TermWord(piece["other"], japanese=True)


def _kana(kana: str) -> Iterator[TermWord]:
    """Yield a word in katakana; hiragana is one unless it consists of particles and endings, and is spelled alike."""
    if not is_hiragana(kana.replace("ー", "")):
        yield _japanese(kana, kana)
    elif kana.startswith("から"):
        yield TermWord("から", (("from",),), japanese=True)
    elif not _TAIL.fullmatch(kana) and not _NOT.search(kana):
        yield _japanese(from_kana(kana) or kana.translate(_TO_KATAKANA), kana)


_TO_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}


def _japanese(plain: str, written: str) -> TermWord:
    from shirube.features.map.meanings import read_japanese  # imported late: few questions need its tables

    parts = read_japanese(written) or read_japanese(plain)
    english: list[tuple[Phrase, ...]] = []
    for part in parts:  # the two surest meanings, without the opposites that the table has, too: unsubscribe
        opposites = {f"{prefix}{word}" for word in part.english for prefix in ("un", "dis", "de", "in", "non")}
        surest = [word for word in part.english if word not in opposites][:2]
        english.append(tuple(tuple(stem(written_out(word)) for word in meaning.split()) for meaning in surest))
    if not all(english) or sum(len(part.text) for part in parts) < len(plain):
        english = []  # a part is unknown: what is known of the others is not what the word means
    elif len(english) > 1:
        english = [(tuple(word for meanings in english for word in meanings[0]),)]
    return TermWord(plain, english[0] if english else (), japanese=True, empty=plain in words("empty_words"))
