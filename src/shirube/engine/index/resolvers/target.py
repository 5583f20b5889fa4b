"""What an import turned out to mean."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from shirube.engine.index.resolvers.table import FileTable
from shirube.types import RawImport

PATH = "path"
PACKAGE = "package"
UNRESOLVED = "unresolved"


class Target(NamedTuple):
    """One end of an edge: a file of the project, a package from elsewhere, or a name nobody could place."""

    name: str
    kind: str
    rel: str = "import"


Targets = tuple[Target, ...]
Resolver = Callable[[str, RawImport, FileTable], Targets]
"""(importing path, import, table) → targets."""


def files(paths: Iterable[str], rel: str = "import") -> Targets:
    """Targets that are files; the caller has seen them in the table."""
    return tuple(Target(path, PATH, rel) for path in paths)


def package(name: str, rel: str = "import") -> Targets:
    """A target outside the project."""
    return (Target(name, PACKAGE, rel),)


def unresolved(name: str, rel: str = "import") -> Targets:
    """A target that should be in the project and is not: unknown must not look like none."""
    return (Target(name, UNRESOLVED, rel),)


def found(path: str | None, name: str, rel: str = "import") -> Targets:
    """The file when there is one, else the name as unresolved."""
    return (Target(path, PATH, rel),) if path is not None else unresolved(name, rel)


def unquoted(module: str) -> str:
    """The module without the quotes a parser may have left on it."""
    return module.strip().strip("\"'`")
