"""Finds the agreements a question is about, and how surely. Pure: callers pass the agreements and the similarity."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp, log

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.text.glossary import in_japanese, other_forms, rarity, stop_words
from shirube.engine.text.japanese import folded
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, split_identifier
from shirube.features.map.agreement import Agreement, plain_symbol, plain_term
from shirube.features.map.same_term import ReadTerm, read_term, same_read
from shirube.features.map.states import Tier
from shirube.messages import NOTHING, Message, say

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the calibrated similarity of a term to each text, from 0 to 1: ``workspace.similarity``."""
Concept = tuple[str, ...]
"""One concept: the stems of its words, or Japanese as written."""
Weights = Mapping[Concept, float]
"""Concepts, and how much each tells."""

_ASKING = """
add change code feature fix function handle handled implement logic make modify part support update
コード 関数
"""
ASKING = frozenset(_ASKING.split())
"""Words that requests use whatever they are about: they do not distinguish agreements."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")
GENERAL = 0.3
"""How much a word of ``ASKING`` tells, compared with others."""
MOST_ASKED = 2000
"""How many agreements are compared by meaning when words find no answer; the best by words come first."""
REFINED = 24
"""How many of the most similar texts are compared word by word."""
MOST_WORDS = 12
"""How many words of a question are compared by meaning, the most telling first."""
FLOOR, SHARE = 0.05, 0.5
"""Agreements below this similarity, or this share of the best, are not returned."""
WHOLE, PART, BIAS = 3.5, 3.5, -5.8
"""The curve from two shares to the similarity: of the whole texts, and of the question's words that a term has.

