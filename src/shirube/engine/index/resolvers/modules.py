"""Swift, Haskell and Zig: languages whose imports name a target, a dotted path or a file, and little else."""

from shirube.engine.index.resolvers.paths import join, nearest, parent
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, found, package, unquoted
from shirube.types import RawImport

_SWIFT_HOMES = ("Sources", "Source", "Tests")


def swift(path: str, item: RawImport, table: FileTable) -> Targets:
    """The files directly in the target's folder (``Sources/Name``), else a package."""
    name = item.module.strip().rpartition(" ")[2].partition(".")[0]
    homes = [folder for home in _SWIFT_HOMES for folder in table.folders(f"{home}/{name}")]
    home = nearest(parent(path), homes)
    sources = table.inside(home, (".swift",)) if home is not None else ()
    return files(sources) or package(name)


def haskell(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file whose path ends with the dotted name, else a package of that name."""
    name = item.module.strip()
    tail = name.replace(".", "/")
    offered = [file for ending in (".hs", ".lhs", ".hsc") for file in table.matches(tail + ending)]
    file = nearest(parent(path), offered)
    return files((file,)) if file else package(name)


def zig(path: str, item: RawImport, table: FileTable) -> Targets:
    """The file an ``@import`` names, else a package."""
    name = unquoted(item.module)
    if not name.endswith((".zig", ".zon")):
        return package(name)
    base = join(parent(path), name)
    return found(base if base in table.paths else None, name)
