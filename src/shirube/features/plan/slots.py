"""Finds the slots of a request by a fitted table, which says how likely words begin, fill and end each of them.

A request is cut into units: a word, a name, a quotation, a run of kanji or katakana, one letter of hiragana. A slot is
a run of units or empty. What speaks for a run is the sum of what the table has for its beginning, its end, its units
and its length, and for an empty slot of what it has for the whole request; from that follows a probability. The table
has one row of four numbers for each hash of a feature. ``python -m training.slots`` fits and writes it.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, islice
from math import exp
from typing import NamedTuple
from zlib import crc32

from shirube.codec import packaged
from shirube.features.plan.frame import ASKED, SLOTS, Intent

ROWS = 1 << 17
"""How many rows the table has; features whose hash is the same share one."""
SCALE = 32.0
"""The table holds whole numbers: the weights times this."""
MOST_UNITS = 160
"""How much of a request is read; what follows is a log or a listing."""
LONGEST = 45
"""How many units a slot has at most."""
LENGTHS = (1, 2, 3, 5, 8, 14, 25)
"""Where one length of a run becomes another to the table."""
LIKELY, CANDIDATES = 40, 12
"""How many runs of a slot are compared with each other, and how many of them may become its value."""
ENOUGH = 0.8
"""The likeliest run is taken unless others have so much more company."""
ALIKE = 0.5
"""Runs that share this part of their words say the same."""

_UNIT = re.compile(
    r"""`[^`\n]{1,80}` | "[^"\n]{1,100}" | 「[^」\n]{1,60}」 | 『[^』\n]{1,60}』
    | [A-Za-z0-9_@#$%&+*/\\<>=~^.:'’{}()\[\]-]*[A-Za-z0-9_)}\]%*+] | [ァ-ヶー・]+ | [一-龯々〆]+ | \n | \S""",
    re.VERBOSE,
)
_KINDS = (
    ("quoted", re.compile(r"[`\"「『].")),
    ("word", re.compile(r"[A-Za-z][a-z'’]*\Z")),
    ("number", re.compile(r"[\d.,:%]+\Z")),
    ("name", re.compile(r"[!-~]*[A-Za-z0-9]")),
    ("katakana", re.compile(r"[ァ-ヶー]")),
    ("kanji", re.compile(r"[一-龯々〆]")),
    ("hiragana", re.compile(r"[ぁ-ん]")),
    ("sign", re.compile(r"")),
)
_JAPANESE = frozenset({"katakana", "kanji", "hiragana"})
_SENTENCE_END = frozenset("。！？!?\n;；→")
_CLAUSE_END = frozenset(",、:：;()（）-–—】→")
_JAPANESE_CLAUSE = re.compile(
    r"(?:すると|たら|[うくすつぬむるぐぶ]と|とき|ときに|場合|場合[には]|際に|ので|のに|ため|ですが|けど)\Z"
)
_ENDINGS = ("ing", "ed", "ly", "tion", "ment", "ness", "ity", "er", "or", "s")
_SMALL = frozenset({"a", "an", "the"})


class Unit(NamedTuple):
    """A piece of a request: where it stands, what it is, and the word by which the table knows it."""

    start: int
    end: int
    text: str
    kind: str
    word: str


class Features(NamedTuple):
    """The features of a request: of each unit as the first and the last of a run, of each inside, and of the whole."""

    first: list[list[str]]
    last: list[list[str]]
    inside: list[list[str]]
    whole: list[str]


def cut_units(text: str) -> tuple[Unit, ...]:
    """Cut a request: ``"Fix `a b` now"`` → Fix, `a b`, now."""
    units = []
    for match in islice(_UNIT.finditer(text), MOST_UNITS):
        piece = match[0]
        kind = next(name for name, pattern in _KINDS if pattern.match(piece))
        plain = kind != "name" or re.fullmatch(r"[A-Za-z'’-]+", piece)
        word = piece.lower() if plain and kind not in ("quoted", "number") else f"<{kind}>"
        units.append(Unit(match.start(), match.end(), piece, kind, word))
    return tuple(units)


def is_japanese(units: Sequence[Unit]) -> bool:
    """Tell whether a request has Japanese in it."""
    return any(unit.kind in _JAPANESE for unit in units)


@cache
def _lists() -> dict[str, frozenset[str]]:
    words = packaged("shirube.features.plan", "words.toml")
    return {name: frozenset(words[name]["en"].split()) for name in ("joining", "placing", "closed", "doing", "trouble")}


