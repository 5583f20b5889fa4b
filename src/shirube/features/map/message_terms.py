"""The terms of commit messages, found without a dictionary: the messages of a project are its dictionary.

A run of kanji and katakana is a word, or several joined. What stands alone in other messages is a word; with those a
longer run is cut into as few words as possible: 番組表示 is 番組 and 表示, even where 番組表 is a word, too.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from shirube.codec import packaged
from shirube.engine.text.tokens import KANJI, normalise

_KATAKANA = "ァ-ヺー"
_STEM_ENDINGS = "みきりえけびいしちせれてめげべ"
_JAPANESE = rf"[{KANJI}{_KATAKANA}]"
_RUN = re.compile(rf"[A-Za-z0-9]*(?:[{KANJI}][{_STEM_ENDINGS}][{KANJI}][{_STEM_ENDINGS}]|{_JAPANESE})+")
"""Kanji and katakana, with the kana inside nouns made of two verbs (読み込み) and letters in front (CSV出力)."""
_INSIDE_WORD = re.compile(rf"(?<=[{_KATAKANA}])(?=[{_KATAKANA}])|(?<=[A-Za-z0-9])(?=[A-Za-z0-9])")
_LETTER = re.compile(_JAPANESE)
_KATAKANA_END = re.compile(rf"[{_KATAKANA}]$")
LONGEST = 24
"""Longer runs are no words but headings without spaces and lists of names."""
LEAST_ALONE = 2
"""How many messages a run has to stand alone in before longer runs are cut with it."""
_UNKNOWN_COST, _WORD_COST = 3, 1
"""What a cut pays for a character that no word covers, and for each word: few words, and hardly anything unknown."""


@cache
def words(name: str) -> frozenset[str]:
    """Return one of the lists of ``terms.toml``."""
    return frozenset(packaged("shirube.features.map", "terms.toml")[name].split())


class Dictionary:
    """The words of some messages."""

    def __init__(self, messages: Iterable[str]) -> None:
        runs = (run for message in messages for run in {_trimmed(run) for run in _runs(message)})
        alone = {run for run, count in Counter(runs).items() if count >= LEAST_ALONE and len(run) > 1}
        self._known = alone | words("message_words") | words("general_words")
        self._terms: dict[str, frozenset[str]] = {}

    def terms(self, message: str) -> frozenset[str]:
        """Return the terms of a message: each run without what names nothing, and the words it is made of."""
        return frozenset(term for run in _runs(message) for term in self._within(run))

    def _within(self, run: str) -> frozenset[str]:
        if run not in self._terms:
            self._terms[run] = frozenset()  # a word is not looked for within itself
            whole = self._without_affixes(_trimmed(run))
            found = {whole} if self._names(whole) else set()
            parts = (part for part in self._cut(run) if part in self._known)
            self._terms[run] = frozenset(found.union(*map(self._within, parts)))
        return self._terms[run]

    def _without_affixes(self, run: str) -> str:
        """Return a run without affixes around a known word: ``"再生時"`` → ``"再生"``, but ``"放送時間"`` as it is."""
        bare = run[:-1]
        if run[-1:] in words("suffixes") and (
            _KATAKANA_END.search(bare) or any(bare[at:] in self._known for at in range(len(bare) - 1))
        ):
            return bare
        return run[1:] if run[:1] in words("prefixes") and run[1:] in self._known else run

    def _names(self, term: str) -> bool:
        """Tell whether a term can name something: not one general word, and not only words about the change."""
        if len(term) < 2 or not _LETTER.search(term) or term in words("general_words") | words("message_words"):
            return False
        told = words("message_words") | words("prefixes") | words("suffixes")
        return not all(part in told for part in self._cut(term))

    def _cut(self, run: str) -> list[str]:
        """Return a run cut into known words other than itself; what no word covers is cut at every joint."""
        joints = [0, *(at for at in range(1, len(run)) if not _INSIDE_WORD.match(run, at)), len(run)]
        best: dict[int, tuple[int, list[str]]] = {0: (0, [])}
        for number, end in enumerate(joints[1:], 1):
            options = []
            for start in joints[:number]:
                part = run[start:end]
                if part != run and part in self._known:
                    cost = _WORD_COST
                elif start == joints[number - 1]:
                    cost = _UNKNOWN_COST * len(part)
                else:
                    continue
                options.append((best[start][0] + cost, [*best[start][1], part]))
            best[end] = min(options)
        return best[len(run)][1]


def _runs(message: str) -> list[str]:
    return [run for run in _RUN.findall(normalise(message)) if 1 < len(run) <= LONGEST]


def _trimmed(run: str) -> str:
    """Return a run without words about the change at its ends: ``"サムネイル追加対応"`` → ``"サムネイル"``."""
    told, suffixes = words("message_words"), words("suffixes")
    while True:
        joints = [at for at in range(1, len(run)) if not _INSIDE_WORD.match(run, at)]
        end = next((at for at in joints if run[at:] in told or (run[at:-1] in told and run[-1] in suffixes)), len(run))
        start = next((at for at in reversed(joints) if at < end and run[:at] in told), 0)
        if (start, end) == (0, len(run)):
            return run
        run = run[start:end]
