"""Arithmetic on project paths: POSIX strings, the project's root being the empty string."""

from collections.abc import Iterable
from functools import lru_cache


def parent(path: str) -> str:
    """The directory a path lies in: ``a/b.py`` → ``a``, ``b.py`` → the empty string."""
    return path.rpartition("/")[0]


def under(directory: str, tail: str) -> str:
    """A tail below a directory, without a leading slash for the root: ``("", "a")`` → ``a``."""
    return f"{directory}/{tail}" if directory and tail else directory or tail


def join(directory: str, relative: str) -> str | None:
    """A relative path from a directory, None when it leaves the project: ``("a/b", "../c")`` → ``a/c``."""
    parts = directory.split("/") if directory else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


@lru_cache(maxsize=65536)
def ancestors(directory: str) -> tuple[str, ...]:
    """A directory and everything above it, nearest first: ``a/b`` → ``a/b``, ``a`` and the root."""
    found = [directory]
    while directory:
        directory = parent(directory)
        found.append(directory)
    return tuple(found)


def shared(one: str, other: str) -> int:
    """How many leading segments two directories have in common."""
    if not one or not other:
        return 0
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def contains(directory: str, path: str) -> bool:
    """Whether a path is the directory itself or lies below it."""
    return not directory or path == directory or path.startswith(directory + "/")


def nearest(directory: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to a directory; among equals the shallower, then the first by name."""
    return min(candidates, key=lambda path: (*_distance(directory, path), path), default=None)


def sole(directory: str, candidates: Iterable[str]) -> str | None:
    """The candidate strictly closer to a directory than all others, or None when two are equally close."""
    ranked = sorted((_distance(directory, path), path) for path in candidates)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]


def _distance(directory: str, path: str) -> tuple[int, int]:
    return (-shared(directory, parent(path)), path.count("/"))