def _is_small(word: str) -> bool:
    return any(word in _lists()[name] for name in ("joining", "placing", "closed"))


@cache
def _sense(word: str) -> str:
    """Return what is known of a word besides itself: a small word is its own class, others go by list or ending."""
    lists = _lists()
    if _is_small(word) or not (word.isascii() and word[:1].isalpha()):
        return word
    for name in ("trouble", "doing"):
        if word in lists[name]:
            return f"#{name}"
    return next((f"#{ending}" for ending in _ENDINGS if word.endswith(ending) and len(word) > 3), "#word")


class _Parts(NamedTuple):
    """The sentences or clauses of a request: for each unit its part, and the first and last unit of that part."""

    number: list[int]
    first: list[int]
    last: list[int]


def _parts(units: Sequence[Unit], begins: Sequence[bool]) -> _Parts:
    number = list(accumulate(map(int, begins)))
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, part in enumerate(number):
        first.setdefault(part, place)
        if units[place].kind != "sign" or part not in last:
            last[part] = place
    return _Parts(number, [first[part] for part in number], [last[part] for part in number])


def _ends_sentence(text: str, unit: Unit) -> bool:
    after = text[unit.end : unit.end + 1]
    return unit.text in _SENTENCE_END or (unit.text == "." and (not after or after.isspace()))


def _begins_clause(text: str, before: Unit, unit: Unit, japanese: bool) -> bool:
    if before.text in _CLAUSE_END:
        return True
    if japanese:
        return unit.kind != "hiragana" and bool(_JAPANESE_CLAUSE.search(text[max(0, before.end - 6) : before.end]))
    return unit.word in _lists()["joining"] and before.word not in _lists()["joining"]


class _Context:
    """A request with all that its features look at."""

    def __init__(self, text: str, units: Sequence[Unit], intent: Intent) -> None:
        self.text, self.units, self.intent = text, units, intent.value[:2]
        self.japanese = is_japanese(units)
        sentences = [place > 0 and _ends_sentence(text, units[place - 1]) for place in range(len(units))]
        clauses = [
            new or (place > 0 and _begins_clause(text, units[place - 1], units[place], self.japanese))
            for place, new in enumerate(sentences)
        ]
        self.sentence, self.clause = _parts(units, sentences), _parts(units, clauses)
        self.placing: list[tuple[str, int]] = []
        """For each unit the nearest preposition before it in its clause, and how far back that is."""
        near = ("-", 0)
        for place, unit in enumerate(units):
            if place and self.clause.number[place] != self.clause.number[place - 1]:
                near = ("-", 0)
            near = (unit.word, 0) if unit.word in _lists()["placing"] else (near[0], min(4, near[1] + 1))
            self.placing.append(near)

    def word(self, place: int) -> str:
        """Return the word at a place, or a mark before the first and behind the last."""
        return self.units[place].word if 0 <= place < len(self.units) else "<s>" if place < 0 else "</s>"

    def sense(self, place: int) -> str:
        return _sense(self.word(place))

    def kind(self, place: int) -> str:
        return self.units[place].kind[:2] if 0 <= place < len(self.units) else "|"

    def ending(self, place: int) -> str:
        word = self.word(place)
        return word[-3:] if word.isascii() else word[-2:]

    def tail(self, place: int, letters: int) -> str:
        """Return how a part ends: the last letters in Japanese, the last word's class in English."""
        end = self.units[place].end
        return self.text[max(0, end - letters) : end] if self.japanese else self.sense(place)

    def marker(self, place: int) -> str:
        """Return the word that a clause begins with; Japanese clauses are told by their ends."""
        return "" if self.japanese else self.sense(self.clause.first[place])


def features_of(text: str, units: Sequence[Unit], intent: Intent) -> Features:
    """Return the features of a request."""
    context, places = _Context(text, units, intent), range(len(units))
    return Features(
        [[f"S{feature}" for feature in _border(context, place, place)] for place in places],
        [[f"E{feature}" for feature in _border(context, place + 1, place)] for place in places],
        [list(_inside(context, place)) for place in places],
        list(_whole(context)),
    )


