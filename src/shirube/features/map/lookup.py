"""Which agreements a question is about, and how surely. Pure: agreements and similarity are passed in."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from shirube.engine.text.glossary import other_forms, segments, stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, KANJI, normalise, split_identifier
from shirube.features.map.agreement import Agreement, plain_symbol, plain_term
from shirube.features.map.states import Tier
from shirube.messages import NOTHING, Message, say

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How near texts are to a term, from 0 to 1, calibrated: ``workspace.similarity``."""
Concept = tuple[str, ...]
"""One concept: the stems of its words, or Japanese as written."""

_ASKING = """
add change code feature fix function handle handled implement logic make modify part support update
追加 修正 変更 対応 作成 更新 改修 調査 説明 コード 関数
"""
ASKING = frozenset(_ASKING.split())
"""Words of requests rather than of what they are about: they do not tell one agreement from another."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")
_TELLING = re.compile(rf"[{KANJI}ァ-ヺー]+")
MOST_ASKED = 2000
"""Agreements whose sense is compared with a question that no words answer; the likeliest by words come first."""
REFINED = 8
"""The best ones are looked at closely."""
FLOOR = 0.3
"""What is less near than this is not worth naming (seed 003 refuses symbols below it)."""
SURE = 0.7
"""When words alone come this near (seed 004's bar), nobody asks for the sense."""


def concepts(text: str) -> tuple[Concept, ...]:
    """Return what a text is about: ``"支払いの再試行"`` → ``(("payment", "pay"), ("retry",))``.

    Words of requests count only where there are no others.
    """
    telling: list[Concept] = []
    dull: list[Concept] = []
    for run in _RUN.findall(normalise(text)):
        for word, found in _japanese(run) if _JAPANESE.match(run) else _latin(run):
            (dull if word in ASKING or word in stop_words() else telling).append(found)
    return tuple(dict.fromkeys(telling or dull))


def covered(wanted: Iterable[Concept], have: Iterable[Concept]) -> tuple[float, list[Concept]]:
    """Return the share of what is wanted that is there, and what is missing."""
    known = {form for concept in have for form in concept}
    listed = list(wanted)
    missing = [concept for concept in listed if not known.intersection(concept)]
    return (1 - len(missing) / len(listed) if listed else 0.0), missing


def _latin(run: str) -> list[tuple[str, Concept]]:
    return [(word, (stem(word), *other_forms(stem(word)))) for word in split_identifier(run)]


def _japanese(run: str) -> list[tuple[str, Concept]]:
    """Translate a run with the glossary; kanji and katakana it does not know are kept as they are."""
    found: list[tuple[str, Concept]] = []
    unknown = ""
    for part, meanings in segments(run):
        if not meanings:
            unknown += part
            continue
        found += [(word, (word,)) for word in _TELLING.findall(unknown)]
        unknown = ""
        for meaning in meanings:
            found.append((part, tuple(dict.fromkeys(stem(word) for one in meaning for word in one.split()))))
    return [*found, *((word, (word,)) for word in _TELLING.findall(unknown))]


class Near(Struct, frozen=True):
    """An agreement that may answer."""

    agreement: Agreement
    similarity: float
    """How surely the question is about it, from 0 to 1; the number thresholds look at."""
    how: Message = NOTHING
    """By what: the very words, words, or sense."""


class _Face(Struct, frozen=True):
    """One way in which an agreement can be asked for: by its term, or by its symbol."""

    text: str
    concepts: tuple[Concept, ...]


def tier_of(similarity: float, certain: bool, enough: float, ready: float) -> Tier:
    """Return the phase a hit leads to; only a fact leads anywhere."""
    if not certain or similarity < enough:
        return Tier.EXPLORATION
    return Tier.READY if similarity >= ready else Tier.VERIFICATION


class Index:
    """The map, cut for being asked; made once for each state of the map."""

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
        """Return the agreements whose very term or symbol was asked for."""
        plain, symbol = plain_term(text), plain_symbol(text).casefold()
        return list(dict.fromkeys([*self._by_name.get(plain, ()), *self._by_name.get(symbol, ())]))

    def sharing(self, asked: tuple[Concept, ...]) -> list[int]:
        """Return the agreements that have a word in common with a question."""
        return list(dict.fromkeys(place for one in asked for form in one for place in self._by_form.get(form, ())))


def look_up(question: str, index: Index, similarity: Similarity, limit: int = 5) -> tuple[Near, ...]:
    """Return the agreements nearest to a question, best first; words decide where they can, else the sense."""
    if not index.agreements:
        return ()
    exact = index.exactly(question)
    asked = concepts(question)
    by_words = {place: _by_words(asked, index.faces[place]) for place in index.sharing(asked)}
    how = say("map.by_words")
    near = {place: Near(index.agreements[place], value, how) for place, value in by_words.items() if value >= FLOOR}
    near |= {place: Near(index.agreements[place], 1.0, say("map.very_words")) for place in exact}
    if max((one.similarity for one in near.values()), default=0.0) < SURE:
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
    """Return how near the likeliest agreements are by their sense."""
    likely = sorted(by_words, key=lambda place: -by_words[place])
    places = list(dict.fromkeys([*likely, *range(len(index.agreements))]))[:MOST_ASKED]
    faces = [(place, face) for place in places for face in index.faces[place]]
    whole = similarity(question, [face.text for _, face in faces])
    ranked = sorted(zip(whole, faces, strict=True), key=lambda one: -one[0])
    found: dict[int, float] = {}
    for value, (place, face) in ranked[:REFINED]:
        found[place] = max(found.get(place, 0.0), _refined(value, asked, face, similarity))
    return {place: round(value, 3) for place, value in found.items()}


def _refined(whole: float, asked: tuple[Concept, ...], face: _Face, similarity: Similarity) -> float:
    """Judge what the two do not have in common by itself.

    "payment refund" is near to "payment", and yet about something else: the refund has no counterpart. What is
    missing on one side must be like what is missing on the other, or it counts against the answer.
    """
    share, missing = covered(asked, face.concepts)
    other_share, unasked = covered(face.concepts, asked)
    if share == 0.0:
        return whole
    rest = 0.0
    if missing and unasked:
        (rest,) = similarity(_words(missing), [_words(unasked)])
    return min(whole, share + (1 - share) * rest, other_share + (1 - other_share) * rest)


def _words(found: Sequence[Concept]) -> str:
    return " ".join(concept[0] for concept in found)
