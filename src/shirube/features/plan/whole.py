"""The files behind the results, read whole: a place may be good by chance, a file seldom is."""

from collections import Counter
from collections.abc import Mapping, Sequence

from shirube.engine.text.tokens import index_terms
from shirube.features.plan.expect import Keyword

MOST_FILES = 25
K1, B = 1.2, 0.75
NAME = 0.5
"""What it weighs that a file's name is made of the goal's words, beside the best text."""


def read_whole(
    texts: Mapping[str, str], keywords: Sequence[Keyword], lists: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """Return what each file is worth: by its whole text, its name, and the share it has in other orders."""
    bags = {path: Counter(index_terms(text)) for path, text in texts.items()}
    sizes = {path: sum(bag.values()) for path, bag in bags.items()}
    usual = sum(sizes.values()) / len(sizes) if sizes else 1.0
    by_words = {path: _bm25(bags[path], sizes[path] / max(1.0, usual), keywords) for path in texts}
    best = max(by_words.values(), default=0.0) or 1.0
    return {
        path: by_words[path] / best + NAME * _name_fit(path, keywords) + sum(one.get(path, 0.0) for one in lists)
        for path in texts
    }


def _bm25(bag: Mapping[str, int], size: float, keywords: Sequence[Keyword]) -> float:
    total = 0.0
    for word in keywords:
        count = max((min((bag.get(term, 0) for term in form), default=0) for form in word.forms), default=0)
        total += word.rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * size))
    return total


def _name_fit(path: str, keywords: Sequence[Keyword]) -> float:
    """Return the share of a file's name that the goal speaks of: ``web_app.py`` for "web" → 0.5."""
    name = path.rpartition("/")[2].partition(".")[0]
    words = set(index_terms(name))
    wanted = {term for word in keywords for form in word.forms for term in form}
    return len(words & wanted) / len(words) if words else 0.0
