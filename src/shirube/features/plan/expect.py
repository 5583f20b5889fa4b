"""What a good answer would hold: the words a goal is about, in English and Japanese, and whether a text has them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log

from msgspec import Struct

from shirube.engine.text.bm25 import idf
from shirube.engine.text.glossary import english_for, known_words, other_forms, stop_words
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms, normalise, tokenize
from shirube.features.plan.record import EvaluationMode

_ASKING = frozenset(
    stem(word)
    for word in (
        *("understand", "learn", "know", "find", "explain", "describe", "show", "tell", "investigate", "look", "work"),
        *("completely", "fully", "please", "want", "need", "about", "code", "implement", "way", "thing", "project"),
    )
)
"""Words that say what somebody wants to do, not what it is about."""
_ASKING_JAPANESE = frozenset(
    (
        *("理解", "把握", "調査", "確認", "説明", "完全", "解説", "学習", "調べ", "知り", "分かり", "全体", "一覧"),
        *("プロジェクト", "コード", "内容", "構造", "方針", "関係", "対象"),
    )
)
COMMON, RARE = 5, 50
"""A word that one chunk in so many has tells nothing of what was found; one in so many, all it can."""
_KEPT = re.compile(r"[ァ-ヺー]{2,}|[一-鿿々]{2,}")

Frequencies = tuple[int, Mapping[str, int]]
"""How many chunks there are, and how many of them have each term."""


class Keyword(Struct, frozen=True):
    """A word or two that are expected, and all the ways in which a text may have them."""

    text: str
    forms: tuple[frozenset[str], ...]
    """Index terms; a text that has all of one form has the keyword."""
    rarity: float = 1.0
    telling: float = 1.0
    """From 0, a word that is everywhere, to 1, one that tells what has it from the rest."""

    def stands_in(self, text: str, terms: frozenset[str], mode: EvaluationMode) -> bool:
        """Tell whether a text has it: as it is written, or, unless one is strict, in any form."""
        if normalise(self.text).lower() in text:
            return True
        return mode is not EvaluationMode.STRICT and any(form <= terms for form in self.forms if form)


def goal_words(goal: str) -> tuple[str, ...]:
    """Return the words a goal is about, in its order: ``"テスト戦略を理解する"`` → ``("テスト", "戦略")``.

    Names, paths and quotations count as they are; words that all goals have do not count.
    """
    read = read_query(goal)
    found: list[str] = []
    for term in read.terms:
        if term.kind is TermKind.CJK:
            found += _japanese(term.text)
        elif term.kind is not TermKind.WORD or not _says_little(term.text):
            found.append(term.text)
    return tuple(dict.fromkeys(found))


def _says_little(word: str) -> bool:
    lower = word.lower()
    return lower in stop_words() or stem(lower) in _ASKING or (len(lower) < 2 and not lower.isdigit())


def _japanese(run: str) -> list[str]:
    known = [surface for surface, _ in known_words(run)]
    rest = run
    for surface in known:
        rest = rest.replace(surface, " ", 1)
    unknown = _KEPT.findall(rest)
    words = sorted({*known, *unknown}, key=run.find)
    telling = [word for word in words if word not in stop_words() and word not in _ASKING_JAPANESE]
    return [word for word in telling if len(word) > 1]


def keywords_of(words: Iterable[str], frequencies: Callable[[Sequence[str]], Frequencies]) -> tuple[Keyword, ...]:
    """Return words with their forms, and with how rare each is in this project."""
    forms = {word: forms_of(word) for word in dict.fromkeys(word.strip() for word in words) if word}
    total, counts = frequencies(sorted({term for each in forms.values() for form in each for term in form}))
    rarities = {word: _rarity(each, total, counts) for word, each in forms.items()}
    return tuple(Keyword(word, each, rarities[word], _telling(rarities[word], total)) for word, each in forms.items())


def forms_of(word: str) -> tuple[frozenset[str], ...]:
    """Return the sets of index terms that stand for a word: its own, short forms, and its English."""
    own = [stem(token) for token in tokenize(word) if token not in stop_words()] or index_terms(word)
    found = [frozenset(own)]
    if len(own) == 1:
        found += [frozenset({other}) for other in other_forms(own[0])]
    for meanings in english_for(word) if not word.isascii() else ():
        found += [frozenset(map(stem, meaning.split())) for meaning in meanings]
    return tuple(dict.fromkeys(found))


def _rarity(forms: tuple[frozenset[str], ...], total: int, counts: Mapping[str, int]) -> float:
    if not total:
        return 1.0
    most = max((min((counts.get(term, 0) for term in form), default=0) for form in forms), default=0)
    return idf(total, min(total, most))


def _telling(rarity: float, total: int) -> float:
    """Return what a rarity tells here: in a small project nothing can be rarer than what one chunk has."""
    most = min(log(RARE), idf(total, 1)) if total else 1.0
    least = most * log(COMMON) / log(RARE)
    return round(min(1.0, max(0.0, (rarity - least) / (most - least))), 4)


def nowhere(keyword: Keyword, counts: Mapping[str, int]) -> bool:
    """Tell whether no chunk has the keyword in any form."""
    return not any(form and all(counts.get(term, 0) for term in form) for form in keyword.forms)
