"""What every resolver uses: functions on paths, the table of the project's files, and constructors for targets.

Paths are POSIX strings relative to the project's root; the root itself is the empty string.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

from shirube.types import RawImport

MANIFESTS = ("go.mod", "tsconfig*.json", "jsconfig*.json", "composer.json", "Cargo.toml", "package.json")
"""File names (with wildcards) whose text affects how imports resolve."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def is_manifest(path: str) -> bool:
    """Tell whether the text of a file is needed to build the table."""
    name = path.rpartition("/")[2]
    return name.endswith((".json", ".mod", ".toml")) and any(fnmatchcase(name, glob) for glob in MANIFESTS)


# --- paths -------------------------------------------------------------------------------------------------


def parent(path: str) -> str:
    """Return the directory that contains a path: ``a/b.py`` → ``a``, ``b.py`` → the empty string."""
    return path.rpartition("/")[0]


def under(directory: str, tail: str) -> str:
    """Return a directory joined with a path below it, without a leading slash for the root: ``("", "a")`` → ``a``."""
    return f"{directory}/{tail}" if directory and tail else directory or tail


def join(directory: str, relative: str) -> str | None:
    """Resolve a path relative to a directory; None when it leaves the project: ``("a/b", "../c")`` → ``a/c``."""
    parts = directory.split("/") if directory else []
    for segment in relative.split("/"):
        if segment == "..":
            if not parts:
                return None
            parts.pop()
        elif segment not in {"", "."}:
            parts.append(segment)
    return "/".join(parts)


@lru_cache(maxsize=65536)
def ancestors(directory: str) -> tuple[str, ...]:
    """Return a directory and everything above it, nearest first: ``a/b`` → ``a/b``, ``a`` and the root."""
    above = [directory]
    while directory:
        directory = parent(directory)
        above.append(directory)
    return tuple(above)


def shared(first: str, second: str) -> int:
    """Return how many leading segments two directories have in common."""
    count = 0
    for left, right in zip(first.split("/"), second.split("/"), strict=False):
        if left != right or not left:
            break
        count += 1
    return count


def contains(directory: str, path: str) -> bool:
    """Tell whether a path is the directory itself or lies below it."""
    return not directory or path == directory or path.startswith(directory + "/")


def nearest(directory: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate closest to a directory; among equals the shallower, then the first by name."""
    return min(candidates, key=lambda path: (*_distance(directory, path), path), default=None)


def sole(directory: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate strictly closer to a directory than all others, or None when two are equally close."""
    ranked = sorted((_distance(directory, path), path) for path in candidates)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]


def _distance(directory: str, path: str) -> tuple[int, int]:
    return (-shared(directory, parent(path)), path.count("/"))


def endings(path: str, mark: str) -> Iterator[str]:
    """Return a path and its tails, each shorter than the one before: ``a/b/c`` → ``a/b/c``, ``b/c``, ``c``."""
    while path:
        yield path
        path = path.partition(mark)[2]


