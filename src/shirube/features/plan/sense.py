"""Whether two short texts of a request say the same, judged by their words and, where there is a model, by its vectors.

Words are paired first: the same word, the same sense (``senses.toml``), a translation (the glossary), a near vector.
What tells two texts apart is what remains: a word that is negated on one side only, a word and its opposite, or one
word put in the place of another. The weights are fitted by ``benchmarks/frames`` on its development half.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import inf
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.glossary import is_hiragana, stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import KANJI, folded, normalise
from shirube.features.map.meanings import read_japanese

if TYPE_CHECKING:
    from shirube.engine.embed.port import Embedder

Cosine = Callable[[str, str], float]
"""How near two texts are by their vectors, from -1 to 1."""
NEAR = 0.3
"""The least cosine by which two words are taken for one another."""
MOST_PAIRS = 4
"""Further pairs add no certainty."""
_REVERSED = re.compile("^(?:un|dis|non|de)(?=[a-z]{3})|^[非未不]")
"""A prefix that turns a word into its opposite."""
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


class SenseWeights(Struct, frozen=True):
    """What each observation adds to the score; from 0 on the texts agree."""

    bias: float
    share: float
    """For all words of the side that has the smaller share of unpaired ones."""
    pair: float
    """For each pair of words that are the same or have a sense in common."""
    near: float
    """For each pair of words that only the model takes for one another."""
    rest: float
    """For the cosine of what is unpaired on both sides."""
    rest_to_whole: float
    """For the cosine of what is unpaired on one side with the whole other side."""
    clash: float
    """A word is negated on one side only, or stands against its opposite."""
    replaced: float
    """Words stand in the place of others that are not known to mean the same; less where the rest is reworded."""
    nearly_replaced: float
    """The same for one word in the place of a near one."""
    untranslated: float
    """Both sides have unpaired words and are in different languages, where a fair wording translates them all."""


WITH_MODEL = SenseWeights(-1.6, 1.8, 1.3, 2.2, 2.6, 5.1, -6.0, -2.9, -2.4, -2.2)
WITHOUT_MODEL = SenseWeights(-1.3, 1.4, 1.5, 0.0, 0.0, 0.0, -6.0, -3.0, 0.0, -1.6)


class SenseWord(Struct, eq=False):
    """A telling word or phrase of a text."""

    text: str
    place: int
    names: frozenset[str] = frozenset()
    """Its stem, or the stems of its translations."""
    senses: frozenset[tuple[int, int]] = frozenset()
    """The rows of ``senses.toml`` it stands in; the second number is its side among opposites, or -1."""
    negates: bool = False
    troubled: bool = False
    negated: bool = False

    def is_like(self, other: "SenseWord") -> bool:
        """Tell whether both are the same word or have a sense in common."""
        return bool(self.names & other.names or self.senses & other.senses)

    def excludes(self, other: "SenseWord") -> bool:
        """Tell whether the words are opposites, or different numbers."""
        if self.text.isdigit() and other.text.isdigit():
            return self.text != other.text
        if _REVERSED.sub("", self.text) == other.text or self.text == _REVERSED.sub("", other.text):
            return self.text != other.text
        return any(
            row == its and side != its_side and side >= 0 for row, side in self.senses for its, its_side in other.senses
        )


class Comparison(Struct, frozen=True):
    """What was observed when two texts were compared."""

    score: float
    clash: tuple[str, str] = ("", "")
    """The words that exclude each other."""
    rest: tuple[str, str] = ("", "")
    """What is said on one side only."""

    @property
    def agrees(self) -> bool:
        """Whether both texts say the same."""
        return self.score >= 0


def cosine_of(embedder: "Embedder") -> Cosine | None:
    """Return how near texts are by a model, each text embedded once; nothing for a model without meanings."""
    if not embedder.trained:
        return None
    row = cache(lambda text: embedder.query(text)[0])
    return lambda first, second: float(row(first) @ row(second))


def compare(
    value: str,
    quote: str,
    cosine: Cosine | None = None,
    *,
    is_name: bool = False,
    weights: SenseWeights | None = None,
) -> Comparison:
    """Compare two texts; for the name of a thing it does not matter what is denied about it."""
    if folded(value) == folded(quote):
        return Comparison(inf if folded(value) else -inf)
    first, second = read_words(value), read_words(quote)
    near = cosine or (lambda one, other: 0.0)
    pairs = _pairs(first, second, near)
    rests = _unpaired(first, [pair[0] for pair in pairs], second), _unpaired(second, [pair[1] for pair in pairs], first)
    texts = _joined(rests[0]), _joined(rests[1])
    clash = _clash(pairs, first, second, rests, is_name)
    alike = [pair for pair in pairs if pair[0].is_like(pair[1])]
    guessed = sum(not one.is_like(other) and not one.excludes(other) for one, other in pairs)
    kept = sum(bool(one.names & other.names) for one, other in alike) / len(alike) if alike else 0.0
    weights = weights or (WITH_MODEL if cosine else WITHOUT_MODEL)
    score = weights.bias + weights.pair * min(len(alike), MOST_PAIRS) + weights.near * min(guessed, MOST_PAIRS)
    score += weights.share * max(_share(first, rests[0]), _share(second, rests[1]))
    score += weights.clash if any(clash) else 0.0
    sides = ((texts[0], quote), (texts[1], value))
    score += weights.rest_to_whole * max(near(rest, whole) if rest else 0.0 for rest, whole in sides)
    translated = value.isascii() != quote.isascii()
    if all(texts):
        score += weights.rest * near(*texts)
        if translated:
            score += weights.untranslated
        elif len(rests[0]) == len(rests[1]) == 1 or _gap(first, rests[0], pairs) == _gap(second, rests[1], pairs) >= 0:
            score += weights.replaced * kept
    elif guessed == 1 and not translated:
        score += weights.nearly_replaced * kept
    return Comparison(score, clash, texts)


def _joined(words: Iterable[SenseWord]) -> str:
    return " ".join(word.text for word in words)


def _share(words: Sequence[SenseWord], rest: Sequence[SenseWord]) -> float:
    """Return the share of the telling words that are paired."""
    telling = sum(not word.negates for word in words)
    return 1 - len(rest) / telling if telling else 0.0


def _gap(words: Sequence[SenseWord], rest: Sequence[SenseWord], pairs: "Pairs") -> int:
    """Return between which pairs the rest stands, as a set of bits; -1 when it stands in several places."""
    telling = [word for word in words if not word.negates]
    places = [place for place, word in enumerate(telling) if word in rest]
    if not places or places[-1] - places[0] + 1 != len(places):
        return -1
    before = telling[: places[0]]
    return sum(1 << number for number, pair in enumerate(pairs) if pair[0] in before or pair[1] in before)


# --- which words belong together ----------------------------------------------------------------------------

Pairs = list[tuple[SenseWord, SenseWord]]


def _pairs(first: Sequence[SenseWord], second: Sequence[SenseWord], near: Cosine) -> Pairs:
    """Pair the words of two texts, each once: by likeness, as opposites, then by their vectors, the nearest first."""
    pairs: Pairs = []

    def take(candidates: Iterable[tuple[SenseWord, SenseWord]]) -> None:
        for one, other in candidates:
            if not any(one is left or other is right for left, right in pairs):
                pairs.append((one, other))

    every = [(one, other) for one in first for other in second if not one.negates and not other.negates]
    take((one, other) for one, other in every if one.is_like(other))
    unpaired = (
        set(_unpaired(first, [one for one, _ in pairs], second)),
        set(_unpaired(second, [it for _, it in pairs], first)),
    )
    every = [(one, other) for one, other in every if one in unpaired[0] and other in unpaired[1]]
    take((one, other) for one, other in every if one.excludes(other))
    cosines = ((near(one.text, other.text), pair) for pair in every for one, other in [pair] if not one.excludes(other))
    close = sorted(((cosine, pair) for cosine, pair in cosines if cosine >= NEAR), key=lambda item: -item[0])
    take(pair for _, pair in close)
    return pairs


def _unpaired(words: Sequence[SenseWord], paired: Sequence[SenseWord], others: Sequence[SenseWord]) -> list[SenseWord]:
    """Return the words without a counterpart; a word may repeat what another one said already."""
    return [
        word
        for word in words
        if not word.negates
        and not any(word is one for one in paired)
        and not any(word.is_like(other) for other in others if not other.negates)
    ]


def _clash(
    pairs: Pairs,
    first: Sequence[SenseWord],
    second: Sequence[SenseWord],
    rests: Sequence[Sequence[SenseWord]],
    is_name: bool,
) -> tuple[str, str]:
    """Return the words of a pair that exclude each other, or empty texts.

    A negation is no clash where the other side has one as well, or speaks of trouble: "cannot save", "saving crashes".
    """
    for one, other in pairs:
        opposed = not one.is_like(other) and one.excludes(other)
        if (one.negated != other.negated) == opposed or (is_name and not opposed):
            continue
        affirming, rest = (second, rests[1]) if one.negated else (first, rests[0])
        if opposed or not (any(word.negates for word in affirming) or any(word.troubled for word in rest)):
            return (one.text, other.text) if opposed else (_with_negation(one), _with_negation(other))
    return "", ""


def _with_negation(word: SenseWord) -> str:
    if not word.negated:
        return word.text
    return f"not {word.text}" if word.text.isascii() else f"{word.text}…ない"


# --- from a text to its words -------------------------------------------------------------------------------


class _Table(Struct, frozen=True):
    phrases: dict[tuple[str, ...], set[tuple[int, int]]]
    """Stems of an English word or phrase → its senses; those below 0 are the marks."""
    longest: int
    japanese: dict[str, set[tuple[int, int]]]
    finder: re.Pattern[str]
    light: frozenset[str]
    base: dict[str, str]
    """Irregular form → base form."""


NEGATION, TROUBLE, LIGHT = (-1, -1), (-2, -1), (-3, -1)


@cache
def _table() -> _Table:
    words = packaged("shirube.features.plan", "senses.toml")
    base = {form: verb for verb, forms in words["irregular"].items() for form in forms.split()}
    rows = [((number, -1), row) for number, row in enumerate(words["same"])]
    first = len(rows)
    rows += [((first + at, side), text) for at, row in enumerate(words["opposite"]) for side, text in enumerate(row)]
    rows += [
        (mark, words[name][tongue])
        for mark, name in ((NEGATION, "negation"), (TROUBLE, "trouble"))
        for tongue in ("en", "ja")
    ]
    rows.append((LIGHT, words["light"]["ja"]))
    phrases: dict[tuple[str, ...], set[tuple[int, int]]] = {}
    japanese: dict[str, set[tuple[int, int]]] = {}
    for sense, row in rows:
        for word in row.split():
            if word.isascii():
                stems = tuple(stem(base.get(part, part)) for part in re.split("[_-]", word))
                phrases.setdefault(stems, set()).add(sense)
            else:
                japanese.setdefault(folded(word), set()).add(sense)
    for word, senses in japanese.items():  # 古い is also 古
        for cut in range(1, len(word)):
            if is_hiragana(word[cut:]) and not is_hiragana(word[:cut]):
                senses.update(japanese.get(word[:cut], ()))
    finder = re.compile(
        "|".join(  # a single kanji beside another one is part of a longer word
            f"(?<![{KANJI}]){word}(?![{KANJI}])" if re.fullmatch(f"[{KANJI}]", word) else re.escape(word)
            for word in sorted(japanese, key=len, reverse=True)
        )
    )
    longest = max(map(len, phrases))
    return _Table(phrases, longest, japanese, finder, frozenset(words["light"]["en"].split()), base)


def read_words(text: str) -> list[SenseWord]:
    """Return the telling words of a text in their order; a word that a negation belongs to is marked as negated."""
    lowered = normalise(text).lower().replace("’", "'")
    table = _table()
    japanese = ((found, table.japanese[found[0]]) for found in table.finder.finditer(lowered))
    words = [_word(found[0], found.start(), [found[0]], senses) for found, senses in japanese if LIGHT not in senses]
    known = table.finder.sub(lambda found: " " * len(found[0]), lowered)
    words += _unknown_japanese(known)
    words += _english(known)
    words.sort(key=lambda word: word.place)
    for number, word in enumerate(words):
        if word.negates:
            before = [other for other in words[:number] if not other.negates][-1:]
            after = [other for other in words[number + 1 :] if not other.negates][:1]
            target = (after or before) if word.text.isascii() else (before or after)
            for other in target:
                other.negated = not other.negated
    return words


def _word(text: str, place: int, names: Iterable[str], senses: Iterable[tuple[int, int]]) -> SenseWord:
    found = frozenset(senses)
    return SenseWord(
        text, place, frozenset(names), found - {NEGATION, TROUBLE}, negates=NEGATION in found, troubled=TROUBLE in found
    )


def _unknown_japanese(text: str) -> Iterator[SenseWord]:
    """Yield the Japanese words that the glossary knows, and names that nobody knows."""
    table, place = _table(), 0
    for part in read_japanese(text):
        if part.text in stop_words() or (len(part.text) == 1 and is_hiragana(part.text)):
            continue
        place = max(text.find(part.text, place), 0)
        meanings = [tuple(map(stem, english.lower().split())) for english in part.english]
        senses = {sense for stems in meanings for sense in table.phrases.get(stems, ())}
        yield _word(part.text, place, [part.text, *map(" ".join, meanings)], senses)


def _english(text: str) -> Iterator[SenseWord]:
    table = _table()
    words = [(table.base.get(word, word), place) for word, place in _cut(text) if word not in ("a", "an", "the")]
    stems = [stem(word) for word, _ in words]
    at = 0
    while at < len(words):
        word, place = words[at]
        lengths = range(min(table.longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if tuple(stems[at : at + n]) in table.phrases), 0)
        if length and (length > 1 or word not in table.light):
            phrase = tuple(stems[at : at + length])
            yield _word(
                " ".join(word for word, _ in words[at : at + length]), place, [" ".join(phrase)], table.phrases[phrase]
            )
        elif not length and word not in table.light and word not in stop_words() and (len(word) > 1 or word.isdigit()):
            yield _word(word, place, [stems[at]], ())
        at += length or 1


def _cut(text: str) -> Iterator[tuple[str, int]]:
    """Yield English words with their places: ``"doesn't"`` → ``does``, ``not``."""
    for found in _WORD.finditer(text):
        word, _, rest = found[0].partition("'")
        if rest == "t" and word.endswith("n"):
            yield "can" if word == "can" else word[:-1], found.start()
            yield "not", found.start()
        else:
            yield word, found.start()
