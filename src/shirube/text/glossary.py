"""From Japanese to the English that code is written in, word by word, by the list in ``japanese.tsv``.

It is a list, not a translator: it knows the words of the trade (認証, ミドルウェア) and says nothing of the others.
"""

import re
from functools import cache
from importlib import resources

from shirube.text.scripts import CJK, normalise

_RUN = re.compile(rf"[{CJK}]+")


def english_for(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the English of every known Japanese word, best first: ``"認証の処理"`` → ``(("authentication", …), …)``.

    The longest word that begins at a place is taken, so that 接続プール is not read as 接続 and プール.
    """
    words = _glossary()
    found = []
    for run in _RUN.findall(normalise(text)):
        place = 0
        while place < len(run):
            length = next((n for n in range(_longest(), 0, -1) if run[place : place + n] in words), 0)
            if length:
                found.append(words[run[place : place + length]])
            place += length or 1
    return tuple(dict.fromkeys(found))


@cache
def _glossary() -> dict[str, tuple[str, ...]]:
    lines = resources.files("shirube.text").joinpath("japanese.tsv").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if line)
    return {normalise(japanese): tuple(english.split(", ")) for japanese, english in pairs}


@cache
def _longest() -> int:
    return max(map(len, _glossary()))
