"""Judges how good results are: six measures, one score, and sentences a model can act on.

The module has three parts: the words that a good answer would contain, in English and Japanese; the judge that compares
results with them; and the likelihood that the first result is right. The likelihood combines three signs: the search's
own confidence, whether other questions led to the same file, and how many of the expected words it contains. A logistic
curve weighs them, one for given expectations and one for those derived from the goal; ``benchmarks/plans`` fits both.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from math import exp, log

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.bm25 import idf
from shirube.engine.text.glossary import other_forms, stop_words
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import index_terms, normalise, tokenize
from shirube.features.map.meanings import read_japanese
from shirube.features.plan.record import Evaluation, EvaluationMode, Expectation, Metrics, StepResults
from shirube.messages import Message, say
from shirube.settings import PlanConfidence

COMMON, RARE = 5, 50
"""A word in every fifth chunk has no weight as evidence; one in every fiftieth chunk or fewer has full weight."""

Frequencies = tuple[int, Mapping[str, int]]
"""The number of chunks, and how many of them contain each term."""
WEIGHTS: Mapping[str, float] = {
    "keyword_match": 0.25,
    "pattern_match": 0.15,
    "semantic_similarity": 0.25,
    "coverage": 0.15,
    "precision": 0.10,
    "recall": 0.10,
}
"""The weight of each measure; the weight of a measure that is not available goes to the others."""
TOP = 10
"""How many results are judged: as many as a reader would look at."""
RELEVANT = 0.34
"""A result with this share of the expected words (rare words count more) is relevant."""
NEAR = 0.5
"""A result with this similarity in meaning is relevant too, if it has any expected word."""
GOOD, LOW = 0.7, 0.3


class Keyword(Struct, frozen=True):
    """An expected word or short phrase, and all the forms in which a text may contain it."""

    text: str
    forms: tuple[frozenset[str], ...]
    """Sets of index terms; a text that has all terms of one set contains the keyword."""
    rarity: float = 1.0
    telling: float = 1.0
    """From 0, a word that is everywhere, to 1, a word that few chunks have."""

    def stands_in(self, text: str, terms: frozenset[str], mode: EvaluationMode) -> bool:
        """Tell whether a text contains it: as written, or, unless the mode is strict, in any form."""
        if normalise(self.text).lower() in text:
            return True
        return mode is not EvaluationMode.STRICT and any(form <= terms for form in self.forms if form)


def goal_words(goal: str) -> tuple[str, ...]:
    """Return the words a goal is about, in order: ``"テスト戦略を理解する"`` → ``("テスト", "戦略")``.

    Names, paths and quotations are kept as they are; stop words and words of asking are dropped.
    """
    read = read_query(goal)
    words: list[str] = []
    for term in read.terms:
        if term.kind is TermKind.CJK:
            parts = (part.text for part in read_japanese(term.text) if part.telling and len(part.text) > 1)
            words += [part for part in parts if part not in _asking_words()]
            continue
        lower = term.text.lower()
        says_little = (
            lower in stop_words() or stem(lower) in _asking_words() or (len(lower) < 2 and not lower.isdigit())
        )
        if term.kind is not TermKind.WORD or not says_little:
            words.append(term.text)
    return tuple(dict.fromkeys(words))


@cache
def _asking_words() -> frozenset[str]:
    """Return the words that express what a user wants to do, not what it is about: English stems and Japanese."""
    words = packaged("shirube.features.plan", "words.toml")["asking"]
    return frozenset((*map(stem, words["en"].split()), *words["ja"].split()))


def keywords_of(words: Iterable[str], frequencies: Callable[[Sequence[str]], Frequencies]) -> tuple[Keyword, ...]:
    """Return keywords for words, with their forms and their rarity in this project."""
    forms = {word: forms_of(word) for word in dict.fromkeys(word.strip() for word in words) if word}
    total, counts = frequencies(sorted({term for each in forms.values() for form in each for term in form}))
    # From the rarity of a common word to that of one in a single chunk at most: the weight of a word as evidence.
    highest = min(log(RARE), idf(total, 1)) if total else 1.0
    least = highest * log(COMMON) / log(RARE)
    keywords = []
    for word, each in forms.items():
        most = max((min((counts.get(term, 0) for term in form), default=0) for form in each), default=0)
        rarity = idf(total, min(total, most)) if total else 1.0
        telling = round(min(1.0, max(0.0, (rarity - least) / (highest - least))), 4)
        keywords.append(Keyword(word, each, rarity, telling))
    return tuple(keywords)


def forms_of(word: str) -> tuple[frozenset[str], ...]:
    """Return the sets of index terms that represent a word: its own, its short forms, and its English translations."""
    own = [stem(token) for token in tokenize(word) if token not in stop_words()] or index_terms(word)
    forms = [frozenset(own)]
    if len(own) == 1:
        forms += [frozenset({other}) for other in other_forms(own[0])]
    for part in read_japanese(word):
        forms += [frozenset(map(stem, meaning.split())) for meaning in part.english]
    return tuple(dict.fromkeys(forms))


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares results with expectations."""

    expected: Expectation
    keywords: tuple[Keyword, ...]
    match: Callable[[str], Callable[[str], bool]]
    """Turns a pattern into a test; the patterns are valid already."""
    mode: EvaluationMode = EvaluationMode.SEMANTIC
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    seen: "dict[str, _Seen]" = field(default_factory=dict, compare=False)
    """A cache of analysed texts: the same places appear in turn after turn."""

    def evaluate(self, found: StepResults) -> Evaluation:
        """Judge the first results of a list."""
        seen = [self._read(text) for text in found.texts[:TOP]]
        near = [result.similarity for result in found.results[:TOP]]
        known = [similar for similar in near if similar is not None]
        words = {word.text for text in seen for word in text.words}
        expected, patterns = self.expected.patterns, {item for text in seen for item in text.patterns}
        wanted = (*(word.text for word in self.keywords), *expected)
        matched = tuple(item for item in wanted if item in words | patterns)
        unmatched = tuple(item for item in wanted if item not in matched)
        relevant = sum(map(self._is_relevant, seen, near))
        metrics = Metrics(
            keyword_match=_rarity_share(words, self.keywords),
            pattern_match=_share(len(patterns), len(expected), 1.0),
            semantic_similarity=_weighted_mean(known),
            coverage=min(1.0, relevant / max(1, self.expected.min_matches)),
            precision=_share(relevant, len(seen)),
            recall=_share(len(matched), len(wanted)),
        )
        absent = self._absent(bool(known))
        return Evaluation(
            metrics=metrics,
            score=round(weighted(metrics, self.weights, absent), 4),
            feedback=_feedback(metrics, self, seen, unmatched),
            suggestions=tuple(_suggestions(metrics, unmatched, len(seen), absent)),
            matched=matched,
            unmatched=unmatched,
            first=seen[0].share if seen else 0.0,
            least=min(
                (getattr(metrics, name) for name in Metrics.__struct_fields__ if name not in absent), default=0.0
            ),
        )

    @property
    def telling(self) -> float:
        """How much the given keywords prove about a result that has them, from 0 to 1; 1 when none were given."""
        return max((word.telling for word in self.keywords), default=1.0) if self.expected.given else 1.0

    def share(self, text: str) -> float:
        """Return the share of the expected words that a text contains; rare words count more."""
        return self._read(text).share

    def held(self, text: str) -> set[str]:
        """Return the expected words and patterns that a text contains."""
        seen = self._read(text)
        return {*(word.text for word in seen.words), *seen.patterns}

    def _read(self, text: str) -> "_Seen":
        if text not in self.seen:
            lower, terms = normalise(text).lower(), frozenset(index_terms(text))
            words = tuple(word for word in self.keywords if word.stands_in(lower, terms, self.mode))
            patterns = tuple(item for item in self.expected.patterns if self.match(item)(text))
            self.seen[text] = _Seen(words, patterns, _rarity_share({word.text for word in words}, self.keywords))
        return self.seen[text]

    def _absent(self, sensed: bool) -> frozenset[str]:
        """Return the measures that are not available."""
        absent = [] if self.expected.patterns else ["pattern_match"]
        absent += [] if self.keywords else ["keyword_match"]
        absent += [] if self.keywords or self.expected.patterns else ["recall"]
        counts = sensed and self.mode is EvaluationMode.SEMANTIC
        return frozenset(absent if counts else [*absent, "semantic_similarity"])

    def _is_relevant(self, text: "_Seen", similar: float | None) -> bool:
        near = self.mode is EvaluationMode.SEMANTIC and similar is not None and similar >= NEAR
        if not self.keywords:
            return near or similar is None
        least = 1.0 if self.mode is EvaluationMode.STRICT else RELEVANT
        return text.share >= least or (near and bool(text.words))


