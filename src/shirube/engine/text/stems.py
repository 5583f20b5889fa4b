"""Stems English words, so that ``handlers`` finds ``handler`` and ``serialized`` finds ``serializer``.

Endings are cut by rules like Porter's, but with fewer steps. A stem need not be a word; it only has to be the same for
all words of a family. Names follow the same rules: ``getUsers`` finds ``getUser``. Japanese has other endings and stays
unchanged.
"""

import re
from functools import lru_cache

SHORTEST = 4
"""Shorter words are not stemmed: ``is``, ``was``, ``red`` have no ending to cut."""

_FOLDED = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("isation", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("bility", "ble"),
    ("ation", "ate"),
    ("ality", "al"),
    ("ivity", "ive"),
    ("ator", "ate"),
    ("izer", "ize"),
    ("iser", "ize"),
)
"""Long endings, and the shorter ending of related words."""

_CUT = ("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "ity", "ous", "ive")
_CUT_LAST = ("ize", "ise", "ion", "al", "er", "or", "ic")
_SINGULAR = frozenset({"alias", "atlas", "bias", "canvas"})
"""Words that end in s but are not plurals."""

_VOWEL = re.compile(r"[aeiouy]")
_BEAT = re.compile(r"[aeiouy]+[^aeiouy]+")
_SHORT = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return the form under which a lower-case word is indexed: ``serializers`` → ``serial``, ``検索`` → ``検索``."""
    if len(word) < SHORTEST or not word.isascii() or not word.isalpha() or word in _SINGULAR:
        return word
    return _without_tail(_without_derivation(_without_adverb(_without_tense(_without_plural(word)))))


def plain_form(word: str) -> str:
    """Return a word without the endings that do not change what it means: ``exporting`` → ``export``.

    ``stem`` finds the family; this keeps words of a family apart that mean other things: general, generic, generate.
    """
    if len(word) < SHORTEST or not word.isascii() or not word.isalpha() or word in _SINGULAR:
        return word
    return _without_tail(_folded(_without_tense(_without_plural(word))))


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + ("y" if len(word) > SHORTEST else "ie")
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_tense(word: str) -> str:
    """Cut ``ing`` and ``ed``, and restore the base form: ``stopped`` → ``stop``, ``copied`` → ``copy``."""
    if word.endswith("eed"):
        return word[:-1] if _beats(word[:-3]) else word
    if word.endswith("ied"):
        return word[:-3] + "y"
    ending = next((end for end in ("ing", "ed") if word.endswith(end)), "")
    bare = word[: len(word) - len(ending)]
    if not ending or len(bare) < SHORTEST - 1 or not _VOWEL.search(bare):
        return word
    if bare.endswith(("at", "bl", "iz")) or _SHORT.fullmatch(bare):
        return bare + "e"
    return bare[:-1] if len(bare) >= SHORTEST and bare[-1] == bare[-2] and bare[-1] not in "lsz" else bare


def _without_adverb(word: str) -> str:
    """Cut ``ly``: ``recursively`` → ``recursive``, ``automatically`` → ``automatic``."""
    for ending, shorter, least in (("ically", "ic", 1), ("ably", "able", 1), ("ibly", "ible", 1), ("ly", "", 2)):
        if word.endswith(ending) and _beats(word[: -len(ending)]) >= least:
            return word[: -len(ending)] + shorter
    return word


def _folded(word: str) -> str:
    for ending, shorter in _FOLDED:
        rest = word[: -len(ending)]
        if word.endswith(ending) and (_beats(rest) or len(rest) >= SHORTEST - 1):
            return rest + shorter
    return word


def _without_derivation(word: str) -> str:
    word = _folded(word)
    for ending in (*_CUT, *_CUT_LAST):
        if word.endswith(ending):
            bare = word[: -len(ending)]
            fits = _beats(bare) > 1 and (ending != "ion" or bare[-1] in "st")
            return bare if fits else word
    return word


def _without_tail(word: str) -> str:
    if word.endswith("ie") and len(word) > SHORTEST:
        return word[:-2] + "y"
    if word.endswith("e") and (len(word) > SHORTEST or _beats(word[:-1]) > 1):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and len(word) > SHORTEST else word


def _beats(word: str) -> int:
    """Count vowels followed by consonants: ``tr`` → 0, ``handl`` → 1, ``serial`` → 2 (Porter's measure)."""
    return len(_BEAT.findall(word))