def _border(context: _Context, border: int, unit: int) -> Iterator[str]:
    """Yield what stands around a border between two units; ``unit`` is the one on its inner side."""
    w, s, k = context.word, context.sense, context.kind
    before, after, intent = border - 1, border, context.intent
    yield from (f"w{offset}{w(border + offset)}" for offset in (-3, -2, -1, 0, 1, 2))
    yield from (f"p{offset}{w(border + offset)} {w(border + offset + 1)}" for offset in (-2, -1, 0))
    yield f"l{w(border - 3)} {w(border - 2)} {w(before)}"
    yield f"r{w(after)} {w(border + 1)} {w(border + 2)}"
    yield from (f"s{offset}{s(border + offset)}" for offset in (-2, -1, 0, 1))
    yield f"c{s(border - 2)} {s(before)} {s(after)}"
    yield f"C{s(before)} {s(after)} {s(border + 1)}"
    yield f"b{s(before)} {s(after)}"
    yield f"d{s(border - 2)} {s(before)} {s(after)} {s(border + 1)}"
    yield from (f"k{k(before)}{k(after)}", f"q{k(border - 2)}{k(before)}{k(after)}{k(border + 1)}")
    yield from (f"e{offset}{context.ending(border + offset)}" for offset in (-1, 0, 1))
    yield from (f"i{intent}{w(after)}", f"j{intent}{w(before)}")
    if context.japanese:
        left = context.text[: context.units[before].end if border else 0][-5:]
        right = context.text[context.units[after].start :][:5] if border < len(context.units) else ""
        yield from (f"<{left[-letters:]}" for letters in (2, 3, 4, 5))
        yield from (f">{right[:letters]}" for letters in (2, 3, 4, 5))
    # Where in its clause and sentence the unit stands.
    clause, sentence = context.clause, context.sentence
    ahead, behind = min(3, unit - clause.first[unit]), min(3, max(0, clause.last[unit] - unit))
    marker, tail = context.marker(unit), context.tail(clause.last[unit], 2)
    yield from (f"f{ahead}{marker}", f"F{ahead}{tail}", f"a{behind}", f"A{behind}{tail}")
    yield f"n{ahead}{intent}{min(3, clause.number[unit])}"
    yield f"m{context.sense(clause.first[unit])} {context.sense(clause.first[unit] + 1)}"
    start = unit - sentence.first[unit]
    yield f"o{min(4, start)}{context.sense(sentence.first[unit])}"
    yield f"z{min(2, ahead)}{context.tail(sentence.last[unit], 4)}"
    yield f"y{min(2, behind)}{context.tail(sentence.last[unit], 2)}"
    yield f"t{start == 0}{intent}{min(3, sentence.number[unit])}{sentence.number[unit] == sentence.number[-1]}"
    near, distance = context.placing[unit]
    yield from (f"g{near}{distance}", f"G{near}{marker}")


def _inside(context: _Context, unit: int) -> Iterator[str]:
    """Yield what speaks for or against a unit as a part of a run."""
    w, s, intent = context.word, context.sense, context.intent
    clause, sentence = context.clause, context.sentence
    yield from (f"u{w(unit)}", f"ub{w(unit)} {w(unit + 1)}", f"ue{context.ending(unit)}")
    yield f"uk{context.kind(unit)}{intent}"
    yield from (f"us{s(unit)}", f"ut{s(unit)} {s(unit + 1)}", f"uK{context.kind(unit)}{context.kind(unit + 1)}")
    marker, tail = context.marker(unit), context.tail(clause.last[unit], 2)
    yield from (f"um{marker}{intent}", f"uc{tail}", f"uC{context.tail(clause.last[unit], 4)}")
    yield f"uM{s(clause.first[unit])} {s(clause.first[unit] + 1)}"
    yield from (f"uo{s(sentence.first[unit])}", f"uz{context.tail(sentence.last[unit], 4)}")
    yield f"uy{context.tail(sentence.last[unit], 2)}{intent}"
    yield f"un{min(4, clause.number[unit])}{intent}{min(4, clause.number[-1])}"
    yield f"uN{min(3, sentence.number[unit])}{intent}{sentence.number[unit] == sentence.number[-1]}"
    near, distance = context.placing[unit]
    yield f"ug{near}{min(3, distance)}"
    if unit and clause.number[unit] != clause.number[unit - 1]:
        yield from ("ux", f"ux{marker}", f"uX{context.tail(clause.last[unit - 1], 2)}")
        if sentence.number[unit] != sentence.number[unit - 1]:
            yield from ("u|", f"u|{intent}")


