"""Filters for the part of the project a question is about: a glob or a directory, languages, kinds."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shirube.types import Scope


class PathFilter:
    """Matches paths by a pattern: ``src/**``, ``*.{ts,tsx}``, ``src/auth`` (a directory and all below it)."""

    def __init__(self, pattern: str) -> None:
        self._regex = _compiled(pattern)

    def __call__(self, path: str) -> bool:
        """Tell whether a path matches."""
        return self._regex.match(path) is not None


class ScopeFilter:
    """Tells whether a file belongs to the part of the project a question is about; kinds are the store's to tell."""

    def __init__(self, scope: "Scope") -> None:
        self._path = PathFilter(scope.path) if scope.path else None
        self._languages = scope.languages

    def __call__(self, path: str, language: str) -> bool:
        """Tell whether a file at this path, of this language, is in scope."""
        if self._path is not None and not self._path(path):
            return False
        return not self._languages or language in self._languages


MOST_SPREAD = 64
"""About how many patterns one pattern with braces may expand to."""
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def is_glob(pattern: str) -> bool:
    """Tell whether a pattern has wildcards; brackets do not count, because frameworks name directories ``[id]``."""
    return "*" in pattern or "?" in pattern or _BRACES.search(pattern) is not None


def spread(pattern: str) -> list[str]:
    """Expand braces: ``*.{ts,tsx}`` → ``*.ts``, ``*.tsx``; stops soon after ``MOST_SPREAD`` patterns."""
    spreading = [pattern]
    while len(spreading) <= MOST_SPREAD and (match := _BRACES.search(spreading[0])) is not None:
        head, tail = spreading[0][: match.start()], spreading[0][match.end() :]
        spreading = [*spreading[1:], *(f"{head}{choice}{tail}" for choice in match[1].split(",")[: MOST_SPREAD + 1])]
    return spreading


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("|".join(map(_regex_of, spread(pattern))), re.DOTALL)


def _regex_of(pattern: str) -> str:
    anchored = pattern.removeprefix("./").strip("/")
    if not is_glob(pattern):
        return re.escape(anchored) + r"(?:/.*)?\Z"
    segments = anchored.split("/")
    return _translate(segments if len(segments) > 1 else ["**", *segments]) + r"\Z"


def _translate(segments: list[str]) -> str:
    """Return a regex: ``**`` crosses directories, ``*`` and ``?`` do not; brackets are part of names (``[id]``).

    A part between two ``**`` matches at the first possible place, without backtracking (``(?>…)``): other places
    cannot help, and trying them takes exponential time on a malicious pattern.
    """
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(segment))
    first, *middle, last = ["/".join(group) for group in groups] if len(groups) > 1 else ["/".join(groups[0]), ""]
    if len(groups) == 1:
        return first
    between = "".join(f"(?>(?:[^/]+/)*?{part}/)" for part in middle if part)
    return f"{first}/" * bool(first) + between + (f"(?:.*/)?{last}" if last else ".*")


def _segment(glob: str) -> str:
    """Return a regex for one path segment; atomic groups keep it from backtracking into a star."""
    first, *rest = [re.escape(part).replace(r"\?", "[^/]") for part in re.split(r"\*+", glob)]
    if not rest:
        return first
    return first + "".join(f"(?>[^/]*?{part})" for part in rest[:-1]) + f"[^/]*{rest[-1]}"
