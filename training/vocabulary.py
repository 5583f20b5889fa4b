"""Which terms get a row: the commonest of the training texts, and the Japanese words among them."""

import re
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Pool

from shirube.engine.embed.static import LONGEST_WORD
from shirube.engine.text.tokens import CJK, KANJI, index_terms, normalise

QUESTION_WORTH = 4
"""A text that people read counts this often: what is asked for matters more than what is only in code."""
LEAST = 4
"""A term met less often than this has no row."""
SHARE = 4_000

_CJK = re.compile(rf"[{CJK}]+")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{2,}")
_KANJI = re.compile(rf"[{KANJI}]{{3,}}")


def learn(codes: Sequence[str], words: Sequence[str], sizes: tuple[int, int]) -> list[str]:
    """Return the terms with a row, commonest first: ``sizes`` are those of Latin terms and of Japanese ones."""
    latin = _counts(codes)
    read = _counts(words)
    japanese: Counter[str] = Counter()
    for term, count in read.items():
        if _CJK.match(term):
            japanese[term] += count
        else:
            latin[term] += QUESTION_WORTH * count
    for term in [term for term in latin if _CJK.match(term)]:
        japanese[term] += latin.pop(term)
    japanese.update(_japanese_words(words))
    return _commonest(latin, sizes[0]) + _commonest(japanese, sizes[1])


def _commonest(counts: Counter[str], size: int) -> list[str]:
    kept = [(count, term) for term, count in counts.items() if count >= LEAST]
    return [term for _, term in sorted(kept, key=lambda pair: (-pair[0], pair[1]))[:size]]


def _counts(texts: Sequence[str], workers: int = 8) -> Counter[str]:
    """Count in how many texts a term is."""
    shares = [texts[i : i + SHARE] for i in range(0, len(texts), SHARE)]
    total: Counter[str] = Counter()
    if len(shares) < 2:
        return _counts_of(texts)
    with Pool(workers) as pool:
        for counts in pool.imap(_counts_of, shares):
            total.update(counts)
    return total


def _counts_of(texts: Sequence[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(index_terms(text)))
    return counts


def _japanese_words(texts: Sequence[str]) -> Counter[str]:
    """Count katakana words and kanji compounds, which index terms cut into pairs."""
    counts: Counter[str] = Counter()
    for text in texts:
        for run in _CJK.findall(normalise(text)):
            counts.update(set(_KATAKANA.findall(run)) | set(_KANJI.findall(run)))
    return Counter({word: count for word, count in counts.items() if len(word) <= LONGEST_WORD})