def grouped(pairs: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    """Return the values of each key, in their original order."""
    lists: dict[str, list[T]] = defaultdict(list)
    for key, value in pairs:
        lists[key].append(value)
    return {key: tuple(values) for key, values in lists.items()}


# --- the files of the project ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileTable:
    """The project's paths at one moment, indexed so that an import finds its file without a scan.

    Build a new one when a path or a manifest changes.
    """

    paths: frozenset[str]
    manifests: Mapping[str, str]
    """Text by path, only for manifests that are in ``paths``."""
    directories: Mapping[str, tuple[str, ...]]
    """Directory → the files directly in it; includes directories that contain only directories."""
    _names: Mapping[str, tuple[str, ...]] = field(repr=False)
    _tails: Mapping[str, tuple[str, ...]] = field(repr=False)
    _facts: dict[object, Any] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def build(cls, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> "FileTable":
        """Index the paths, in one pass over the files and one over the directories."""
        known = frozenset(paths)
        parts = [(path, *path.rpartition("/")) for path in sorted(known)]
        inside = {"": ()} | grouped((directory, path) for path, directory, _, _ in parts)
        for directory in list(inside):
            for above in ancestors(directory):
                inside.setdefault(above, ())
        names = grouped((name, path) for path, _, _, name in parts)
        tails = grouped((tail, directory) for directory in sorted(inside) for tail in endings(directory, "/"))
        texts = {path: text for path, text in sorted((manifests or {}).items()) if path in known}
        return cls(known, texts, inside, names, tails)

    def matches(self, *tails: str) -> tuple[str, ...]:
        """Return every file whose path ends with these segments: ``b/c.h`` finds ``b/c.h`` and ``a/b/c.h``."""
        matches = [self.once(FileTable._match, tail) for tail in tails]
        return matches[0] if len(matches) == 1 else tuple(path for paths in matches for path in paths)

    def _match(self, tail: str) -> tuple[str, ...]:
        """Filter whichever list is shorter: the files of that name, or the directories of that tail."""
        directory, _, name = tail.rpartition("/")
        named, folders = self._names.get(name, ()), self._tails.get(directory, ())
        if not directory:
            return named
        if len(named) <= len(folders):
            return tuple(path for path in named if path == tail or path.endswith("/" + tail))
        return tuple(path for folder in folders if (path := f"{folder}/{name}") in self.paths)

    def folders(self, tail: str) -> tuple[str, ...]:
        """Return every directory whose path ends with these segments."""
        return self._tails.get(tail, ())

    def first(self, candidates: Iterable[str | None]) -> str | None:
        """Return the first candidate that is a file of the project."""
        return next((path for path in candidates if path in self.paths), None)

    def inside(self, directory: str, extensions: tuple[str, ...]) -> tuple[str, ...]:
        """Return the files directly in a directory that end with one of the extensions."""
        return tuple(path for path in self.directories.get(directory, ()) if path.endswith(extensions))

    def named(self, name: str) -> dict[str, str]:
        """Return the manifests with a file name: directory → text."""
        return {parent(path): text for path, text in self.manifests.items() if path.rpartition("/")[2] == name}

    def once(self, build: Callable[["FileTable", *Ts], T], *values: *Ts) -> T:
        """Return the result of calling a function with this table and some values; computed once, then cached."""
        key = (build, *values)
        if key not in self._facts:
            self._facts[key] = build(self, *values)
        return cast("T", self._facts[key])


def from_homes(directory: str, folders: tuple[str, ...], tails: Iterable[str], table: FileTable) -> str | None:
    """Return the file with one of the tails in the nearest home; an earlier folder or tail wins over a later one.

    A home is one of the folders, in the directory or above it:
    ``("a/b", ("include",), ("x.h",))`` looks for ``a/b/include/x.h``, ``a/include/x.h`` and ``include/x.h``.
    """
    ranks = _ranks(directory, folders)
    offered = (
        (ranks[home], order, under(home, tail))
        for order, tail in enumerate(tails)
        for home in _holding(tail, ranks, table)
    )
    best = min(offered, default=None)
    return best[2] if best else None


@lru_cache(maxsize=4096)
def _ranks(directory: str, folders: tuple[str, ...]) -> dict[str, int]:
    homes = [under(above, folder) for above in ancestors(directory) for folder in folders]
    return {home: rank for rank, home in reversed(list(enumerate(homes)))}


def _holding(tail: str, ranks: dict[str, int], table: FileTable) -> Iterator[str]:
    """Return the homes that contain such a file; iterates over the shorter of the two lists."""
    matches = table.matches(tail)
    if len(matches) <= len(ranks):
        yield from (home for path in matches if (home := path[: -len(tail)].rstrip("/")) in ranks)
    else:
        yield from (home for home in ranks if under(home, tail) in table.paths)


# --- targets -----------------------------------------------------------------------------------------------

PATH, PACKAGE, UNRESOLVED = "path", "package", "unresolved"


class ImportTarget(NamedTuple):
    """The target of an edge: a file of the project, a package from elsewhere, or an unresolved name."""

    name: str
    kind: str
    rel: str = "import"


Targets = tuple[ImportTarget, ...]
Resolver = Callable[[str, RawImport, FileTable], Targets]
"""(importing path, import, table) → targets."""


def files(paths: Iterable[str], rel: str = "import") -> Targets:
    """Return targets that are files; the caller makes sure that they are in the table."""
    return tuple(ImportTarget(path, PATH, rel) for path in paths)


def package(name: str, rel: str = "import") -> Targets:
    """Return a target outside the project."""
    return (ImportTarget(name, PACKAGE, rel),)


def unresolved(name: str, rel: str = "import") -> Targets:
    """Return a target that should be in the project but was not found; it is recorded, because it may be a real use."""
    return (ImportTarget(name, UNRESOLVED, rel),)


def file_or_unresolved(path: str | None, name: str, rel: str = "import") -> Targets:
    """Return the file when there is one, else the name as unresolved."""
    return files((path,), rel) if path is not None else unresolved(name, rel)


def file_or_package(path: str | None, name: str, rel: str = "import") -> Targets:
    """Return the file when there is one, else a package of that name."""
    return files((path,), rel) if path is not None else package(name, rel)


# --- the text of imports and manifests ---------------------------------------------------------------------

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


def unquoted(module: str) -> str:
    """Return the module without the quotes a parser may have left on it."""
    return module.strip().strip("\"'`")


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a hand-written text, which may have comments, trailing commas and a byte order mark.

    Empty when the text is broken or holds something else.
    """
    text = text.removeprefix("\ufeff")
    for pattern in (None, _COMMENT, _TRAILING_COMMA):  # most files need no cleaning
        text = pattern.sub(lambda match: match[1] or " ", text) if pattern else text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else {}
    return {}


def part(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key, or an empty one."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def strings(value: object) -> tuple[str, ...]:
    """Return every string in a JSON value, in order, at any depth of lists and objects."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return tuple(text for item in value for text in strings(item))
    return ()
