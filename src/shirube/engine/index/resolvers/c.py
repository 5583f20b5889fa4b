"""C, C++ and Objective-C: quoted includes from the file outwards, angled ones from include folders."""

from collections.abc import Iterable

from shirube.engine.index.resolvers.homes import from_homes
from shirube.engine.index.resolvers.paths import contains, join, nearest, parent, sole
from shirube.engine.index.resolvers.table import FileTable
from shirube.engine.index.resolvers.target import Targets, files, package, unresolved
from shirube.types import RawImport

_INCLUDE_FOLDERS = ("include", "inc", "includes", "Include", "src", "Sources", "lib", "headers")
_SYSTEM_FOLDERS = frozenset({"sys", "net", "netinet", "arpa", "bits", "asm", "linux", "experimental", "ext", "mach"})
"""First segments of system headers that name no library."""


def resolve(path: str, item: RawImport, table: FileTable) -> Targets:
    """Find the header behind one ``#include``."""
    written = item.module.strip()
    system = written.startswith("<")
    name = written.strip("<>\"' ").replace("\\", "/")
    if not name:
        return ()
    seen = table.once(_seen)
    key = (parent(path), name, system)
    if key not in seen:
        seen[key] = _header(*key, table)
    header = seen[key]
    if header is not None:
        return files((header,), "include")
    return package(_library(name), "include") if system else unresolved(name, "include")


def _seen(_table: FileTable) -> dict[tuple[str, str, bool], str | None]:
    return {}


def _header(directory: str, name: str, system: bool, table: FileTable) -> str | None:
    """Beside the file when quoted, then in an include folder above it, then anywhere in the project."""
    beside = join(directory, name)
    if beside in table.paths and (not system or name.startswith(".")):
        return beside
    tail = name.lstrip("./")
    offered = table.matches(tail)
    if ".." in name or not offered:
        return sole(directory, offered)
    included = from_homes(directory, _INCLUDE_FOLDERS, (tail,), table)
    return included or _anywhere(directory, tail, offered, system)


def _anywhere(directory: str, tail: str, offered: tuple[str, ...], system: bool) -> str | None:
    """From an include folder, else one that is clearly the nearest."""
    if path := nearest(directory, _from_include_folders(offered, tail)):
        return path
    if system and "/" not in tail:
        return nearest(directory, (path for path in offered if contains(parent(path), directory)))
    return nearest(directory, offered) if "/" in tail else sole(directory, offered)


def _from_include_folders(offered: Iterable[str], tail: str) -> list[str]:
    roots = ((path, path[: -len(tail)].strip("/").rpartition("/")[2]) for path in offered)
    return [path for path, folder in roots if folder in _INCLUDE_FOLDERS[:4]]


def _library(name: str) -> str:
    """``boost/asio.hpp`` → ``boost``, but ``sys/types.h`` and ``stdio.h`` stay whole."""
    first, slash, _ = name.partition("/")
    return first if slash and first not in _SYSTEM_FOLDERS else name
