"""What a term or a question is about: its words in every form they may have, Japanese ones with their English."""

import re
from collections.abc import Callable, Iterable, Sequence

from shirube.engine.text.glossary import other_forms, segments, stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, KANJI, normalise, split_identifier

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How near texts are to a term, from 0 to 1, calibrated: ``workspace.similarity``."""
Concept = tuple[str, ...]
"""One thing that is meant: the stems that stand for it, or Japanese as written."""

_ASKING = """
add change code feature fix function handle handled implement logic make modify part support update
追加 修正 変更 対応 作成 更新 改修 調査 説明 コード 関数
"""
ASKING = frozenset(_ASKING.split())
"""Words of requests rather than of what they are about: they do not tell one agreement from another."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")
_TELLING = re.compile(rf"[{KANJI}ァ-ヺー]+")


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
    """Read a run by the glossary; what it does not know of kanji and katakana stands for itself."""
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
