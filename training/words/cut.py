"""Cuts texts into the units that are aligned: words of Japanese, stems of English.

Japanese is cut by Sudachi, which only this needs: ``pip install sudachipy sudachidict_core``. The program itself cuts
by the table that comes out.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import split_identifier

JAPANESE = re.compile("[々-〇ぁ-ゖァ-ヺー㐀-鿿]+")
LONGEST_TEXT, MOST_UNITS = 300, 24
"""Letters of a text, and units of either side of a pair: longer ones say little of each word."""
COMPOUND, OFTEN = 4, 6
"""The most units of a compound, and how often it must occur."""
_TELLING = {"名詞", "動詞", "形容詞", "形状詞", "副詞", "接頭辞", "接尾辞", "連体詞"}
_NOUNS = {"名詞", "形状詞", "接頭辞", "接尾辞"}
_INFLECTED = {"動詞", "形容詞"}
_HIRAGANA, _KANJI = re.compile("[ぁ-ゖー]+"), re.compile("[㐀-鿿]")
_WORD = re.compile(r"[A-Za-z]+(?:['’]s)?")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "all also any been being both but each just may more must no only other same shall should some such than very",
    )
)


class Unit(NamedTuple):
    """A word in a text."""

    form: str
    """Its one spelling: サーバ and サーバー, 読込 and 読み込み."""
    written: str
    """How it stands there; a verb in its dictionary form."""
    begin: int
    end: int
    joins: bool
    """Whether it can be part of a compound."""
    says: bool
    """Whether it is more than grammar or a number."""


Cutter = Callable[[str], list[Unit]]


@cache
def sudachi(mode: str) -> Cutter:
    """Return the cutter into short units (``A``) or long ones (``C``)."""
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer(mode=SplitMode.A if mode == "A" else SplitMode.C)
    return lambda text: [_unit(one) for one in tokenizer.tokenize(clean(text))]


def clean(text: str) -> str:
    """Return the text as it is cut."""
    return unicodedata.normalize("NFKC", text)[:LONGEST_TEXT]


def _unit(one) -> Unit:  # noqa: ANN001
    kind, inner, *_, form_of_verb = one.part_of_speech()
    written = one.dictionary_form() if kind in _INFLECTED else one.surface()
    form = one.normalized_form()
    auxiliary = inner == "非自立可能" and kind != "名詞" and _HIRAGANA.fullmatch(one.surface())
    says = kind in _TELLING and inner != "数詞" and JAPANESE.search(written) and not auxiliary
    joins = kind in _NOUNS and inner != "数詞" and JAPANESE.search(written)
    joins = joins or (kind == "動詞" and form_of_verb.startswith("連用形") and _KANJI.search(written))
    return Unit(
        form if JAPANESE.search(form) else one.dictionary_form(),
        one.surface() if joins and kind == "動詞" else written,
        one.begin(),
        one.end(),
        bool(joins),
        bool(says),
    )


def compounds(texts: Sequence[str], cut: Cutter) -> set[tuple[str, ...]]:
    """Return the sequences of nouns that occur often enough to be words."""
    counts: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        for run in _joined(cut(text)):
            words = [unit.written for unit in run]
            for size in range(2, COMPOUND + 1):
                counts.update(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
    return {words for words, count in counts.items() if count >= OFTEN}


def _joined(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    run: list[Unit] = []
    for unit in units:
        if run and not (unit.joins and unit.begin == run[-1].end):
            yield run
            run = []
        if unit.joins:
            run.append(unit)
    yield run


def merged(units: Sequence[Unit], known: set[tuple[str, ...]]) -> Iterator[tuple[Unit, tuple[str, ...]]]:
    """Yield the units with compounds as one unit, the longest first, and the forms of their parts."""
    at = 0
    while at < len(units):
        for size in range(COMPOUND, 0, -1):
            part = units[at : at + size]
            beside = all(one.end == two.begin for one, two in pairwise(part))
            if size == 1 or (len(part) == size and beside and tuple(unit.written for unit in part) in known):
                break
        whole = "".join(unit.written for unit in part)
        one = part[0] if size == 1 else Unit(whole, whole, part[0].begin, part[-1].end, True, True)
        yield one, tuple(unit.form for unit in part)
        at += size


def english(text: str) -> list[str]:
    """Return the words of an English text or a name that say something: ``"Open _File"`` → ``["open", "file"]``."""
    words = (
        part for word in _WORD.findall(text.replace("_", "")) for part in split_identifier(re.sub("['’]s$", "", word))
    )
    return [word for word in words if is_telling(word)]


def is_telling(word: str) -> bool:
    """Tell whether an English word says something."""
    return len(word) > 1 and word.isascii() and word.isalpha() and word not in stop_words() and word not in _SMALL


def stems(words: Sequence[str]) -> list[str]:
    """Return the stems of words, each once, in order."""
    return list(dict.fromkeys(map(stem, words)))