It is how likely a question means this agreement and none of the project's others. Fitted on questions about six
projects in people's words (``benchmarks/agreements/terms.md``); it stays below 0.8, whatever the two shares are.
"""


def concepts(text: str) -> Weights:
    """Return the concepts of a text and how telling each is in the language: 支払いの再試行 → payment, retry.

    Rare words tell most. The words of ``ASKING`` tell little, and stop words count only when there are no others.
    """
    weights: dict[Concept, float] = {}
    empty: dict[Concept, float] = {}
    for run in _RUN.findall(folded(in_japanese(text))):
        for share, concept in _japanese(run) if _JAPANESE.match(run) else _latin(run):
            (weights if share else empty).setdefault(concept, (share or 1.0) * rarity(concept[0]))
    return weights or empty


def covered(wanted: Weights, have: Iterable[Concept]) -> tuple[float, list[Concept]]:
    """Return the share of the wanted concepts that are present, by weight, and the missing ones."""
    known = {form for concept in have for form in concept}
    missing = [concept for concept in wanted if not known.intersection(concept)]
    total = sum(wanted.values())
    return (1 - sum(wanted[concept] for concept in missing) / total if total else 0.0), missing


def _latin(run: str) -> Iterator[tuple[float, Concept]]:
    for word in split_identifier(run):
        share = 0.0 if word in stop_words() else GENERAL if word in ASKING else 1.0
        yield share, (stem(word), *other_forms(stem(word)))


def _japanese(run: str) -> Iterator[tuple[float, Concept]]:
    """Yield the concepts of a run of Japanese; a word that means a phrase ("new feature") is one for each word."""
    from shirube.features.map.meanings import read_japanese  # imported late: few questions need its tables

    for part in read_japanese(run):
        is_general = part.text in ASKING or not part.telling
        share = 0.0 if part.text in stop_words() else GENERAL if is_general else 1.0
        single = tuple(dict.fromkeys(stem(word) for word in part.english if " " not in word))
        phrase = part.english[0].split() if part.english and not single else ()
        yield from ((share, (stem(word),)) for word in phrase)
        if not phrase:
            yield share, single or (part.text,)


class Near(Struct, frozen=True):
    """An agreement that may answer."""

    agreement: Agreement
    similarity: float
    """How surely the question is about it, from 0 to 1; thresholds apply to this number."""
    how: Message = NOTHING
    """How it was found: by exact words, by shared words, or by meaning."""
    alone: bool = False
    """Whether the question is this very term, so that it may answer by itself (``same_term``)."""


class _Face(Struct, frozen=True):
    """A text by which an agreement can be found: its term or its symbol."""

    text: str
    concepts: Weights
    term: ReadTerm


def tier_of(similarity: float, earned: bool, enough: float, ready: float) -> Tier:
    """Return the phase a hit leads to; a hypothesis, and an agreement about another term, lead to exploration."""
    if not earned or similarity < enough:
        return Tier.EXPLORATION
    return Tier.READY if similarity >= ready else Tier.VERIFICATION


class Index:
    """The map, prepared for look-ups; built once for each state of the map."""

    def __init__(self, agreements: Sequence[Agreement]) -> None:
        self.agreements = tuple(agreements)
        faces = []
        for agreement in self.agreements:
            texts = [agreement.nl_term, *([agreement.symbol_normalized] if agreement.symbol else [])]
            faces.append(tuple(_Face(text, concepts(text), read_term(text)) for text in texts))
        self._count = Counter(
            form for group in faces for form in {one for face in group for one in _forms(face.concepts)}
        )
        self.faces = [tuple(replace(face, concepts=self.weighed(face.concepts)) for face in group) for group in faces]
        self._by_name: dict[str, list[int]] = {}
        self._by_form: dict[str, list[int]] = {}
        self._by_key: dict[str, list[int]] = {}
        for place, agreement in enumerate(self.agreements):
            for name in {plain_term(agreement.nl_term), agreement.symbol.casefold()} - {""}:
                self._by_name.setdefault(name, []).append(place)
            for form in {form for face in self.faces[place] for form in _forms(face.concepts)}:
                self._by_form.setdefault(form, []).append(place)
            for key in {key for face in self.faces[place] for key in (*face.term.keys, *face.term.english)}:
                self._by_key.setdefault(key, []).append(place)

    def weighed(self, concepts: Weights) -> Weights:
        """Return concepts with less weight for those that many agreements have: they distinguish none."""
        size = len(self.agreements) + 2
        counts = {concept: max(1, *(self._count[form] for form in concept)) for concept in concepts}
        return {concept: weight * log(size / counts[concept]) / log(size) for concept, weight in concepts.items()}

    def same(self, question: str) -> dict[int, float]:
        """Return the agreements about the very term that was asked for, and how similar each is."""
        asked = read_term(question)
        places = {place for key in (*asked.keys, *asked.english) for place in self._by_key.get(key, ())}
        values = {place: max(same_read(asked, face.term) for face in self.faces[place]) for place in places}
        for name in (plain_term(question), plain_symbol(question).casefold()):
            values |= dict.fromkeys(self._by_name.get(name, ()), 1.0)
        return {place: value for place, value in values.items() if value}

    def sharing(self, asked: Weights) -> list[int]:
        """Return the agreements that have a word in common with a question."""
        return list(dict.fromkeys(place for form in _forms(asked) for place in self._by_form.get(form, ())))


def look_up(
    question: str, index: Index, similarity: Similarity, limit: int = 5, parts: Sequence[str] = ()
) -> tuple[Near, ...]:
    """Return the agreements most similar to a question, the very term first; else words and meaning decide together.

    A request comes with its parts, each of which may be a term; what it contains is returned, however long it is.
    """
    if not index.agreements:
        return ()
    asked = index.weighed(concepts(question))
    by_words = {place: max(_by_words(asked, face) for face in index.faces[place]) for place in index.sharing(asked)}
    same = {place: value for part in (*parts, question) for place, value in index.same(part).items()}
    by_sense = {} if same else _by_sense(question, asked, index, by_words, similarity)
    values = {place: max(value, by_sense.get(place, 0.0)) for place, value in {**by_sense, **by_words}.items()} | same
    least = max(FLOOR, SHARE * max(values.values(), default=0.0))
    near = []
    for place, value in values.items():
        how = "very_words" if place in same else "by_words" if value == by_words.get(place) else "by_sense"
        if value >= least or (parts and covered(index.faces[place][0].concepts, asked)[0] == 1.0):
            near.append(Near(index.agreements[place], value, say(f"map.{how}"), place in same))
    near.sort(key=lambda one: (one.agreement.nl_term, one.agreement.symbol))  # the order among equals
    near.sort(key=lambda one: (not one.alone, -one.similarity * one.agreement.confidence))
    return tuple(near[:limit])


def _by_words(asked: Weights, face: _Face) -> float:
    part = covered(asked, face.concepts)[0]
    return _similarity(part * covered(face.concepts, asked)[0], part)


def _similarity(whole: float, part: float) -> float:
    return round(1 / (1 + exp(-(WHOLE * whole + PART * part + BIAS))), 3)


def _by_sense(
    question: str, asked: Weights, index: Index, by_words: Mapping[int, float], similarity: Similarity
) -> dict[int, float]:
    """Return the similarity of the most promising agreements, by position, where words may mean the same."""
    likely = sorted(by_words, key=lambda place: -by_words[place])
    places = list(dict.fromkeys([*likely, *range(len(index.agreements))]))[:MOST_ASKED]
    faces = [(place, face) for place in places for face in index.faces[place]]
    whole = similarity(question, [face.text for _, face in faces])
    ranked = sorted(zip(whole, faces, strict=True), key=lambda item: -max(item[0], by_words.get(item[1][0], 0.0)))
    ranked = ranked[:REFINED]
    words = list({concept[0] for _, (_, face) in ranked for concept in face.concepts})
    telling = sorted(asked, key=lambda concept: -asked[concept])[:MOST_WORDS]
    near = {concept: dict(zip(words, similarity(concept[0], words), strict=True)) for concept in telling}
    values: dict[int, float] = {}
    for value, (place, face) in ranked:
        share, missing = covered(asked, face.concepts)
        together = max(value, share * covered(face.concepts, asked)[0])
        for concept in set(missing) & near.keys():
            best = max((near[concept][other[0]] for other in face.concepts), default=0.0)
            share += best * asked[concept] / sum(asked.values())
        values[place] = max(values.get(place, 0.0), _similarity(together, share))
    return values


def _forms(listed: Iterable[Concept]) -> Iterator[str]:
    return (form for concept in listed for form in concept)
