"""Every path of the project, arranged so that an import finds its file without looking at the others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, TypeVar, cast

from shirube.engine.index.resolvers.paths import parent

MANIFESTS = (
    "go.mod",
    "tsconfig*.json",
    "jsconfig*.json",
    "composer.json",
    "Cargo.toml",
    "package.json",
)
"""File names (with wildcards) whose text decides what an import means."""

_EXACT = frozenset(name for name in MANIFESTS if "*" not in name)
_GLOBS = tuple(name for name in MANIFESTS if "*" in name)

T = TypeVar("T")


def is_manifest(path: str) -> bool:
    """Whether the text of a file is needed to build the table."""
    name = path.rpartition("/")[2]
    return name in _EXACT or any(fnmatchcase(name, glob) for glob in _GLOBS)


@dataclass(frozen=True, slots=True)
class FileTable:
    """The paths of one moment, with the manifests' text; build a new one when either changes."""

    paths: frozenset[str]
    manifests: Mapping[str, str]
    """Text by path, only for manifests that are in ``paths``."""
    directories: Mapping[str, tuple[str, ...]]
    """Every directory, also those holding only directories, with the paths of the files directly in it."""
    _names: Mapping[str, tuple[str, ...]] = field(repr=False)
    _tails: Mapping[str, tuple[str, ...]] = field(repr=False)
    _facts: dict[object, Any] = field(repr=False, compare=False, default_factory=dict)
    _matches: dict[str, tuple[str, ...]] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def build(cls, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> "FileTable":
        """Arrange the paths; one pass over the files, one over the directories."""
        known = frozenset(paths)
        inside: dict[str, list[str]] = {"": []}
        names: dict[str, list[str]] = {}
        for path in sorted(known):
            directory, _, name = path.rpartition("/")
            inside.setdefault(directory, []).append(path)
            names.setdefault(name, []).append(path)
        for directory in list(inside):
            _add_parents(directory, inside)
        return cls(
            known,
            {path: text for path, text in sorted((manifests or {}).items()) if path in known},
            _frozen(inside),
            _frozen(names),
            _frozen(_by_tail(inside)),
        )

    def matches(self, tail: str) -> tuple[str, ...]:
        """Every file whose path ends with these segments: ``b/c.h`` finds ``b/c.h`` and ``a/b/c.h``."""
        directory, _, name = tail.rpartition("/")
        if not directory:
            return self._names.get(name, ())
        if tail not in self._matches:
            self._matches[tail] = self._match(tail, self._names.get(name, ()), self._tails.get(directory, ()))
        return self._matches[tail]

    def _match(self, tail: str, named: tuple[str, ...], folders: tuple[str, ...]) -> tuple[str, ...]:
        """Filter whichever list is shorter: the files of that name, or the directories of that tail."""
        if len(named) <= len(folders):
            return tuple(path for path in named if path == tail or path.endswith("/" + tail))
        name = tail.rpartition("/")[2]
        return tuple(path for folder in folders if (path := f"{folder}/{name}") in self.paths)

    def folders(self, tail: str) -> tuple[str, ...]:
        """Every directory whose path ends with these segments."""
        return self._tails.get(tail, ())

    def first(self, candidates: Iterable[str]) -> str | None:
        """The first candidate that is a file of the project."""
        return next((path for path in candidates if path in self.paths), None)

    def inside(self, directory: str, extensions: tuple[str, ...]) -> tuple[str, ...]:
        """The files directly in a directory that end with one of the extensions."""
        return tuple(path for path in self.directories.get(directory, ()) if path.endswith(extensions))

    def named(self, name: str) -> dict[str, str]:
        """The manifests of one file name, text by directory."""
        return {parent(path): text for path, text in self.manifests.items() if path.rpartition("/")[2] == name}

    def once(self, build: Callable[["FileTable"], T]) -> T:
        """What a function makes of this table, made the first time it is asked for."""
        if build not in self._facts:
            self._facts[build] = build(self)
        return cast("T", self._facts[build])


def fingerprint(table: FileTable) -> str:
    """A digest that changes when an import might resolve differently: other paths, or another manifest."""
    digest = sha256("\n".join(sorted(table.paths)).encode("utf-8", "surrogatepass"))
    for path, text in sorted(table.manifests.items()):
        digest.update(f"\0{path}\0{text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _add_parents(directory: str, inside: dict[str, list[str]]) -> None:
    while directory:
        directory = parent(directory)
        if directory in inside:
            return
        inside[directory] = []


def _by_tail(directories: Iterable[str]) -> dict[str, list[str]]:
    tails: dict[str, list[str]] = {}
    for directory in sorted(directories):
        tail = directory
        while tail:
            tails.setdefault(tail, []).append(directory)
            tail = tail.partition("/")[2]
    return tails


def _frozen(lists: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(paths) for key, paths in lists.items()}