def _whole(context: _Context) -> Iterator[str]:
    """Yield what a request says of a slot that it may leave open."""
    intent, count = context.intent, len(context.units)
    yield from (f"v{intent}{context.japanese}", f"vl{min(6, count // 6)}")
    yield f"vn{min(4, context.sentence.number[-1])}{intent}"
    yield f"vc{min(5, context.clause.number[-1])}{intent}"
    for word in sorted({unit.word for unit in context.units}):
        yield from (f"vw{word}", f"vi{intent}{word}", f"vs{_sense(word)}")
    yield from (f"vb{context.word(place)} {context.word(place + 1)}" for place in range(count))
    for place in sorted(set(context.clause.first)):
        yield from (f"vm{context.marker(place)}", f"vt{context.tail(context.clause.last[place], 2)}")
    for place in sorted(set(context.sentence.first)):
        yield from (f"vo{context.sense(place)}", f"vO{intent}{context.sense(place)}")
        yield f"vz{context.tail(context.sentence.last[place], 2)}"


def row_of(feature: str) -> int:
    """Return the row of the table that a feature has."""
    return crc32(feature.encode()) % ROWS


def length_feature(length: int, japanese: bool) -> str:
    """Return the feature of a run's length."""
    return f"L{sum(length > limit for limit in LENGTHS)}{japanese}"


@cache
def _table() -> "array[int]":
    return array("b", files("shirube.features.plan").joinpath("slots.bin").read_bytes())


def read_slots(text: str, intent: Intent) -> dict[str, str]:
    """Return the slots that a request fills, each with its words in the request."""
    units = cut_units(text)
    if not units:
        return {}
    features, japanese = features_of(text, units, intent), is_japanese(units)
    lengths = [[length_feature(length, japanese)] for length in range(1, LONGEST + 1)]
    groups = (features.first, features.last, features.inside, [features.whole], lengths)
    rows = [[[row_of(feature) for feature in group] for group in each] for each in groups]  # once for all slots
    found = {slot: _best(text, units, rows, SLOTS.index(slot)) for slot in ASKED[intent]}
    return {slot: value for slot, value in found.items() if value}


def _best(text: str, units: Sequence[Unit], rows: Sequence[list[list[int]]], slot: int) -> str:
    """Return the value that is most likely meant, or nothing: the runs that say the same count together."""
    table, count = _table(), len(units)
    first, last, each, (empty,), lengths = (
        [sum(table[row * len(SLOTS) + slot] for row in group) / SCALE for group in groups] for groups in rows
    )
    inside = [0.0, *accumulate(each)]
    telling = [0, *accumulate(not (unit.kind == "sign" or _is_small(unit.word)) for unit in units)]
    runs = sorted(
        (
            (first[start] + last[end] + inside[end + 1] - inside[start] + lengths[end - start], start, end)
            for start in range(count)
            for end in range(start, min(count, start + LONGEST))
            if telling[end + 1] > telling[start]
        ),
        reverse=True,
    )
    if not runs:
        return ""
    most = max(empty, runs[0][0])
    total = exp(empty - most) + sum(exp(worth - most) for worth, _, _ in runs)
    shown = [(worth, text[units[start].start : units[end].end]) for worth, start, end in runs[:LIKELY]]
    likely = [(exp(worth - most) / total, value) for worth, value in shown]
    words = [words_of(value) for _, value in likely]
    shares = [
        sum(share for (share, _), others in zip(likely, words, strict=True) if same(own, others))
        for own in words[:CANDIDATES]
    ]
    if max(shares) <= exp(empty - most) / total:
        return ""
    return next(value for (_, value), share in zip(likely, shares, strict=False) if share >= ENOUGH * max(shares))


def words_of(value: str) -> Counter[str]:
    """Return the words of an English value, the pairs of characters of a Japanese one."""
    lower = value.lower()
    if lower.isascii():
        return Counter(word for word in re.findall(r"\w+", lower) if word not in _SMALL)
    bare = re.sub(r"[\s、。「」]", "", lower)
    return Counter(bare[place : place + 2] for place in range(max(1, len(bare) - 1)))


def same(one: Counter[str], other: Counter[str]) -> bool:
    """Tell whether two values say the same: they share half of their words."""
    return 2 * (one & other).total() >= ALIKE * (one.total() + other.total())
