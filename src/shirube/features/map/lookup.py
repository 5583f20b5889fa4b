"""Finds the agreements a question is about, and how surely. Pure: callers pass the agreements and the similarity."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from shirube.engine.text.glossary import in_japanese, other_forms, stop_words
from shirube.engine.text.japanese import folded
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, split_identifier
from shirube.features.map.agreement import Agreement, plain_symbol, plain_term
from shirube.features.map.states import Tier
from shirube.messages import NOTHING, Message, say

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the calibrated similarity of a term to each text, from 0 to 1: ``workspace.similarity``."""
Concept = tuple[str, ...]
"""One concept: the stems of its words, or Japanese as written."""

_ASKING = """
add change code feature fix function handle handled implement logic make modify part support update
コード 関数
"""
ASKING = frozenset(_ASKING.split())
"""Words that requests use whatever they are about: they do not distinguish agreements."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")
MOST_ASKED = 2000
"""How many agreements are compared by meaning when words find no answer; the best by words come first."""
REFINED = 8
"""How many of the most similar texts are compared in detail."""
FLOOR = 0.3
"""Agreements below this similarity are not returned (seed 003 refuses symbols below it)."""
SURE = 0.7
"""If words alone reach this similarity (seed 004's threshold), meaning is not compared."""


def concepts(text: str) -> tuple[Concept, ...]:
    """Return the concepts of a text: ``"支払いの再試行"`` → ``(("payment",), ("retry",))``.

    The words of ``ASKING`` and stop words count only when there are no others.
    """
    specific: list[Concept] = []
    general: list[Concept] = []
    for run in _RUN.findall(folded(in_japanese(text))):
        for is_general, concept in _japanese(run) if _JAPANESE.match(run) else _latin(run):
            (general if is_general else specific).append(concept)
    return tuple(dict.fromkeys(specific or general))


def covered(wanted: Iterable[Concept], have: Iterable[Concept]) -> tuple[float, list[Concept]]:
    """Return the share of the wanted concepts that are present, and the missing ones."""
    known = {form for concept in have for form in concept}
    listed = list(wanted)
    missing = [concept for concept in listed if not known.intersection(concept)]
    return (1 - len(missing) / len(listed) if listed else 0.0), missing


def _latin(run: str) -> Iterator[tuple[bool, Concept]]:
    for word in split_identifier(run):
        yield word in ASKING or word in stop_words(), (stem(word), *other_forms(stem(word)))


def _japanese(run: str) -> Iterator[tuple[bool, Concept]]:
    """Yield the concepts of a run of Japanese; a word that means a phrase ("new feature") is one for each word."""
    from shirube.features.map.meanings import read_japanese  # imported late: few questions need its tables

    for part in read_japanese(run):
        is_general = part.text in ASKING or not part.telling
        single = tuple(dict.fromkeys(stem(word) for word in part.english if " " not in word))
        phrase = part.english[0].split() if part.english and not single else ()
        yield from ((is_general, (stem(word),)) for word in phrase)
        if not phrase:
            yield is_general, single or (part.text,)


class Near(Struct, frozen=True):
    """An agreement that may answer."""

    agreement: Agreement
    similarity: float
    """How surely the question is about it, from 0 to 1; thresholds apply to this number."""
    how: Message = NOTHING
    """How it was found: by exact words, by shared words, or by meaning."""


class _Face(Struct, frozen=True):
    """A text by which an agreement can be found: its term or its symbol."""

    text: str
    concepts: tuple[Concept, ...]


def tier_of(similarity: float, certain: bool, enough: float, ready: float) -> Tier:
    """Return the phase a hit leads to; a hypothesis always leads to exploration."""
    if not certain or similarity < enough:
        return Tier.EXPLORATION
    return Tier.READY if similarity >= ready else Tier.VERIFICATION


class Index:
    """The map, prepared for look-ups; built once for each state of the map."""

    def __init__(self, agreements: Sequence[Agreement]) -> None:
        self.agreements = tuple(agreements)
        self.faces = [_faces(agreement) for agreement in self.agreements]
        self._by_name: dict[str, list[int]] = {}
        self._by_form: dict[str, list[int]] = {}
        for place, agreement in enumerate(self.agreements):
            for name in {plain_term(agreement.nl_term), agreement.symbol.casefold()} - {""}:
                self._by_name.setdefault(name, []).append(place)
            for form in {form for face in self.faces[place] for concept in face.concepts for form in concept}:
                self._by_form.setdefault(form, []).append(place)

    def exactly(self, text: str) -> list[int]:
        """Return the agreements whose exact term or symbol was asked for."""
        plain, symbol = plain_term(text), plain_symbol(text).casefold()
        return list(dict.fromkeys([*self._by_name.get(plain, ()), *self._by_name.get(symbol, ())]))

    def sharing(self, asked: tuple[Concept, ...]) -> list[int]:
        """Return the agreements that have a word in common with a question."""
        forms = (form for concept in asked for form in concept)
        return list(dict.fromkeys(place for form in forms for place in self._by_form.get(form, ())))


def look_up(question: str, index: Index, similarity: Similarity, limit: int = 5) -> tuple[Near, ...]:
    """Return the agreements most similar to a question, best first; words decide if they can, else meaning."""
    if not index.agreements:
        return ()
    exact = index.exactly(question)
    asked = concepts(question)
    by_words = {place: _by_words(asked, index.faces[place]) for place in index.sharing(asked)}
    how = say("map.by_words")
    near = {place: Near(index.agreements[place], value, how) for place, value in by_words.items() if value >= FLOOR}
    near |= {place: Near(index.agreements[place], 1.0, say("map.very_words")) for place in exact}
    if max((item.similarity for item in near.values()), default=0.0) < SURE:
        for place, value in _by_sense(question, asked, index, by_words, similarity).items():
            if value >= max(FLOOR, near[place].similarity if place in near else 0.0):
                near[place] = Near(index.agreements[place], value, say("map.by_sense"))
    return tuple(sorted(near.values(), key=_order)[:limit])


def _order(near: Near) -> tuple[float, str, str]:
    agreement = near.agreement
    return (-near.similarity * agreement.confidence, agreement.nl_term, agreement.symbol)


def _faces(agreement: Agreement) -> tuple[_Face, ...]:
    texts = [agreement.nl_term]
    texts += [agreement.symbol_normalized] if agreement.symbol else []
    return tuple(_Face(text, concepts(text)) for text in texts)


def _by_words(asked: tuple[Concept, ...], faces: tuple[_Face, ...]) -> float:
    """Return the share of the question that a term covers, times the share of the term that the question covers."""
    return max((covered(asked, face.concepts)[0] * covered(face.concepts, asked)[0] for face in faces), default=0.0)


def _by_sense(
    question: str, asked: tuple[Concept, ...], index: Index, by_words: dict[int, float], similarity: Similarity
) -> dict[int, float]:
    """Return the similarity in meaning of the most promising agreements, by position."""
    likely = sorted(by_words, key=lambda place: -by_words[place])
    places = list(dict.fromkeys([*likely, *range(len(index.agreements))]))[:MOST_ASKED]
    faces = [(place, face) for place in places for face in index.faces[place]]
    whole = similarity(question, [face.text for _, face in faces])
    ranked = sorted(zip(whole, faces, strict=True), key=lambda item: -item[0])
    values: dict[int, float] = {}
    for value, (place, face) in ranked[:REFINED]:
        if value >= FLOOR:
            refined = min(
                value, _refined(value, asked, face, similarity), _counterparts(question, asked, face, similarity)
            )
            values[place] = max(values.get(place, 0.0), refined)
    return {place: round(value, 3) for place, value in values.items()}


def _refined(whole: float, asked: tuple[Concept, ...], face: _Face, similarity: Similarity) -> float:
    """Lower a similarity by comparing the words that the two texts do not share.

    "payment refund" is similar to "payment", but about something else: "refund" has no counterpart. The words that
    only one text has must be similar to those that only the other has; otherwise the similarity drops.
    """
    share, missing = covered(asked, face.concepts)
    other_share, unasked = covered(face.concepts, asked)
    if share == 0.0:
        return whole
    rest = 0.0
    if missing and unasked:
        (rest,) = similarity(_words(missing), [_words(unasked)])
    return min(whole, share + (1 - share) * rest, other_share + (1 - other_share) * rest)


def _counterparts(question: str, asked: tuple[Concept, ...], face: _Face, similarity: Similarity) -> float:
    """Return how similar the words of each text are to the other text on average, where a text has several words.

    検索履歴 is similar to a change log, but its 検索 has no counterpart there.
    """
    sides = ((asked, face.text), (face.concepts, question))
    means = [
        sum(similarity(concept[0], [other])[0] for concept in words) / len(words) for words, other in sides if words[1:]
    ]
    return min(means, default=1.0)


def _words(listed: Sequence[Concept]) -> str:
    return " ".join(concept[0] for concept in listed)
