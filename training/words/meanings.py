"""Chooses what the table says: meanings from translated texts, more from histories, proposals of the model."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from shirube.engine.text.stems import stem
from training.words.align import Links
from training.words.cut import JAPANESE

SURE, SURE_FIRST, SURE_ALONE, LEAST = 0.06, 0.12, 0.4, 0.9
"""How sure a meaning is at least, the first one, and that of a single kanji; how often it was found at least."""
OFTEN_HIRAGANA, LONGEST_WORD, LONGEST_MEANING, MOST_MEANINGS = 8, 12, 18, 4
PHRASE, OFTEN_PHRASE = 0.2, 3
COMPOUND, OFTEN_COMPOUND, SAID, NEW = 0.25, 4, 0.3, 0.12
"""A compound is kept when its best meaning is so sure and it occurs so often, unless its parts say it already
(``SAID``) and it means nothing else (``NEW``)."""
HISTORY, HISTORY_MORE, OFTEN_HISTORY = 0.08, 0.15, 4
"""How sure a meaning from histories is at least, of a new word and of a known one."""
NEAR = 0.6
"""Cosine from which the model may propose."""
_HIRAGANA = re.compile("[ぁ-ゖー]+")

Table = dict[str, dict[str, float]]
"""Japanese → English stems (or two, with a space) → how sure."""


def from_strings(long: Links, short: Links, whole: Links, parts_of: Mapping[str, Sequence[str]]) -> Table:
    """Return the meanings of words, of shorter words, and of compounds whose parts do not say them."""
    table: Table = {}
    for links in (long, short, whole):
        for word, times in links.seen.items():
            if word in table or not _is_word(word, times):
                continue
            found = _meanings(links, word, times)
            parts = [table.get(part, {}) for part in parts_of.get(word, ())]
            if links is whole and parts and not _is_telling(found, times, parts):
                continue
            if max(found.values(), default=0.0) >= (SURE_ALONE if len(word) == 1 else SURE_FIRST):
                table[word] = found
    return table


def _is_word(word: str, times: float) -> bool:
    if _HIRAGANA.fullmatch(word):
        return len(word) > 2 and times >= OFTEN_HIRAGANA
    return times >= 2 and len(word) <= LONGEST_WORD and JAPANESE.fullmatch(word) is not None


def _meanings(links: Links, word: str, times: float) -> dict[str, float]:
    counts = {english: count for english, count in links.meanings.get(word, {}).items() if count >= LEAST}
    found = {english: count / (times + 1) for english, count in counts.items() if len(english) <= LONGEST_MEANING}
    phrases = {english: count for english, count in links.phrases.get(word, {}).items() if count >= OFTEN_PHRASE}
    found |= {english: share for english, count in phrases.items() if (share := count / (times + 1)) >= PHRASE}
    return {english: share for english, share in found.items() if share >= SURE}


def _is_telling(found: Mapping[str, float], times: float, parts: Sequence[Mapping[str, float]]) -> bool:
    """Tell whether a compound says more than its parts, or something else."""
    single = {english: share for english, share in found.items() if " " not in english}
    best = max(single, key=lambda english: single[english], default="")
    if not best or single[best] < COMPOUND or times < OFTEN_COMPOUND:
        return False
    said = max((part.get(best, 0.0) for part in parts), default=0.0)
    words = {word for english in found for word in english.split()}
    astray = any(part and max(part.values()) > SAID and words.isdisjoint(part) for part in parts)
    new = sum(share for english, share in single.items() if all(part.get(english, 0.0) < SURE for part in parts))
    return said <= SAID or astray or new >= NEW


def add_histories(table: Table, plain: Links, grown: Sequence[Links], projects: Mapping[tuple[str, str], int]) -> None:
    """Add what histories say beyond the translated texts; a pair must be found in more than one project."""
    counts: dict[str, Counter[str]] = {}
    times: Counter[str] = Counter()
    for links in grown:
        for word, seen in links.seen.items():
            times[word] += seen - plain.seen.get(word, 0.0)
        for word, meanings in links.meanings.items():
            known = plain.meanings.get(word, {})
            counts.setdefault(word, Counter()).update({one: n - known.get(one, 0.0) for one, n in meanings.items()})
    for word in sorted(counts):
        if times[word] < OFTEN_HISTORY or len(word) < 2 or _HIRAGANA.fullmatch(word) or not _is_word(word, times[word]):
            continue
        least, enough = (HISTORY_MORE, 3) if word in table else (HISTORY, 2)
        found = {one: count / (times[word] + 1) for one, count in counts[word].items() if len(one) > 2 and count >= 1.5}
        new = {one: share for one, share in found.items() if share >= least and projects.get((word, one), 0) >= enough}
        if new:
            table[word] = {**new, **table.get(word, {})}


def add_proposals(table: Table, terms: Sequence[str], rows: np.ndarray, words: Collection[str]) -> None:
    """Add the model's nearest English term for those of the words that it knows and the table does not.

    How sure it is, is measured: by how often the nearest term of a word in the table is a meaning there.
    """
    rows = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)
    latin = [at for at, term in enumerate(terms) if term.isascii() and term.isalpha() and len(term) > 2]
    japanese = [at for at, term in enumerate(terms) if len(term) > 1 and JAPANESE.fullmatch(term)]
    cosines = rows[japanese] @ rows[latin].T
    nearest, height = cosines.argmax(axis=1), cosines.max(axis=1)
    tried = [
        (height[n], terms[latin[nearest[n]]] in _words(table[terms[at]]))
        for n, at in enumerate(japanese)
        if terms[at] in table
    ]
    heights, right = np.array([near for near, _ in tried]), np.array([good for _, good in tried])
    for n, at in enumerate(japanese):
        if height[n] >= NEAR and terms[at] not in table and terms[at] in words:
            alike = np.abs(heights - height[n]) < 0.05
            table[terms[at]] = {terms[latin[nearest[n]]]: float(right[alike].mean()) if alike.any() else NEAR}


def _words(meanings: Mapping[str, float]) -> set[str]:
    return {word for english in meanings for word in english.split()}


def spelled(meanings: Mapping[str, float], surfaces: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the surest meanings as words, with how sure in hundredths."""
    ordered = sorted(meanings.items(), key=lambda one: (-one[1], one[0]))[:MOST_MEANINGS]
    return [
        (" ".join(surfaces.get(part, part) for part in english.split()), max(1, round(100 * share)))
        for english, share in ordered
    ]


def surfaces(words: Sequence[str]) -> dict[str, str]:
    """Return for each stem the word that has it most often."""
    counts: dict[str, Counter[str]] = {}
    for word, count in Counter(words).items():
        counts.setdefault(stem(word), Counter())[word] = count
    return {one: min(forms, key=lambda form: (-forms[form], form)) for one, forms in counts.items()}
