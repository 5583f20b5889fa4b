"""How requests and commands are cut into words, as seed 000 says: parts first, then the whole they came from."""

import re
from itertools import chain

from shirube.engine.text.tokens import CJK, normalise

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RUN = re.compile(rf"[{CJK}]+|[^{CJK}]+")
_JAPANESE = re.compile(rf"[{CJK}]")


def command_tokens(text: str) -> list[str]:
    """Cut at spaces, and compounds besides: ``"groupCommit now"`` → ``["group", "commit", "groupcommit", "now"]``.

    Capitals go only after the humps were seen. Japanese has no spaces, so its runs give overlapping pairs.
    """
    return list(chain.from_iterable(map(_cut, normalise(text).split())))


def _cut(word: str) -> list[str]:
    if _JAPANESE.search(word):
        return [token for run in _RUN.findall(word) for token in (_pairs(run) if _JAPANESE.match(run) else _cut(run))]
    parts = [part.lower() for piece in re.split(r"[-_]", word) for part in _HUMP.split(piece) if part]
    return [*parts, word.lower()] if len(parts) > 1 else [word.lower()]


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]