class _Seen(Struct, frozen=True):
    words: tuple[Keyword, ...]
    patterns: tuple[str, ...]
    share: float


def weighted(metrics: Metrics, weights: Mapping[str, float], absent: frozenset[str] = frozenset()) -> float:
    """Return one score; the weight of absent measures goes to the others."""
    live = {name: weights.get(name, 0.0) for name in Metrics.__struct_fields__ if name not in absent}
    whole = sum(live.values())
    return sum(weight * getattr(metrics, name) for name, weight in live.items()) / whole if whole else 0.0


def _share(part: float, whole: float, empty: float = 0.0) -> float:
    return round(part / whole, 4) if whole else empty


def _rarity_share(there: Collection[str], keywords: Sequence[Keyword]) -> float:
    """Return the share of the keywords that are present; rare ones count more."""
    found = sum(word.rarity for word in keywords if word.text in there)
    return _share(found, sum(word.rarity for word in keywords))


def _weighted_mean(values: Sequence[float]) -> float:
    """Return a mean in which the first result counts most: 1, 1/2, 1/3, …"""
    shares = [1 / place for place in range(1, len(values) + 1)]
    return round(sum(v * s for v, s in zip(values, shares, strict=True)) / sum(shares), 4) if values else 0.0


def _feedback(metrics: Metrics, judge: Judge, seen: list[_Seen], unmatched: tuple[str, ...]) -> Message:
    if not seen:
        return say("plan.nothing")
    sentences = []
    if judge.keywords:
        grade = "good" if metrics.keyword_match >= GOOD else "low" if metrics.keyword_match < LOW else "fair"
        count = sum(any(word in text.words for text in seen) for word in judge.keywords)
        sentences.append(say("plan.keywords", grade=say(f"plan.{grade}"), found=count, total=len(judge.keywords)))
    if unmatched:
        sentences.append(say("plan.not_found", words=unmatched[:6]))
    if metrics.coverage < GOOD:
        wanted = judge.expected.min_matches
        sentences.append(say("plan.only", count=round(metrics.coverage * wanted), wanted=wanted))
    if metrics.precision < 0.5 and judge.keywords:
        sentences.append(say("plan.little"))
    return reduce(lambda first, second: say("plan.then", first=first, second=second), sentences or [say("plan.holds")])


