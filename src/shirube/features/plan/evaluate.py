"""How good are these results: six measures, one score, and sentences a model can act on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from msgspec import Struct

from shirube.engine.text.tokens import index_terms, normalise
from shirube.features.plan.expect import Keyword
from shirube.features.plan.record import Evaluation, EvaluationMode, Expectation, Found, Metrics
from shirube.messages import Message, say

WEIGHTS: Mapping[str, float] = {
    "keyword_match": 0.25,
    "pattern_match": 0.15,
    "semantic_similarity": 0.25,
    "coverage": 0.15,
    "precision": 0.10,
    "recall": 0.10,
}
"""What each measure weighs; a measure that cannot be taken leaves its weight to the others."""
TOP = 10
"""How many results are judged: what a reader would look at."""
RELEVANT = 0.34
"""A result with this share of the expected words, rare ones counting more, is about the goal."""
NEAR = 0.5
"""… and so is one that is this near in meaning."""
GOOD, LOW = 0.7, 0.3


@dataclass(frozen=True, slots=True)
class Judge:
    """What results are compared with."""

    expected: Expectation
    keywords: tuple[Keyword, ...]
    match: Callable[[str], Callable[[str], bool]]
    """Turns a pattern into a test; patterns were checked before."""
    mode: EvaluationMode = EvaluationMode.SEMANTIC
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    seen: "dict[str, _Seen]" = field(default_factory=dict, compare=False)
    """Texts that were read already: a place comes up in turn after turn."""

    def evaluate(self, found: Found) -> Evaluation:
        """Judge the first results of a list."""
        seen = [self._read(text) for text in found.texts[:TOP]]
        near = [result.similarity for result in found.results[:TOP]]
        metrics, absent = self._measure(seen, near)
        matched, unmatched = self._expectations(seen)
        score = weighted(metrics, self.weights, absent)
        first = seen[0].share if seen else 0.0
        suggestions = tuple(_suggestions(metrics, unmatched, len(seen), absent))
        return Evaluation(
            metrics, round(score, 4), _feedback(metrics, self, seen, unmatched), suggestions, matched, unmatched, first
        )

    @property
    def telling(self) -> float:
        """How far it says anything of a result that it meets what somebody expects; 1 when nobody said."""
        return max((word.telling for word in self.keywords), default=1.0) if self.expected.given else 1.0

    def share(self, text: str) -> float:
        """Return how much of what is expected stands in a text, rare words counting more."""
        return self._read(text).share

    def _read(self, text: str) -> "_Seen":
        if text not in self.seen:
            self.seen[text] = _Seen.of(text, self)
        return self.seen[text]

    def _measure(self, seen: "list[_Seen]", near: Sequence[float | None]) -> tuple[Metrics, frozenset[str]]:
        whole = sum(word.rarity for word in self.keywords)
        there = {word.text for one in seen for word in one.words}
        relevant = sum(self._is_relevant(one, similar) for one, similar in zip(seen, near, strict=True))
        matched, unmatched = self._expectations(seen)
        known = [similar for similar in near if similar is not None]
        metrics = Metrics(
            keyword_match=_share(sum(word.rarity for word in self.keywords if word.text in there), whole),
            pattern_match=_share(len(self._patterns(seen)), len(self.expected.patterns), 1.0),
            semantic_similarity=_weighted_mean(known),
            coverage=min(1.0, relevant / max(1, self.expected.min_matches)),
            precision=_share(relevant, len(seen)),
            recall=_share(len(matched), len(matched) + len(unmatched)),
        )
        return metrics, frozenset(self._absent(bool(known)))

    def _absent(self, sensed: bool) -> list[str]:
        absent = [] if self.expected.patterns else ["pattern_match"]
        absent += [] if self.keywords else ["keyword_match"]
        absent += [] if self.keywords or self.expected.patterns else ["recall"]
        counts = sensed and self.mode is EvaluationMode.SEMANTIC
        return absent if counts else [*absent, "semantic_similarity"]

    def _is_relevant(self, one: "_Seen", similar: float | None) -> bool:
        near = self.mode is EvaluationMode.SEMANTIC and similar is not None and similar >= NEAR
        if not self.keywords:
            return near or similar is None
        least = 1.0 if self.mode is EvaluationMode.STRICT else RELEVANT
        return one.share >= least or (near and bool(one.words))

    def _patterns(self, seen: "list[_Seen]") -> list[str]:
        return [pattern for pattern in self.expected.patterns if any(map(self.match(pattern), (s.raw for s in seen)))]

    def _expectations(self, seen: "list[_Seen]") -> tuple[tuple[str, ...], tuple[str, ...]]:
        there = {word.text for one in seen for word in one.words} | set(self._patterns(seen))
        every = (*(word.text for word in self.keywords), *self.expected.patterns)
        return tuple(one for one in every if one in there), tuple(one for one in every if one not in there)


class _Seen(Struct, frozen=True):
    raw: str
    words: tuple[Keyword, ...]
    share: float

    @classmethod
    def of(cls, text: str, judge: Judge) -> "_Seen":
        lower, terms = normalise(text).lower(), frozenset(index_terms(text))
        words = tuple(word for word in judge.keywords if word.stands_in(lower, terms, judge.mode))
        whole = sum(word.rarity for word in judge.keywords)
        return cls(text, words, _share(sum(word.rarity for word in words), whole))


def weighted(metrics: Metrics, weights: Mapping[str, float], absent: frozenset[str] = frozenset()) -> float:
    """Return one score; the weight of what could not be measured is shared by the rest."""
    live = {name: weights.get(name, 0.0) for name in Metrics.__struct_fields__ if name not in absent}
    whole = sum(live.values())
    return sum(weight * getattr(metrics, name) for name, weight in live.items()) / whole if whole else 0.0


def _share(part: float, whole: float, empty: float = 0.0) -> float:
    return round(part / whole, 4) if whole else empty


def _weighted_mean(values: Sequence[float]) -> float:
    """Return a mean in which the first result counts most: 1, 1/2, 1/3, …"""
    shares = [1 / place for place in range(1, len(values) + 1)]
    return round(sum(v * s for v, s in zip(values, shares, strict=True)) / sum(shares), 4) if values else 0.0


def _feedback(metrics: Metrics, judge: Judge, seen: list[_Seen], unmatched: tuple[str, ...]) -> Message:
    if not seen:
        return say("plan.nothing")
    said = []
    if judge.keywords:
        told = "good" if metrics.keyword_match >= GOOD else "low" if metrics.keyword_match < LOW else "fair"
        count = sum(any(word in one.words for one in seen) for word in judge.keywords)
        said.append(say("plan.keywords", grade=say(f"plan.{told}"), found=count, total=len(judge.keywords)))
    if unmatched:
        said.append(say("plan.not_found", words=unmatched[:6]))
    if metrics.coverage < GOOD:
        wanted = judge.expected.min_matches
        said.append(say("plan.only", count=round(metrics.coverage * wanted), wanted=wanted))
    if metrics.precision < 0.5 and judge.keywords:
        said.append(say("plan.little"))
    return reduce(lambda first, second: say("plan.then", first=first, second=second), said or [say("plan.holds")])


def _suggestions(metrics: Metrics, unmatched: tuple[str, ...], count: int, absent: frozenset[str]) -> list[Message]:
    found = []
    if unmatched:
        found.append(say("plan.ask_missing", words=" ".join(unmatched[:4])))
    if "keyword_match" not in absent and metrics.keyword_match < 0.5:
        found.append(say("plan.add_words"))
    if count == 0 or metrics.coverage <= 0.2:
        found.append(say("plan.widely"))
    elif metrics.precision < 0.5:
        found.append(say("plan.narrowly"))
    if "semantic_similarity" not in absent and metrics.semantic_similarity < 0.5:
        found.append(say("plan.other_words"))
    return found