def _suggestions(metrics: Metrics, unmatched: tuple[str, ...], count: int, absent: frozenset[str]) -> list[Message]:
    advice = []
    if unmatched:
        advice.append(say("plan.ask_missing", words=" ".join(unmatched[:4])))
    if "keyword_match" not in absent and metrics.keyword_match < 0.5:
        advice.append(say("plan.add_words"))
    if count == 0 or metrics.coverage <= 0.2:
        advice.append(say("plan.widely"))
    elif metrics.precision < 0.5:
        advice.append(say("plan.narrowly"))
    if "semantic_similarity" not in absent and metrics.semantic_similarity < 0.5:
        advice.append(say("plan.other_words"))
    return advice


class PlanSigns(Struct, frozen=True):
    """The evidence that the first of all results is right."""

    search: float
    """The highest confidence of the search in a turn that ranked this file first."""
    agreement: float
    """The share of the turns that ranked this file first."""
    first: float
    """The share of the expected words that it contains; rare ones count more."""


def likelihood(signs: PlanSigns, weights: PlanConfidence) -> float:
    """Return the likelihood that the first result is right, from 0 to 1."""
    total = (
        weights.bias + weights.search * signs.search + weights.agreement * signs.agreement + weights.first * signs.first
    )
    return round(1 / (1 + exp(-total)), 3)


def tempered(likely: float, otherwise: float, search: float, telling: float) -> float:
    """Blend the likelihood by expectations with the lowest estimate; ``telling`` is the weight of the first.

    ``otherwise`` is the likelihood by the words of the goal alone, ``search`` the confidence of the search itself.
    """
    return round(telling * likely + (1 - telling) * min(likely, otherwise, search), 3)
